"""What leaves for the web holds no company's name, no company document's, no draft (W2, R7)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.domain.users import Profile
from policypal.request.library import KnownDocument
from policypal.research.disclosure import Papers, public_queries, public_query, without_private_names

BANK = Profile(company="Quillon Bank")
LIBRARY = [
    KnownDocument(id="r", title="Conduct Rulebook", version="2025", set_name="Kestrel FSA", aliases=["CRB"]),
    KnownDocument(id="p", title="Quillon Outsourcing Policy", version="2.1", type="company", set_name="Quillon Group"),
    KnownDocument(id="h", title="Project Heron Playbook", type="company", set_name="Quillon Group", aliases=["Heron"]),
]
DRAFT = "Dear customers, the blue fund guarantees nine percent a year without any risk to your savings."


MINUTES = (
    "Minutes of the meeting. The board decided on Project Nightingale to sell the Zurich unit for CHF 40 million in May, and"
    " to tell nobody before. Customer records are kept for 12 percent longer. The board keeps customer records for seven years."
)


def _leaving(*given: Any) -> str:
    found = public_query(*given)
    return found.text if found is not None else ""


@pytest.mark.parametrize(
    ("query", "leaves"),
    [
        ("incident reporting deadlines", "incident reporting deadlines"),
        ("Conduct Rulebook 2025 outsourcing", "Conduct Rulebook 2025 outsourcing"),
        ("quillon  BANK incident reporting", "incident reporting"),
        ("Quillon's incident reporting", "incident reporting"),
        ("Quillon Outsourcing Policy (2.1) exit plans", "outsourcing exit plans"),
        ("Project Heron Playbook", ""),
        ("What does Heron need?", "What does need?"),
        ("outsourcing Quillon Group register", "outsourcing register"),
        ("breach bob@example.com +65 1234 5678 https://intra.example/x", "breach"),
        ("Directive 2016/679 between 2023-2025", "Directive 2016/679 between 2023-2025"),
    ],
)
def test_w2_private_names_stay_at_home_and_the_subject_leaves(query: str, leaves: str) -> None:
    assert _leaving(query, LIBRARY, BANK) == leaves


def test_w2_the_company_is_recognised_by_its_set_where_no_profile_says_it() -> None:
    assert "quillon" not in _leaving("Must Quillon register its outsourcing?", LIBRARY, Profile()).lower()


def test_w2_a_company_called_like_everybody_keeps_the_words_that_are_everybodys() -> None:
    profile = Profile(company="First National Bank")
    assert _leaving("national bank supervision", [], profile) == "national bank supervision"
    assert _leaving("First National Bank supervision", [], profile) == "supervision"


def test_w2_a_set_named_after_its_subject_gives_nothing_away() -> None:
    library = [KnownDocument(id="p", title="Outsourcing", type="company", set_name="Data protection")]
    assert _leaving("outsourcing data protection", library, Profile()) == "outsourcing data protection"


def test_w2_a_query_that_quotes_the_draft_is_dropped() -> None:
    goal = f"Check this email draft against the rules on advertising: {DRAFT}"
    queries = ["rules on advertising", "fund guarantees nine percent a year", "advertising risk warnings"]
    assert public_queries(queries, LIBRARY, BANK, goal) == ["rules on advertising", "advertising risk warnings"]
    assert _leaving("fund guarantees nine percent a year", LIBRARY, BANK) != ""


def test_w2_words_of_the_goal_itself_may_leave() -> None:
    goal = "How must a bank report a major incident to its supervisor?"
    assert _leaving(goal, LIBRARY, BANK, goal) == goal


def test_w2_nothing_twice_nothing_empty_nothing_endless() -> None:
    found = public_queries(["AML", "aml", "", " . ", "x" * 500, "word " * 90, "Quillon Bank"], LIBRARY, BANK)
    assert found[0] == "AML"
    assert len(found) == 3
    assert all(0 < len(query) <= 200 for query in found)


def test_w2_names_are_cut_before_a_query_is_shortened() -> None:
    query = "rules " * 30 + "Quillon Bank"
    assert "Quil" not in _leaving(query, LIBRARY, BANK)


def test_w2_names_survive_patterns_and_odd_spaces() -> None:
    odd = KnownDocument(id="o", title="A+B (draft) [x]", type="company", aliases=["", " "])
    assert without_private_names("on A+B  (draft) [x] and capital", [odd], Profile()) == "on and capital"


@pytest.mark.parametrize(
    ("query", "leaves"),
    [
        ("sell Zurich unit CHF 40 million", ""),
        ("Project Nightingale Zurich", ""),
        ("nightingale merger rules Switzerland 2026", "merger rules Switzerland 2026"),
        ("disclosure duties of a sale worth CHF 40m", "disclosure duties of a sale worth"),
        ("disclosure duties of a sale worth 40 million", "disclosure duties of a sale worth million"),
        ("disclosure duties of a sale worth CHF 50m", "disclosure duties of a sale worth CHF 50m"),
        ("How long must a board keep customer records?", "How long must a board keep customer records?"),
        ("board keeps customer records for seven years rules", ""),
    ],
)
def test_x5_what_only_the_companys_papers_say_stays_at_home(query: str, leaves: str) -> None:
    assert _leaving(query, LIBRARY, BANK, "", Papers(private=[MINUTES])) == leaves


def test_x5_what_a_regulation_says_too_is_no_secret() -> None:
    rule = "Every board keeps customer records for seven years. The fine is CHF 40 million. Zurich is a place."
    papers = Papers(private=[MINUTES], public=[rule])
    for query in ("board keeps customer records for seven years", "fine of CHF 40 million", "supervisors in Zurich"):
        assert _leaving(query, LIBRARY, BANK, "", papers) == query


def test_x5_a_persons_own_words_leave_but_neither_amounts_nor_a_quotation() -> None:
    papers = Papers(private=[MINUTES])
    asked = "Which rules bind the Zurich unit?"
    assert _leaving(asked, LIBRARY, BANK, asked, papers) == asked
    asked = "Is it public that we sell the Zurich unit for CHF 40 million in May?"
    assert _leaving(asked, LIBRARY, BANK, asked, papers) == ""


def test_x5_drafts_of_this_and_earlier_messages_stay_at_home() -> None:
    query = "fund guarantees nine percent a year"
    before = f"Check this email draft against the rules on advertising: {DRAFT}"
    for papers in (Papers(drafts=[DRAFT]), Papers(said=[before])):
        assert _leaving(query, LIBRARY, BANK, "And what is new about that?", papers) == ""
