"""Why a source is used: the statements that carry its marker (U7)."""

from __future__ import annotations

import pytest

from policypal.gate.cited_statements import cited_statements


@pytest.mark.parametrize(
    ("markdown", "marker", "statements"),
    [
        ("Banks report within 24 hours. 📄1 The board meets. 📄2", "📄2", ["The board meets."]),
        ("Banks report within 24 hours 📄1 📄2, and the board meets 📄3.", "📄2", ["Banks report within 24 hours"]),
        ("A first thing. A second one 📄1.", "📄1", ["A second one"]),
        ("- **Deadline.** Reports are due *at once* 📄1", "📄1", ["Reports are due at once"]),
        ("| Aspect | 24 hours 📄1 | 72 hours 🌐2 |", "🌐2", ["72 hours"]),
        ("Due ~~within 30~~ **within 15** days 📄1", "📄1", ["Due within 30 within 15 days"]),
        ("One 📄1\nTwo 📄1\nOne 📄1", "📄1", ["One", "Two"]),
        ("Eleven 📄11 and one 📄\ufe0f 1", "📄1", ["and one"]),
        ("📄1 begins the line", "📄1", []),
        ("No marker at all.", "📄1", []),
        ("", "📄1", []),
    ],
)
def test_u7_a_source_is_used_for_what_stands_before_its_marker(
    markdown: str, marker: str, statements: list[str]
) -> None:
    assert cited_statements(markdown, marker) == statements
