"""Task: which of the four actions a message asks for (G2, G3)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

Confidence = Literal["high", "medium", "low"]
ActionName = Literal["summarize", "inquire", "compare", "audit"]


class IntentInput(BaseModel):
    """``message`` is the user's text with mention labels in place; ``history`` (oldest first, at most five,
    "user: …" / "assistant: …") is empty on the first pass and filled on the retry."""

    message: str
    history: list[str] = Field(default_factory=list)
    tagged_documents: int = 0


class Intent(BaseModel):
    """``kind``: "action", or "help" / "small_talk" for messages that ask nothing of the documents.
    ``alternatives`` are ranked, best first, including ``action``. ``requested_actions`` are those the message
    explicitly asks for (two or more means multi-action)."""

    kind: Literal["action", "help", "small_talk"] = "action"
    action: ActionName = "inquire"
    confidence: Confidence = "low"
    needs_web: bool = False
    multi_action: bool = False
    requested_actions: list[ActionName] = Field(default_factory=list)
    alternatives: list[ActionName] = Field(default_factory=list)
    reasoning: str = ""
