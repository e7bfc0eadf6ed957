"""What flows through the agent graph (G10).

Persistent fields live as long as the conversation and are never part of a turn's input. Transient fields are reset by
every turn: :data:`TRANSIENT` is the one list of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from policypal.domain.documents import Document
from policypal.domain.requests import Request
from policypal.request.material import body_of
from policypal.request.subject import Names, subject_words

VERBATIM_MESSAGES = 10
"""So many of the latest messages are kept word for word in a long conversation (M3)."""
FULL_HISTORY_MESSAGES = 15
"""Up to so many messages, the current one included, a conversation needs no summary (M3)."""
SUMMARY_INTERVAL = 10
"""A summary is extended when so many messages have come since (M3)."""

WITHOUT_MODEL = "Answered without a language model, at no cost: quotations from your documents and templates only."

_FORGOTTEN = "forgotten"


def append_once(held: list[dict[str, str]], new: list[dict[str, str]]) -> list[dict[str, str]]:
    """Append messages whose id is not there yet: a repeated step never duplicates history. Messages marked by
    :func:`forgotten` are dropped."""
    gone = {m["id"] for m in new if m["role"] == _FORGOTTEN}
    known = {m["id"] for m in held} | gone
    return [m for m in held if m["id"] not in gone] + [m for m in new if m["id"] not in known]


def forgotten(message: dict[str, str]) -> dict[str, str]:
    """The update that drops a message from the state."""
    return {"id": message["id"], "role": _FORGOTTEN, "content": ""}


class AgentState(TypedDict, total=False):
    # persistent
    # {"id", "role": user|assistant, "content"}, of an answer also "action" and "documents" (titles, one per line)
    messages: Annotated[list[dict[str, str]], append_once]
    conversation_summary: str  # of the messages before those (M3)
    summarized_messages: int  # how many it covers
    conversation_docs: dict[str, str]  # title → id, in order of first use (G11)
    document_turns: dict[str, int]  # id → number of the latest turn that used it
    turn: int
    # the message
    message_id: str
    text: str
    clean_query: str
    tagged_ids: list[str]
    is_pure_mention: bool
    web_tagged: bool
    draft_name: str
    draft_text: str
    without_model: bool  # the turn goes on the extractive engine
    # intent
    action: str
    action_chosen: bool  # by the person: a tag, an option
    action_confidence: str
    route: dict[str, Any] | None  # request.route.Route: how the message was read
    resolution: dict[str, Any] | None  # request.documents.Resolution: the documents of that reading
    enable_web_search: bool
    web_waived: bool
    # documents
    resolved_doc_ids: list[str]
    resolved_doc_titles: dict[str, str]
    inference_source: str
    inference_confidence: str
    clarification: str
    clarified_ids: list[str]
    scope: dict[str, Any] | None  # domain.requests.Scope: what a question reads that names no document (U11)
    # audit
    source_text: str
    source_choice: str  # what the person chose to have audited: a document's id or "text"
    request: dict[str, Any] | None  # domain.requests.Request: what the turn is about, resolved (G0)
    as_read: bool  # the person has set the request; nothing is read from the words
    queue: list[dict[str, Any]]  # Queued: actions of the message that come after this one
    audit_limits: dict[str, str]  # the "party" or "kind" of obligations it is limited to
    audit_approved: bool  # what it takes was accepted
    audit_by_rules: bool  # the person left it to the rule engine
    judged_in: str  # the thread beside the conversation's where a finished audit kept its progress
    ends_early: str  # why the action ended before its end; what it has is the answer
    # the open question of the stage that just ran, asked by the confirm node after it
    question: dict[str, Any] | None
    # retrieval
    search_query: str
    topic: str
    web_query: str  # what the web was searched for in this turn; empty as long as it was not
    web_evidence: list[dict[str, Any]]  # WebPassage
    evidence: list[dict[str, Any]]  # {"id", "score", "similarity", "coverage"}
    read_in_parts: dict[
        str, int
    ]  # of documents too large for one request: id → parts; 0 where code compared two editions
    retrieval_confidence: str
    confidence_score: float
    best_confidence: str  # what a model's answer may be rated once its statements were read; empty where it is not rated by its support
    low_accepted: bool
    # response
    notices: list[str]
    response: str
    citations: list[dict[str, Any]]
    quote_checks: dict[str, int]  # citations verified, unverified (C2)
    judged: list[dict[str, Any]]  # JudgedSentence: what the gate said of each sentence of the response (C2b)
    degrees: dict[str, int]  # how many sentences are quoted, supported, not supported
    changes: dict[str, Any] | None  # ChangeList of a comparison of two versions
    report: dict[str, Any] | None
    cancelled: bool
    tokens_used: int
    cost_usd: str
    is_priced: bool  # the price of every model's tokens is known
    models: list[str]
    title: str  # what the conversation may be called after this turn
    unaided: list[dict[str, Any]]  # Unaided: what the rules did because a model failed


TRANSIENT: dict[str, Any] = {
    "message_id": "", "text": "", "clean_query": "", "tagged_ids": [], "is_pure_mention": False, "web_tagged": False,
    "draft_name": "", "draft_text": "", "without_model": False, "action": "", "action_chosen": False, "action_confidence": "", "route": None, "resolution": None,
    "enable_web_search": False, "web_waived": False, "resolved_doc_ids": [], "resolved_doc_titles": {},
    "inference_source": "", "inference_confidence": "", "clarification": "", "clarified_ids": [], "scope": None, "source_text": "",
    "source_choice": "", "request": None, "as_read": False, "queue": [], "audit_limits": {}, "audit_approved": False, "audit_by_rules": False, "judged_in": "", "ends_early": "", "question": None, "search_query": "", "topic": "", "web_query": "", "web_evidence": [],
    "evidence": [], "read_in_parts": {}, "retrieval_confidence": "", "confidence_score": 0.0, "best_confidence": "", "low_accepted": False, "notices": [],
    "response": "", "citations": [], "quote_checks": {}, "judged": [], "degrees": {}, "changes": None, "report": None, "cancelled": False, "tokens_used": 0, "cost_usd": "0", "is_priced": True, "models": [], "title": "", "unaided": [],
}  # fmt: skip


class Turn(BaseModel):
    """One message on its way into the graph. ``text`` has mention labels in place, ``clean_query`` has none;
    ``without_model`` sends it to the extractive engine. ``request`` is a request that the person has set, to be carried out as it is."""

    model_config = ConfigDict(frozen=True)

    message_id: str
    text: str
    clean_query: str
    tagged_ids: list[str]
    action: str | None = None
    web: bool = False
    is_pure_mention: bool = False
    draft_name: str = ""
    draft_text: str = ""
    without_model: bool = False
    request: dict[str, Any] | None = None
    queue: list[dict[str, Any]] = []
    scope: dict[str, Any] | None = None

    @classmethod
    def of_state(cls, state: AgentState) -> Turn:
        """The turn of a state, with its action and its documents as they were settled."""
        return cls(
            message_id=state["message_id"],
            text=state["text"],
            clean_query=state["clean_query"],
            tagged_ids=state["resolved_doc_ids"] or state["clarified_ids"] or state["tagged_ids"],
            action=state["action"] or None,
            web=state["web_tagged"] and not state["web_waived"],
            is_pure_mention=state["is_pure_mention"],
            draft_name=state["draft_name"],
            draft_text=state["draft_text"] or state["source_text"],
            without_model=state["without_model"],
            request=state["request"] if state["as_read"] else None,
            queue=state["queue"],
            scope=state.get("scope"),
        )

    @property
    def shown_text(self) -> str:
        """The message as the history shows it."""
        return f"{self.text}\n\n📎 {self.draft_name}".strip() if self.draft_name else self.text

    def payload(self) -> dict[str, Any]:
        """What the history keeps beside the text."""
        return {"tagged_ids": self.tagged_ids, "action": self.action, "draft_name": self.draft_name}

    def graph_input(self) -> dict[str, Any]:
        """The turn's input: every transient field, fresh (G10)."""
        UUID(self.message_id)
        said = {"id": self.message_id, "role": "user", "content": self.shown_text}
        return {
            **TRANSIENT,
            **self.model_dump(exclude={"web"}),
            "messages": [said],
            "web_tagged": self.web,
            "enable_web_search": self.web,
            "action": self.action or "",
            "action_chosen": bool(self.action),
            "as_read": self.request is not None,
            "notices": [WITHOUT_MODEL] if self.without_model else [],
        }


