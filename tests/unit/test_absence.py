"""What a statement says the documents do not say (C2b)."""

from __future__ import annotations

import pytest

from policypal.domain.research import ReportSection, Statement
from policypal.gate.absence import found_after_all, said_absent
from policypal.gate.supported import searched
from policypal.research.support import check_support


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("The policy does not mention night dives.", "night dives"),
        ("Nothing in the documents says anything about night dives.", "anything about night dives"),
        ("Night dives are not addressed in the policy.", "Night dives"),
        ("The rulebook is silent on night dives.", "night dives"),
        ("There is no provision on night dives in the policy.", "night dives"),
        ("The policy does not mention it.", ""),
        ("Article 4 names no fine.", ""),
        ("Night dives are not allowed.", ""),
        ("The policy does not allow night dives.", ""),
    ],
)
def test_c2b_what_is_said_to_be_absent(statement: str, what: str) -> None:
    assert said_absent(statement) == what


def test_c2b_only_a_sentence_with_all_its_words_and_figures_speaks_against_an_absence() -> None:
    texts = ["Dives need a permit. Nights are quiet.", "Divers log night dives within 4 hours."]
    assert found_after_all("night dives", texts) == (1, texts[1])
    assert found_after_all("night dives", texts, cited=[texts[1]]) is None, "what it cites it has read itself"
    assert found_after_all("a night dive within 9 hours", texts) is None
    assert found_after_all("whale watching", texts) is None


def test_c2b_a_report_keeps_an_absence_that_a_search_confirms_and_drops_one_that_it_does_not() -> None:
    sections = [
        ReportSection(heading="Dives", statements=[Statement(text=t) for t in ("No whales.", "Logs are kept.")])
    ]
    told = {
        "No whales.": searched("No whales."),
        "Logs are kept.": searched("Logs are kept.", "Logs", "Dive Rules, page 2"),
    }
    checked = check_support(sections, {}, absence=lambda said, found: told[said])
    assert [s.text for s in checked.sections[0].statements] == ["No whales (not found by a search)."]
    assert checked.removed == 1
