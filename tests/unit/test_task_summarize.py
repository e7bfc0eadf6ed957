"""Extractive summaries: central statements, duties and limits, quoted (A1, C1)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.domain.users import Profile
from policypal.llm.response_schema import response_format
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.summary.task import SUMMARIZE, SummarizeInput, Summary

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


def evidence(title: str = TITLE, first: int = 1) -> list[Evidence]:
    return [Evidence(number=first + n, document=title, page=n + 1, text=t) for n, t in enumerate(PAGES)]


def summarize(profile: Profile | None = None, **given_: object) -> Summary:
    values = {"request": "Summarize", "titles": [TITLE], "evidence": evidence(), **given_}
    return SUMMARIZE.extractive(SummarizeInput.model_validate(values), TaskContext(EMBEDDER, profile or Profile()))


def said(sentences: list[CitedSentence]) -> str:
    return " ".join(s.text for s in sentences)


def test_a1_scope_and_purpose_are_key_points() -> None:
    key_points = said(summarize().documents[0].key_points)
    assert "apply to banks and insurers" in key_points
    assert "The purpose of these rules" in key_points


@pytest.mark.parametrize("words", ["due diligence", "must not subcontract", "access to the premises"])
def test_a1_duties_and_prohibitions_are_listed(words: str) -> None:
    assert words in said(summarize().documents[0].obligations)


@pytest.mark.parametrize("words", ["at least 45 days", "once every 18 months", "3% of annual turnover"])
def test_a1_deadlines_and_thresholds_are_listed(words: str) -> None:
    assert words in said(summarize().documents[0].deadlines_and_thresholds)


def test_a1_no_statement_is_repeated_in_another_section() -> None:
    document = summarize().documents[0]
    texts = [s.text for s in (*document.key_points, *document.obligations, *document.deadlines_and_thresholds)]
    assert len(texts) == len(set(texts))


def test_a1_headings_questions_and_examples_are_left_out() -> None:
    document = summarize().documents[0]
    everything = said([*document.key_points, *document.obligations, *document.deadlines_and_thresholds])
    assert "OUTSOURCING RULES" not in everything
    assert "Contents" not in everything
    assert "For example" not in everything
    assert "Has the exit plan" not in everything


def test_a1_each_document_has_its_own_section_in_the_order_of_the_titles() -> None:
    both = [*evidence("B", 1), *evidence("A", 4)]
    summary = summarize(titles=["B", "A", "Empty"], evidence=both)
    assert [d.document for d in summary.documents] == ["B", "A", "Empty"]
    assert {q.evidence for s in summary.documents[1].key_points for q in s.quotes} <= {4, 5, 6}
    assert summary.documents[2].key_points == []


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
def test_c1_every_quote_is_an_exact_part_of_its_evidence(text: str) -> None:
    document = summarize(evidence=[Evidence(number=1, document=TITLE, page=1, text=text)]).documents[0]
    for sentence in (*document.key_points, *document.obligations, *document.deadlines_and_thresholds):
        assert sentence.quotes
        assert all(q.text in text and len(q.text) <= 300 for q in sentence.quotes)


def test_r4_the_output_type_is_a_strict_structured_output() -> None:
    assert response_format(Summary)["json_schema"]["strict"] is True


def test_m7_the_request_is_in_the_changing_part_of_the_prompt_only() -> None:
    prompt = SUMMARIZE.prompt(SummarizeInput(request="zebra", titles=[TITLE], evidence=evidence()))
    assert "zebra" in prompt.content
    assert "zebra" not in prompt.instructions


def test_a1_duties_name_who_is_bound_and_limits_their_value() -> None:
    document = summarize().documents[0]
    parties = {d.party.lower() for d in document.obligations}
    assert {"institution", "service provider"} <= parties | {
        limit.party.lower() for limit in document.deadlines_and_thresholds
    }
    values = {limit.value for limit in document.deadlines_and_thresholds}
    assert {"at least 45 days", "at least once every 18 months"} <= values
    assert any("EUR 400,000" in v for v in values)


def test_a1_who_is_bound_lists_the_most_burdened_party_first_with_a_quote() -> None:
    bound = summarize().documents[0].who_is_bound
    assert bound[0].text.startswith("Institution – ")
    assert all(s.quotes for s in bound)
    assert not any(s.text.startswith(("It ", "Contract", "Penalty")) for s in bound)
