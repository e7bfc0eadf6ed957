"""Actions on the model path: what a model claims is checked against the documents (A1, A3, A4, C2, M7)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import ask, usage
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import InterruptEvent, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.graph.agent.support import LEFT_OUT
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text
from tests.support.openai_answers import number_of, said
from tests.support.openai_server import OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS


@pytest.fixture
def someone(model_app: Container, model_server: OpenAIServer) -> User:
    user = User(id=str(uuid4()), email="m@example.org")
    users_db.ensure_user(model_app.db, user)
    model_server.reset()
    return user


@pytest.fixture
def library(model_app: Container, someone: User) -> tuple[Document, Document]:
    rule = add_text(model_app, someone, "Records Rule", RECORDS_RULE)
    return rule, add_text(model_app, someone, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)


def run(app: Container, user: User, message: str, action: Action, *documents: Document) -> ResponseEvent:
    thread = ask.new_thread_id()
    ids = tuple(d.id for d in documents)
    ask.send(app, user, thread, Request(message=message, action=action, document_ids=ids))
    event = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    if isinstance(event, InterruptEvent) and event.interrupt_type == "retrieval_low":
        ask.resume(app, user, thread, Answer(type="retrieval_low", value="continue"))
        event = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert isinstance(event, ResponseEvent), event
    return event


def test_c2_a_statement_is_quoted_by_its_number_and_one_of_an_invented_number_is_left_out(
    model_app: Container, model_server: OpenAIServer, someone: User, library: tuple[Document, Document]
) -> None:
    model_server.on(
        "Answer",
        lambda request: {
            "found": True,
            "sentences": [
                said("Records are kept for seven years.", number_of(request, "seven years")),
                said("The fine is 4 million euros.", number_of(request, "seven years")),
                said("Records are kept for seven years in any case.", "1.99"),
            ],
        },
    )
    response = run(model_app, someone, "How long are records kept?", Action.INQUIRE, library[0])
    (citation,) = response.citations
    assert citation.quote in RECORDS_RULE.replace("\n", " ") and citation.verified
    answer, _, left_out = response.response.partition(LEFT_OUT)
    assert "4 million" not in answer and "4 million" in left_out and "seven years" in answer
    assert "in any case" not in answer and "a sentence that does not exist" in left_out


@pytest.mark.parametrize("action", [Action.SUMMARIZE, Action.COMPARE])
def test_a1_a3_the_model_path_runs_and_costs(
    model_app: Container, someone: User, library: tuple[Document, Document], action: Action
) -> None:
    response = run(model_app, someone, "Please", action, *library)
    assert response.response and response.tokens_used > 0 and response.cost_usd > 0
    assert all(c.verified for c in response.citations)
    recorded = sum(day.cost_usd for day in usage.by_day(model_app, someone))
    assert float(recorded) >= response.cost_usd, "the conversation's name is paid for, but is not part of the answer"
