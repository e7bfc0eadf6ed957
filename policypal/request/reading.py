"""A message becomes a request: the action, what it is about, and what must be asked first (G0, G2, G4).

The three steps are those of the graph; with a model the first two ask it (each once), without one they go by rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, cast

from policypal.domain.requests import TEXT, ActionName, Queued, Request, Span
from policypal.domain.versions import superseded_by
from policypal.llm.task import Task
from policypal.request.binding import bind
from policypal.request.composer import MAX_DOCUMENTS
from policypal.request.cues import split_requests
from policypal.request.focus import focus_of
from policypal.request.intent import INTENT, Intent, IntentInput
from policypal.request.library import KnownDocument, Library
from policypal.request.material import audited_text, own_statement
from policypal.request.mentions import masked
from policypal.request.resolve_documents import RESOLVE_DOCUMENTS, ResolveInput, SettledDocuments, settle
from policypal.request.sides import audit_sides

Runs = Callable[[Task[Any, Any], Any], Any]
"""Runs a task and gives its output."""
Asks = Literal["action", "document", "text"] | None

_IGNORED = re.compile(
    r"\b(?:ignor\w+|skip\w*|leav\w+ out|without|disregard\w*|not) (?:the |my |this )?(?:attach\w+|draft|file)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message and what came with it. ``history`` are "user: …"/"assistant: …" lines, oldest first; ``action`` is tagged or chosen."""

    message: str
    documents: tuple[KnownDocument, ...]
    history: tuple[str, ...] = ()
    tagged: tuple[str, ...] = ()
    attached: str = ""
    action: ActionName | None = None
    today: date | None = None

    @property
    def day(self) -> date:
        return self.today or datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class Reading:
    """The request as far as the message gives it, and what is asked before it can run. ``kind`` is "action", "help" or "small_talk"."""

    request: Request
    kind: str = "action"
    asks: Asks = None
    candidates: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_request(said: Said, run: Runs) -> Reading:
    """All three steps at once."""
    action, kind = said.action, "action"
    queue: tuple[Queued, ...] = ()
    words = said.message
    if action is None:
        intent = read_intent(said, run)
        kind, action = intent.kind, intent.action
        words, queue = in_turns(said.message, intent)
        if kind != "action" or (intent.confidence == "low" and not queue):
            return Reading(Request(), kind, "action" if kind == "action" else None)
    return _complete(said, words, action, queue, run)


def read_intent(said: Said, run: Runs) -> Intent:
    """The message alone, once more with the conversation if that leaves it open (G2)."""
    given = IntentInput(message=said.message, documents=list(said.documents), tagged_documents=len(said.tagged),
                        has_text=bool(said.attached))  # fmt: skip
    intent: Intent = run(INTENT, given)
    if intent.kind != "action" or intent.multi_action or intent.confidence == "high" or not said.history:
        return intent
    return cast(Intent, run(INTENT, given.model_copy(update={"history": list(said.history)})))


def in_turns(message: str, intent: Intent) -> tuple[str, tuple[Queued, ...]]:
    """The words of the first action, and the actions after it with theirs (G0)."""
    if not intent.multi_action or len(intent.requested_actions) < 2:
        return message, ()
    parts = split_requests(message, intent.requested_actions)
    return parts[0], tuple(
        Queued(action=a, words=w) for a, w in zip(intent.requested_actions[1:], parts[1:], strict=True)
    )


def text_of(words: str, attached: str) -> tuple[str, str]:
    """What is asked, and the text it is asked of: the attachment's, unless it is to be left aside, or the message's own."""
    request, text = audited_text(words)
    return (request, attached) if attached and not _IGNORED.search(request) else (request, text)


def limited_to(request: str, documents: Sequence[KnownDocument], today: date) -> str:
    """The focus, in the person's words (G0)."""
    return focus_of(masked(request, Library(documents), today), [d.title for d in documents])


def spans_of(message: str, documents: Sequence[KnownDocument], today: date) -> tuple[Span, ...]:
    """Where ``documents`` stand in ``message``."""
    found = bind(message, "inquire", (), Library(documents), today).spans
    return tuple(Span(start=a, end=b, ids=ids) for a, b, ids in found)


def without_asking(settled: SettledDocuments, documents: Sequence[KnownDocument], tagged: Sequence[str]) -> list[str]:
    """A question is answered over all documents it may mean, where they fit into one request, else over the library (G4)."""
    newest = superseded_by(documents)
    possible = [i for i in settled.candidates if i not in newest and not tagged] if settled.confidence != "high" else []
    return possible if len(settled.ids) + len(possible) <= MAX_DOCUMENTS else []


def _complete(said: Said, words: str, action: ActionName, queue: tuple[Queued, ...], run: Runs) -> Reading:
    by_id = {d.id: d for d in said.documents}
    asked, text = text_of(words, said.attached) if action == "audit" else (words, "")
    given = ResolveInput(
        message=asked, action=action, tagged_ids=list(said.tagged), documents=list(said.documents),
        has_text=bool(text), history=list(said.history), today=said.day,
    )  # fmt: skip
    settled = settle(given, run(RESOLVE_DOCUMENTS, given))
    ids, asks = list(settled.ids), cast(Asks, None)
    if action == "inquire":
        ids += without_asking(settled, said.documents, said.tagged)
    elif settled.confidence != "high":
        one = len(settled.candidates) == 1 and not settled.unresolved_names
        ids, asks = ([*ids, *settled.candidates], None) if one else (ids, "document")
    documents = [by_id[i] for i in ids]
    request = Request(
        action=action, documents=tuple(ids), queue=queue, titles={d.id: d.display_title for d in documents}
    )
    if action == "audit":
        request, asks = _audit(said, asked, text, documents, request, asks)
    elif len(ids) < {"compare": 2, "summarize": 1}.get(action, 0) or len(ids) > MAX_DOCUMENTS:
        asks = "document"
    focus = "" if action == "inquire" else limited_to(asked, documents, said.day)
    request = request.model_copy(update={"focus": focus, "spans": spans_of(words, documents, said.day)})
    return Reading(request, "action", asks, settled.candidates, settled.unresolved_names)


def _audit(
    said: Said, asked: str, text: str, documents: Sequence[KnownDocument], request: Request, asks: Asks
) -> tuple[Request, Asks]:
    sources, targets = audit_sides(asked, documents, said.tagged, said.day, has_text=bool(text))
    held = [*sources, *([TEXT] if text else [])]
    if not held and "?" in said.message and own_statement(said.message):
        held = [TEXT]
    asks = asks or ("document" if len(held) > 1 or not targets else "text" if not held else None)
    return request.model_copy(update={"sources": tuple(held), "targets": tuple(targets), "documents": ()}), asks
