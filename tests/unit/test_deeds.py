"""Who does what, as the gate reads it (C2b)."""

from __future__ import annotations

import pytest

from policypal.gate.deeds import Deed, deeds_of
from policypal.gate.parties import other_actor, other_recipient


def does(text: str, verb: str, before: str = "") -> Deed:
    return next(deed for deed in deeds_of(text, before) if deed.verb == verb)


@pytest.mark.parametrize(
    ("text", "verb", "by"),
    [
        ("The harbour master must inspect every berth.", "inspect", ("harbour", "master")),
        ("Every berth must be inspected before dawn by the harbour master.", "inspected", ("harbour", "master")),
        ("Rule 4 requires the harbour master to inspect every berth.", "inspect", ("harbour", "master")),
        ("Rule 4 obliges a pilot whose licence has lapsed to inform the port.", "inform", ("pilot",)),
        ("The harbour master inspects the berths and shall report the result.", "report", ("harbour", "master")),
        ("Where a vessel is late, the pilot, if any, must wait.", "wait", ("pilot",)),
        ("A log signed by the pilot is kept.", "signed", ("pilot",)),
    ],
)
def test_c2b_whoever_acts_is_known_in_the_active_the_passive_and_behind_requires(
    text: str, verb: str, by: tuple[str, ...]
) -> None:
    assert does(text, verb).by == (by,)


def test_c2b_a_pronoun_stands_for_who_the_sentence_before_is_about() -> None:
    deed = does("It must inspect every berth.", "inspect", "The port authority owns the quay.")
    assert deed.by == (("port", "authority"),)


@pytest.mark.parametrize(
    "text",
    [
        "Every berth must be inspected by the end of the month.",
        "Every berth must be inspected by sending a diver.",
        "Every berth must be inspected.",
    ],
)
def test_c2b_nobody_acts_where_the_sentence_does_not_say_who(text: str) -> None:
    assert does(text, "inspected").by == ()


@pytest.mark.parametrize(
    ("said", "is_other"),
    [
        ("Every berth is inspected by the harbour master.", False),
        ("The master inspects the berths.", False),
        ("The pilot must inspect every berth.", True),
        ("Every berth is inspected by the pilot.", True),
        ("The station master must inspect every berth.", True),
    ],
)
def test_c2b_somebody_else_acts_or_the_same_party_by_another_name(said: str, is_other: bool) -> None:
    cited = deeds_of("The harbour master must inspect every berth and the pilot must wait.")
    assert (other_actor(deeds_of(said), cited) > 0) is is_other


@pytest.mark.parametrize(
    ("said", "is_other"),
    [
        ("The pilot must report groundings to the coast guard.", False),
        ("Groundings must be reported to the coast guard by the pilot.", False),
        ("The pilot must report groundings to the ship owner.", True),
    ],
)
def test_c2b_somebody_else_is_told(said: str, is_other: bool) -> None:
    assert (
        other_recipient(deeds_of(said), deeds_of("The pilot shall report groundings to the coast guard.")) is is_other
    )


def test_c2b_of_two_who_do_the_same_the_one_counts_who_does_it_to_the_same_thing() -> None:
    cited = deeds_of("The pilot must insure the boat; the port insures the quay.")
    assert other_actor(deeds_of("The port insures the quay."), cited) == 0
    assert other_actor(deeds_of("The port insures the boat."), cited) > 0
