"""A message becomes a request: the action, what it is about, and what must be asked first (G0, G2, G4).

The steps are those of the graph; with a model one call reads the message, without one the rules do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from policypal.domain.requests import TEXT, ActionName, Queued, Request, Span
from policypal.llm.task import Task
from policypal.request.binding import bind
from policypal.request.composer import MAX_DOCUMENTS
from policypal.request.documents import Resolution, asked_of, documents_by_rules, settle, without_asking
from policypal.request.focus import focus_of
from policypal.request.intent import leading_action, split_requests
from policypal.request.library import KnownDocument, Library
from policypal.request.material import own_statement
from policypal.request.mentions import masked
from policypal.request.route import ROUTER, Route, resolution_of, routed
from policypal.request.said import Said
from policypal.request.sides import audit_sides

Runs = Callable[[Task[Any, Any], Any], Any]
"""Runs a task and gives its output."""
Asks = Literal["action", "document", "text"] | None


@dataclass(frozen=True, slots=True)
class Reading:
    """The request as far as the message gives it, and what is asked before it can run. ``kind`` is "action", "help" or "small_talk"."""

    request: Request
    kind: str = "action"
    asks: Asks = None
    candidates: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_request(said: Said, run: Runs) -> Reading:
    """All steps at once."""
    said = said.model_copy(update={"action": said.action or leading_action(said)})
    route = routed(said, run(ROUTER, said))
    words, queue = in_turns(said.message, route)
    if route.kind != "action" or (route.confidence == "low" and not queue):
        return Reading(Request(), route.kind, "action" if route.kind == "action" else None)
    first = said.model_copy(update={"message": words})
    resolution = documents_by_rules(first, route.action) if queue else resolution_of(said, route)
    return _complete(first, route.action, resolution, queue)


def in_turns(message: str, route: Route) -> tuple[str, tuple[Queued, ...]]:
    """The words of the first action, and the actions after it with theirs (G0)."""
    actions = list(dict.fromkeys(route.requested_actions))
    if len(actions) < 2 or route.kind != "action":
        return message, ()
    parts = split_requests(message, actions)
    return parts[0], tuple(Queued(action=a, words=w) for a, w in zip(actions[1:], parts[1:], strict=True))


def limited_to(request: str, documents: Sequence[KnownDocument], today: date) -> str:
    """The focus, in the person's words (G0)."""
    return focus_of(masked(request, Library(documents), today), [d.title for d in documents])


def spans_of(message: str, documents: Sequence[KnownDocument], today: date) -> tuple[Span, ...]:
    """Where ``documents`` stand in ``message``."""
    found = bind(message, "inquire", (), Library(documents), today).spans
    return tuple(Span(start=a, end=b, ids=ids) for a, b, ids in found)


def _complete(said: Said, action: ActionName, resolution: Resolution, queue: tuple[Queued, ...]) -> Reading:
    by_id = {d.id: d for d in said.documents}
    asked, text = asked_of(said, action)
    settled = settle(said.model_copy(update={"message": asked}), resolution)
    ids = list(settled.ids)
    asks: Asks = None
    if action == "inquire":
        ids += without_asking(settled, said.documents, said.tagged_ids)
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
    request = request.model_copy(update={"focus": focus, "spans": spans_of(said.message, documents, said.day)})
    return Reading(request, "action", asks, settled.candidates, settled.unresolved_names)


def _audit(
    said: Said, asked: str, text: str, documents: Sequence[KnownDocument], request: Request, asks: Asks
) -> tuple[Request, Asks]:
    sources, targets = audit_sides(asked, documents, said.tagged_ids, said.day, has_text=bool(text))
    held = [*sources, *([TEXT] if text else [])]
    if not held and "?" in said.message and own_statement(said.message):
        held = [TEXT]
    asks = asks or ("document" if len(held) > 1 or not targets else "text" if not held else None)
    return request.model_copy(update={"sources": tuple(held), "targets": tuple(targets), "documents": ()}), asks
