"""Names of conversations (M4, U2b)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.domain.conversations import Action
from policypal.request.conversation_titles import (
    MOST_CHARACTERS,
    UNTITLED,
    NamedDocument,
    title_of_request,
    title_of_words,
)

POLICY = NamedDocument("Group Conduct and Information Policy")
RULES, OLD_RULES = (NamedDocument("Operational Conduct and Data Rulebook", year) for year in ("2025", "2023"))
SHORT = NamedDocument("Data Rulebook", "2025")
GUIDE = NamedDocument("A very long name that says nothing of what kind of thing it is")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("What is the breach notification deadline in GDPR?", "Breach notification deadline in GDPR"),
        ("**Please** tell me about outsourcing risk", "Outsourcing risk"),
        ("See [the memo](https://example.org/x) on gifts", "See the memo on gifts"),
        ("How long must records be kept?", "How long must records be kept"),
        ("How soon must a major incident be reported to the Authority of the country?", "How soon must a major incident be reported to the Authority…"),
        ("What does the Rulebook say about record retention?", "Record retention"),
        ("WHAT ARE THE CAPITAL REQUIREMENTS FOR BANKS", "Capital requirements for banks"),
        ("What are data subjects' rights under article 17(3) and (2025)?", "Data subjects' rights under article 17(3) and (2025)"),
        ("Was sind die Fristen für Meldungen?", "Was sind die Fristen für Meldungen"),
        ("@Web Search What is the retention period?", "Retention period"),
        ("<script>alert(1)</script> :material/delete: {{x}} gifts", "Gifts"),
        ("![x](http://evil.example/p.png) ```rm -rf```", "X rm -rf"),
        ("?? !!", UNTITLED),
        ("", UNTITLED),
        ("@Audit", UNTITLED),
    ],
)  # fmt: skip
def test_m4_a_message_names_a_conversation_in_its_own_words(message: str, name: str) -> None:
    assert title_of_words(message) == name


@pytest.mark.parametrize(
    ("action", "message", "documents", "source", "name"),
    [
        ("audit", "Audit it", [SHORT], NamedDocument("Gift Policy"), "Audit · Gift Policy × Data Rulebook 2025"),
        ("audit", "Audit it", [RULES], POLICY, "Audit · Group Policy × Rulebook 2025"),
        ("audit", "Audit it", [RULES, OLD_RULES], POLICY, "Audit · Group Policy × Rulebook 2025 × 2023"),
        ("compare", "Compare them", [OLD_RULES, RULES], None, "Compare · Rulebook 2023 × 2025"),
        ("compare", "Compare them", [RULES, POLICY], None, "Compare · Rulebook 2025 × Group Policy"),
        ("summarize", "Sum it up", [SHORT], None, "Summary · Data Rulebook 2025"),
        ("inquire", "What does it say about outsourcing?", [RULES], None, "Outsourcing · Rulebook 2025"),
        ("inquire", "How long must records of complaints be kept?", [RULES], None, "How long must records of complaints be kept · Rulebook 2025"),
        ("inquire", "How long must records be kept?", [], None, "How long must records be kept"),
        ("inquire", "", [SHORT], None, UNTITLED),
    ],
)  # fmt: skip
def test_u2b_a_resolved_request_names_its_conversation(
    action: str, message: str, documents: list[NamedDocument], source: NamedDocument | None, name: str
) -> None:
    assert title_of_request(Action(action), message, documents=documents, source=source) == name


def test_u2b_documents_of_one_kind_are_named_by_the_words_in_which_their_titles_differ() -> None:
    titles = (
        "EPA IT/IM Directive: Information Security - Privacy Procedures, Directive # CIO 2150-P-22.1",
        "EPA IT/IM Directive: Information Security – Incident Response (IR) Procedures, Directive # CIO 2150-P-08.3",
        "Group Policy",
        "Group Policy on Gifts and Hospitality",
    )
    names = [NamedDocument(title, "", titles).short for title in titles]
    assert names == ["Privacy Procedures", "Incident Response (IR)…", "Group Policy", "Gifts and Hospitality"]
    assert NamedDocument(titles[3], "2024", titles).short == "Gifts and Hospitality 2024"
    assert NamedDocument(titles[3], "2024").short == "Policy 2024"


def test_u2b_what_an_audit_is_limited_to_tells_it_from_another_one_of_the_same_documents() -> None:
    name = title_of_request(Action.AUDIT, "", documents=[RULES], source=POLICY, focus="complaints")
    assert name == "Audit · Group Policy × Rulebook 2025 · complaints"


def test_u2b_a_document_without_a_telling_noun_is_cut_in_whole_words() -> None:
    name = title_of_request(Action.COMPARE, "", documents=[GUIDE, GUIDE, RULES])
    assert name == "Compare · A very long name that… × A very long name that…"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_m4_a_name_is_short_one_line_and_never_empty(message: str) -> None:
    for name in (title_of_words(message), title_of_request(Action.INQUIRE, message, documents=[RULES])):
        assert 0 < len(name) <= MOST_CHARACTERS
        assert "\n" not in name


@pytest.mark.parametrize(
    ("title", "version", "short"),
    [
        ("General Data Protection Regulation – Regulation (EU) 2016/679", "", "GDPR"),
        ("Digital Operational Resilience Act", "2022", "DORA 2022"),
        ("Application Security Verification Standard", "", "ASVS"),
        ("Outsourcing Regulation", "", "Outsourcing Regulation"),
        ("Rules for the orderly use of a standard", "", "Rules standard"),
        ("Group Conduct and Information Policy", "", "Group Policy"),
    ],
)
def test_m4_laws_and_standards_go_by_their_initials(title: str, version: str, short: str) -> None:
    assert NamedDocument(title, version).short == short


def test_m4_initials_of_two_documents_name_neither() -> None:
    titles = ("Digital Operational Resilience Act", "Danish Ocean Rescue Act")
    assert {NamedDocument(title, "", titles).short for title in titles} == {"Digital Act", "Danish Act"}
