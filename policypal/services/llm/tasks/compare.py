"""Task: differences and similarities per theme (A3)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from policypal.services.llm.tasks.answer import CitedSentence, Evidence


class CompareInput(BaseModel):
    """``topic`` is set for a focused comparison. ``evidence`` is grouped by ``document`` in ``titles`` order."""

    titles: list[str]
    evidence: list[Evidence]
    topic: str | None = None


class ComparisonRow(BaseModel):
    """One aspect; ``cells`` in ``titles`` order, each quoted or empty where the document is silent."""

    aspect: str
    cells: list[CitedSentence]
    differs: bool


class Comparison(BaseModel):
    overview: list[CitedSentence] = Field(default_factory=list)
    rows: list[ComparisonRow] = Field(default_factory=list)
    unique: list[CitedSentence] = Field(default_factory=list)
    implications: list[CitedSentence] = Field(default_factory=list)
