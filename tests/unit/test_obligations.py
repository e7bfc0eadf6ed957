"""Obligation sentences (A6)."""

from __future__ import annotations

import pytest

from policypal.text.obligations import (
    Modality,
    Parts,
    bound_party,
    modality_of,
    split_condition,
)


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("A firm must keep records.", Modality.REQUIRED),
        ("The controller shall notify the authority.", Modality.REQUIRED),
        ("Institutions are required to appoint an officer.", Modality.REQUIRED),
        ("Staff must not accept gifts.", Modality.PROHIBITED),
        ("No firm may open an anonymous account.", Modality.PROHIBITED),
        ("Retaliation is prohibited.", Modality.PROHIBITED),
        ("Firms may not rely on silence.", Modality.PROHIBITED),
        ("Firms should review the plan.", Modality.RECOMMENDED),
        ("The controller should be obliged to respond.", Modality.RECOMMENDED),
        ("Such transmission should be prohibited.", Modality.RECOMMENDED),
        ("Collection may only start after a reminder.", Modality.REQUIRED),
        ("It shall not later than 3 May report.", Modality.REQUIRED),
        ("The Authority may publish guidance.", Modality.PERMITTED),
        ("This rule shall not apply to branches, but they must register.", Modality.REQUIRED),
        ("The sun rises in the east.", None),
    ],
)
def test_a6_modality(text: str, modality: Modality | None) -> None:
    assert modality_of(text) is modality


@pytest.mark.parametrize(
    ("text", "party"),
    [
        ("The compliance officer must report quarterly.", "The compliance officer"),
        ("Where a breach occurs, the controller shall notify the authority.", "the controller"),
        ("3.2 An institution shall keep a register.", "An institution"),
    ],
)
def test_a6_bound_party_is_the_subject(text: str, party: str) -> None:
    assert bound_party(text) == party


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "If a breach occurs, the firm shall inform the authority.",
            ("the firm shall inform the authority.", "If a breach occurs", ""),
        ),
        (
            "The firm must delete the data unless the law requires storage.",
            ("The firm must delete the data", "", "unless the law requires storage."),
        ),
        (
            "The firm must tell its clients where a major incident affects them.",
            ("The firm must tell its clients", "where a major incident affects them.", ""),
        ),
        ("The firm must keep records.", ("The firm must keep records.", "", "")),
    ],
)
def test_a6_conditions_and_exceptions_stand_apart_from_the_main_clause(text: str, parts: tuple[str, str, str]) -> None:
    assert split_condition(text) == Parts(*parts)
