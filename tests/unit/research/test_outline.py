"""The outline of a report: themes of the field, fixed sections, and what holds of a model's (W3)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import Evidence
from policypal.llm.task import TaskContext
from policypal.summary.outline import OUTLINE, Outline, OutlineInput, OutlineSection, sound_outline, title_of
from tests.support.report_run import EMBEDDER, of_samples


def outlined(goal: str, *questions: str, evidence: list[Evidence] | None = None) -> Outline:
    held = of_samples().evidence if evidence is None else evidence
    return OUTLINE.extractive(OutlineInput(goal=goal, questions=list(questions), evidence=held), TaskContext(EMBEDDER))


@pytest.mark.parametrize(
    "goal", ["Outsourcing rules", "Retention of personal data", "Marketing to retail customers", "Incident reporting"]
)
def test_w3_five_to_eight_sections_from_the_samples(goal: str) -> None:
    sections = outlined(goal, "cryptocurrency custody").sections
    assert 5 <= len(sections) <= 8
    assert len({s.heading for s in sections}) == len(sections)
    assert sections[0].heading == "Key findings" and sections[-1].kind == "gaps"


def test_w3_a_passage_stands_under_one_theme() -> None:
    prose = [s for s in outlined("Outsourcing rules").sections if s.kind in ("findings", "theme", "obligations")]
    numbers = [n for section in prose for n in section.evidence]
    assert len(prose) > 1 and len(numbers) == len(set(numbers))


def test_w3_a_theme_far_from_the_goal_has_no_section_where_there_are_enough() -> None:
    assert not {"Automated decisions", "Rights of individuals"} & {s.heading for s in outlined("Outsourcing").sections}
    assert "Automated decisions" in {s.heading for s in outlined("Automated decisions about individuals").sections}


def test_w3_headings_of_themes_are_words_of_the_evidence() -> None:
    text = " ".join(f"{e.heading} {e.text}" for e in of_samples().evidence).lower()
    themes = [s.heading for s in outlined("Outsourcing rules").sections if s.kind == "theme"]
    assert themes and all(theme.lower() in " ".join(text.split()) for theme in themes)


def test_w3_a_question_that_is_answered_is_no_gap() -> None:
    focus = next(
        (s.focus for s in outlined("Outsourcing", "exit plan tests", "quantum computers").sections if s.kind == "gaps"),
        "",
    )
    assert focus == "quantum computers"


def test_w3_without_evidence_there_is_no_section() -> None:
    assert outlined("Outsourcing rules", evidence=[]).sections == []


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("Write a detailed report on the outsourcing rules.", "Outsourcing rules"),
        ("Give me an in-depth analysis of incident reporting", "Incident reporting"),
        ("what must we\nreport?", "What must we report?"),
        ("", "Research report"),
    ],
)
def test_w3_the_title_is_the_goal_without_the_request(goal: str, title: str) -> None:
    assert title_of(goal) == title


def test_w3_a_goal_of_a_hundred_pages_has_a_title_of_a_line() -> None:
    assert len(title_of("outsourcing of critical functions " * 9000)) <= 100


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
