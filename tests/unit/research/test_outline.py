"""The outline of a report: themes of the field, fixed sections, and what holds of a model's (W3)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import Evidence
from policypal.llm.task import TaskContext
from policypal.research.outline import (
    OUTLINE,
    Outline,
    OutlineInput,
    OutlineSection,
    open_questions,
    sound_outline,
    title_of,
)
from tests.support.report_run import EMBEDDER, of_samples


def outlined(goal: str, *questions: str, evidence: list[Evidence] | None = None) -> Outline:
    held = of_samples().evidence if evidence is None else evidence
    return OUTLINE.extractive(OutlineInput(goal=goal, questions=list(questions), evidence=held), TaskContext(EMBEDDER))


def planned(goal: str) -> list[str]:
    return [goal, *(f"{goal} {side}" for side in ("obligations", "deadlines and notification", "roles and governance"))]


@pytest.mark.parametrize(
    "goal", ["Outsourcing rules", "Retention of personal data", "Marketing to retail customers", "Incident reporting"]
)
def test_w3_what_answers_the_goal_then_its_questions_then_limits_then_what_is_open(goal: str) -> None:
    questions = planned(goal)
    sections = outlined(goal, *questions, "cryptocurrency custody").sections
    assert [sections[0].heading, sections[-1].kind] == ["Key findings", "gaps"]
    assert "cryptocurrency custody" in sections[-1].focus and goal not in sections[-1].focus.split("; ")
    assert {s.focus for s in sections if s.kind == "theme"} <= set(questions[1:])
    assert any(s.kind == "theme" for s in sections) and any(s.kind == "deadlines" for s in sections)


def test_w3_a_passage_stands_under_one_question() -> None:
    goal = "Outsourcing rules"
    prose = [s for s in outlined(goal, *planned(goal)).sections if s.kind in ("findings", "theme")]
    numbers = [n for section in prose for n in section.evidence]
    assert len(prose) > 1 and len(numbers) == len(set(numbers))


def test_w3_a_question_that_is_answered_is_no_gap() -> None:
    focus = next(
        (s.focus for s in outlined("Outsourcing", "exit plan tests", "quantum computers").sections if s.kind == "gaps"),
        "",
    )
    assert focus == "quantum computers"


def test_w3_a_question_that_stands_in_an_open_one_is_not_open_itself() -> None:
    assert open_questions("Who pays and when?; who gains?", ["Who pays", "Who pays and when?", "Who gains?"]) == [
        "Who pays and when?", "Who gains?",
    ]  # fmt: skip


def test_w3_without_evidence_there_is_no_section() -> None:
    assert outlined("Outsourcing rules", evidence=[]).sections == []


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("Write a detailed report on the outsourcing rules.", "Outsourcing rules"),
        ("Give me an in-depth analysis of incident reporting", "Incident reporting"),
        ("what must we\nreport?", "What must we report?"),
        ("", "Research report"),
        ("How soon must a breach of personal data be reported to the Authority and to the customers affected, and what our own policy says on it", "How soon must a breach of personal data be reported to the Authority and to the customers affected"),
        ("How soon must a breach of personal data be reported to the Authority, the customers and what our policy says on it", "How soon must a breach of personal data be reported to the Authority"),
        ("How soon a breach of personal data must be reported to the Authority that supervises banks and what our policy says", "How soon a breach of personal data must be reported to the Authority that supervises banks …"),
    ],
)  # fmt: skip
def test_w3_the_title_is_the_goal_without_the_request(goal: str, title: str) -> None:
    assert title_of(goal) == title


def test_w3_a_goal_of_a_hundred_pages_has_a_title_of_a_line() -> None:
    assert len(title_of("outsourcing of critical functions " * 9000)) <= 100
    assert len(title_of("x" * 9000)) <= 100


def test_w3_a_models_outline_keeps_what_holds_of_it() -> None:
    given = OutlineInput(goal="g", questions=["Who pays?"], evidence=of_samples("email-2025.pdf").evidence)
    made = Outline(
        title=" A\ntitle ",
        sections=[
            OutlineSection(heading="# First\nsection", focus=" f ", evidence=[1, 99, 1, -2]),
            OutlineSection(heading="first section", focus="again", evidence=[2]),
            OutlineSection(heading="Of nothing", focus="f", evidence=[99]),
            OutlineSection(heading="Open", focus="who pays? and who gains?", kind="gaps"),
            OutlineSection(heading="Open too", focus="Who pays?", kind="gaps"),
        ],
    )
    sound = sound_outline(made, given)
    assert sound.title == "A title"
    assert [(s.heading, s.focus, s.evidence) for s in sound.sections] == [
        ("First section", "f", [1]),
        ("Open", "who pays? and who gains?", []),
    ]


def test_w3_a_model_whose_numbers_are_all_invented_gets_a_section_per_source() -> None:
    given = OutlineInput(goal="g", evidence=of_samples("email-2025.pdf").evidence)
    made = Outline(title="t", sections=[OutlineSection(heading="h", focus="f", evidence=[77])])
    sections = sound_outline(made, given).sections
    assert [s.evidence for s in sections] == [[e.number for e in given.evidence]]
    assert sound_outline(Outline(title="t"), given).sections == []
