"""What a keyless answer shows of the provisions it has, and how sure it is (A2, C4)."""

from __future__ import annotations

import pytest

from policypal.answer.confidence import rating
from policypal.answer.evidence import Evidence
from policypal.answer.questions import Expectation, analyse
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


def test_a2_the_provision_that_gives_the_asked_value_is_read_at_a_glance() -> None:
    long = "An operator shall report every delay in writing, in the form that the harbour office asks for. " * 12
    found = shown(
        "Within how many minutes must an operator report a delay?",
        evidence([("11", "Reports", long, Kind.OBLIGATION), *FERRIES]),
    )
    assert found.value and found.value.text == "45 minutes"
    assert labels(found)[0] == "12(1)" and "11" in [p.evidence.label for p in found.everything]


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


def test_c4_what_is_asked_about_stands_in_one_line_and_not_here_and_there() -> None:
    asked = "Which harbour pays a refund for lifeboats without oars?"
    scattered = [
        (str(n), word, f"The master shall note every {word}.", Kind.OBLIGATION)
        for n, word in enumerate(("harbour", "refund", "lifeboats", "oars", "pays"), 1)
    ]
    together = [("1", "Refunds", "A refund is due for lifeboats that lack their oars.", Kind.OBLIGATION)]
    found, other = ([e.model_copy(update={"coverage": 0.7}) for e in evidence(of)] for of in (scattered, together))
    assert (level(asked, found), level(asked, other)) == ("low", "medium")


def test_c4_nothing_shown_is_nothing_close() -> None:
    assert rating(analyse("Anything?"), View(())) == ("low", 0.0)


OUTER = "Part 7 Moorings\nFees"
MOORINGS = [
    ("7.1", "Part 7 Moorings", "7.1 A vessel shall be secured with two lines.", Kind.OBLIGATION),
    (
        "7.2",
        OUTER,
        "7.2 A fee for a mooring is due at noon. The mooring is kept free of a mooring of others.",
        Kind.OBLIGATION,
    ),
    ("7.3", OUTER, "7.3 The fee is shown at the pier.", Kind.OBLIGATION),
    ("8.1", "Part 8 Pilots", "8.1 A pilot shall know every mooring.", Kind.OBLIGATION),
    ("8.2", "Part 8 Pilots", "8.2 A pilot shall hold a licence.", Kind.OBLIGATION),
]


@pytest.mark.parametrize("question", ["What are the rules on moorings?", "What does it say about moorings?"])
def test_a2_a_topic_is_answered_by_its_section_from_the_first_rule_on_and_by_nothing_that_is_silent_on_it(
    question: str,
) -> None:
    given = evidence(MOORINGS)
    given[1] = given[1].model_copy(update={"score": 2.0})
    found = shown(question, given)
    assert [line.text[:3] for line in found.provisions[0].lines] == ["7.1", "7.2", "7.3"]
    assert labels(found)[0] == "7.2", "the line that matches best is still the one that counts"
    rest = [line.text[:3] for p in found.everything[1:] for line in p.lines]
    assert "8.1" in rest and "8.2" not in [p.best.text[:3] for p in found.everything]


def test_a2_a_question_about_something_in_particular_is_no_topic() -> None:
    assert analyse("What are the rules on moorings?").topic and not analyse("How much is the fee for moorings?").topic
    assert not analyse("What are the duties of a pilot?").topic, "a list that the text may give"


@pytest.mark.parametrize(
    ("question", "asks_for_an_amount"),
    [
        ("penalty for late arrival", True),
        ("Is there a fee for mooring?", True),
        ("How high are the fines?", True),
        ("Where do the fines go?", False),
        ("Who may impose a penalty?", False),
        ("Can a fee be paid later?", False),
        ("How are fees collected?", False),
    ],
)
def test_a2_what_is_asked_about_a_fine_need_not_be_its_amount(question: str, asks_for_an_amount: bool) -> None:
    assert (analyse(question).expected is Expectation.MONEY) is asks_for_an_amount


def test_u2d_what_is_read_at_a_glance_is_short_and_the_rest_is_related() -> None:
    long = [
        (f"{n}", f"Part {n}", f"A lifeboat shall be {'painted and ' * 40}dried.", Kind.OBLIGATION) for n in range(1, 5)
    ]
    found = shown("How must lifeboats be painted?", evidence(long))
    assert len(found.provisions) == 1 and len(found.related) == 3


