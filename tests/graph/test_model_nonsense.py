"""A model that answers in form and says nonsense, at every task: ids of nothing and of something else, everything twice and hundredfold,
no reasons, another language, things nobody wrote. Nothing of it is shown as supported, and the scope stays what it was (C2, C2b)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from policypal.application.container import Container
from policypal.domain.events import Event, ResponseEvent
from policypal.graph.agent.support import LEFT_OUT
from policypal.request.summarize_history import MAX_CHARACTERS
from tests.support.conversation import answered_by, failed_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE
from tests.support.model_ways import (
    KEPT,
    OTHER_WORDS,
    Place,
    asks,
    audits,
    compares,
    place_of,
    plans,
    remembers,
    reports,
    summarizes,
)
from tests.support.openai_answers import HANDLERS, ChatRequest, number_of, said
from tests.support.openai_server import OpenAIServer, not_json
from tests.support.research_world import report_of

INVENTED = "Every bank is released from all of its duties for ninety years."
HUNDREDS = 200
GERMAN = "Eine Bank muss die Unterlagen ihrer Kunden mindestens {} Jahre lang nach dem Ende der Beziehung aufbewahren."


@pytest.fixture(scope="module")
def _place(model_app: Container, model_server: OpenAIServer) -> Place:
    return place_of(model_app, model_server)


@pytest.fixture
def place(_place: Place) -> Place:
    return _place.begin()


def _true(request: ChatRequest) -> dict[str, Any]:
    return said(KEPT, number_of(request, KEPT))


def _shown(response: ResponseEvent) -> str:
    """The answer without what is listed as left out."""
    return response.response.partition(LEFT_OUT)[0]


def _answers(
    place: Place, output: str, answer: Callable[[ChatRequest], dict[str, Any]], way: Callable[[Place], Event]
) -> ResponseEvent:
    place.server.on(output, answer)
    response = answered_by(way(place))
    pages = " ".join((RECORDS_RULE + COMPANY_POLICY).split())
    assert response.citations and all(
        " ".join(c.quote.split()).removesuffix("…").strip() in pages for c in response.citations
    )
    assert INVENTED not in _shown(response) and "\ufdd0" not in response.response
    return response


# What is the answer

SENTENCES: dict[str, Callable[[ChatRequest], list[dict[str, Any]]]] = {
    "an id of nothing": lambda r: [_true(r), said(INVENTED, "99.1")],
    "no id": lambda r: [_true(r), said(INVENTED)],
    "an id that is none": lambda r: [_true(r), said(INVENTED, "<script>", "1.1.1", "-1.0", "1.9999999999999999999")],
    "an id of something else": lambda r: [_true(r), said(INVENTED, number_of(r, KEPT))],
    "an id twice": lambda r: [said(KEPT, *[number_of(r, KEPT)] * 2)],
    "everything hundredfold": lambda r: [_true(r)] * HUNDREDS,
}


@pytest.mark.parametrize("wrong", SENTENCES)
@pytest.mark.parametrize("task", ["Answer", "Summary", "Comparison"])
def test_c2_sentences(place: Place, task: str, wrong: str) -> None:
    def answer(request: ChatRequest) -> dict[str, Any]:
        told = SENTENCES[wrong](request)
        if task == "Answer":
            return {"found": True, "sentences": told}
        if task == "Summary":
            return {
                "documents": [{"document": "Records Rule", "key_points": told, "obligations": []}],
                "relevance": told,
            }
        good = HANDLERS["Comparison"](request)
        return {**good, "overview": told, "unique": told, "implications": told}

    response = _answers(place, task, answer, {"Answer": asks, "Summary": summarizes, "Comparison": compares}[task])
    places = {"Answer": 1, "Summary": 2, "Comparison": 3}[task]
    assert _shown(response).count(KEPT) <= places + (task == "Comparison"), "said once at each place"


def test_c2_in_a_documents_summary_nothing_of_another_document(place: Place) -> None:
    place.server.on("Summary", lambda r: {
        "documents": [{"document": t, "key_points": [_true(r)], "obligations": []} for t in ("Our Policy", "Records Rule")], "relevance": [],
    })  # fmt: skip
    response = answered_by(place.speaker.say("Summarize these", place.policy, place.rule, action="summarize"))
    ours, theirs = (_shown(response).partition("### Records Rule")[n] for n in (0, 2))
    assert KEPT in theirs and KEPT not in ours
    assert {c.document_id for c in response.citations if c.quote == KEPT} == {place.rule.id}


@pytest.mark.parametrize("is_read_again", [True, False])
def test_c2b_statements_in_another_language_pass_by_a_second_reading_only(place: Place, is_read_again: bool) -> None:
    if not is_read_again:
        place.server.spoil("SupportVerdicts", lambda request: True, not_json())
    else:
        place.server.on("SupportVerdicts", _reads_german)

    def answer(request: ChatRequest) -> dict[str, Any]:
        number = number_of(request, KEPT)
        return {
            "found": True,
            "sentences": [_true(request), said(GERMAN.format("sieben"), number), said(GERMAN.format("neun"), number)],
        }

    response = _answers(place, "Answer", answer, asks)
    assert GERMAN.format("neun") not in _shown(response)
    assert (GERMAN.format("sieben") in _shown(response)) == is_read_again, "rules cannot read it beside an English page"


def _reads_german(request: ChatRequest) -> dict[str, Any]:
    def verdict(number: int, text: str) -> dict[str, Any]:
        wrong = "neun" in text
        return {
            "number": number,
            "reading": "",
            "lacks": "neun" if wrong else "",
            "verdict": "not" if wrong else "supported",
        }

    return {"verdicts": [verdict(b.number, b.text) for b in request.numbered("statement")]}


# What helps

VERDICTS: dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "a number of nothing": lambda good: [*good, {**good[0], "number": 99}],
    "a number twice": lambda good: [*good, good[0]],
    "hundreds": lambda good: good * HUNDREDS,
    "none": lambda good: [],
    "no reason": lambda good: [{**v, "verdict": "not", "lacks": " "} for v in good],
}


@pytest.mark.parametrize("wrong", VERDICTS)
def test_c2b_verdicts_on_statements(place: Place, wrong: str) -> None:
    place.server.on(
        "SupportVerdicts", lambda r: {"verdicts": VERDICTS[wrong](HANDLERS["SupportVerdicts"](r)["verdicts"])}
    )
    response = answered_by(asks(place))
    assert len(place.server.requests_for("SupportVerdicts")) == 2, "it is asked once more"
    assert [n for n in response.notices if "own rules" in n and "reading the statements" in n]
    assert OTHER_WORDS in _shown(response), "the floor carries it"


LOOKS: dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "a finding of nothing": lambda good: [*good, {**good[0], "finding": "F99"}],
    "a finding twice": lambda good: [*good, {**good[0], "stands": False}],
    "hundreds": lambda good: good * HUNDREDS,
    "no reasoning": lambda good: [{**look, "stands": False, "reasoning": " "} for look in good],
    "none": lambda good: [],
}


@pytest.mark.parametrize("wrong", LOOKS)
def test_a4_second_looks(place: Place, wrong: str) -> None:
    place.server.on("Looks", lambda r: {"looks": LOOKS[wrong](HANDLERS["Looks"](r)["looks"])})
    response = answered_by(audits(place))
    assert response.report is not None and response.report.findings and not response.report.contradicted
    assert {f.support for f in response.report.findings} == {"A second look could not be taken."}
    assert [n for n in response.notices if "the second look at findings" in n]


def test_m3_a_memory_without_end_is_cut(place: Place) -> None:
    place.server.on("HistorySummary", lambda request: {"summary": f"{INVENTED} " * 10_000})
    response = answered_by(remembers(place))
    assert len(place.speaker.state(response.thread_id)["conversation_summary"]) <= MAX_CHARACTERS
    assert INVENTED not in response.response


ROUTES: dict[str, dict[str, Any]] = {
    "documents of nothing": {"documents": ["d999", "x", ""]},
    "hundreds": {
        "documents": ["d1"] * HUNDREDS, "candidates": ["d2"] * HUNDREDS, "queries": [INVENTED] * HUNDREDS, "unknown": ["x"] * HUNDREDS,
        "requested_actions": ["inquire"] * HUNDREDS, "alternatives": ["audit"] * HUNDREDS,
    },
    "long words": {"title": "x" * 5_000, "question": f"{KEPT} " * 500, "focus": INVENTED * 50, "web_query": INVENTED * 50},
}  # fmt: skip


@pytest.mark.parametrize("wrong", ROUTES)
def test_g4_a_reading_of_nonsense_changes_no_scope(place: Place, wrong: str) -> None:
    place.server.on("Route", lambda request: {**HANDLERS["Route"](request), **ROUTES[wrong]})
    event = place.speaker.say("How long must customer records be kept?", place.rule, action=None)
    response = place.speaker.anyway(event)
    assert {d.id for d in response.documents} == {place.rule.id} and response.action == "inquire"
    (name,) = (c.title for c in _conversations(place) if c.thread_id == response.thread_id)
    assert len(name) <= 80


def _conversations(place: Place) -> list[Any]:
    from policypal.application import conversations

    return list(conversations.list_conversations(place.app, place.speaker.user))


# Reports

REPORTS: dict[str, tuple[str, Callable[[ChatRequest], dict[str, Any]]]] = {
    "questions hundredfold": ("PlanQuestions", lambda r: {
        "questions": [{"aspect": "scope", "question": INVENTED, "options": [INVENTED] * HUNDREDS, "all_of_the_above": True}] * HUNDREDS,
    }),
    "a plan of nothing": ("PlanDraft", lambda r: {
        "constraints": [INVENTED] * HUNDREDS, "deliverable": INVENTED, "steps": [INVENTED] * HUNDREDS, "queries": [INVENTED] * HUNDREDS,
        "document_ids": ["x"] * HUNDREDS, "since": "9999-99-99",
    }),
    "an outline of nothing": ("Outline", lambda r: {"title": "Report", "sections": [
        {"heading": f"Part {n}", "focus": "x", "kind": "theme", "evidence": [999, 1, 1]} for n in range(HUNDREDS)
    ]}),
    "sections of nothing": ("WrittenSection", lambda r: {
        "sentences": [*HANDLERS["WrittenSection"](r)["sentences"], *[said(INVENTED, "99.1"), said(INVENTED, "1.1"), said(INVENTED)] * HUNDREDS],
        "table": None,
    }),
    "contradictions of nothing": ("ClaimsCheck", lambda r: {"conflicts": [
        {"left": left, "right": right, "subject": "x", "explanation": INVENTED}
        for left in range(-1, 20) for right in range(-1, 20)
    ]}),
}  # fmt: skip


@pytest.mark.parametrize("wrong", REPORTS)
def test_w3_reports(place: Place, wrong: str) -> None:
    output, answer = REPORTS[wrong]
    place.server.on(output, answer)
    report = report_of((plans if output == "PlanQuestions" else reports)(place))
    assert place.server.requests_for(output) and report.citations
    statements = [s for section in report.sections for s in section.statements]
    assert statements and all(s.verified for s in statements) and len(report.sections) <= 12
    assert INVENTED not in report.markdown


@pytest.mark.parametrize("is_read_again", [True, False])
def test_c2b_statements_of_a_report_in_another_language_pass_by_a_second_reading_only(
    place: Place, is_read_again: bool
) -> None:
    right, wrong = "Die Bank bewahrt Unterlagen auf.", "Jede Bank ist von ihren Pflichten frei."
    place.server.on("WrittenSection", lambda r: {
        "sentences": [said(text, b.cited) for b in r.numbered("evidence")[:1] for text in (right, wrong)], "table": None,
    })  # fmt: skip
    place.server.on("SupportVerdicts", lambda r: {"verdicts": [
        {"number": b.number, "reading": "", "lacks": "" if right in b.text else "frei", "verdict": "supported" if right in b.text else "not"}
        for b in r.numbered("statement")
    ]})  # fmt: skip
    if not is_read_again:
        place.server.spoil("SupportVerdicts", lambda request: True, not_json())
    event = answered_by(reports(place))
    report = report_of(event)
    assert wrong not in report.markdown and (right in report.markdown) == is_read_again
    assert bool([n for n in event.notices if "own rules" in n]) != is_read_again


def test_c2_what_has_nothing_true_in_it_is_told_and_not_shown(place: Place) -> None:
    place.server.on("Summary", lambda r: {"documents": [], "relevance": [said(INVENTED, "99.1")] * HUNDREDS})
    error = failed_by(summarizes(place))
    assert error.code == "model_output" and INVENTED not in str(error) and not re.search("Traceback", str(error))
