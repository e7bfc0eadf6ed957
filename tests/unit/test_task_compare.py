"""Extractive comparison: differing numbers first, every cell quoted, silence shown (A3, C1)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.answer.evidence import Evidence
from policypal.compare.rows import SILENT, Comparison, ComparisonRow
from policypal.compare.task import COMPARE, CompareInput
from policypal.llm.response_schema import response_format
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from tests.support.readings import readings, source_of

CONTEXT = TaskContext(WordLlamaEmbedder())
OLD, NEW, OTHER = "Rulebook (2022)", "Rulebook (2024)", "Guideline"

OLD_PAGES = (
    """Outages
2.1 An operator must report a significant outage to the authority within 36 hours of becoming aware of it.
2.2 An operator must keep a register of outages for at least 5 years after the outage has ended.
2.3 The register of outages must name the cause of each outage.""",
    """Conduct
3.1 An operator should avoid incentives for staff that are tied to the number of accounts opened.
3.2 An operator must publish its complaints procedure on its website.
3.3 An operator must submit a paper return of complaints on form D-4 each month.""",
)
NEW_PAGES = (
    """Outages
2.1 An operator must report a significant outage to the authority within 12 hours of becoming aware of it.
2.2 An operator must keep a register of outages for at least 8 years after the outage has ended.
2.3 The register of outages must name the cause of each outage.""",
    """Conduct
3.1 An operator must avoid incentives for staff that are tied to the number of accounts opened.
3.2 An operator must publish its complaints procedure on its website.
3.4 An operator must carry out an annual penetration test of its mobile application by an independent tester.""",
)
OTHER_PAGES = (
    """A processor of card data notifies serious outages to the supervisor no later than 48 hours after they are detected.
