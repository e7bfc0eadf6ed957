"""Which editions of a document supersede which (D8, G4)."""

from __future__ import annotations

import pytest

from policypal.domain.versions import in_force, superseded_by, version_families
from policypal.request.library import KnownDocument


def edition(version: str, previous: str | None = None, title: str = "Conduct Rulebook") -> KnownDocument:
    return KnownDocument(id=version or "none", title=title, version=version, previous_version_id=previous)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2023", "2025"),
        ("v3.2.1", "v4.0.1"),
        ("4.0.3", "5.0"),
        ("9", "10"),
        ("Version 1.9", "v1.10"),
        ("June 2012", "March 2021"),
        ("Jan 2021", "Mar 2021"),
        ("EBA/GL/2019/02", "EBA/GL/2025/01"),
    ],
)
def test_g4_the_newest_of_one_title_is_in_force(older: str, newer: str) -> None:
    documents = [edition(newer), edition(older)]
    assert in_force(documents) == {newer}
    assert {i: d.id for i, d in superseded_by(documents).items()} == {older: newer}
    assert [d.id for d in version_families(documents)[older]] == [newer, older]


@pytest.mark.parametrize(
    ("one", "other"), [("2025", "2025 draft"), ("2024", "4.1"), ("", "2025"), ("EN", "DE"), ("2025", "v2025")]
)
def test_g4_versions_that_nothing_puts_in_order_are_all_in_force(one: str, other: str) -> None:
    documents = [edition(one), edition(other)]
    assert in_force(documents) == {one or "none", other}
    assert version_families(documents) == {}


def test_g4_documents_of_other_titles_or_types_are_no_editions() -> None:
    policy = edition("2025").model_copy(update={"id": "policy", "type": "company"})
    assert in_force([edition("2023"), edition("2024", title="Conduct Rulebook II"), policy]) == {
        "2023",
        "2024",
        "policy",
    }


def test_d8_what_the_analyst_linked_wins_over_titles_and_numbers() -> None:
    first, last = edition("5.0"), edition("1.0", previous="5.0", title="Conduct Code")
    assert in_force([last, first]) == {"1.0"}
    assert in_force([edition("4.0", previous="5.0"), first]) == {"4.0"}


def test_d8_a_link_and_a_title_make_one_family() -> None:
    documents = [edition("2021", title="Old Rulebook"), edition("2023", previous="2021"), edition("2025")]
    assert in_force(documents) == {"2025"}
    assert len(version_families(documents)["2021"]) == 3
