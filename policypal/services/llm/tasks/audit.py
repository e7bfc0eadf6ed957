"""Task: audit a source against target documents (A4, A6)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from policypal.domain.audits import CoverageStatus, FindingKind, Severity


class SourcePassage(BaseModel):
    """Part of what is audited; ``page`` is None for text out of a message."""

    number: int
    page: int | None
    text: str
    heading: str | None = None


class TargetPassage(BaseModel):
    """Part of a target document (usually a regulation)."""

    number: int
    target: str
    page: int
    text: str
    heading: str | None = None


class AuditInput(BaseModel):
    """``mode``: "text" for a short source (no gaps are sought), "policy" for a document. ``targets`` are ids in
    order; ``titles`` their display titles. ``complete``: the passages are the whole documents, not samples."""

    mode: Literal["text", "policy"]
    source_title: str
    source: list[SourcePassage]
    targets: list[str]
    titles: list[str]
    passages: list[TargetPassage]
    themes: list[str] = Field(default_factory=list)
    complete: bool = False


class FindingDraft(BaseModel):
    """A finding before its quotes are checked. ``source``/``passage`` are numbers of the input passages."""

    kind: FindingKind
    passage: int
    target_quote: str
    source: int | None
    source_quote: str
    theme: str
    severity: Severity
    consequence: str
    suggestion: str
    confidence: float = Field(ge=0, le=1)


class CoverageDraft(BaseModel):
    passage: int
    obligation: str
    status: CoverageStatus
    source: int | None = None
    source_quote: str = ""
    reason: str


class AuditOutput(BaseModel):
    findings: list[FindingDraft]
    coverage: list[CoverageDraft] = Field(default_factory=list)
    summary: str
    not_assessed: list[str] = Field(default_factory=list)
