"""What the gate lets pass, without a model (C2b). The documents are written for these tests."""

from __future__ import annotations

import pytest

from policypal.domain.support import Degree
from policypal.gate.evidence import Cited, cited_texts
from policypal.gate.figures import check_figures
from policypal.gate.supported import CITES_NOTHING, Supported, judge, second_reading, unfounded
from policypal.text.logic import Stance, read_logic

HARBOUR = """Part 2 Moorings

2.1 The harbour master must inspect every mooring at least once every 6 months, unless the berth is empty.
2.2 A skipper shall not discharge bilge water inside the breakwater.
2.3 A skipper may refuel at the pier only with the written permission of the harbour master.
2.4 The berth fee must be paid before the vessel leaves. Visitors under sail need not pay it.
2.5 Night watch: the watchman should walk the quay twice a night.
2.6 Fines of up to EUR 3 000 may be imposed on the skipper.
2.7 The rule that dogs had to be leashed, which asked for 2 metres, is repealed.
2.8 Inspection reports must be signed within 10 days of the inspection.
2.9 Sewage must be pumped out or treated on board.

Example: a skipper who moors without a fender pays EUR 40."""


def cited(*quotes: str) -> Cited:
    spans = [(HARBOUR.index(quote), HARBOUR.index(quote) + len(quote)) for quote in quotes]
    return Cited(tuple(cited_texts(HARBOUR, spans)), "Harbour Rules (2031), page 4")


MOORING = "The harbour master must inspect every mooring"
BILGE = "A skipper shall not discharge bilge water inside the breakwater."
REFUEL = "A skipper may refuel at the pier only with the written permission of the harbour master."
FEE = "The berth fee must be paid before the vessel leaves."
WATCH = "the watchman should walk the quay twice a night."
FINES = "Fines of up to EUR 3 000 may be imposed on the skipper."
REPORTS = "Inspection reports must be signed within 10 days of the inspection."


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Moorings have to be inspected by the harbour master twice a year unless the berth is empty.", MOORING),
        ("Bilge water may not be discharged inside the breakwater.", BILGE),
        ("Skippers are forbidden to discharge bilge water inside the breakwater.", BILGE),
        ("A skipper may not refuel at the pier without the harbour master's written permission.", REFUEL),
        ("The berth fee has to be paid prior to the vessel leaving.", FEE),
        ("Rule 2.8 requires inspection reports to be signed within ten days.", REPORTS),
        ("Inspection reports must be signed within 240 hours of the inspection.", REPORTS),
        ("The fine for a skipper is at most €3,000.", FINES),
        ("Ein Skipper darf innerhalb der Mole kein Bilgenwasser ablassen.", BILGE),
        ("The rules name no deadline for paying the fine.", FINES),
        ("According to Harbour Rules (2031), page 4, the watchman should walk the quay twice a night.", WATCH),
    ],
)
def test_c2b_true_statements_in_other_words_pass(statement: str, quote: str) -> None:
    assert judge(statement, cited(quote)).degree is Degree.SUPPORTED


@pytest.mark.parametrize(
    ("statement", "quote", "reason"),
    [
        ("The harbour master must inspect every mooring at least once every 9 months, unless the berth is empty.", MOORING, "9 months"),
        ("The harbour master must inspect every mooring at most once every 6 months, unless the berth is empty.", MOORING, "limit"),
        ("The harbour master must inspect every mooring at least once every 6 months.", MOORING, "exception"),
        ("A skipper shall discharge bilge water inside the breakwater.", BILGE, ""),
        ("Skippers may discharge bilge water inside the breakwater.", BILGE, ""),
        ("A skipper may refuel at the pier.", REFUEL, "only"),
        ("The berth fee must be paid after the vessel leaves.", FEE, ""),
        ("The watchman must walk the quay twice a night.", WATCH, ""),
        ("Fines of at least EUR 3 000 may be imposed on the skipper.", FINES, "limit"),
        ("Fines of up to EUR 3 000 may be imposed on the ferry company.", FINES, ""),
        ("The lighthouse is painted white.", FINES, ""),
        ("Dogs must be leashed within 2 metres.", "dogs had to be leashed, which asked for 2 metres", "repealed"),
        ("Whoever moors without a fender pays EUR 40.", "a skipper who moors without a fender pays EUR 40", "example"),
        ("Inspection reports must be signed within 10 months of the inspection.", REPORTS, "10 months"),
        ("Ein Skipper muss innerhalb der Mole Bilgenwasser ablassen.", BILGE, ""),
    ],
)  # fmt: skip
def test_c2b_false_statements_with_a_true_quote_do_not(statement: str, quote: str, reason: str) -> None:
    judged = judge(statement, cited(quote))
    assert judged.degree is Degree.NOT_SUPPORTED
    assert reason in judged.reason and judged.reason


