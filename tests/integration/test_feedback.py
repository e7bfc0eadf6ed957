"""Thumbs for answers on a real database: whose they are, changed, taken back, deleted (U2, X1)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import conversations, feedback
from policypal.application.container import Container
from policypal.db import conversations as conversations_db
from policypal.db import users as users_db
from policypal.domain.conversations import MAX_COMMENT_CHARACTERS, Feedback
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound


@pytest.fixture
def stranger(app: Container) -> User:
    someone = User(id=str(uuid4()), email="stranger@example.org")
    users_db.ensure_user(app.db, someone)
    return someone


@pytest.fixture
def thread(app: Container, user: User) -> str:
    """A conversation of one question and one answer."""
    thread_id = str(uuid4())
    conversations_db.create_conversation(app.db, user.id, thread_id)
    conversations_db.add_message(app.db, user.id, thread_id, "user", "How long are records kept?")
    conversations_db.add_message(app.db, user.id, thread_id, "assistant", "Seven years.")
    return thread_id


def _ids(app: Container, user: User, thread: str) -> tuple[str, str]:
    question, answer = conversations_db.list_messages(app.db, user.id, thread)
    return question.id, answer.id


def _rows(app: Container, message_id: str) -> int:
    with app.db.as_owner() as c:
        row = c.execute("SELECT count(*) AS n FROM message_feedback WHERE message_id = %s", (message_id,)).fetchone()
    assert row is not None
    return int(row["n"])


def test_u2_feedback_is_stored_changed_and_taken_back(app: Container, user: User, thread: str) -> None:
    _, answer = _ids(app, user, thread)
    feedback.give(app, user, answer, helpful=True)
    assert feedback.of_conversation(app, user, thread) == {answer: Feedback(helpful=True)}
    feedback.give(app, user, answer, helpful=False, comment="  The wrong\x00 edition. ")
    assert feedback.of_conversation(app, user, thread) == {answer: Feedback(False, "The wrong edition.")}
    assert _rows(app, answer) == 1
    feedback.take_back(app, user, answer)
    feedback.take_back(app, user, answer)
    assert feedback.of_conversation(app, user, thread) == {}
    assert _rows(app, answer) == 0


def test_x1_an_answer_of_somebody_else_is_not_found(app: Container, user: User, stranger: User, thread: str) -> None:
    _, answer = _ids(app, user, thread)
    feedback.give(app, user, answer, helpful=False, comment="Mine")
    with pytest.raises(NotFound):
        feedback.give(app, stranger, answer, helpful=True)
    with pytest.raises(NotFound):
        feedback.take_back(app, stranger, answer)
    assert feedback.of_conversation(app, stranger, thread) == {}
    assert feedback.of_conversation(app, user, thread) == {answer: Feedback(False, "Mine")}


def test_x1_the_database_itself_shows_and_changes_only_the_users_own(
    app: Container, user: User, stranger: User, thread: str
) -> None:
    """Without a WHERE on the user, as a query with a mistake in it would be."""
    _, answer = _ids(app, user, thread)
    feedback.give(app, user, answer, helpful=True)
    with app.db.as_user(stranger.id) as c:
        assert c.execute("SELECT 1 FROM message_feedback").fetchall() == []
        assert c.execute("UPDATE message_feedback SET helpful = false").rowcount == 0
        assert c.execute("DELETE FROM message_feedback").rowcount == 0
    assert feedback.of_conversation(app, user, thread) == {answer: Feedback(helpful=True)}


@pytest.mark.parametrize("message_id", ["0b6f0d0e-5a3f-4f5b-9d53-7b1f8f0f6c11", "", "'; DROP TABLE messages; --"])
def test_u2_an_unknown_message_is_not_found(app: Container, user: User, message_id: str) -> None:
    with pytest.raises(NotFound):
        feedback.give(app, user, message_id, helpful=True)
    with pytest.raises(NotFound):
        feedback.take_back(app, user, message_id)


def test_u2_only_answers_are_judged(app: Container, user: User, thread: str) -> None:
    question, _ = _ids(app, user, thread)
    with pytest.raises(NotFound):
        feedback.give(app, user, question, helpful=True)
    assert feedback.of_conversation(app, user, thread) == {}


def test_u2_a_comment_that_is_too_long_is_refused_and_changes_nothing(app: Container, user: User, thread: str) -> None:
    _, answer = _ids(app, user, thread)
    feedback.give(app, user, answer, helpful=False, comment="x" * MAX_COMMENT_CHARACTERS)
    with pytest.raises(InvalidInput):
        feedback.give(app, user, answer, helpful=True, comment="x" * (MAX_COMMENT_CHARACTERS + 1))
    assert feedback.of_conversation(app, user, thread)[answer].comment == "x" * MAX_COMMENT_CHARACTERS


def test_u2_deleting_a_conversation_deletes_its_feedback(app: Container, user: User, thread: str) -> None:
    _, answer = _ids(app, user, thread)
    feedback.give(app, user, answer, helpful=False, comment="Nothing of this may stay.")
    conversations.delete(app, user, thread)
    assert _rows(app, answer) == 0
