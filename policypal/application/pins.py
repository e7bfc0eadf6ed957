"""Sources that stay at hand in a conversation (U7)."""

from policypal.application.container import Container
from policypal.db import conversations
from policypal.db import feedback as pins_db
from policypal.domain.users import User
from policypal.errors import NotFound


def set_pin(app: Container, user: User, message_id: str, citation_id: int, *, pinned: bool) -> None:
    """Pin a source of an answer, or take the pin out; it lasts as long as the conversation. Raises NotFound: the
    user has no such answer, or it has no such source."""
    if not pins_db.set_pin(app.db, user.id, message_id, citation_id, pinned=pinned):
        raise NotFound("This source does not exist. Its conversation may have been deleted.")


def of_latest_answer(app: Container, user: User, thread_id: str) -> tuple[str, frozenset[int]]:
    """The id of a thread's latest answer, and the numbers of its pinned citations; an empty id if it has no answer."""
    answers = [m for m in conversations.list_messages(app.db, user.id, thread_id) if m.role == "assistant"]
    if not answers:
        return "", frozenset()
    return answers[-1].id, frozenset(int(number) for number in answers[-1].payload.get("pinned", []))