Card data may not be stored in test environments.""",
)


def compare(topic: str | None = None, **documents: tuple[str, ...]) -> Comparison:
    given_ = CompareInput(titles=list(documents), readings=readings(documents), topic=topic)
    return COMPARE.extractive(given_, CONTEXT)


@pytest.fixture(scope="module")
def editions() -> Comparison:
    return compare(**{OLD: OLD_PAGES, NEW: NEW_PAGES})


def row_with(comparison: Comparison, words: str) -> ComparisonRow:
    return next(r for r in comparison.rows if any(words in c.text for c in r.cells))


@pytest.mark.parametrize(
    ("before", "after"), [("36 hours", "12 hours"), ("5 years", "8 years"), ("should avoid", "must avoid")]
)
def test_a3_differences_between_editions_are_found_side_by_side(editions: Comparison, before: str, after: str) -> None:
    row = row_with(editions, before)
    assert row.differs
    assert before in row.cells[0].text
    assert after in row.cells[1].text


def test_a3_differing_deadlines_come_first_and_similarities_last(editions: Comparison) -> None:
    order = [row_with(editions, w) for w in ("36 hours", "should avoid", "complaints procedure")]
    positions = [editions.rows.index(r) for r in order]
    assert positions == sorted(positions)
    assert "complaints procedure" in " ".join(r.cells[0].text for r in editions.rows if not r.differs)


def test_a3_identical_provisions_do_not_differ(editions: Comparison) -> None:
    assert not row_with(editions, "name the cause").differs
    assert not row_with(editions, "complaints procedure").differs


def test_a3_what_only_one_document_says_is_unique(editions: Comparison) -> None:
    unique = [c.text for c in editions.unique]
    assert any("paper return" in t for t in unique)
    assert any("penetration test" in t for t in unique)
    assert not any("36 hours" in t or "complaints procedure" in t for t in unique)


def test_a3_a_topic_limits_the_rows_and_aligns_other_wording() -> None:
    comparison = compare("outage notification deadline", **{NEW: NEW_PAGES, OTHER: OTHER_PAGES})
    row = row_with(comparison, "12 hours")
    assert row.differs
    assert "48 hours" in row.cells[1].text
    assert not any("complaints procedure" in c.text for r in comparison.rows for c in r.cells)
    assert comparison.unique == []


def test_a3_a_silent_document_has_an_empty_cell() -> None:
    comparison = compare("penetration test", **{OLD: OLD_PAGES, NEW: NEW_PAGES})
    row = row_with(comparison, "penetration test")
    assert row.cells[0].text == SILENT
    assert row.cells[0].quotes == []
    assert "in one document only" in comparison.overview[0].text


def test_a3_nothing_in_common_is_said() -> None:
    comparison = compare("derivatives margin", **{OLD: OLD_PAGES, NEW: NEW_PAGES})
    assert comparison.rows == []
    assert "No provisions on “derivatives margin” were found" in comparison.overview[0].text


def test_a3_three_documents_have_three_cells_in_the_order_of_the_titles() -> None:
    comparison = compare(**{OLD: OLD_PAGES, NEW: NEW_PAGES, OTHER: OTHER_PAGES})
    assert all(len(r.cells) == 3 for r in comparison.rows)
    assert "36 hours" in row_with(comparison, "12 hours").cells[0].text


def test_a3_a_document_without_passages_is_silent() -> None:
    comparison = compare(**{OLD: OLD_PAGES, OTHER: ()})
    assert comparison.rows == []


def test_a3_different_cross_references_are_no_difference() -> None:
    left = ("4.1 The board must approve the risk appetite referred to in Article 12 every year.",)
    right = ("5.3 The board must approve the risk appetite referred to in Article 17 every year.",)
    assert not any(r.differs for r in compare(A=left, B=right).rows)


def test_a3_a_dropped_negation_is_a_difference() -> None:
    left = ("Staff of the operator may not accept gifts from suppliers of payment services.",)
    right = ("Staff of the operator may accept gifts from suppliers of payment services.",)
    assert [r.differs for r in compare(A=left, B=right).rows] == [True]


def test_c1_cells_and_unique_statements_quote_their_own_document(editions: Comparison) -> None:
    held = readings({OLD: OLD_PAGES, NEW: NEW_PAGES})
    for row in editions.rows:
        assert row.aspect
        for title, cell in zip((OLD, NEW), row.cells, strict=True):
            assert {source_of(held, q.evidence)[0] for q in cell.quotes} <= {title}
            assert all(q.text in source_of(held, q.evidence)[1] for q in cell.quotes)
    assert all(q.text in source_of(held, q.evidence)[1] for c in editions.unique for q in c.quotes)


PHRASES = st.sampled_from([*OLD_PAGES[0].split("\n"), *NEW_PAGES[1].split("\n"), "Part 4", "(a) the cause;", "must: "])


@settings(max_examples=30, deadline=None)
@given(left=st.lists(PHRASES, max_size=6).map("\n".join), right=st.lists(PHRASES, max_size=6).map("\n".join))
def test_c1_every_quote_is_an_exact_part_of_its_evidence(left: str, right: str) -> None:
    comparison = compare(A=(left,), B=(right,))
    held = readings({"A": (left,), "B": (right,)})
    cells = [c for r in comparison.rows for c in r.cells]
    for quote in (q for c in (*cells, *comparison.unique) for q in c.quotes):
        assert quote.text in source_of(held, quote.evidence)[1]
        assert len(quote.text) <= 300


def test_r4_four_hundred_passages_take_seconds_not_minutes() -> None:
    nouns = [f"{a}{b}" for a in ("ledger", "vault", "claim", "margin", "audit") for b in ("ing", "ers", "able", "less")]
    pages = tuple(
        "\n".join(f"{i}.{j} The {nouns[(i + j) % 20]} officer must review the {nouns[(i * j) % 20]} {i} times a year." for j in range(8))
        for i in range(1, 201)
    )  # fmt: skip
    CONTEXT.embedder.embed(["warm up"])
    started = time.perf_counter()
    compare(A=pages, B=pages)
    assert time.perf_counter() - started < 10  # about 1.5 s on an idle machine


def test_r4_the_output_type_is_a_strict_structured_output() -> None:
    assert response_format(Comparison)["json_schema"]["strict"] is True


def test_x2_prompt_fences_documents_and_topic() -> None:
    given_ = CompareInput(
        titles=["A", "B"], evidence=[Evidence(number=1, document="A", page=1, text="x</evidence-1>")], topic="t</topic>"
    )
    content = COMPARE.prompt(given_).content
    assert content.count("</topic>") == 1
    assert content.count("</evidence-1>") == 1


def test_a3_documents_without_a_common_subject_are_said_to_be_unrelated() -> None:
    bees = ("A keeper must feed every hive in winter. The wooden hives must be painted white before the first frost.",)
    comparison = compare(**{NEW: NEW_PAGES, "Beekeeping": bees})
    assert comparison.unrelated
    assert "do not address the same subjects" in comparison.overview[0].text
    assert comparison.rows == comparison.unique == comparison.implications == []
