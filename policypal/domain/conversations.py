"""Conversations as the interface remembers them (M1, U2)."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from policypal.domain.citations import Citation

ConversationKind = Literal["chat", "research"]


class Action(StrEnum):
    """The four things the agent does (section A)."""

    SUMMARIZE = "summarize"
    INQUIRE = "inquire"
    COMPARE = "compare"
    AUDIT = "audit"

    @property
    def label(self) -> str:
        return self.value.capitalize()


@dataclass(frozen=True, slots=True)
class Conversation:
    thread_id: str
    title: str
    created_at: datetime
    last_message_at: datetime
    kind: ConversationKind = "chat"
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the history. ``payload`` of an assistant message is the response event; of a ``pal_assist``
    note the interrupt payload and the answer."""

    id: str
    thread_id: str
    role: str  # "user" | "assistant" | "pal_assist" | "error"
    content: str
    created_at: datetime
    run_id: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)

    @property
    def citations(self) -> list[Citation]:
        """The citations an answer was stored with."""
        return [Citation(**c) for c in self.payload.get("citations", [])]


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One step of a run: a node, a model call or a search (M5). ``seconds`` is wall time."""

    kind: str  # "node" | "task" | "search" | "page" | "interrupt" | "error"
    name: str
    seconds: float
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def is_failure(self) -> bool:
        """Whether something did not work: a step, or one source that was left out."""
        return self.kind == "error" or bool(self.detail.get("problem"))

    @property
    def is_cached(self) -> bool:
        """Whether it was remembered, so that nothing was fetched for it."""
        return self.detail.get("cache") == "hit"


MAX_COMMENT_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """Thumbs up or down for one answer; a comment says what was wrong."""

    helpful: bool
    comment: str = ""
