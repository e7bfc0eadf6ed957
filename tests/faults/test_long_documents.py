"""A document of 2,000 pages, asked about, summed up, compared and audited by a model: bounded requests, and what was not read is said
(A0, issue "Bad input")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.documents import COMPANY_POLICY
from tests.support.openai_server import EMBEDDINGS, OpenAIServer

pytestmark = pytest.mark.faults

PAGES = 2_000
MOST_TOKENS = 20_000
_FILLER = " ".join(
    f"Remark {n} of this page explains at some length why the rule above is set as it is." for n in range(18)
)


def _page(n: int) -> str:
    return f"Section {n}\n\n{n}.1 A bank must test system number {n} at least every {n % 11 + 2} months.\n\n{_FILLER}\n"


@dataclass
class Shelf:
    speaker: Speaker
    server: OpenAIServer
    book: Document
    policy: Document

    def largest_prompt(self) -> int:
        """In tokens, as they are usually reckoned."""
        chats = (r for r in self.server.requests if r.task != EMBEDDINGS)
        return max(sum(len(str(m["content"])) for m in r.messages) for r in chats) // 4


@pytest.fixture(scope="module")
def _shelf(model_app: Container, model_server: OpenAIServer) -> Iterator[Shelf]:
    model_server.reset()
    user = User(id=str(uuid4()), email="l@example.org")
    users_db.ensure_user(model_app.db, user)
    speaker = Speaker(model_app, user, model_server)
    book = speaker.add("The Book", "\f".join(_page(n) for n in range(1, PAGES + 1)))
    yield Shelf(
        speaker,
        model_server,
        book,
        speaker.add("Our Policy", f"{COMPANY_POLICY}\n{_FILLER * 4}", type=DocumentType.COMPANY),
    )


@pytest.fixture
def shelf(_shelf: Shelf) -> Shelf:
    _shelf.server.reset()
    return _shelf


def test_a0_what_reads_documents_says_in_its_first_line_what_it_read(shelf: Shelf) -> None:
    summary = answered_by(shelf.speaker.say("Summarize this", shelf.book, action="summarize"))
    compared = answered_by(shelf.speaker.say("Compare these", shelf.book, shelf.policy, action="compare"))
    for response in (summary, compared):
        assert (
            response.response.startswith("⚠️ **Read ")
            and "of 1,999 pages) of The Book" in response.response.splitlines()[0]
        )
        assert response.retrieval_confidence == "low"
    assert "Read in full: Our Policy" in compared.response
    assert shelf.largest_prompt() < MOST_TOKENS


def test_a2_a_question_is_answered_from_its_page(shelf: Shelf) -> None:
    response = shelf.speaker.anyway(shelf.speaker.say("How often must system number 777 be tested?", shelf.book))
    assert response.citations[0].page == 776 and "every 9 months" in response.citations[0].quote
    assert shelf.largest_prompt() < MOST_TOKENS


def test_a4_an_audit_tells_first_what_it_takes_and_takes_no_more(shelf: Shelf) -> None:
    question = asked_by(shelf.speaker.say("Audit this", shelf.policy, shelf.book, action="audit"), "budget_approval")
    told = re.search(r"judges 2,000 obligations in (\d+) calls", question.message)
    assert told is not None and not shelf.server.requests_for("judge")
    response = answered_by(shelf.speaker.reply(question, "start"))
    assert response.report is not None and response.report.obligations == len(response.report.coverage or ()) == PAGES
    assert 0 < len(shelf.server.requests_for("judge")) <= int(told[1])
    assert shelf.largest_prompt() < MOST_TOKENS


def test_a4_a_source_of_many_pages_is_estimated_too(shelf: Shelf) -> None:
    event = shelf.speaker.say("Audit this", shelf.book, shelf.policy, action="audit")
    assert "obligations in" in asked_by(event, "budget_approval").message and not shelf.server.requests_for("judge")
