"""What of a message asks, and what is a text to be audited (G3, X2)."""

from __future__ import annotations

import pytest

from policypal.ingest.drafts import reads_as_title, request_of, split_audit_request

CLAIM = "We keep the records of every customer for three years and delete them afterwards."


@pytest.mark.parametrize(
    "title",
    [
        "Operational Conduct and Data Rulebook (2025)",
        "The Guideline on Outsourcing",
        "Basel III Principles",
        "GDPR 2016/679",
    ],
)
def test_g4_a_title_is_no_text(title: str) -> None:
    assert reads_as_title(title)
    assert title in request_of(f"Compare “{title}” with the 2023 edition of our own internal document")


@pytest.mark.parametrize("words", [CLAIM, "Our policy allows everything.", "Materially Adverse Effect", ""])
def test_x2_a_quoted_sentence_or_term_is_no_title(words: str) -> None:
    assert not reads_as_title(words)


def test_g3_the_text_to_audit_is_the_quotation_that_is_no_title() -> None:
    directive, text = split_audit_request(f"Does “{CLAIM}” comply with “Conduct and Data Rulebook (2025)”?")
    assert text == CLAIM
    assert "Conduct and Data Rulebook" in directive
    assert split_audit_request("Audit it against “Conduct and Data Rulebook (2025)”")[1] == ""
