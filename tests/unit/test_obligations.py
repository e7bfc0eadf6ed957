"""Obligation sentences (A6)."""

from __future__ import annotations

import pytest

from policypal.text.obligations import (
    Modality,
    Obligation,
    Parts,
    bound_party,
    modality_of,
    open_stem,
    read_obligation,
    split_clauses,
    split_condition,
)


def find_obligations(text: str) -> list[Obligation]:
    return [o for clause in split_clauses(text) if (o := read_obligation(clause)) is not None]


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


def test_a6_items_of_a_list_inherit_its_introduction() -> None:
    text = "1. Personal data shall be:\n(a) processed lawfully and fairly;\n(b) kept for no longer than is necessary."
    found = find_obligations(text)
    assert [o.text for o in found] == [
        "(a) processed lawfully and fairly;",
        "(b) kept for no longer than is necessary.",
    ]
    assert {o.modality for o in found} == {Modality.REQUIRED}
    assert found[1].clause.full.startswith("Personal data shall be: (b) kept")


def test_a6_a_list_goes_on_over_the_page_break() -> None:
    first = split_clauses(
        "Personal data shall be:\n(a) processed lawfully;\n(b) accurate and up to date;\n1 See note 4."
    )
    second = find_obligations_after(
        open_stem(first), "(c) kept for no longer than is necessary;\n2. The firm is bound."
    )
    assert second[0] == "Personal data shall be: (c) kept for no longer than is necessary;"


def find_obligations_after(stem: str, text: str) -> list[str]:
    return [c.full for c in split_clauses(text, stem)]


def test_a6_a_new_list_does_not_inherit_from_the_page_before() -> None:
    assert split_clauses("(a) the first item of another list", "Staff must:")[0].stem == ""


def test_a6_offsets_and_quantities_point_into_the_text() -> None:
    text = "Scope\n\nA firm must acknowledge a complaint within five business days. It may reply by letter."
    duty = find_obligations(text)[0]
    assert text[duty.start : duty.end] == duty.text == "A firm must acknowledge a complaint within five business days."
    assert [q.text for q in duty.quantities] == ["five business days"]
    assert duty.text[duty.quantities[0].start : duty.quantities[0].end] == "five business days"


@pytest.mark.parametrize(
    "text",
    [
        "“Client” means any person to whom a firm must provide a service.",
        "This Regulation shall enter into force on 1 January 2025.",
        "Obligations of firms that must report",
        "(39) Any processing of personal data should be lawful and fair.",
    ],
)
def test_a6_definitions_entry_into_force_and_recitals_bind_nobody(text: str) -> None:
    assert [o for o in find_obligations(text) if o.binding and text.endswith(".")] == []


def test_a6_recommendations_do_not_bind() -> None:
    assert [o.binding for o in find_obligations("A firm should test its plan. A firm must test its plan.")] == [
        False,
        True,
    ]


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


def test_a6_the_limit_is_the_deadline_or_threshold() -> None:
    texts = [
        "Firms must answer within 15 days.",
        "Firms must hold at least 8% of their exposures.",
        "Firms must answer every letter.",
    ]
    limits = [obligation.limit for text in texts for obligation in find_obligations(text)]
    assert [limit.text if limit else None for limit in limits] == ["15 days", "8%", None]
