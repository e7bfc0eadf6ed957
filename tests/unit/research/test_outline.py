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
    sound_outline,
    title_of,
)
from tests.support.report_run import EMBEDDER, of_samples


def outlined(goal: str, *questions: str, evidence: list[Evidence] | None = None) -> Outline:
    held = of_samples() if evidence is None else evidence
    return OUTLINE.extractive(OutlineInput(goal=goal, questions=list(questions), evidence=held), TaskContext(EMBEDDER))


QUESTIONS = ("register of outsourcing arrangements", "pass mark of the training assessment", "direct marketing consent")


def test_w3_each_question_has_its_provisions_and_what_is_open_stands_last() -> None:
    made = outlined("Outsourcing rules", *QUESTIONS, "quantum computers")
    sections = made.sections
    assert [s.focus for s in sections] == [*QUESTIONS] and made.unanswered == ["quantum computers"]
    numbers = [n for section in sections for n in section.evidence]
    assert len(numbers) == len(set(numbers)), "a provision stands under one question"
    texts = {e.number: e.text for e in of_samples()}
    assert any("pass mark" in texts[n] for n in sections[1].evidence)


def test_w3_the_goals_own_question_is_the_chief_one() -> None:
    goal = "Which outsourcing must be notified to the Authority?"
    sections = outlined(goal, goal.rstrip("?"), *QUESTIONS).sections
    assert [s.heading for s in sections[:2]] == ["Key findings", "Register of outsourcing arrangements"]
    assert outlined(goal).sections[0].heading == "Key findings"


def test_a2_a_source_speaks_where_the_chat_would_answer_from_it_alone() -> None:
    (section, *_) = outlined("When must a personal data breach be reported to the Commissioner?").sections
    held = {e.number: e for e in of_samples()}
    said = {held[n].document: held[n].text for n in section.evidence}
    assert all(
        words in said
        for words in (
            "Guideline on Personal Data in Financial Services (2024)",
            "Group Conduct and Information Policy (2025)",
        )
    )
    assert not any("Spring Campaign" in document for document in said)


def test_w3_without_evidence_there_is_no_section() -> None:
    assert outlined("Outsourcing rules", evidence=[]).sections == []


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("Please tell me which outsourcing must be notified.", "Which outsourcing must be notified"),
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
    given = OutlineInput(goal="g", questions=["Who pays?"], evidence=of_samples("email-2025.pdf"))
    made = Outline(
        title=" A\ntitle ",
        sections=[
            OutlineSection(heading="# First\nsection", focus=" f ", evidence=[1, 99, 1, -2]),
            OutlineSection(heading="first section", focus="again", evidence=[2]),
            OutlineSection(heading="Of nothing", focus="f", evidence=[99]),
        ],
        unanswered=["who  pays?", "Who gains?"],
    )
    sound = sound_outline(made, given)
    assert sound.title == "A title"
    assert [(s.heading, s.focus, s.evidence) for s in sound.sections] == [
        ("First section", "f", [1]),
    ]
    assert sound.unanswered == ["Who pays?"], "what the plan asked, in its own words"


def test_w3_a_model_whose_numbers_are_all_invented_gets_a_section_per_source() -> None:
    given = OutlineInput(goal="g", evidence=of_samples("email-2025.pdf"))
    made = Outline(title="t", sections=[OutlineSection(heading="h", focus="f", evidence=[77])])
    sections = sound_outline(made, given).sections
    assert [s.evidence for s in sections] == [[e.number for e in given.evidence]]
    assert sound_outline(Outline(title="t"), given).sections == []
