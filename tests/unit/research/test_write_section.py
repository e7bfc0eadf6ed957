"""A section of a report: quotations by relevance, nothing twice, and what holds of a model's (W3, R4)."""

from __future__ import annotations

from itertools import pairwise

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.llm.task import TaskContext
from policypal.research.section_tables import TABLE_INTRO, SectionTable, TableRow
from policypal.research.write_section import WRITE_SECTION, WriteSectionInput, WrittenSection, sound_section
from tests.support.report_run import EMBEDDER, of_samples

OLD = "Web rules (old.example, 2015-01-01)"
TEXTS = {
    "Rules (2024)": "A bank must report a major incident within 24 hours. The board must meet twice a year. "
    "A bank must keep a register of incidents.",
    OLD: "A bank must report a major incident to its supervisor within 5 days.",
    "Guideline (2025)": "A bank must report a major incident within 4 hours. The canteen is open to all members of staff.",
}
EVIDENCE = [Evidence(number=n, document=d, page=1, text=t) for n, (d, t) in enumerate(TEXTS.items(), 4)]


def written(**given: object) -> WrittenSection:
    values = {"goal": "Incident reporting", "heading": "Incident", "focus": "Incident", "evidence": EVIDENCE, **given}
    return WRITE_SECTION.extractive(WriteSectionInput.model_validate(values), TaskContext(EMBEDDER))


def said(section: WrittenSection) -> str:
    return " ".join(s.text for s in section.sentences)


def test_w3_sentences_on_the_subject_of_every_source_and_no_others() -> None:
    section = written()
    assert {q.evidence for s in section.sentences for q in s.quotes} == {4, 5, 6}
    assert "canteen" not in said(section) and "twice a year" not in said(section)
    assert all(s.quotes for s in section.sentences)


def test_w3_what_other_sections_quote_is_not_quoted_again() -> None:
    section = written(used=["A bank must report a major incident within 24 hours."])
    assert "within 24 hours" not in said(section) and "within 4 hours" in said(section)


def test_w3_a_source_that_the_review_objects_to_is_left_out() -> None:
    issue = f"Section “Incident”: it cites “{OLD}”, which is older than the plan allows (2020-01-01)."
    assert "within 5 days" in said(written())
    assert "within 5 days" not in said(written(issues=[issue]))
    assert "within 5 days" in said(written(issues=[issue], evidence=EVIDENCE[1:2]))


def test_u2d_a_document_is_named_once_for_all_that_is_quoted_of_it() -> None:
    texts = [
        "An incident report must reach the Authority within 24 hours.",
        "An incident report must name the cause of the incident.",
    ]
    evidence = [Evidence(number=n, document="Rules (2024)", page=n, text=text) for n, text in enumerate(texts, 1)]
    evidence.append(
        Evidence(number=3, document="Guideline (2025)", page=1, text="A bank must record every incident report.")
    )
    section = written(goal="Incident reports", heading="Incident reports", focus="incident report", evidence=evidence)
    named = [s.text.partition(": “")[0] for s in section.sentences if not s.text.startswith("“")]
    assert len(section.sentences) > len(named) > 0
    assert all(one != two for one, two in pairwise(named))


def test_w3_sources_that_say_the_same_are_told_once_and_both_quoted() -> None:
    section = written(
        goal="Incident response plan",
        heading="Response plan",
        focus="written incident response plan",
        evidence=of_samples().evidence,
    )
    plan = next(s for s in section.sentences if "written incident response plan" in s.text)
    assert plan.text.count("An institution must maintain") == 1
    assert "Rulebook (2023); " in plan.text and len({q.evidence for q in plan.quotes}) == 2


def test_w3_a_table_of_deadlines_quotes_every_row() -> None:
    section = written(kind="deadlines", heading="Deadlines and thresholds")
    assert [s.text for s in section.sentences] == [TABLE_INTRO]
    assert section.table is not None
    assert [row.cells[0].text for row in section.table.rows][:2] == ["at most 24 hours", "twice a year"]
    assert all(len(row.cells) == 3 and row.cells[1].quotes for row in section.table.rows)


def test_w3_open_questions_are_those_of_the_plan_that_the_outline_names() -> None:
    section = written(kind="gaps", focus="Who pays?; Who gains?", questions=["Who pays?", "Who works?"], evidence=[])
    assert section == WrittenSection(unanswered=["Who pays?"])


def test_w3_nothing_to_write_from_is_nothing_written() -> None:
    assert written(evidence=[]) == WrittenSection()


def test_w3_a_models_section_keeps_what_holds_of_it() -> None:
    good, unknown = Quote(evidence=4, text="A bank must"), Quote(evidence=1, text="of another section")
    section = WrittenSection(
        sentences=[CitedSentence(text="One\ntwo.", quotes=[good, unknown]), CitedSentence(text="  ")] * 9,
        table=SectionTable(
            columns=["A", "B"],
            rows=[
                TableRow(cells=[CitedSentence(text="a"), CitedSentence(text="b", quotes=[good])]),
                TableRow(cells=[CitedSentence(text="short", quotes=[good])]),
                TableRow(cells=[CitedSentence(text="a"), CitedSentence(text="unquoted", quotes=[unknown])]),
            ],
        ),
        unanswered=["Invented?"],
    )
    values = WriteSectionInput(goal="g", heading="h", focus="f", evidence=EVIDENCE, questions=["Who pays?"])
    sound = sound_section(section, values)
    assert len(sound.sentences) == 8
    assert sound.sentences[0] == CitedSentence(text="One two.", quotes=[good])
    assert sound.table is not None and [row.cells[0].text for row in sound.table.rows] == ["a"]
    assert sound.unanswered == []
