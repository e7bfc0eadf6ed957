"""What a keyless answer shows of the provisions it has, and how sure it is (A2, C4)."""

from __future__ import annotations

import pytest

from policypal.answer.confidence import rating
from policypal.answer.evidence import Evidence
from policypal.answer.questions import analyse
from policypal.answer.view import FIRST_CHARACTERS, View, view
from policypal.domain.provisions import Kind

FERRIES = [
    (
        "12(1)",
        "Delays",
        "1. An operator shall report a delay to the harbour office within 45 minutes.",
        Kind.OBLIGATION,
    ),
    ("12(2)", "Delays", "2. The report shall be repeated every hour until the ferry has left.", Kind.OBLIGATION),
    ("13", "Lifeboats", "A master shall inspect the lifeboats quarterly and note the result.", Kind.OBLIGATION),
    ("2(4)", "Definitions", "(4) ‘tender’ means a boat that takes passengers ashore;", Kind.DEFINITION),
    ("14", "Refunds", "A refund shall be paid to a passenger of up to 90 EUR.", Kind.OBLIGATION),
]


def evidence(provisions: list[tuple[str, str, str, Kind]] | None = None) -> list[Evidence]:
    return [
        Evidence(
            number=n, document="Ferry Act (2031)", page=3, heading=heading, text=text, score=1.0 - n / 20, coverage=0.4,
            similarity=0.3, provision=n, start=100 * n, label=label, kinds=[kind],
        )
        for n, (label, heading, text, kind) in enumerate(provisions or FERRIES, 1)
    ]  # fmt: skip


def shown(question: str, given: list[Evidence] | None = None) -> View:
    return view(analyse(question), given or evidence())


def labels(found: View) -> list[str]:
    return [provision.best.evidence.label for provision in found.provisions]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Within how many minutes must a delay be reported?", "45 minutes"),
        ("How quickly must an operator report a delay?", "45 minutes"),
        ("How much may a refund be?", None),
    ],
)
def test_a2_the_asked_value_stands_on_top_where_the_best_provisions_have_it(question: str, value: str | None) -> None:
    found = shown(question).value
    assert (found.text if found else None) == value


def test_a2_a_short_provision_is_shown_with_its_neighbour_under_the_same_heading() -> None:
    first = shown("When must a delay be reported?").provisions[0]
    assert [line.text[:2] for line in first.lines] == ["1.", "2."] and first.best.text.startswith("1.")


def test_a2_a_meaning_asked_for_is_answered_by_its_definition_and_is_exact() -> None:
    found = shown("What does tender mean?")
    assert labels(found)[0] == "2(4)"
    assert rating(analyse("What does tender mean?"), found).level == "high"


def test_a2_of_a_long_provision_the_matching_line_is_shown_with_what_introduces_it() -> None:
    items = "\n".join(f"({chr(97 + n)}) {'a plan of the deck, ' * 12}" for n in range(12))
    text = f"The master shall keep on board:\n{items}\n(z) the certificate of the lifeboats."
    first = shown("Which certificate?", evidence([("15", "Papers", text, Kind.OBLIGATION)])).provisions[0]
    assert first.lines[0].text.startswith("The master") and first.lines[-1].text.startswith("(z)")
    assert any(not line.follows for line in first.lines)
    assert sum(len(line.text) for line in first.lines) <= FIRST_CHARACTERS + 100


def test_a2_a_list_asked_for_is_shown_whole() -> None:
    items = "\n".join(f"({chr(97 + n)}) {'a paper that describes the deck, ' * 5}{n}" for n in range(12))
    text = f"The papers on board shall contain:\n{items}"
    first = shown("What must the papers on board contain?", evidence([("15", "Papers", text, Kind.OBLIGATION)]))
    assert len(first.provisions[0].lines) == 13 and not first.provisions[0].goes_on


def test_a2_a_provision_named_by_number_is_all_that_is_shown() -> None:
    given = [e.model_copy(update={"is_named": e.label == "13"}) for e in evidence()]
    found = shown("13", given)
    assert labels(found) == ["13"] and rating(analyse("13"), found) == ("high", 1.0)


def test_g4_editions_in_force_come_first() -> None:
    given = evidence()
    given[0] = given[0].model_copy(update={"superseded_by": "2032"})
    assert (
        labels(shown("When must a delay be reported?"))[0]
        == "12(1)"
        != labels(shown("When must a delay be reported?", given))[0]
    )


def test_c4_a_figure_that_nothing_about_the_subject_states_is_nothing_close() -> None:
    asked = analyse("How many hours before departure must the crew be told of a storm?")
    assert rating(asked, view(asked, evidence())).level == "low"


def test_c4_nothing_shown_is_nothing_close() -> None:
    assert rating(analyse("Anything?"), View(())) == ("low", 0.0)
