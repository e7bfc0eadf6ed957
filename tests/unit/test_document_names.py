"""Names that are nearly a document's (G4, stage 3)."""

from __future__ import annotations

import pytest

from policypal.request.documents import documents_by_rules, settle
from policypal.request.library import KnownDocument, called_most_alike, match_name
from policypal.request.said import Said

OLD = KnownDocument(id="r23", title="Prudential Rulebook", version="2023", aliases=["PRB"])
NEW = KnownDocument(id="r25", title="Prudential Rulebook", version="2025", aliases=["PRB"])
TRAVEL = KnownDocument(id="trv", title="Travel Policy", version="2.1", type="company")
SOLVENCY = KnownDocument(id="sol", title="Solvency II Directive", version="2009/138")
ISSUED = KnownDocument(id="bn", title="Bank Negara", version="2024")
LIBRARY = [OLD, NEW, TRAVEL, SOLVENCY, ISSUED]


def ids(name: str) -> set[str]:
    return {match.id for match in match_name(name, LIBRARY)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Prudential Rulebook 2025", {"r25"}),
        ("prudental rulebok 2023", {"r23"}),
        ("the Prudential Rulebook (2025)", {"r25"}),
        ("PRB 2023", {"r23"}),
        ("Travel Polcy", {"trv"}),
        ("travel policy v2.1", {"trv"}),
        ("BankNegara2024", {"bn"}),
        ("Solvency II directiv", {"sol"}),
    ],
)
def test_g4_similar_names_match(name: str, expected: set[str]) -> None:
    assert ids(name) == expected


def test_g4_a_name_without_version_matches_all_versions() -> None:
    assert ids("Prudential Rulebok") == {"r23", "r25"}


@pytest.mark.parametrize(
    "name",
    ["Prudential Rulebook 2024", "Solvency III Directive", "Travel Policy 3.0", "Travel Policy 2022", "BankNegara2025"],
)
def test_g4_versions_must_agree(name: str) -> None:
    assert ids(name) == set()


@pytest.mark.parametrize(
    "name", ["", "   ", "the", "Policy", "Rule", "Rulebook", "Gravel Policy X", "PRC", "Bank", "of", "Travel"]
)
def test_g4_short_and_partial_names_match_nothing(name: str) -> None:
    assert ids(name) == set()


def test_g4_acronyms_differ_by_a_letter_and_are_different() -> None:
    documents = [KnownDocument(id="kyc", title="KYC Notice"), KnownDocument(id="b", title="Annex B Reporting")]
    assert match_name("KYB Notice", documents) == []
    assert match_name("Annex A Reporting", documents) == []


def test_g4_the_names_that_come_nearest_are_offered_best_first_and_in_force_only() -> None:
    def offered(name: str, message: str = "") -> list[str]:
        return [d.id for d in called_most_alike([name], LIBRARY, message)]

    assert offered("Solvency Directive on groups")[0] == "sol"
    assert offered("Rulebook for Insurers")[0] == "r25"
    assert offered("Zebra Circular", "Summarize the Zebra Circular on travel")[0] == "trv"
    assert len(offered("Zebra")) == 3 and OLD.id not in offered("Zebra")
    assert called_most_alike([], LIBRARY, "") == [] and called_most_alike(["Zebra"], [], "") == []


@pytest.mark.parametrize("name", ["ASVS", "asvs", "OWAS"])
def test_g4_initials_name_a_document_also_where_they_end_in_s(name: str) -> None:
    """They are no plural of anything."""
    documents = [
        KnownDocument(id="asvs", title="Application Security Verification Standard"),
        KnownDocument(id="owas", title="Overseas Workers Allowance Scheme"),
    ]
    read = documents_by_rules(
        Said(message=f"What does {name} say about session timeout?", documents=documents), "inquire"
    )
    assert read.ids == [name.lower()] and not read.unknown


@pytest.mark.parametrize(
    ("said", "expected"),
    [("bcbs 239", ["b"]), ("BCBS239", ["b"]), ("BCBS 240", []), ("ISO 27001", ["i"]), ("the policy", [])],
)
def test_g4_a_code_that_a_file_is_called_by_names_its_document(said: str, expected: list[str]) -> None:
    documents = [
        KnownDocument(id="b", title="Principles for risk data aggregation", filename="bcbs239.pdf"),
        KnownDocument(id="i", title="Information security management", filename="iso_27001.pdf"),
        KnownDocument(id="p", title="Rules on gifts", filename="policy.pdf"),
        KnownDocument(id="a", title="Access Standard", in_conversation=True, turn=1),
    ]
    read = documents_by_rules(Said(message=f"Summarize {said}", documents=documents), "summarize")
    assert [i for i in read.ids if i != "a"] == expected


@pytest.mark.parametrize(
    "title", ["Harbour Traffic Supervision – Pilot's Handbook", "Harbour Traffic Supervision: Guide"]
)
def test_g4_a_document_is_called_by_the_first_part_of_its_title_however_short_the_rest_is(title: str) -> None:
    documents = [KnownDocument(id="h", title=title), KnownDocument(id="p", title="Berth Policy")]
    said = Said(message="Compare Harbour Traffic Supervision with the Berth Policy", documents=documents)
    read = documents_by_rules(said, "compare")
    assert (sorted(read.ids), read.unknown) == (["h", "p"], [])


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Summarize the mooring conduct rules", ["r25"]),
        ("Compare the 2022 and 2025 mooring conduct rules", ["r22", "r25"]),
        ("Summarize mooring rules", []),
        ("Summarize the incident rules", []),
    ],
)
def test_g4_rules_name_a_document_whose_title_ends_in_this_word(message: str, expected: list[str]) -> None:
    documents = [
        KnownDocument(id="r22", title="Harbour Mooring Conduct Rules", version="2022"),
        KnownDocument(id="r25", title="Harbour Mooring Conduct Rules", version="2025"),
        KnownDocument(id="i", title="Former Incident Rule"),
    ]
    read = documents_by_rules(Said(message=message, documents=documents), "summarize")
    settled = settle(Said(message=message, documents=documents), read)
    assert sorted(settled.ids) == expected
