"""The ways to every task of the model path, through the graphs: a question, a summary, a comparison, an audit, a long conversation, a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from policypal.application.container import Container
from policypal.db import model_readings
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import Event
from policypal.domain.users import User
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE
from tests.support.openai_answers import ChatRequest, number_of, said
from tests.support.openai_server import OpenAIServer
from tests.support.research_world import GOAL, Analyst

QUESTION = "How long must records be kept under the Records Rule?"
KEPT = "A bank must keep customer records for at least seven years after the end of the relationship."

OTHER_WORDS = "Customer records must be kept by a bank for at least seven years after the relationship has ended."


@dataclass
class Place:
    """What all cases share: somebody with a rule and a policy."""

    app: Container
    server: OpenAIServer
    speaker: Speaker
    rule: Document
    policy: Document
    rule_text: str

    def begin(self) -> Place:
        """With a model that behaves, and says things in words of its own."""
        self.server.reset()
        self.server.on("Answer", _in_other_words)
        return self

    @property
    def analyst(self) -> Analyst:
        return Analyst(self.app, self.speaker.user, self.server)


def place_of(app: Container, server: OpenAIServer, **texts: str) -> Place:
    """Somebody new with a ``rule`` and a ``policy``."""
    server.reset()
    user = User(id=str(uuid4()), email="f@example.org")
    users_db.ensure_user(app.db, user)
    speaker = Speaker(app, user, server)
    rule_text = texts.get("rule", RECORDS_RULE)
    rule = speaker.add("Records Rule", rule_text)
    policy = speaker.add("Our Policy", texts.get("policy", COMPANY_POLICY), type=DocumentType.COMPANY)
    return Place(app, server, speaker, rule, policy, rule_text)


def _in_other_words(request: ChatRequest) -> dict[str, Any]:
    number = number_of(request, KEPT)
    return {
        "found": True,
        "sentences": [said(KEPT, number), said(OTHER_WORDS, number)],
    }


def asks(place: Place) -> Event:
    event = place.speaker.say(QUESTION)
    return place.speaker.reply(event, "continue") if event.type == "interrupt" else event


def summarizes(place: Place) -> Event:
    return place.speaker.say("Summarize this", place.rule, action="summarize")


def reads_in_parts(place: Place) -> Event:
    """Somebody else summarizes a document that does not fit one request."""
    user = User(id=str(uuid4()), email="g@example.org")
    users_db.ensure_user(place.app.db, user)
    speaker = Speaker(place.app, user, place.server)
    document = speaker.add("Long Rule", (place.rule_text + "\n") * (12_000 // len(place.rule_text) + 1))
    engine: Any = place.app.engine
    before, engine.reading_tokens = engine.reading_tokens, 0
    try:
        return speaker.say("Summarize this", document, action="summarize")
    finally:
        engine.reading_tokens = before


def compares(place: Place) -> Event:
    return place.speaker.say("Compare these", place.rule, place.policy, action="compare")


def audits(place: Place) -> Event:
    return place.speaker.say("Audit this", place.policy, place.rule, action="audit")


def audits_anew(place: Place) -> Event:
    """Whose register no model has read."""
    held = place.app.db, place.speaker.user.id, place.rule.id
    model_readings.delete_readings(*held, model_readings.register_readings(*held))
    return audits(place)


def remembers(place: Place, word: str = "") -> Event:
    """The seventeenth message of a conversation, whose memory of the earlier ones is made in the graph itself."""
    app, user = place.app, place.speaker.user
    thread = answered_by(place.speaker.say("What can you do?")).thread_id
    graph = app.agent._graph.compile(checkpointer=app.checkpoints.saver(user.id))
    held = [
        {"id": str(uuid4()), "role": role, "content": f"Message {n} {word}"}
        for n in range(8)
        for role in ("user", "assistant")
    ]
    graph.update_state({"configurable": {"thread_id": thread}}, {"messages": held})
    return place.speaker.say("What can you do now?", thread=thread)


def plans(place: Place, goal: str = GOAL) -> Event:
    analyst = place.analyst
    _, event = analyst.run(goal, mode="plan")
    while event.type == "interrupt":
        question = asked_by(event)
        event = analyst.answer(event, "approve" if question.interrupt_type == "plan_approval" else "1")
    return event


def reports(place: Place) -> Event:
    return place.analyst.run()[1]
