"""What can be done with an answer: copy, judge, export (U2)."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import conversations, feedback
from policypal.application.container import Container
from policypal.domain.conversations import Feedback
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.export.transcript import answer_markdown
from policypal.samples import SAMPLE_QUESTIONS
from policypal.ui import clock, state
from policypal.ui.markup import plain
from policypal.ui.shared import clicks
from tests.ui.conftest import Desk, assert_healthy, labels, press, say, settle, texts

_QUESTION = SAMPLE_QUESTIONS[0]


def _thread(tab: AppTest) -> str:
    return str(tab.session_state[state.THREAD])


def _stored(app: Container, user: User, tab: AppTest) -> list[Feedback]:
    return list(feedback.of_conversation(app, user, _thread(tab)).values())


def _comments(tab: AppTest) -> list[str]:
    return [t.value or "" for t in tab.text_input if t.label == "What was wrong?"]


def _rate(tab: AppTest, value: int | None) -> None:
    tab.feedback[0].set_value(value).run()
    assert_healthy(tab)


def test_u2_thumbs_are_stored_changed_taken_back_and_survive_a_reload(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    assert [f.value for f in tab.feedback] == [None]
    _rate(tab, 1)
    assert _stored(*desk, tab) == [Feedback(helpful=True)]
    assert _comments(tab) == []
    assert desk.open(thread=_thread(tab)).feedback[0].value == 1

    _rate(tab, 0)
    comment = next(t for t in tab.text_input if t.label == "What was wrong?")
    comment.set_value("It quotes the old edition.").run()
    assert_healthy(tab)
    assert _stored(*desk, tab) == [Feedback(False, "It quotes the old edition.")]
    again = desk.open(thread=_thread(tab))
    assert (again.feedback[0].value, _comments(again)) == (0, ["It quotes the old edition."])

    _rate(again, None)
    assert _stored(*desk, again) == []
    assert _comments(again) == []
    assert desk.open(thread=_thread(tab)).feedback[0].value is None


def test_u2_another_tab_shows_what_was_stored_last(desk: Desk, samples: list[Document]) -> None:
    first = say(desk.open(), _QUESTION)
    second = desk.open(thread=_thread(first))
    _rate(first, 1)
    _rate(second, 0)
    assert _stored(*desk, first) == [Feedback(helpful=False)]
    assert first.run().feedback[0].value == 0


def test_u2_feedback_for_a_deleted_conversation_is_refused_in_words(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    conversations.delete(*desk, _thread(tab))
    _rate(tab, 1)
    assert any("does not exist" in t.value for t in [*tab.toast, *tab.error])


def test_u2_an_answer_is_shown_at_once_with_its_copy_without_a_cost_and_in_the_list(
    desk: Desk, samples: list[Document]
) -> None:
    tab = say(desk.open(), _QUESTION)
    copied = [base64.b64decode(code).decode() for code in re.findall(r'data-pp-copy="([^"]+)"', texts(tab))]
    assert copied == [answer_markdown(desk.messages(tab)[1])]
    assert "[^1]: Operational Conduct and Data Rulebook (2025), 4.3, page" in copied[0]
    # U2d: it cost nothing, and the engine is told in the log of how it was done
    assert "tokens" not in texts(tab) and texts(tab).count("Extractive engine") == 1
    row = next(label for label in labels(tab) if ":gray[" in label)
    assert re.search(r":gray\[\d\d:\d\d\]$", row), "when the conversation was last used"
    # U2b: the steps are for the time of the work; nobody waits for those of work that is done
    tab.session_state[state.FOLLOWING] = {"thread": _thread(tab), "shown": 0}
    shown = texts(tab.run())
    assert "pp-cite" in shown and "pp-steps" not in shown


def test_u2_the_reply_to_a_cancelled_question_is_not_judged(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "Have a look at it please")
    press(tab, "Cancel")
    settle(tab)
    assert "data-pp-copy" not in texts(tab) and not tab.feedback
    assert not tab.error and not tab.chat_input[0].disabled


def test_u2_an_export_holds_questions_answers_notes_and_quotes(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), "Have a look at the Rulebook 2025")
    press(tab, "Summarize")
    settle(tab)
    exported = conversations.export_markdown(*desk, _thread(tab))
    told = conversations.history(*desk, _thread(tab))
    citation = told.messages[-1].payload["citations"][0]
    assert "> Have a look at the Rulebook 2025" in exported
    assert "Your answer: Summarize" in exported
    assert f", page {citation['page']}: “{' '.join(citation['quote'].split())}”" in exported
    assert exported.count("[^3-1]") >= 2  # in the text and as a note


def test_u2_a_very_long_message_is_folded_and_none_of_it_is_lost(desk: Desk, samples: list[Document]) -> None:
    long = f"{_QUESTION} {'The circumstances were these. ' * 200}The last words."
    tab = say(desk.open(), long)
    asked, *_ = desk.messages(tab)
    assert asked.content == long.strip()
    bubbles = [e.proto.body for e in tab.get("html") if _QUESTION in e.proto.body]
    assert [("The last words." in b, len(b) < 2_000) for b in bubbles] == [(False, True), (True, False)]
    assert any(e.label.startswith("The whole message") for e in tab.expander)


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(minutes=5), "12:25"), (timedelta(days=1), "Sun"), (timedelta(days=6), "Tue"),
        (timedelta(days=7), "2 Mar"), (timedelta(days=-1), "12:30"),
    ],
)  # fmt: skip
def test_u2_moments_are_short_and_exact_enough(ago: timedelta, shown: str) -> None:
    now = datetime(2026, 3, 9, 12, 30, tzinfo=UTC)
    assert clock.short(now - ago, now) == shown


@pytest.mark.parametrize("zone", [None, "", "Mars/Olympus", "../../etc/passwd", "Europe"])
def test_u2_an_unknown_time_zone_is_utc(zone: str | None) -> None:
    assert clock._zone(zone) is UTC


def test_u2_a_known_time_zone_is_used() -> None:
    moment = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
    assert moment.astimezone(clock._zone("Asia/Kuala_Lumpur")).day == 2


def test_u2_the_listener_knows_the_attributes_the_pages_use() -> None:
    frame = Path(clicks.__file__).with_name("clicks_frame") / "index.html"
    listened = frame.read_text(encoding="utf-8")
    assert "[data-pp-open]" in listened and "[data-pp-copy]" in listened


def test_u2b_what_may_be_asked_next_is_one_click_below_the_latest_answer(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _QUESTION)
    offered = [b for b in tab.button if b.key and b.key.startswith("follow_")]
    assert next(b.label for b in offered) == plain("What changed since 2023?")
    next(b for b in offered if b.label.startswith("What changed")).click().run()
    settle(tab)
    told = desk.messages(tab)
    assert [m.role for m in told] == ["user", "assistant"] * 2 and told[-1].payload["action"] == "compare"
    assert told[-2].content.startswith("Compare ")
    assert not [b for b in tab.button if b.key and b.key.startswith("follow_")]  # a card has its own way on