def outgrown_messages(state: AgentState) -> list[dict[str, str]]:
    """The messages that are due to become part of the summary, oldest first; empty until enough have come (M3).

    With the 16th message messages 1–5 are due, with the 26th up to 15, and so on; a conversation of complete turns
    reaches these numbers with the 17th and 27th message, and then one more is due.
    """
    interval = SUMMARY_INTERVAL if state.get("summarized_messages") else FULL_HISTORY_MESSAGES - VERBATIM_MESSAGES
    earlier = _earlier_messages(state)
    return earlier[:-VERBATIM_MESSAGES] if len(earlier) >= VERBATIM_MESSAGES + interval else []


def _earlier_messages(state: AgentState) -> list[dict[str, str]]:
    return [m for m in state.get("messages", []) if m["id"] != state.get("message_id")]


def history_lines(state: AgentState, *, last: int | None = 5) -> list[str]:
    """The conversation before the current message, oldest first, as "user: …" lines: at most the ``last`` messages (None:
    all that are kept), in a long conversation after one "summary: …" entry for those before (M3)."""
    earlier = _earlier_messages(state)
    shown = earlier if last is None else earlier[-last:]
    summary = state.get("conversation_summary")
    return [
        *([f"summary: {summary}"] if summary else []),
        *(f"{m['role']}: {m['content'][:2000]}" for m in shown),
    ]


