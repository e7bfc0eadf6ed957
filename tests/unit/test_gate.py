"""What the gate lets pass, without a model (C2b). The documents are written for these tests."""

from __future__ import annotations

import pytest

from policypal.domain.support import Degree
from policypal.gate.evidence import Cited, cited_texts, cited_words
from policypal.gate.figures import check_figures
from policypal.gate.supported import CITES_NOTHING, Supported, completed, conclusion, judge, second_reading, unfounded
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
        ("The harbour master has to sign off a skipper's refuelling at the pier in writing.", REFUEL),
        ("Refuelling at the pier needs the harbour master's written permission.", REFUEL),
        ("A skipper may refuel at the pier only once the harbour master has permitted it in writing.", REFUEL),
        ("No bilge water may be discharged inside the breakwater by a skipper.", BILGE),
        ("Sailing visitors are exempt from the berth fee.", "Visitors under sail need not pay it."),
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
        ("Fines of up to EUR 3 000 may be imposed by the ferry company on the skipper.", FINES, ""),
        ("The skipper must inspect every mooring at least once every 6 months, unless the berth is empty.", MOORING, "bound"),
        ("Every mooring is inspected by the skipper at least once every 6 months, unless the berth is empty.", MOORING, "bound"),
        ("The harbour master may refuel at the pier only with the written permission of a skipper.", REFUEL, "bound"),
        ("Skippers must insure their vessels.", BILGE, "done"),
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


def test_c2b_an_exception_that_a_statement_lacks_is_added_in_the_words_of_its_source() -> None:
    said = "The harbour master must inspect every mooring at least once every 6 months."
    judged = completed(said, cited(MOORING))
    assert judged.degree is Degree.QUOTED, "nothing of the sentence is left out any more"
    assert judged.text == f"{said[:-1]}, unless the berth is empty."
    wrong = completed(said.replace("6", "9"), cited(MOORING))
    assert (wrong.degree, wrong.text) == (Degree.NOT_SUPPORTED, said.replace("6", "9")), "an exception mends no figure"
    has_it = said.replace("6", "9").replace("months.", "months, unless the berth is empty.")
    assert completed(has_it, cited(MOORING)).text == has_it, "it is not said twice"
    both = completed(f"{said} Inspection reports must be signed.", cited(MOORING, REPORTS))
    assert "unless" not in both.text, "of several sentences nobody can tell what it limits"


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("Unpaid fees may lead to fines, which the rules set at up to EUR 3 000.", True),
        ("Unpaid fees may lead to fines of EUR 9 000.", False),
        ("The Admiralty may close the harbour.", False),
        ("Berths are lost and skippers suffer.", True),
    ],
)
def test_c2b_a_conclusion_names_no_figure_and_nobody_that_its_quotations_do_not(said: str, stands: bool) -> None:
    assert conclusion(said, cited(FINES, FEE)).passes is stands


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("The policy allows ten days where the rule allows 48 hours.", True),
        ("Policy: ten days → Rule 2: 48 hours", True),
        ("The rule forbids scrap on deck, while the policy allows it.", True),
        ("The policy says nothing of who is told.", True),
        ("Policy: 48 hours → Rule 2: ten days", False),
        ("The policy allows 48 hours.", False),
        ("The rule allows scrap on deck.", False),
        ("The rule requires the cook to report a leak.", False),
    ],
)
def test_c2b_a_conclusion_restates_of_the_source_and_of_the_rule_only_what_each_says(said: str, stands: bool) -> None:
    source = "The mate reports a leak within ten days. Scrap may be stored on deck."
    rule = "The mate must report a leak within 48 hours. Scrap must not be stored on deck."
    assert conclusion(said, cited_words([source, rule], "Rule 2"), of_sides=True).passes is stands


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Before filing reports the harbour pilot has to hear the crew.", "The harbour pilot must hear the crew before reports are filed."),
        ("The crew must tell the pilot at once.", "The crew shall notify the pilot immediately and confirm it in writing."),
        ("A firm has to light its berths at night.", "The operator of a berth must light it at night."),
        ("The VTS is staffed day and night.", "The vessel traffic service must be staffed day and night."),
        ("Diving is forbidden at the quay, but swimming may go on.", "Swimming is allowed at the quay; diving is not."),
        ("Nobody may pass the barrier without a pass.", "A visitor must not pass the barrier without a pass."),
    ],
)  # fmt: skip
def test_c2b_free_wording_is_not_held_against_a_true_statement(statement: str, quote: str) -> None:
    assert judge(statement, cited_words([quote])).passes


def test_c2b_a_term_is_no_example_of_a_case() -> None:
    assert not judge(
        "The mate holds a licence for a term of five years.",
        cited_words(["A licence of the mate is for a term of two years."]),
    ).passes


FLEET = """1.1 Tugs are surveyed every two years; tugs with passengers are surveyed annually.
1.2 Logs are kept for six years, and for ten years where a crew member was injured.
1.3 The fee is EUR 400. Where the vessel is towed, the fee is doubled.
1.4 The pilot need not board barges; the pilot must board tankers.
1.5 A berth is leased for five years. The port may extend the lease by up to three further years."""


@pytest.mark.parametrize(
    ("statement", "quote", "passes"),
    [
        ("Tugs with passengers are surveyed every two years.", "Tugs are surveyed every two years; tugs with passengers are surveyed annually.", False),
        ("Tugs with passengers are surveyed once a year.", "Tugs are surveyed every two years; tugs with passengers are surveyed annually.", True),
        ("Logs are kept for ten years.", "Logs are kept for six years, and for ten years where a crew member was injured.", False),
        ("Logs are kept for ten years if a crew member was injured.", "Logs are kept for six years, and for ten years where a crew member was injured.", True),
        ("For a towed vessel the fee is EUR 800.", "The fee is EUR 400. Where the vessel is towed, the fee is doubled.", True),
        ("For a towed vessel the fee is EUR 1,200.", "The fee is EUR 400. Where the vessel is towed, the fee is doubled.", False),
        ("The pilot must board barges.", "The pilot need not board barges; the pilot must board tankers.", False),
        ("With an extension a berth can be leased for eight years.", "A berth is leased for five years. The port may extend the lease by up to three further years.", True),
        ("With an extension a berth can be leased for nine years.", "A berth is leased for five years. The port may extend the lease by up to three further years.", False),
    ],
)  # fmt: skip
def test_c2b_a_figure_or_a_force_is_that_of_its_own_case(statement: str, quote: str, passes: bool) -> None:
    start = FLEET.index(quote)
    text = Cited(tuple(cited_texts(FLEET, [(start, start + len(quote))])))
    assert judge(statement, text).passes is passes


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
