"""Extractive summaries: central statements, duties and limits, quoted (A1, C1)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.answer.evidence import CitedSentence
from policypal.domain.users import Profile
from policypal.llm.response_schema import response_format
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.summary.register_view import bound_parties, kinds, sections, set_limits, weightiest
from policypal.summary.task import SUMMARIZE, SummarizeInput, Summary
from policypal.text.clauses import Clause
from tests.support.readings import readings, source_of

EMBEDDER = WordLlamaEmbedder()
TITLE = "Outsourcing Rules (2024)"
PAGES = (
    """OUTSOURCING RULES
1. These rules apply to banks and insurers that outsource a critical function to a service provider.
The purpose of these rules is to keep critical functions under the control of the institution.
Contents ........ 2""",
    """2. An institution must carry out due diligence before it enters into an outsourcing arrangement.
3. An institution must notify the regulator of a critical outsourcing at least 45 days before it takes effect.
4. A service provider must not subcontract a critical function without written consent of the institution.
For example, a cloud provider may use a data centre operator.""",
    """5. The contract shall give the institution and its auditors access to the premises of the service provider.
6. An institution must test its exit plan at least once every 18 months.
7. The regulator may impose a penalty of up to 3% of annual turnover or EUR 400,000.
Has the exit plan been approved by the board of the institution?""",
)


def summarize(
    profile: Profile | None = None, documents: dict[str, tuple[str, ...]] | None = None, topic: str = ""
) -> Summary:
    held = readings(documents or {TITLE: PAGES})
    given_ = SummarizeInput(request="Summarize", titles=[r.title for r in held], readings=held, topic=topic)
    return SUMMARIZE.extractive(given_, TaskContext(EMBEDDER, profile or Profile()))


def said(sentences: list[CitedSentence]) -> str:
    return " ".join(s.text for s in sentences)


def test_a1_scope_and_purpose_are_key_points() -> None:
    key_points = said(summarize().documents[0].key_points)
    assert "apply to banks and insurers" in key_points
    assert "The purpose of these rules" in key_points


@pytest.mark.parametrize("words", ["due diligence", "must not subcontract", "access to the premises"])
def test_a1_duties_and_prohibitions_are_listed(words: str) -> None:
    assert words in said(summarize().documents[0].obligations)


@pytest.mark.parametrize(
    "kept", ["They must keep them for seven years.", "This does not apply to branches of foreign insurers."]
)
def test_a1_a_sentence_that_does_not_say_of_whom_it_speaks_is_not_quoted_alone(kept: str) -> None:
    page = f"1. An insurer must send the regulator a return each year. {kept}\n2. An insurer must name an actuary."
    told = summarize(documents={TITLE: (page,)}).documents[0]
    assert "An insurer must" in said(told.obligations)
    assert kept not in said([*told.obligations, *told.key_points])


@pytest.mark.parametrize(
    ("words", "measures"),
    [
        ("at least 45 days", "notify the regulator of a critical outsourcing"),
        ("at least once every 18 months", "test its exit plan"),
        ("at most 3%", "impose a penalty"),
    ],
)
def test_a1_deadlines_and_limits_say_what_they_measure(words: str, measures: str) -> None:
    limits = {found.limit.words: found.limit.measures for found in set_limits(clauses_of_pages())}
    assert limits[words] == measures


def test_a1_the_weightiest_limits_are_of_all_sections() -> None:
    pages = "".join(
        f"Section {n} Topic\n\n"
        + "".join(f"{n}.{i} A bank must file form {n}{i} within {i} days.\n" for i in range(1, 9))
        for n in range(1, 5)
    )
    (reading,) = readings({"Rules": (pages,)})
    shown = weightiest(set_limits(reading.clauses), 8)
    assert len({found.clause.headings for found in shown}) == 4


def clauses_of_pages() -> list[Clause]:
    return [c for r in readings({TITLE: PAGES}) for c in r.clauses]


def test_a1_no_statement_is_repeated_in_another_section() -> None:
    document = summarize().documents[0]
    texts = [s.text for s in (*document.key_points, *document.obligations)]
    assert len(texts) == len(set(texts))


def test_a1_headings_questions_and_examples_are_left_out() -> None:
    document = summarize().documents[0]
    everything = said([*document.key_points, *document.obligations])
    for words in ("OUTSOURCING RULES", "Contents", "For example", "Has the exit plan"):
        assert words not in everything


def test_a1_each_document_has_its_own_section_in_the_order_of_the_titles() -> None:
    summary = summarize(documents={"B": PAGES, "A": PAGES, "Empty": ()})
    assert [d.document for d in summary.documents] == ["B", "A", "Empty"]
    held = readings({"B": PAGES, "A": PAGES})
    assert {source_of(held, q.evidence)[0] for s in summary.documents[1].obligations for q in s.quotes} == {"A"}
    assert summary.documents[2].key_points == summary.documents[2].obligations == []


def test_a1_a_topic_limits_a_summary() -> None:
    document = summarize(topic="exit plan").documents[0]
    assert "exit plan" in said(document.obligations)
    assert "due diligence" not in said(document.obligations)


def test_a1_the_outline_counts_the_obligations_of_each_section() -> None:
    text = "Part 1 Scope\n\nThis applies to banks.\n\nPart 2 Duties\n\nA bank must report. A bank must not lie.\n\nPart 3 End\n\nIt ends here."
    (reading,) = readings({"Rules": (text,)})
    assert [(s.title, s.first, s.duties) for s in sections(reading.clauses)] == [
        ("Part 1 Scope", 1, 0), ("Part 2 Duties", 1, 2), ("Part 3 End", 1, 0),
    ]  # fmt: skip


def test_a1_relevance_quotes_what_names_the_users_industry_and_is_empty_otherwise() -> None:
    relevance = summarize(Profile(industry="Insurer", country="Norland")).relevance
    assert "apply to banks and insurers" in said(relevance)
    assert "Insurer" in relevance[0].text
    assert len(relevance) == 1
    assert summarize(Profile(industry="Aviation")).relevance == []
    assert summarize().relevance == []


LINES = st.sampled_from(
    [line for page in PAGES for line in page.split("\n")] + ["Part 2", "(a) the board;", "as follows:"]
)


@settings(max_examples=30, deadline=None)
@given(st.lists(LINES, max_size=10).map("\n".join))
def test_c1_every_quote_is_an_exact_part_of_its_document(text: str) -> None:
    document = summarize(documents={TITLE: (text,)}).documents[0]
    for sentence in (*document.key_points, *document.obligations):
        assert sentence.quotes
        assert all(q.text in text and len(q.text) <= 300 for q in sentence.quotes)


def test_r4_the_output_type_is_a_strict_structured_output() -> None:
    assert response_format(Summary)["json_schema"]["strict"] is True


def test_m7_the_request_is_in_the_changing_part_of_the_prompt_only() -> None:
    prompt = SUMMARIZE.prompt(SummarizeInput(request="zebra", titles=[TITLE]))
    assert "zebra" in prompt.content
    assert "zebra" not in prompt.instructions


def test_a1_duties_name_who_is_bound_the_most_burdened_first() -> None:
    parties = list(dict.fromkeys(d.party.lower() for d in summarize().documents[0].obligations))
    assert parties[0] == "institution"
    assert "service provider" in parties
    bound = bound_parties(clauses_of_pages())
    assert [(b.party.lower(), kinds(b.duties)) for b in bound][:1] == [("institution", (3, 0))]


def test_d12_what_an_analyst_struck_binds_nobody() -> None:
    clauses = [replace(c, is_struck=True) for c in clauses_of_pages()]
    assert bound_parties(clauses) == []
