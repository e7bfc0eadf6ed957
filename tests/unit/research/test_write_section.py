"""A section of a report: provisions in their own words, and what holds of a model's (W3, R4)."""

from __future__ import annotations

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.llm.task import TaskContext
from policypal.research.write_section import (
    WRITE_SECTION,
    SectionTable,
    TableRow,
    WriteSectionInput,
    WrittenSection,
    sound_section,
)
from tests.support.report_run import EMBEDDER, of_samples

TEXTS = {
    "Rules (2024)": "1. A bank must report a major incident within 24 hours.\n2. The board must meet twice a year.",
    "Guideline (2025)": "A bank must report a major incident within 4 hours. The canteen is open to all members of staff.",
}
EVIDENCE = [
    Evidence(number=n, document=d, page=1, text=t, provision=n, label=label, heading="Incidents")
    for n, ((d, t), label) in enumerate(zip(TEXTS.items(), ("4.1", "Art. 7"), strict=True), 4)
]


def written(**given: object) -> WrittenSection:
    values = {"goal": "Incident reporting", "heading": "Incident", "focus": "Incident", "evidence": EVIDENCE, **given}
    return WRITE_SECTION.extractive(WriteSectionInput.model_validate(values), TaskContext(EMBEDDER))


def test_r4_a_section_is_the_provisions_it_was_given_whole_each_with_its_number() -> None:
    section = written()
    assert {s.text for s in section.sentences} == {f"{e.label}: “{' '.join(e.text.split())}”" for e in EVIDENCE}
    assert {q.text for s in section.sentences for q in s.quotes} == {*TEXTS.values()}


def test_r4_a_number_that_the_words_begin_with_is_not_said_twice() -> None:
    evidence = [EVIDENCE[0].model_copy(update={"label": "1"})]
    assert [s.text[:20] for s in written(evidence=evidence).sentences] == ["“1. A bank must repo"]


def test_r4_provisions_stand_in_the_order_of_their_source() -> None:
    rules = of_samples("rulebook-2025.pdf")
    evidence = [e for e in rules if "Incident" in (e.heading or "")]
    section = written(focus="incident notification", evidence=evidence)
    numbers = [s.text[1:4] for s in section.sentences]
    assert len(numbers) >= 5 and numbers == sorted(numbers)


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
    )
    values = WriteSectionInput(goal="g", heading="h", focus="f", evidence=EVIDENCE)
    sound = sound_section(section, values)
    assert len(sound.sentences) == 8
    assert sound.sentences[0] == CitedSentence(text="One two.", quotes=[good])
    assert sound.table is not None and [row.cells[0].text for row in sound.table.rows] == ["a"]
