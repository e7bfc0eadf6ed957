"""What a person does with conversations: list, read, rename, delete, export (U2)."""

from dataclasses import dataclass

from policypal.application import outcomes
from policypal.application.container import Container
from policypal.db import conversations as conversations_db
from policypal.domain.conversations import Conversation, Message, TraceEntry
from policypal.domain.events import InterruptEvent
from policypal.domain.identifiers import is_uuid
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound, RunInProgress
from policypal.export.transcript import answer_markdown as answer_markdown
from policypal.export.transcript import conversation_markdown
from policypal.gate.cited_statements import cited_statements as cited_statements


@dataclass(frozen=True, slots=True)
class History:
    """A conversation with its messages and the trace of every run, by run id. ``lost_run`` says that the latest message
    has no answer because its process died."""

    conversation: Conversation
    messages: list[Message]
    traces: dict[str, list[TraceEntry]]
    lost_run: bool


def list_conversations(app: Container, user: User, *, containing: str = "") -> list[Conversation]:
    """The user's conversations, pinned ones first, then latest first; ``containing`` searches titles and messages."""
    wanted = storable(containing).strip()
    return conversations_db.list_conversations(app.db, user.id, containing=wanted, pinned_first=True)


def history(app: Container, user: User, thread_id: str) -> History:
    """Raises NotFound: no such conversation of this user."""
    conversation = conversations_db.find_conversation(app.db, user.id, thread_id)
    if conversation is None:
        raise NotFound("This conversation does not exist. It may have been deleted.")
    messages = conversations_db.list_messages(app.db, user.id, thread_id)
    lost = _is_unanswered(messages) and app.runner.live_run(user.id, thread_id) is None
    if lost:
        # the run may have ended since the messages were read, ask something, or have died with its answer complete
        standing = app.agent.standing(user.id, thread_id)
        outcomes.recover(app, user.id, thread_id, standing)
        messages = conversations_db.list_messages(app.db, user.id, thread_id)
        lost = _is_unanswered(messages) and (
            standing.question is None or _was_answered(messages[-1], standing.question)
        )
        lost = lost and app.runner.live_run(user.id, thread_id) is None
    return History(conversation, messages, conversations_db.list_traces(app.db, user.id, thread_id), lost)


def result(app: Container, user: User, message_id: str) -> tuple[History, int]:
    """The conversation of an answer, and its position there (U2c). Raises NotFound: no such answer of this user."""
    thread_id = conversations_db.thread_of(app.db, user.id, message_id) if is_uuid(message_id) else None
    if thread_id is None:
        raise NotFound("This result does not exist. Its conversation may have been deleted.")
    told = history(app, user, thread_id)
    return told, next(n for n, m in enumerate(told.messages) if m.id == message_id)


def _is_unanswered(messages: list[Message]) -> bool:
    return bool(messages) and messages[-1].role in ("user", "pal_assist")


def _was_answered(note: Message, question: InterruptEvent) -> bool:
    """Whether a question is open again because the run that its answer began has died."""
    return bool(note.payload.get("question", {}).get("interrupt_id") == question.interrupt_id)


def rename(app: Container, user: User, thread_id: str, title: str) -> None:
    """Raises InvalidInput: the title is empty or too long; NotFound: no such conversation of this user."""
    title = " ".join(storable(title).split())
    if not 1 <= len(title) <= 120:
        raise InvalidInput("Please give the conversation a name of at most 120 characters.")
    if not is_uuid(thread_id) or not conversations_db.rename_conversation(app.db, user.id, thread_id, title):
        raise NotFound("This conversation does not exist.")


def pin(app: Container, user: User, thread_id: str, *, pinned: bool) -> None:
    """Keep a conversation on top of the list, or no longer (U2). Raises NotFound: no such conversation of this user."""
    if not is_uuid(thread_id) or not conversations_db.set_pinned(app.db, user.id, thread_id, pinned=pinned):
        raise NotFound("This conversation does not exist.")


def delete(app: Container, user: User, thread_id: str) -> None:
    """Delete a conversation with messages, traces and checkpoints; its audit reports stay. Raises NotFound: no such
    conversation of this user; RunInProgress: it is still working."""
    if conversations_db.find_conversation(app.db, user.id, thread_id) is None:
        raise NotFound("This conversation does not exist.")
    if app.runner.live_run(user.id, thread_id):
        raise RunInProgress
    if not conversations_db.delete_conversation(app.db, user.id, thread_id):
        raise NotFound("This conversation does not exist.")
    app.agent.forget(user.id, thread_id)


def export_markdown(app: Container, user: User, thread_id: str) -> str:
    """The conversation as Markdown: questions, PalAssist's questions, answers with their sources (U2). Raises
    NotFound: no such conversation of this user."""
    told = history(app, user, thread_id)
    return conversation_markdown(told.conversation, told.messages)
