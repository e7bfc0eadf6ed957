"""What flows through the agent graph (G10).

Persistent fields live as long as the conversation and are never part of a turn's input. Transient fields are reset by
every turn: :data:`TRANSIENT` is the one list of them.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from policypal.services.references.subject import without_document_names


def append_once(held: list[dict[str, str]], new: list[dict[str, str]]) -> list[dict[str, str]]:
    """Append messages whose id is not there yet: a repeated step never duplicates history."""
    known = {m["id"] for m in held}
    return held + [m for m in new if m["id"] not in known]


class AgentState(TypedDict, total=False):
    # persistent
    messages: Annotated[list[dict[str, str]], append_once]  # {"id", "role": user|assistant, "content"}
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
    # intent
    action: str
    action_confidence: str
    intent_kind: str
    enable_web_search: bool
    web_waived: bool
    # documents
    resolved_doc_ids: list[str]
    resolved_doc_titles: dict[str, str]
    inference_source: str
    inference_confidence: str
    clarification: str
    clarified_ids: list[str]
    # audit
    source_text: str
    source_doc_id: str
    target_doc_ids: list[str]
    # the open question of the stage that just ran, asked by the confirm node after it
    question: dict[str, Any] | None
    # retrieval
    search_query: str
    topic: str
    themes: list[str]
    evidence: list[dict[str, Any]]  # {"id", "score", "similarity", "coverage"}
    retrieval_confidence: str
    confidence_score: float
    low_accepted: bool
    # response
    notices: list[str]
    response: str
    citations: list[dict[str, Any]]
    report: dict[str, Any] | None
    cancelled: bool
    tokens_used: int
    cost_usd: str
    models: list[str]


TRANSIENT: dict[str, Any] = {
    "message_id": "", "text": "", "clean_query": "", "tagged_ids": [], "is_pure_mention": False, "web_tagged": False,
    "draft_name": "", "draft_text": "", "action": "", "action_confidence": "", "intent_kind": "action",
    "enable_web_search": False, "web_waived": False, "resolved_doc_ids": [], "resolved_doc_titles": {},
    "inference_source": "", "inference_confidence": "", "clarification": "", "clarified_ids": [], "source_text": "",
    "source_doc_id": "", "target_doc_ids": [], "question": None, "search_query": "", "topic": "", "themes": [],
    "evidence": [], "retrieval_confidence": "", "confidence_score": 0.0, "low_accepted": False, "notices": [],
    "response": "", "citations": [], "report": None, "cancelled": False, "tokens_used": 0, "cost_usd": "0", "models": [],
}  # fmt: skip


class Turn(BaseModel):
    """One message on its way into the graph. ``text`` has mention labels in place, ``clean_query`` has none."""

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
            "messages": [said],
            "message_id": self.message_id,
            "text": self.text,
            "clean_query": self.clean_query,
            "tagged_ids": self.tagged_ids,
            "is_pure_mention": self.is_pure_mention,
            "web_tagged": self.web,
            "enable_web_search": self.web,
            "action": self.action or "",
            "draft_name": self.draft_name,
            "draft_text": self.draft_text,
        }


def history_lines(state: AgentState, *, last: int = 5) -> list[str]:
    """The messages before the current one, oldest first, at most ``last``, as "user: …" lines."""
    earlier = [m for m in state.get("messages", []) if m["id"] != state.get("message_id")]
    return [f"{m['role']}: {m['content'][:2000]}" for m in earlier[-last:]]


def history_without_names(state: AgentState) -> list[str]:
    """The history for follow-ups: "And in the 2023 edition?" must not carry the edition asked about before."""
    names = [*state.get("conversation_docs", {}), *state["resolved_doc_titles"].values()]
    return [without_document_names(line, names) for line in history_lines(state)]


def subject_of(state: AgentState) -> str:
    """What the message asks, without the tags and names that only say where to look."""
    return without_document_names(state["clean_query"] or state["text"], list(state["resolved_doc_titles"].values()))
