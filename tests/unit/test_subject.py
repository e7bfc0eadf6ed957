"""What a question is about, apart from the document it names (A2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policypal.request.subject import without_document_names

RULEBOOK = "Conduct and Data Rulebook (2025)"


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("How long are customer records kept under the Rulebook 2025?", [RULEBOOK], "How long are customer records kept?"),
        ("How long must customer records be kept under the Records Rule?", ["Records Rule"], "How long must customer records be kept?"),
        ("According to the Conduct and Data Rulebook, who must report?", [RULEBOOK], "who must report?"),
        ("What does the Rulebook 2025 say about data protection?", [RULEBOOK], "What does say about data protection?"),
        ("And in the 2025 edition?", [RULEBOOK], "And?"),
        ("What is data conduct?", [RULEBOOK], "What is data conduct?"),
        ("Rulebook 2025", [RULEBOOK], "Rulebook 2025"),
        ("What are the fines?", [], "What are the fines?"),
        ("What does the GDPR say about consent?", ["Data Regulation (2016)", "GDPR"], "What does say about consent?"),
        ("Is there anything in the GDPR regulation on fines?", ["GDPR"], "Is there anything on fines?"),
        ("What does the rulebook say about gifts?", [RULEBOOK], "What does say about gifts?"),
        ("What does the newer rulebook say about gifts?", [RULEBOOK], "What does say about gifts?"),
        ("In which cases does the rulebook not apply?", [RULEBOOK], "In which cases does not apply?"),
        ("Who approves the rulebook?", [RULEBOOK], "Who approves the rulebook?"),
    ],
)  # fmt: skip
def test_a2_names_of_documents_are_not_the_subject(text: str, names: list[str], expected: str) -> None:
    assert without_document_names(text, names) == expected


def test_a2_a_set_is_cut_where_it_names_documents_and_nowhere_else() -> None:
    assert (
        without_document_names("What do the FFIEC papers want for owners?", [], ["FFIEC"]) == "What do want for owners?"
    )
    kept = "rules on data outside the EU"
    assert without_document_names(kept, ["Data Regulation"], ["EU"]) == kept


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3))
def test_a2_any_text_survives(text: str, names: list[str]) -> None:
    assert isinstance(without_document_names(text, names), str)