def test_c2b_a_statement_without_a_quote_is_not_supported() -> None:
    judged = judge("The harbour closes at ten.", Cited(()))
    assert (judged.degree, judged.reason) == (Degree.NOT_SUPPORTED, CITES_NOTHING)


def test_c2b_a_whole_sentence_is_quoted_and_half_of_one_is_not() -> None:
    assert (
        judge("“A skipper shall not discharge bilge water inside the breakwater.”", cited(BILGE)).degree
        is Degree.QUOTED
    )
    half = judge("A skipper may refuel at the pier", cited(REFUEL))
    assert half.degree is Degree.NOT_SUPPORTED, "the page says only with permission"


def test_c2b_a_list_item_is_read_with_its_introduction() -> None:
    page = "Crews shall:\n(a) report spills to the pilot station within 2 hours;\n(b) keep a log."
    text = Cited(tuple(cited_texts(page, [(page.index("report"), page.index(";"))])))
    assert judge("Crews have to report spills to the pilot station within two hours.", text).passes
    assert not judge("Crews may report spills to the pilot station within two hours.", text).passes


def test_c2b_a_second_reading_overrules_the_floor_but_never_a_quotation() -> None:
    first = judge("The lighthouse is painted white.", cited(FINES))
    assert second_reading(first, carries=True, reason="").degree is Degree.SUPPORTED
    assert second_reading(unfounded("x"), carries=False, reason="no").reason == "no"
    quoted = judge(BILGE, cited(BILGE))
    assert second_reading(quoted, carries=False, reason="a model says so") is quoted


def test_c2b_nobody_else_makes_a_supported_statement() -> None:
    with pytest.raises(TypeError, match="gate"):
        Supported("All is well.", Degree.SUPPORTED, "", object())


@pytest.mark.parametrize(
    ("statement", "sources", "missing"),
    [
        ("28 hours pass in all.", ["Classify within 24 hours.", "Notify within 4 hours of it."], ()),
        ("28 hours pass in all.", ["Classify within 24 hours, notify within 4 hours of it."], ("28 hours",)),
        ("It ends on 31/03/2031.", ["It ends on 31 March 2031."], ()),
        ("It ends in May 2031.", ["It ends on 31 March 2031."], ("May 2031", "2031")),
        ("A log of 1 June 2031 is kept until 1 June 2036.", ["Logs are kept for 5 years."], ()),
        ("Die Frist beträgt zwei Tage.", ["The period is 48 hours."], ()),
        ("Class 5 is reviewed.", ["Classes 4–6 are reviewed."], ()),
        ("Half a day is enough.", ["Three hours are enough."], ("12 hours",)),
        ("Form C-5 is used.", ["Form C-4 is used."], ("C-5",)),
    ],
)
def test_c2b_figures_are_converted_and_added_up(statement: str, sources: list[str], missing: tuple[str, ...]) -> None:
    found = check_figures(statement, sources, quotes=range(len(sources))).missing
    assert set(found) == set(missing) or (missing and set(found) <= set(missing) and found)


@pytest.mark.parametrize(
    ("text", "stances"),
    [
        ("A skipper must not moor here.", {Stance.PROHIBITED}),
        ("No skipper may moor here.", {Stance.PROHIBITED}),
        ("A skipper need not moor here.", {Stance.RELEASED}),
        ("A skipper must not moor here without permission.", {Stance.EXCLUSIVE}),
        ("A skipper may moor here only in daylight.", {Stance.EXCLUSIVE}),
        ("It is not forbidden to moor here.", {Stance.PERMITTED}),
        ("Der Skipper darf hier nicht anlegen.", {Stance.PROHIBITED}),
        ("Le skipper ne doit pas accoster ici.", {Stance.PROHIBITED}),
        ("The pier is closed in May.", {Stance.STATED}),
    ],
)
def test_c2b_the_force_of_a_sentence_is_read_in_its_language(text: str, stances: set[Stance]) -> None:
    assert read_logic(text).stances == stances
