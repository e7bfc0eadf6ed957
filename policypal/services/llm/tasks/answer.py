"""Task: answer a question from passages (A2, C1, C2)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    """A passage offered as evidence; ``number`` is how quotes refer to it (from 1)."""

    number: int
    document: str
    page: int | None
    heading: str | None = None
    text: str
    similarity: float = 0.0
    score: float = 0.0


class Quote(BaseModel):
    """The exact words of one piece of evidence."""

    evidence: int
    text: str


class CitedSentence(BaseModel):
    """One statement of an answer and the quotes it rests on. Keyless, ``text`` is a template or the quotation itself."""

    text: str
    quotes: list[Quote] = Field(default_factory=list)


class AnswerInput(BaseModel):
    """``mode``: "evidence" (A) answer from evidence only; "general" (B) no documents at all; "not_found" (C)
    documents but nothing relevant in ``titles``."""

    question: str
    evidence: list[Evidence] = Field(default_factory=list)
    titles: list[str] = Field(default_factory=list)
    mode: Literal["evidence", "general", "not_found"] = "evidence"
    history: list[str] = Field(default_factory=list)


class Answer(BaseModel):
    """``found`` is False where the evidence does not answer the question; ``sentences`` then say so."""

    sentences: list[CitedSentence]
    found: bool = True
