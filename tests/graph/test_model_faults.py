"""Every way in which an endpoint misbehaves, at every task of a turn and of a report: what the person gets (M8, X3, X4).

Where a model only helps, the rules do its part and that is said; where it is the answer, a typed error says what to do, the message
is kept, and the same can be had without a model or, of a report, goes on from where it was. What reads like a good answer is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import ask
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ErrorEvent, Event, ResponseEvent
from policypal.domain.users import User
from policypal.errors import MODEL_CODES
from tests.support.conversation import Speaker, answered_by, asked_by, failed_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE
from tests.support.model_modes import BROKEN, MODES, SOUND, impatient
from tests.support.openai_answers import ChatRequest, number_of, said
from tests.support.openai_server import API_KEY, OpenAIServer
from tests.support.research_world import Analyst, report_of
from tests.support.tasks import all_tasks

QUESTION = "How long must records be kept under the Records Rule?"
KEPT = "A bank must keep customer records for at least seven years after the end of the relationship."


@dataclass
class Place:
    """What all cases share: somebody with a rule and a policy."""

    app: Container
    server: OpenAIServer
    speaker: Speaker
    rule: Document
    policy: Document

    @property
    def analyst(self) -> Analyst:
        return Analyst(self.app, self.speaker.user, self.server)


@pytest.fixture(scope="module")
def _place(model_app: Container, model_server: OpenAIServer) -> Place:
    model_server.reset()
    user = User(id=str(uuid4()), email="f@example.org")
    users_db.ensure_user(model_app.db, user)
    speaker = Speaker(model_app, user, model_server)
    rule = speaker.add("Records Rule", RECORDS_RULE)
    policy = speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    return Place(model_app, model_server, speaker, rule, policy)


@pytest.fixture
def place(_place: Place) -> Place:
    _place.server.reset()
    _place.server.on("Answer", _in_other_words)
    return _place


def _in_other_words(request: ChatRequest) -> dict[str, Any]:
    number = number_of(request, KEPT)
    return {
        "found": True,
        "sentences": [said(KEPT, number), said("Banks keep customer records for seven years or more.", number)],
    }


def _asks(place: Place) -> Event:
    event = place.speaker.say(QUESTION)
    return place.speaker.reply(event, "continue") if event.type == "interrupt" else event


def _summarizes(place: Place) -> Event:
    return place.speaker.say("Summarize this", place.rule, action="summarize")


def _compares(place: Place) -> Event:
    return place.speaker.say("Compare these", place.rule, place.policy, action="compare")


def _audits(place: Place) -> Event:
    return place.speaker.say("Audit this", place.policy, place.rule, action="audit")


def _remembers(place: Place) -> Event:
    """The seventeenth message of a conversation, whose memory of the earlier ones is made in the graph itself."""
    app, user = place.app, place.speaker.user
    thread = answered_by(place.speaker.say("What can you do?")).thread_id
    graph = app.agent._graph.compile(checkpointer=app.checkpoints.saver(user.id))
    held = [
        {"id": str(uuid4()), "role": role, "content": f"Message {n}."}
        for n in range(8)
        for role in ("user", "assistant")
    ]
    graph.update_state({"configurable": {"thread_id": thread}}, {"messages": held})
    return place.speaker.say("What can you do now?", thread=thread)


def _plans(place: Place) -> Event:
    analyst = place.analyst
    _, event = analyst.run(mode="plan")
    while event.type == "interrupt":
        question = asked_by(event)
        event = analyst.answer(event, "approve" if question.interrupt_type == "plan_approval" else "1")
    return event


def _reports(place: Place) -> Event:
    return place.analyst.run()[1]


HELPERS = {
    "Route": _asks, "SupportVerdicts": _asks, "Looks": _audits, "HistorySummary": _remembers, "PlanQuestions": _plans, "PlanDraft": _reports,
    "Outline": _reports, "ClaimsCheck": _reports,
}  # fmt: skip
ANSWERS = {"Answer": _asks, "Summary": _summarizes, "Comparison": _compares, "Judgements": _audits}
WRITERS = {"WrittenSection": _reports}
EVERY = HELPERS | ANSWERS | WRITERS
_IN_EVERY_RUN = {*zip(EVERY, BROKEN, strict=True), *zip([*EVERY][::3], SOUND, strict=True)}
"""Each task and each mode once; all of them with each other in the campaign."""


def test_every_task_of_the_model_path_is_here() -> None:
    tasks = [task for task in all_tasks() if task.name != "proof"]
    assert {task.output.__name__ for task in tasks} == {*EVERY, "WebSupplement"}, (
        "the last one has a web in test_web.py"
    )
    assert {task.output.__name__ for task in tasks if task.helps} == HELPERS.keys()


def _spoilt(place: Place, output: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> Event:
    impatient(place.app, monkeypatch, mode)
    place.server.spoil(output, lambda request: True, MODES[mode])
    event = EVERY[output](place)
    place.server.reset()
    told = str(event.model_dump()) + str(place.speaker.told)
    assert API_KEY not in told and "Traceback" not in told
    return event


def _unaided(event: ResponseEvent) -> list[str]:
    return [n for n in event.notices if "own rules" in n]


@pytest.mark.parametrize(
    ("output", "mode"),
    [pytest.param(*case, marks=() if case in _IN_EVERY_RUN else pytest.mark.faults) for case in product(EVERY, MODES)],
)
def test_m8_every_mode_at_every_task(place: Place, output: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    event = _spoilt(place, output, mode, monkeypatch)
    if mode in SOUND:
        response = answered_by(event)
        assert not _unaided(response) and (response.citations or output == "HistorySummary")
    elif output in HELPERS:
        response = answered_by(event)
        assert len(_unaided(response)) == 1
        assert response.citations or output == "HistorySummary"
    elif (output, mode) == ("Judgements", "truncate"):  # asked for in halves, down to the one obligation
        report = answered_by(event).report
        assert report is not None and report.verdict == "Cannot be judged: none of the 4 obligations was judged"
    else:
        _has_another_way(place, failed_by(event), output, monkeypatch)


def _has_another_way(place: Place, error: ErrorEvent, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert error.code in MODEL_CODES and error.title and error.message
    monkeypatch.undo()
    if output in WRITERS:
        assert report_of(place.analyst.continued(error.thread_id)).citations
        return
    assert place.speaker.roles(error.thread_id) == ["user", "error"]
    ask.continue_without_model(place.app, place.speaker.user, error.thread_id)
    response = answered_by(place.speaker.answered_in(error.thread_id))
    assert response.engine == "extractive" and response.citations
