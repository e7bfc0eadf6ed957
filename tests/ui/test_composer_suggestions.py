"""What the "@" list offers (U3, G4)."""

from __future__ import annotations

from policypal.ui.chat import composer
from tests.support.documents import OTHER_RULE, RECORDS_RULE, add_text
from tests.ui.conftest import Desk


def test_g4_the_newest_edition_is_offered_first_and_the_others_are_marked(desk: Desk) -> None:
    for version in ("2021", "2025", "2023"):
        add_text(*desk, "Zenith Rulebook", f"{RECORDS_RULE}\nEdition {version}.", version=version)
    add_text(*desk, "Zenith Guideline", OTHER_RULE)
    offered = [s for s in composer.taggable_in_message(*desk) if s.label.startswith("Zenith")]
    assert [s.label for s in offered] == [
        "Zenith Guideline", "Zenith Rulebook (2025)", "Zenith Rulebook (2023)", "Zenith Rulebook (2021)",
    ]  # fmt: skip
    assert [s.detail.startswith("Superseded") for s in offered] == [False, False, True, True]


def test_u3_a_law_is_found_by_its_initials(desk: Desk) -> None:
    add_text(*desk, "Zonal Data Protection Regulation", f"{RECORDS_RULE}\nOf the zone.", aliases=("Zone law",))
    (offered,) = [s for s in composer.taggable_in_message(*desk) if s.label.startswith("Zonal")]
    assert list(offered.aliases) == ["Zone law", "ZDPR"]
