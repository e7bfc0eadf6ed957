"""Contradictions between the sources of a report: few, sure, and of claims that exist (W3)."""

from __future__ import annotations

import pytest

from policypal.domain.research import Contradiction
from policypal.gate.parties import different_recipients
from policypal.llm.task import TaskContext
from policypal.research.check_claims import (
    CHECK_CLAIMS,
    CitedClaim,
    ClaimsCheck,
    ClaimsInput,
    sound_conflicts,
)
from tests.support.report_run import EMBEDDER


def claims(*told: tuple[str, str]) -> ClaimsInput:
    return ClaimsInput(claims=[CitedClaim(number=n, source=s, quote=q) for n, (s, q) in enumerate(told, 3)])


def found(*told: tuple[str, str]) -> list[Contradiction]:
    return CHECK_CLAIMS.extractive(claims(*told), TaskContext(EMBEDDER)).conflicts


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            "A bank must notify the Authority of a major incident within 24 hours.",
            "A bank must notify the Authority of a major incident within 4 hours.",
        ),
        (
            "Customer records must be kept for at least 7 years after the account is closed.",
            "Customer records are kept for five years after the account is closed.",
        ),
        (
            "A provider must not subcontract a critical function without written consent of the bank.",
            "A provider may subcontract a critical function without asking the bank for consent.",
        ),
        (
            "A bank must hold own funds of at least 12% of its risk-weighted exposures.",
            "A bank must hold own funds of at least 10% of its risk-weighted exposures.",
        ),
    ],
)
def test_w3_other_figures_or_the_opposite_on_one_subject_are_told(left: str, right: str) -> None:
    conflicts = found(("A", left), ("B", right))
    assert [{c.left, c.right} for c in conflicts] == [{3, 4}]
    assert "A says" in conflicts[0].explanation or "B says" in conflicts[0].explanation
    assert conflicts[0].subject


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            "A bank must notify the Authority of a major incident within 4 hours.",
            "A bank must notify the Authority of a material outsourcing at least 30 days before it takes effect.",
        ),
        (
            "The retention schedule must be reviewed at least once every 24 months.",
            "The board must review the conduct framework at least once every 12 months.",
        ),
        (
            "A bank must report incidents to the Authority within 72 hours.",
            "A bank must report incidents to the Authority within three days.",
        ),
        (
            "A bank must inform the customers affected by a major incident within 48 hours of its classification.",
            "A bank must report a major incident to the Authority within 24 hours of its classification.",
        ),
        (
            "The management body must be informed of a major incident within 48 hours.",
            "The Commissioner must be notified of a major incident within 24 hours.",
        ),
        ("A bank must keep a register of incidents.", "Every bank must maintain an incident register."),
        ("The first copy must be provided free of charge.", "A bank must appoint a compliance officer."),
    ],
)
def test_w3_other_subjects_and_the_same_in_other_words_are_not(left: str, right: str) -> None:
    assert found(("A", left), ("B", right)) == []


def test_w3_a_contradiction_names_the_words_that_disagree_and_quotes_both_sentences() -> None:
    (conflict,) = found(
        (
            "A",
            "A controller must make the record of its processing available to the Commissioner within 5 working days of a request.",
        ),
        ("B", "A controller must make any record available within 3 working days of a request by the Authority."),
    )
    assert {*conflict.subject.split(" / ")} == {"5 working days", "3 working days"}
    assert "of its processing available to the Commissioner" in conflict.explanation


def test_w3_who_is_told_is_read_in_the_active_and_in_the_passive() -> None:
    both = "The bank informs affected customers and the supervisory authority within 72 hours."
    one = "Customers must be informed of a breach within 24 hours."
    other = "A bank must notify the competent authority of incidents that affect customers within 24 hours."
    assert different_recipients(one, other)
    assert not different_recipients(one, both) and not different_recipients(other, both)
    assert not different_recipients(one, "A bank must keep a register.")


def test_w3_a_source_does_not_contradict_itself() -> None:
    told = [("A", f"A bank must notify the Authority of a major incident within {n} hours.") for n in (4, 24)]
    assert found(*told) == []
    assert found() == []


def test_w3_of_a_models_contradictions_those_stay_whose_claims_exist() -> None:
    given = claims(("A", "within 4 hours"), ("A", "within 5 hours"), ("B", "within 24 hours"))
    told = [
        Contradiction(left=3, right=5, subject="Notice", explanation="A says 4 hours, B says 24 hours."),
        Contradiction(left=5, right=3, subject="Again", explanation="The same pair."),
        Contradiction(left=3, right=4, subject="One source", explanation="A against A."),
        Contradiction(left=3, right=99, subject="Invented", explanation="No such claim."),
    ]
    assert sound_conflicts(ClaimsCheck(conflicts=told), given) == told[:1]


def test_c2_an_explanation_with_figures_of_its_own_is_replaced_by_the_quotations() -> None:
    given = claims(("A", "within 4 hours"), ("B", "within 24 hours"))
    told = Contradiction(left=3, right=4, subject=" ", explanation="B allows 48 hours more.")
    (kept,) = sound_conflicts(ClaimsCheck(conflicts=[told]), given)
    assert kept.explanation == "A says “within 4 hours” where B says “within 24 hours”."
    assert kept.subject == "Contradicting provisions"


def test_c2b_a_subject_that_names_somebody_of_its_own_is_replaced() -> None:
    given = claims(("A", "within 4 hours"), ("B", "within 24 hours"))
    told = Contradiction(
        left=3, right=4, subject="Notice to the Quellmar Commission", explanation="A says 4 hours, B says 24 hours."
    )
    (kept,) = sound_conflicts(ClaimsCheck(conflicts=[told]), given)
    assert kept.subject == "Contradicting provisions"
