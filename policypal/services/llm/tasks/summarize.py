"""Task: summarize sampled passages of documents (A1)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from policypal.services.llm.tasks.answer import CitedSentence, Evidence


class SummarizeInput(BaseModel):
    """``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is the user's message."""

    request: str
    titles: list[str]
    evidence: list[Evidence]


class DocumentSummary(BaseModel):
    """One document's section; ``key_points`` first, then who is bound, duties, deadlines and thresholds."""

    document: str
    key_points: list[CitedSentence] = Field(default_factory=list)
    obligations: list[CitedSentence] = Field(default_factory=list)
    deadlines_and_thresholds: list[CitedSentence] = Field(default_factory=list)


class Summary(BaseModel):
    documents: list[DocumentSummary]
    relevance: list[CitedSentence] = Field(default_factory=list)
