"""The sources panel: cards, the page behind a quote, filter, pins, sources that are gone (C3, U7, D10)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import library, pins
from policypal.db import users as users_db
from policypal.domain.citations import Citation
from policypal.domain.conversations import Message
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.samples import SAMPLE_QUESTIONS
from policypal.ui import state
from policypal.ui.chat import sources
from tests.support.documents import RECORDS_RULE, add_text
from tests.ui.conftest import Desk, assert_healthy, press, say, texts

_QUESTION = SAMPLE_QUESTIONS[0]
_DOCUMENT = Citation(
    id=1, title="Rule", version="2025", page=3, quote="within 24 hours", verified=True, document_id="d"
)
_WEB = Citation(
    id=2, source_type="web", title="News", version="2026-01-20", url="https://regulator.example/n", quote="soon", verified=False,
)  # fmt: skip


def _open(tab: AppTest, message: Message, citation: int = 1) -> str:
    tab.session_state[state.OPEN_SOURCE] = {"message": message.id, "citation": citation}
    tab.run()
    assert_healthy(tab)
    return texts(tab)


def test_c3_the_panel_shows_the_card_and_the_page(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    message = desk.messages(tab)[-1]
    shown = _open(tab, message)
    assert "quote checked against the document" in shown
    assert shown.count('class="pp-card pp-open"') == 1
    assert shown.count("pp-card-title") == len(message.payload["citations"])
    assert "<b>Used for</b>" in shown
    assert len(tab.get("image")) == 1
    link = next(e.proto for e in tab.get("page_link"))
    first = message.payload["citations"][0]
    assert f"document={first['document_id']}" in link.query_string and "quote=" in link.query_string
    press(tab, "close_sources")
    assert "pp-card" not in texts(tab)


def test_u7_a_pin_lasts_and_shows_above_another_answer(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    first = desk.messages(tab)[-1]
    pins.set_pin(*desk, first.id, 1, pinned=True)
    pins.set_pin(*desk, first.id, 1, pinned=True)
    tab = say(desk.open(thread=str(first.thread_id)), _QUESTION)
    second = desk.messages(tab)[-1]
    shown = _open(tab, second)
    assert shown.index("Pinned in this conversation") < shown.index("Sources of this answer")
    assert shown.count('aria-pressed="true"') == 1
    assert f'data-pp-open="pin:off:{first.id}:1"' in shown
    pins.set_pin(*desk, first.id, 1, pinned=False)
    assert "Pinned in this conversation" not in _open(tab, second)


def test_x1_nobody_pins_in_answers_of_others_nor_what_is_no_source(desk: Desk, samples: list[Document]) -> None:
    message = desk.messages(say(desk.open(), _QUESTION))[-1]
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(desk.app.db, other)
    for user, wanted, citation in ((other, message.id, 1), (desk.user, message.id, 99), (desk.user, "no id", 1)):
        with pytest.raises(NotFound):
            pins.set_pin(desk.app, user, wanted, citation, pinned=True)


def test_d10_a_deleted_source_keeps_its_quote_and_says_that_it_is_gone(desk: Desk, samples: list[Document]) -> None:
    rule = add_text(*desk, "Zebra Records Rule", RECORDS_RULE)
    tab = say(desk.open(), "How long must customer records be kept under the Zebra Records Rule?")
    message = desk.messages(tab)[-1]
    (cited,) = [c for c in message.payload["citations"] if c["document_id"] == rule.id][:1]
    library.delete(*desk, rule.id)
    shown = _open(tab, message, cited["id"])
    assert "seven years" in shown
    assert "no longer in your library. The quote was kept" in tab.warning[0].value
    assert " · no longer in your library</i>" in shown, "the marker's hover card says so, too"
    assert not tab.error and not tab.get("image")


@pytest.mark.parametrize(
    ("kinds", "wanted", "shown"),
    [
        ([], "", (True, True)),
        (["Documents"], "", (True, False)),
        (["Web"], "", (False, True)),
        (["Not verified"], "", (False, True)),
        (["Documents", "Web"], "", (True, True)),
        ([], "REGULATOR.example", (False, True)),
        ([], "24 rule", (True, False)),
        (["Web"], "rule", (False, False)),
    ],
)
def test_u7_the_filter_is_by_kind_and_words(kinds: list[str], wanted: str, shown: tuple[bool, bool]) -> None:
    assert tuple(sources.fits(c, kinds, wanted) for c in (_DOCUMENT, _WEB)) == shown


def test_u7_a_card_tells_why_its_source_is_used() -> None:
    said = "Incidents are told to the Authority at once 📄1. <b>News</b> confirms it 🌐2."
    message = Message("m", "t", "assistant", said, datetime.now(UTC), payload={})
    cards = [
        sources.card_html(sources.Source(message, c, is_pinned=False, is_open=False, is_gone=False)) for c in (_DOCUMENT, _WEB)
    ]  # fmt: skip
    assert "“Incidents are told to the Authority at once”" in cards[0]
    assert "page 3 · quote checked against the document" in cards[0]
    assert "regulator.example · published 2026-01-20 · not verified" in cards[1]
    assert "<b>News" not in cards[1]
