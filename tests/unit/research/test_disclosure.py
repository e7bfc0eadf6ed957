"""What leaves for the web holds no company's name, no company document's, no draft (W2, R7)."""

from __future__ import annotations

import pytest

from policypal.domain.users import Profile
from policypal.services.document_names import KnownDocument
from policypal.services.research.disclosure import public_queries, public_query, without_private_names

BANK = Profile(company="Quillon Bank")
LIBRARY = [
    KnownDocument(id="r", title="Conduct Rulebook", version="2025", set_name="Kestrel FSA", aliases=["CRB"]),
    KnownDocument(id="p", title="Quillon Outsourcing Policy", version="2.1", type="company", set_name="Quillon Group"),
    KnownDocument(id="h", title="Project Heron Playbook", type="company", set_name="Quillon Group", aliases=["Heron"]),
]
DRAFT = "Dear customers, the blue fund guarantees nine percent a year without any risk to your savings."


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
    assert public_query(query, LIBRARY, BANK) == leaves


def test_w2_the_company_is_recognised_by_its_set_where_no_profile_says_it() -> None:
    assert "quillon" not in public_query("Must Quillon register its outsourcing?", LIBRARY, Profile()).lower()


def test_w2_a_company_called_like_everybody_keeps_the_words_that_are_everybodys() -> None:
    profile = Profile(company="First National Bank")
    assert public_query("national bank supervision", [], profile) == "national bank supervision"
    assert public_query("First National Bank supervision", [], profile) == "supervision"


def test_w2_a_set_named_after_its_subject_gives_nothing_away() -> None:
    library = [KnownDocument(id="p", title="Outsourcing", type="company", set_name="Data protection")]
    assert public_query("outsourcing data protection", library, Profile()) == "outsourcing data protection"


def test_w2_a_query_that_quotes_the_draft_is_dropped() -> None:
    goal = f"Check this email draft against the rules on advertising: {DRAFT}"
    queries = ["rules on advertising", "fund guarantees nine percent a year", "advertising risk warnings"]
    assert public_queries(queries, LIBRARY, BANK, goal) == ["rules on advertising", "advertising risk warnings"]
    assert public_query("fund guarantees nine percent a year", LIBRARY, BANK) != ""


def test_w2_words_of_the_goal_itself_may_leave() -> None:
    goal = "How must a bank report a major incident to its supervisor?"
    assert public_query(goal, LIBRARY, BANK, goal) == goal


def test_w2_nothing_twice_nothing_empty_nothing_endless() -> None:
    found = public_queries(["AML", "aml", "", " . ", "x" * 500, "word " * 90, "Quillon Bank"], LIBRARY, BANK)
    assert found[0] == "AML"
    assert len(found) == 3
    assert all(0 < len(query) <= 200 for query in found)


def test_w2_names_are_cut_before_a_query_is_shortened() -> None:
    query = "rules " * 30 + "Quillon Bank"
    assert "Quil" not in public_query(query, LIBRARY, BANK)


def test_w2_names_survive_patterns_and_odd_spaces() -> None:
    odd = KnownDocument(id="o", title="A+B (draft) [x]", type="company", aliases=["", " "])
    assert without_private_names("on A+B  (draft) [x] and capital", [odd], Profile()) == "on and capital"
