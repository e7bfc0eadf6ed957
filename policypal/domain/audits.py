"""Audit reports, their findings and the coverage of a regulation (A4–A6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Severity(StrEnum):
    CRITICAL = "Critical"
    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"

    @property
    def rank(self) -> int:
        """0 for the most severe; for sorting."""
        return list(Severity).index(self)


class OverallStatus(StrEnum):
    """NOT_ASSESSED: nothing could be compared, for example a document in a language the engine cannot read."""

    COMPLIANT = "Compliant"
    MINOR_ISSUES = "Minor Issues"
    MAJOR_VIOLATIONS = "Major Violations"
    NOT_ASSESSED = "Not Assessed"


class FindingKind(StrEnum):
    """CONFLICT: the source says something the target forbids. GAP: the source lacks what the target requires."""

    CONFLICT = "conflict"
    GAP = "gap"


class CoverageStatus(StrEnum):
    COVERED = "Covered"
    PARTIAL = "Partial"
    CONFLICT = "Conflict"
    GAP = "Gap"


class Finding(BaseModel):
    """One issue, against one target document (A4). For a gap, ``source_quote`` is the nearest source passage, shown as proof of absence."""

    model_config = ConfigDict(frozen=True)

    id: str = ""
    kind: FindingKind
    target_document: str
    target_document_id: str
    theme: str
    severity: Severity
    consequence: str
    source_quote: str
    source_page: int | None = None
    source_document_id: str | None = None
    source_start: int | None = None
    source_end: int | None = None
    source_verified: bool = True
    target_quote: str
    target_page: int
    target_start: int | None = None
    target_end: int | None = None
    target_verified: bool = True
    suggestion: str
    confidence: float = Field(ge=0, le=1)


class CoverageRow(BaseModel):
    """One obligation of a target and how the policy meets it (A6). Of a gap, ``policy_quote`` is the nearest passage, shown
    as proof of absence."""

    model_config = ConfigDict(frozen=True)

    obligation: str
    target_document_id: str
    target_document: str = ""
    heading: str = ""
    page: int
    start: int | None = None
    end: int | None = None
    bound_party: str = ""
    modality: str = ""
    condition: str = ""
    deadline: str = ""
    threshold: str = ""
    exception: str = ""
    status: CoverageStatus
    policy_quote: str = ""
    policy_page: int | None = None
    reason: str


class ReadingExtent(BaseModel):
    """What of a document an audit rests on: the denominator of its coverage (A6)."""

    model_config = ConfigDict(frozen=True)

    document_id: str
    title: str
    obligations: int
    pages_read: int
    pages: int

    @property
    def pages_unread(self) -> int:
        return self.pages - self.pages_read


@dataclass(frozen=True, slots=True)
class ReportOverview:
    """What a list of reports shows of one. ``counts`` are its findings by severity, all severities named."""

    id: str
    title: str
    created_at: datetime
    overall_status: OverallStatus
    targets_checked: tuple[str, ...]
    source_title: str
    thread_id: str | None
    counts: dict[Severity, int]


class AuditReport(BaseModel):
    """A stored audit with the inputs it was made from (A5). ``focus``: what it is limited to, in the analyst's words; empty for
    everything (G0)."""

    model_config = ConfigDict(frozen=True)

    id: str = ""
    title: str = ""
    thread_id: str | None = None
    created_at: datetime | None = None
    overall_status: OverallStatus
    findings: tuple[Finding, ...]
    summary: str
    targets_checked: tuple[str, ...]
    themes_analyzed: tuple[str, ...] = ()
    not_assessed: tuple[str, ...] = ()
    coverage: tuple[CoverageRow, ...] | None = None
    extents: tuple[ReadingExtent, ...] = ()
    source_title: str = ""
    source_text: str | None = None
    source_document_id: str | None = None
    focus: str = ""
    documents: tuple[AuditedDocument, ...] = ()
    engine: str = ""
    models: tuple[str, ...] = ()
    prompt_version: str = ""
    cost_usd: Decimal = Decimal(0)
    seconds: float = 0.0


class AuditedDocument(BaseModel):
    """The exact bytes that were audited: id, title and SHA-256 at that moment."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    sha256: str


AuditReport.model_rebuild()


@dataclass(frozen=True, slots=True)
class AuditSubject:
    """What a stored report audited against what, without what was found."""

    report_id: str
    source_title: str
    source_document_id: str | None
    document_ids: tuple[str, ...]

    @property
    def target_ids(self) -> tuple[str, ...]:
        return tuple(i for i in self.document_ids if i != self.source_document_id)


def overall_status(findings: tuple[Finding, ...] | list[Finding]) -> OverallStatus:
    """Major Violations with any Critical or High finding, Minor Issues with any other, else Compliant."""
    if any(f.severity in (Severity.CRITICAL, Severity.HIGH) for f in findings):
        return OverallStatus.MAJOR_VIOLATIONS
    return OverallStatus.MINOR_ISSUES if findings else OverallStatus.COMPLIANT
