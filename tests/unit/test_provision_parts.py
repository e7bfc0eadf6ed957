"""A part of a provision knows what governs it, though it stands above (A2)."""

from __future__ import annotations

from datetime import UTC, datetime

from policypal.answer.evidence import numbered_sentences
from policypal.domain.documents import Document, DocumentStatus, DocumentType, Page, RetrievedPassage
from policypal.graph.citing import numbered_evidence
from policypal.search.provisions import parts_of
from policypal.text.provisions import read_provisions

PAGE = """\
4. MOORING

AC-1 – Lines

For Large Boats:
1) Check every line twice a day.
2) Replace worn lines.

AC-2 – Lights

1) Show a white light at night.
"""
DOCUMENT = Document(
    "d", "Harbour Rules", "", DocumentType.REGULATORY, "rules.txt", "text/plain", "", 1, "k", DocumentStatus.READY, datetime.now(UTC)
)  # fmt: skip


def test_a2_whom_a_line_above_limits_a_provision_to_stands_in_the_prompt() -> None:
    parts = [
        p for provision in read_provisions([Page(1, PAGE)]) for p in parts_of(DOCUMENT, provision, {("d", 1): PAGE})
    ]
    scopes = {p.text: p.scope for p in parts}
    assert scopes == {
        "1) Check every line twice a day.": "Large Boats",
        "2) Replace worn lines.": "Large Boats",
        "1) Show a white light at night.": "",
    }
    shown = numbered_sentences(numbered_evidence([RetrievedPassage(p, 1.0, 0.0, 1.0) for p in parts]))
    assert shown.count("\n(applies to: Large Boats)\n[") == 2
