"""Is a goal clear and cheap enough to run at once, and is it a goal at all (W2)?"""

from __future__ import annotations

import pytest

from policypal.errors import InvalidInput
from policypal.llm.extractive import ExtractiveEngine
from policypal.llm.prices import cost_of
from policypal.research.gate import ModelCost, assess, estimate, model_cost_of
from policypal.research.goal import MAX_GOAL_CHARACTERS, checked_goal
from policypal.research.scope import ResearchDocument

free = model_cost_of(ExtractiveEngine())

LIBRARY = [
    ResearchDocument(id="rb", title="Conduct Rulebook", version="2025", set_name="Kestrel FSA", aliases=["CRB"]),
    ResearchDocument(id="og", title="Exit Planning Guideline", version="2024"),
    ResearchDocument(id="pol", title="Acme Data Protection Policy", version="2.1", type="company"),
]
CLEAR = "Compare what our regulators require for incident reporting"


def costs(model: str) -> ModelCost:
    return lambda task, tokens: cost_of(model, tokens)


@pytest.mark.parametrize(
    "goal",
    [
        CLEAR,
        "What must a mid-size bank change in its outsourcing policy for the new resilience rules?",
        "How do the data retention periods of GDPR and the DPDP Act differ?",
        "List the deadlines for reporting major ICT incidents under the Conduct Rulebook 2025",
        "Summarize what the Exit Planning Guideline says about testing",
        "Which customer complaints must be reported to the regulator and within what time?",
        "What changed in EU outsourcing rules since 2023?",
        "Does our policy meet the Conduct Rulebook 2025?",
        "Identify gaps between our policies and the rulebook on complaint handling",
        "When must a payment institution notify the central bank about an outage?",
        "How is a breach notified? Which incident must be reported?",
        "Compare our incident reporting rules with GDPR. Include a table of deadlines. Focus on banks.",
    ],
)
def test_w2_a_clear_goal_runs_at_once(goal: str) -> None:
    found = assess(goal, LIBRARY, has_web=True, model_cost=free)
    assert (found.auto, found.reasons) == (True, [])


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("Outsourcing rules", "a word or two"),
        ("OUTSOURCING RULES FOR BANKS", "a word or two"),
        ("Tell me about data protection", "a word or two"),
        ("What are the rules?", "a word or two"),
        ("Write a report", "a word or two"),
        ("", "a word or two"),
        ("Explain AML", "a word or two"),
        ("Compare everything all regulations worldwide say on data protection", "broad"),
        ("Bitte vergleichen Sie die Meldepflichten der Aufsicht und die Fristen, die wir haben", "not in English"),
    ],
)
def test_w2_a_vague_or_broad_goal_is_planned_and_the_reason_is_said(goal: str, reason: str) -> None:
    found = assess(goal, LIBRARY, has_web=True, model_cost=free)
    assert not found.auto
    assert any(reason in r for r in found.reasons), found.reasons


def test_w2_what_the_goal_leaves_open_is_what_will_be_asked() -> None:
    def missing(goal: str) -> list[str]:
        return [*assess(goal, LIBRARY, has_web=False, model_cost=free).missing]

    assert missing("Outsourcing rules") == ["scope", "timeframe", "depth", "use"]
    assert missing(CLEAR) == ["timeframe", "depth", "use"]
    assert missing("A short overview of what the Conduct Rulebook has changed on outsourcing since 2023") == ["use"]


def test_w2_documents_of_the_library_are_a_scope() -> None:
    goal = "What does the crb say on complaint deadlines?"
    assert "scope" in assess(goal, [], has_web=False, model_cost=free).missing
    assert "scope" not in assess(goal, LIBRARY, has_web=False, model_cost=free).missing


def test_w2_an_expensive_model_makes_a_clear_goal_worth_a_plan() -> None:
    cheap = assess(CLEAR, LIBRARY, has_web=True, model_cost=costs("gpt-4o-mini"))
    dear = assess(CLEAR, LIBRARY, has_web=True, model_cost=costs("gpt-4o-2024-05-13"))
    assert cheap.auto
    assert 0 < cheap.usd < 0.1 < dear.usd
    assert not dear.auto
    assert dear.reasons == [f"The models are estimated to cost ${dear.usd:.2f}, which is more than $0.25."]


def test_w2_an_unknown_price_is_no_reason() -> None:
    found = assess(CLEAR, LIBRARY, has_web=True, model_cost=costs("a-local-model"))
    assert (found.auto, found.usd) == (True, 0)


def test_w2_breadth_is_expensive_only_where_the_web_is_read() -> None:
    goal = "Compare everything our regulators require for incident reporting"
    assert "48 web pages" in assess(goal, LIBRARY, has_web=True, model_cost=free).reasons[0]
    assert assess(goal, LIBRARY, has_web=False, model_cost=free).auto


def test_w5_estimates_grow_with_the_work() -> None:
    assert [estimate(n, 5, has_web=True, model_cost=free).pages for n in (3, 8)] == [18, 48]
    short, long = (estimate(3, n, has_web=False, model_cost=costs("gpt-4o")) for n in (3, 8))
    assert 0 < short.usd < long.usd
    assert long.pages == 0


def test_w2_a_pasted_draft_is_not_read_as_the_goal() -> None:
    draft = "Dear customers, our fund guarantees nine percent. What is the capital ratio? Which gifts are allowed?"
    found = assess(f"Which of our regulators' rules does this email draft break: {draft}", LIBRARY, has_web=False, model_cost=free)  # fmt: skip
    assert found.auto


@pytest.mark.parametrize("goal", ["", "   \n\t ", "???", "...", "12345", "\x00\x00", "a"])
def test_w2_an_empty_goal_is_refused_with_what_to_do(goal: str) -> None:
    with pytest.raises(InvalidInput, match="what the report is to find out"):
        checked_goal(goal)


def test_w2_a_hundred_pages_are_no_goal() -> None:
    with pytest.raises(InvalidInput, match=r"300,000 characters; at most 10,000 .* to the library"):
        checked_goal("Outsourcing." * 25_000)


def test_w2_a_goal_is_stored_as_it_was_written() -> None:
    assert checked_goal("  What must we do?\x00\nBy when? ") == "What must we do?\nBy when?"
    assert checked_goal("銀行の規制は？") == "銀行の規制は？"
    assert len(checked_goal("ab" * (MAX_GOAL_CHARACTERS // 2))) == MAX_GOAL_CHARACTERS


@pytest.mark.parametrize(
    "goal", ["“" * 4000, "about " + "a, " * 3300, "9" * 10_000, "a@" * 5000, "all " * 2500, "\ud800"]
)
def test_w2_advice_on_hostile_text_is_quick_and_never_fails(goal: str) -> None:
    assert assess(goal, LIBRARY, has_web=True, model_cost=free).usd == 0