LEDGERS = [
    (
        "6.1",
        "Record keeping",
        "6.1 A harbour shall produce any record within 3 days of a request by the office.",
        Kind.OBLIGATION,
    ),
    (
        "6.2",
        "Record keeping",
        "6.2 What is relevant to a pending collision shall be kept as a record.",
        Kind.OBLIGATION,
    ),
    ("7.1", "Collisions", "7.1 A collision shall be reported.", Kind.OBLIGATION),
]


def level(question: str, given: list[Evidence]) -> str:
    return rating(analyse(question), shown(question, given)).level


def test_a2_a_figure_in_a_line_that_lacks_the_subject_is_neither_on_top_nor_exact() -> None:
    asked = "How long must collision records be kept?"
    given = [e.model_copy(update={"coverage": 0.8}) for e in evidence(LEDGERS)]
    found = shown(asked, given)
    assert found.value is None, "6.1 tells how soon a record is produced, and 6.2 speaks of collisions without a time"
    assert level(asked, given) == "medium"
    assert shown("How soon must a record be produced for the office?", given).value


@pytest.mark.parametrize(
    ("question", "line", "value"),
    [
        ("What is the maximum value of a gift?", "The value of a gift may not exceed 50 crowns.", "50 crowns"),
        ("How many invalid attempts are allowed?", "At most five (5) consecutive invalid attempts are allowed.",
         "five (5) consecutive invalid attempts"),
        ("What is the minimum length of a berth?", "A berth has a length of at least 8 metres, and 15 metres where a ferry lies.",
         "8 metres"),
        ("At what age may a child be on deck alone?", "No child under 16 is on deck alone.", "under 16"),
        ("How many lifeboats are inspected on a ferry?", "A master has the lifeboats inspected on a ferry. 3", None),
        ("How many lifeboats are there?", "What is said about the eleven lifeboats above applies to rafts.", None),
        ("By when must the register of berths be sent?", "The register of berths is sent every year, on 31 January at the latest.",
         "31 January"),
        ("How often must a master report to the harbour?", "A master must report to the harbour within 72 hours of a wreck.", None),
        ("How long must the log of a ferry be kept?",
         "The log is shown within 2 hours of a visit. The log of a ferry must be kept for 4 years.", "4 years"),
    ],
)  # fmt: skip
def test_a2_the_value_on_top_is_the_one_asked_for_with_what_it_counts(
    question: str, line: str, value: str | None
) -> None:
    found = shown(question, evidence([("5", "", line, Kind.OBLIGATION)])).value
    assert (found.text if found else None) == value


def test_a2_of_several_limits_beside_each_other_the_highest_is_the_maximum() -> None:
    fines = [
        (f"9({n})", "Fines", f"({n}) A breach of rule {n} is subject to a fine of up to {amount} EUR.", Kind.OBLIGATION)
        for n, amount in enumerate((1000, 2000), 1)
    ]
    found = shown("What is the maximum fine for a breach?", evidence(fines)).value
    assert found and found.text == "2000 EUR"
    plain = shown("How high is the fine for a breach?", evidence(fines)).value
    assert plain and plain.text == "1000 EUR"


@pytest.mark.parametrize(
    ("answered", "unanswered"),
    [
        ("Who shall inspect the lifeboats of the harbour?", "Who signs the inspection of the lifeboats in the harbour?"),
        ("Which certificate must the lifeboats of the harbour have?", "Which paint must the lifeboats of the harbour have?"),
    ],
)  # fmt: skip
def test_c4_exact_only_where_a_line_holds_the_thing_or_deed_that_is_asked_for(answered: str, unanswered: str) -> None:
    line = "A master shall inspect the lifeboats in the harbour and keep the certificate."
    found = evidence([("3", "Inspection of lifeboats", line, Kind.OBLIGATION)])
    given = [e.model_copy(update={"coverage": 0.9}) for e in found]
    assert (level(answered, given), level(unanswered, given)) == ("high", "medium")


def test_c4_an_address_that_stands_in_another_provision_is_not_the_exact_one() -> None:
    told = [
        ("3", "Reports", "A wreck is reported to the e-mail address of the harbour office.", Kind.OBLIGATION),
        ("4", "Visits", "The harbour is seen at www.harbour.example.", Kind.OBLIGATION),
    ]
    asked = "To which e-mail address of the harbour office is a wreck reported?"
    given = [e.model_copy(update={"coverage": 0.9}) for e in evidence(told)]
    assert level(asked, given) == "medium"
    given[0] = given[0].model_copy(update={"text": f"{told[0][2]} It is wreck@harbour.example."})
    assert level(asked, given) == "high"
