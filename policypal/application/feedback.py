"""Thumbs for answers: give, change, take back, read (U2)."""

from policypal.application.container import Container
from policypal.db import feedback as feedback_db
from policypal.domain.conversations import MAX_COMMENT_CHARACTERS, Feedback
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound

_NO_ANSWER = "This answer does not exist. Its conversation may have been deleted."


def give(app: Container, user: User, message_id: str, *, helpful: bool, comment: str = "") -> None:
    """Store what the user thinks of an answer; it replaces what was said before. Raises InvalidInput: the comment is
    too long; NotFound: the user has no such answer."""
    comment = storable(comment).strip()
    if len(comment) > MAX_COMMENT_CHARACTERS:
        raise InvalidInput(f"Please use at most {MAX_COMMENT_CHARACTERS:,} characters for the comment.")
    if not feedback_db.put_feedback(app.db, user.id, message_id, Feedback(helpful, comment)):
        raise NotFound(_NO_ANSWER)


def take_back(app: Container, user: User, message_id: str) -> None:
    """Forget what the user said about an answer; nothing changes if nothing was said. Raises NotFound: the user has
    no such answer."""
    if not feedback_db.remove_feedback(app.db, user.id, message_id):
        raise NotFound(_NO_ANSWER)


def of_conversation(app: Container, user: User, thread_id: str) -> dict[str, Feedback]:
    """What the user thinks of the answers of a conversation, by message id; empty for an unknown one."""
    return feedback_db.thread_feedback(app.db, user.id, thread_id)
