"""The answer of a model is shown while it is written, and what had arrived of one that broke off stays (A2, G12, U6)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from policypal.application import ask
from policypal.domain.events import ResponseEvent, StatusEvent
from policypal.graph.agent import feedback
from policypal.graph.agent.support import LEFT_OUT
from policypal.graph.context import BROKE_OFF
from tests.support import openai_server as behaviour
from tests.support.conversation import Speaker
from tests.support.documents import RECORDS_RULE
from tests.support.openai_answers import ChatRequest, number_of, said
from tests.support.timeouts import LONGEST_WAIT_SECONDS

QUESTION = "How long must records be kept under the Records Rule?"
KEPT = "A bank must keep customer records for at least seven years after the end of the relationship."
OTHER_WORDS = "Banks have to keep their customer records for seven years or more."
WRONG = "Banks have to keep their customer records for nine years or more."
INVENTED = "Banks have to keep their customer records under a blue moon."


@pytest.fixture
def answering(modeller: Speaker) -> Speaker:
    modeller.add("Records Rule", RECORDS_RULE)

    def answer(request: ChatRequest) -> dict[str, object]:
        number = number_of(request, KEPT)
        told = [said(KEPT, number), said(INVENTED, "77.7"), said(WRONG, number), said(OTHER_WORDS, number)]
        return {"found": True, "sentences": told}

    assert modeller.server is not None
    modeller.server.on("Answer", answer)
    return modeller


def heard(speaker: Speaker) -> list[str]:
    return [e.said for e in speaker.told if isinstance(e, StatusEvent) and e.said]


def test_a2_statements_are_shown_as_what_they_cite_is_found(answering: Speaker) -> None:
    response = answering.anyway(answering.say(QUESTION))
    drafts = heard(answering)
    assert drafts[0].startswith(KEPT) and len(drafts) > 1
    assert all(after.startswith(before) for before, after in pairwise(drafts))
    assert INVENTED not in drafts[-1] and WRONG in drafts[-1], "the gate at the end may take a statement back"
    answer, _, left_out = response.response.partition(LEFT_OUT)
    assert KEPT in answer
    assert all(s in left_out and s not in answer for s in (WRONG, INVENTED))
    assert isinstance(answering.told[-1], ResponseEvent) and "\ufdd0" not in response.response


def test_m8_what_had_arrived_of_an_answer_that_broke_off_stays_and_says_so(answering: Speaker) -> None:
    assert answering.server is not None
    answering.server.script("Answer", behaviour.breaks_off(0.55))
    response = answering.anyway(answering.say(QUESTION))
    assert KEPT in response.response and OTHER_WORDS not in response.response
    assert BROKE_OFF in response.notices and response.retrieval_confidence != "high"
    assert len(answering.server.requests_for("Answer")) == 1


def test_u6_what_stands_of_an_answer_that_is_stopped_stays_and_says_so(answering: Speaker) -> None:
    assert answering.server is not None
    answering.server.script("Answer", behaviour.dribbles(*[0.4] * 20))
    thread = ask.new_thread_id()
    ask.send(answering.app, answering.user, thread, ask.Request(message=QUESTION))
    for event in ask.events(answering.app, answering.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS):
        if isinstance(event, StatusEvent) and event.said:
            ask.stop(answering.app, answering.user, thread)
    assert isinstance(event, ResponseEvent) and KEPT in event.response and OTHER_WORDS not in event.response
    assert feedback.ANSWER_STOPPED in event.notices and event.retrieval_confidence != "high"
    assert not answering.server.requests_for("judge_support"), "nothing is asked after a stop"
    assert answering.roles(thread) == ["user", "assistant"]


def test_c4_an_answer_that_broke_off_is_not_rated_exact(answering: Speaker) -> None:
    assert answering.server is not None
    answering.server.on(
        "Answer",
        lambda r: {"found": True, "sentences": [said(KEPT, number_of(r, KEPT)), said("And much more. " * 40, "1.1")]},
    )
    answering.server.script("Answer", behaviour.breaks_off(0.6))
    response = answering.anyway(answering.say(QUESTION))
    assert KEPT in response.response and LEFT_OUT not in response.response
    assert BROKE_OFF in response.notices and response.retrieval_confidence == "medium"


def test_a2_an_answer_that_finds_nothing_shows_nothing_before(answering: Speaker) -> None:
    answering.model_says("Answer", found=False, sentences=[said("The rule does not say.")])
    answering.anyway(answering.say(QUESTION))
    assert heard(answering) == []
