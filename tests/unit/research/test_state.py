"""Fan-ins and forks of the research state: order and repetition make no difference; an edit leads back exactly as far as it must
(W3, W6)."""

from __future__ import annotations

import random
from functools import reduce
from operator import or_
from typing import Any

import pytest

from policypal.domain.citations import Citation
from policypal.domain.research import Contradiction, Plan, ReportSection, ReportTable, Statement
from policypal.graph.research.drafts import Draft, renumbered, texts_of
from policypal.graph.research.forking import Edits, branch
from policypal.graph.research.state import beginning, parts

PLAN = Plan(goal="Incidents", deliverable="A report", steps=["Search"], queries=["incidents"])


def test_w3_parts_of_a_fan_in_come_together_in_one_order_however_they_arrive() -> None:
    arrived: list[dict[str, Any]] = [{f"page {n:02d}": {"n": n}} for n in range(60)]
    chance = random.Random(7)
    for _ in range(5):
        chance.shuffle(arrived)
        twice = [*arrived, *chance.sample(arrived, 20)]
        assert [p["n"] for p in parts(reduce(or_, twice, {}))] == list(range(60))


def _citation(number: int) -> Citation:
    return Citation(
        id=number, title=f"Rule {number}", quote=f"Quote {number}.", verified=True, document_id=f"d{number}"
    )


def _draft() -> Draft:
    table = ReportTable(columns=["Limit", "Source"], rows=[["24 hours 📄7", "A | B"], ["2 days 📄3", "C"]])
    sections = [
        ReportSection(heading="One", statements=[Statement(text="Said. 📄9 📄3", citations=[9, 3], verified=True)]),
        ReportSection(heading="Two", statements=[], table=table),
    ]
    return Draft(title="A title", sections=sections, citations=[_citation(n) for n in (3, 7, 8, 9)])


def test_c3_citations_are_numbered_in_the_order_of_reading_without_gaps() -> None:
    draft = _draft()
    contradiction = Contradiction(subject="s", left=7, right=8, explanation="e")
    sections, citations, contradictions = renumbered(draft.sections, draft.citations, [contradiction])
    assert [text for s in sections for text in texts_of(s)] == [
        "Said. 📄1 📄2",
        "24 hours 📄3",
        "A | B",
        "2 days 📄2",
        "C",
    ]
    assert [(c.id, c.document_id) for c in citations] == [(1, "d9"), (2, "d3"), (3, "d7"), (4, "d8")]
    assert (contradictions[0].left, contradictions[0].right) == (3, 4)
    assert sections[0].statements[0].citations == [1, 2]


def test_w6_a_draft_survives_being_shown_as_markdown_and_read_back() -> None:
    draft = _draft()
    back = draft.edited(draft.markdown)
    assert back.markdown == draft.markdown and back.title == draft.title and back.citations == draft.citations
    assert [list(texts_of(s)) for s in back.sections] == [list(texts_of(s)) for s in draft.sections]
    assert not any(s.verified for section in back.sections for s in section.statements)
    assert Draft(**draft.model_dump()) == draft


@pytest.mark.parametrize(
    "markdown", ["", "# Only a title", "no heading at all", "## \n\n|||\n| a |", "|a|\n|-|", "## H\n\n- \x00x"]
)
def test_w6_whatever_a_person_writes_is_read(markdown: str) -> None:
    assert "\x00" not in str(_draft().edited(markdown).model_dump())


def _finished() -> dict[str, Any]:
    sources = [{"key": "a"}, {"key": "b"}]
    return {
        **beginning("Incidents", "auto", []), "plan": PLAN.model_dump(), "queries": ["incidents"], "sources": sources,
        "passages": [{"source": "a"}, {"source": "b"}], "draft": _draft().model_dump(), "repairs": 1, "tokens_used": 10,
        "report": {"id": "r"}, "response": "A report",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "as_node"),
    [
        (Edits(goal="Outsourcing"), "__start__"), (Edits(plan=PLAN), "planner"), (Edits(excluded=["a"]), "research"),
        (Edits(draft="# Mine\n\n## One\n\n- Said. 📄9"), "writer"), (Edits(goal="Outsourcing", excluded=["a"]), "__start__"),
        (Edits(), "red_team"),
    ],
)  # fmt: skip
def test_w6_a_fork_does_again_what_its_edits_ask_for_and_nothing_more(edits: Edits, as_node: str) -> None:
    values = _finished()
    made = branch(values, "publish", edits)
    assert made.as_node == as_node
    assert (made.values["report"], made.values["response"], made.values["tokens_used"]) == (None, "", 0)
    assert (made.values["draft"] is None) == (as_node in ("__start__", "planner", "research"))
    assert values == _finished(), "the original is not changed on the way"