def request_of(state: AgentState) -> Request:
    """What the turn is about: as it was sent where the person has set it, as it was settled once the inputs are there (G0)."""
    return Request(**(state.get("request") or {}))


def scope_of(state: AgentState) -> list[str]:
    """The ids of the documents that the person limits questions to; empty for the library (U11)."""
    return list((state.get("scope") or {}).get("ids", ()))


def documents_read(state: AgentState) -> list[str] | None:
    """What a question is answered from: the documents it names, else those of its scope; None is the library."""
    return state["resolved_doc_ids"] or scope_of(state) or None


def names_of(state: AgentState, library: Sequence[Document]) -> Names:
    """What the documents of the message and of the conversation are called (G5), to be cut where words are searched for."""
    titles = dict.fromkeys([*state["resolved_doc_titles"].values(), *state.get("conversation_docs", {})])
    ids = {*state["resolved_doc_ids"], *state["resolved_doc_titles"], *state.get("conversation_docs", {}).values()}
    documents = [d for d in library if d.id in ids]
    called = [*titles, *(d.title for d in documents), *(alias for d in documents for alias in d.aliases)]
    return Names(tuple(dict.fromkeys(called)), tuple(sorted({d.set_name for d in documents if d.set_name})))


def subject_of(state: AgentState, library: Sequence[Document]) -> str:
    """What the message asks, for searching and ranking by words only: without the tags, names and wishes that say where to
    look. Models get the message itself."""
    return subject_words(body_of(state["clean_query"] or state["text"]), names_of(state, library))


def with_notice(state: AgentState, text: str) -> list[str]:
    """The turn's notices with ``text`` last, once."""
    return [*(n for n in state["notices"] if n != text), text]
