"""The gate at the end of a model's turn: one request, both ways, and never at the answer's cost (C2b)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from policypal.domain.documents import Document
from policypal.domain.support import IN_OTHER_WORDS
from policypal.graph.agent.support import LEFT_OUT
from tests.support import openai_server as behaviour
from tests.support.conversation import Speaker
from tests.support.documents import RECORDS_RULE
from tests.support.openai_answers import ChatRequest, number_of, said
from tests.support.openai_server import OpenAIServer

QUESTION = "How long must records be kept under the Records Rule?"
KEPT = "A bank must keep customer records for at least seven years after the end of the relationship."
OTHER_WORDS = "Banks have to keep their customer records for seven years or more."
WRONG = "Banks have to keep their customer records for nine years or more."


@pytest.fixture
def rule(modeller: Speaker) -> Document:
    return modeller.add_all({"Records Rule": RECORDS_RULE})[0]


@pytest.fixture
def server(modeller: Speaker, rule: Document) -> OpenAIServer:
    assert modeller.server is not None
    return modeller.server


def says(*sentences: str) -> Callable[[ChatRequest], dict[str, Any]]:
    def answer(request: ChatRequest) -> dict[str, Any]:
        return {"found": True, "sentences": [said(s, number_of(request, KEPT)) for s in sentences]}

    return answer


def judging(**verdicts: str) -> Callable[[ChatRequest], dict[str, Any]]:
    """A model that judges statements by a word in them."""

    def judge(request: ChatRequest) -> dict[str, Any]:
        blocks = request.numbered("statement")
        given = [next(v for word, v in verdicts.items() if word in b.text.partition("\nCITED")[0]) for b in blocks]
        return {
            "verdicts": [
                {
                    "number": b.number,
                    "reading": "",
                    "lacks": "" if v == "supported" else "a reason of the model",
                    "verdict": v,
                }
                for b, v in zip(blocks, given, strict=True)
            ]
        }

    return judge


def test_c2b_one_request_judges_all_statements_and_may_overrule_the_floor_both_ways(
    modeller: Speaker, server: OpenAIServer
) -> None:
    server.on("Answer", says(KEPT, OTHER_WORDS, WRONG))
    server.on("SupportVerdicts", judging(seven="not", nine="supported"))
    response = modeller.anyway(modeller.say(QUESTION))
    answer, _, left_out = response.response.partition(LEFT_OUT)
    assert KEPT in answer, "a quotation stays one"
    assert OTHER_WORDS not in answer and "a reason of the model" in left_out
    assert WRONG in answer and answer.count(IN_OTHER_WORDS) == 1
    (asked,) = server.requests_for("SupportVerdicts")
    content = str(asked.messages[-1]["content"])
    assert content.count("<statement-") == 2 and "Records Rule" in content


def test_m8_where_the_second_reading_fails_the_floor_decides_and_that_is_said(
    modeller: Speaker, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from policypal.web.retries import RetryPolicy

    monkeypatch.setattr(modeller.app.engine, "_retries", RetryPolicy(sleep=lambda seconds: None))
    server.on("Answer", says(OTHER_WORDS, WRONG))
    server.script("SupportVerdicts", *[behaviour.server_error()] * 3)
    response = modeller.anyway(modeller.say(QUESTION))
    answer, _, left_out = response.response.partition(LEFT_OUT)
    assert OTHER_WORDS in answer and WRONG not in answer and "nine years" in left_out
    assert any("reading the statements against what they cite" in n for n in response.notices)


def test_c2b_c4_a_summary_that_lost_a_statement_is_not_rated_exact_and_keeps_no_empty_head(
    modeller: Speaker, server: OpenAIServer, rule: Document
) -> None:
    def summary(request: ChatRequest) -> dict[str, Any]:
        number = number_of(request, KEPT)
        duties = [{"party": p, **said(s, number)} for p, s in (("Bank", OTHER_WORDS), ("Insurer", WRONG))]
        document = {"document": "Records Rule", "key_points": [said(KEPT, number)], "obligations": duties}
        return {"documents": [document], "relevance": []}

    server.on("Summary", summary)
    server.on("SupportVerdicts", judging(seven="supported", nine="not"))
    lost = modeller.anyway(modeller.say("Summarize", rule, action="summarize"))
    answer, _, left_out = lost.response.partition(LEFT_OUT)
    assert "*Bank*" in answer and OTHER_WORDS in answer and WRONG in left_out
    assert "*Insurer*" not in answer
    assert lost.retrieval_confidence == "medium" and lost.confidence_score < 1.0
    server.on("SupportVerdicts", judging(seven="supported", nine="supported"))
    whole = modeller.anyway(modeller.say("Summarize", rule, action="summarize"))
    assert "*Insurer*" in whole.response and whole.retrieval_confidence == "high"


def test_c2b_an_answer_of_quotations_costs_no_second_reading(modeller: Speaker, server: OpenAIServer) -> None:
    server.on("Answer", says(KEPT))
    response = modeller.anyway(modeller.say(QUESTION))
    assert KEPT in response.response and not server.requests_for("SupportVerdicts")


def test_c2b_a_search_confirms_that_the_documents_do_not_say_something_or_shows_where_they_do(
    modeller: Speaker, server: OpenAIServer
) -> None:
    silent = "The documents do not mention biometric data."
    false = "Nothing in the documents mentions customer records."
    server.on(
        "Answer",
        lambda request: {
            "found": True,
            "sentences": [said(KEPT, number_of(request, KEPT)), *({"text": s, "cites": []} for s in (silent, false))],
        },
    )
    response = modeller.anyway(modeller.say(QUESTION))
    answer, _, left_out = response.response.partition(LEFT_OUT)
    assert f"{silent[:-1]} (not found by a search)." in answer
    assert false not in answer and "To review: a search found" in left_out and "Records Rule, page 1" in left_out
    assert not server.requests_for("SupportVerdicts"), "no model is asked what only a search can tell"
