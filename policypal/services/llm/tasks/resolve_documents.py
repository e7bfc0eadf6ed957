"""Task: which documents a message refers to (G4, stage 2)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class KnownDocument(BaseModel):
    """A document the resolver may choose. ``in_conversation`` marks those of the ``conversation_docs`` registry;
    ``turn`` is the latest turn that used it (higher is later), None if none did."""

    id: str
    title: str
    version: str = ""
    type: Literal["regulatory", "company"] = "regulatory"
    set_name: str | None = None
    aliases: list[str] = Field(default_factory=list)
    in_conversation: bool = False
    turn: int | None = None


class ResolveInput(BaseModel):
    """``message`` is the full message with mention labels in place; ``tagged_ids`` are already resolved."""

    message: str
    action: Literal["summarize", "inquire", "compare", "audit"]
    tagged_ids: list[str] = Field(default_factory=list)
    documents: list[KnownDocument] = Field(default_factory=list)
    history: list[str] = Field(default_factory=list)


class Resolution(BaseModel):
    """``resolved_ids`` excludes the tagged ones. ``candidates`` are offered on medium confidence.
    ``unresolved_names`` go to the fuzzy stage. No reference at all is confidence "high" with nothing resolved and
    ``has_reference`` False. ``source_id``/ for audits: the resolved or tagged company document that is to be audited."""

    resolved_ids: list[str] = Field(default_factory=list)
    candidates: list[str] = Field(default_factory=list)
    unresolved_names: list[str] = Field(default_factory=list)
    confidence: Literal["high", "medium", "low"] = "high"
    has_reference: bool = False
    has_implicit_reference: bool = False
    allow_multiple: bool = False
    reasoning: str = ""
