"""Audit reports, their findings and the coverage of a regulation (A4–A6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator

from policypal.domain.extents import Extent
from policypal.domain.verdicts import OverallStatus as OverallStatus
from policypal.domain.verdicts import headline, relabelled

_FIGURES = re.compile(r"\w+: (?P<said>[^→]{1,60}) → [^→:]{1,40}: (?P<ruled>[^→:]{1,40})")
"""A delta of two figures or short terms."""


class Severity(StrEnum):
    CRITICAL = "Critical"
    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"

    @property
    def rank(self) -> int:
        """0 for the most severe; for sorting."""
        return list(Severity).index(self)

    @property
    def tint(self) -> str:
        """The ground of its cells as RGB in hexadecimal, light enough for black letters."""
        return {"Critical": "F4B6B6", "High": "F9D3A8", "Medium": "FBEBA6", "Low": "DCE8F2"}[self]


class FindingKind(StrEnum):
    """CONFLICT: the source says something the target forbids. GAP: the source lacks what the target requires."""

    CONFLICT = "conflict"
    GAP = "gap"


class CoverageStatus(StrEnum):
    """PARTIAL asks for a reader. NOT_APPLICABLE: it binds somebody else, or lies outside the audit's focus."""

    COVERED = "Covered"
    PARTIAL = "Partial"
    CONFLICT = "Conflict"
    GAP = "Gap"
    NOT_APPLICABLE = "Not applicable"
    NOT_JUDGED = "Not judged"


BETWEEN_QUOTES = " … "
"""Stands between the sentences that a finding quotes of one document."""


class Finding(BaseModel):
    """One issue, against one target document (A4). For a gap, ``source_quote`` is the nearest source passage, shown as proof
    of absence. ``delta`` is its title in one line ("Source: 24 hours → 4.3: 4 hours"), the labels number the provisions of either side, ""
    where they have none. ``support`` says what the check of its sentences found against them, "" where it found nothing. ``is_raised``: an
    analyst raised it from a pair to review (A7)."""

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
    support: str = ""
    is_raised: bool = False
    delta: str = ""
    source_label: str = ""
    target_label: str = ""

    @property
    def side(self) -> str:
        """What is audited, for people: a policy, or a text without pages."""
        return "Policy" if self.source_document_id else "Text"

    @property
    def title(self) -> str:
        """The finding in one line: "Policy: 24 hours → 4.3: 4 hours", the theme where nobody has said it so."""
        told = re.sub(r"^Source\b", self.side, self.delta)
        label = self.target_label
        return (told.replace(f"→ {label}: {label} ", f"→ {label}: ") if label else told) or self.theme

    @property
    def requirements(self) -> list[str]:
        """The rules it is against, each as it stands there; the first is the one whose place is known."""
        return self.target_quote.split(BETWEEN_QUOTES)

    @property
    def proposal(self) -> str:
        """The policy's sentence with the rule's figure in place of its own, "" where it takes more than that."""
        found = _FIGURES.fullmatch(self.delta)
        if found is None or self.kind is FindingKind.GAP or self.source_quote.count(found["said"]) != 1:
            return ""
        return self.source_quote.replace(found["said"], found["ruled"])


class PairOutcome(StrEnum):
    """What an analyst says of a pair that no engine judged; OPEN is a decision that was taken back."""

    OPEN = "Open"
    NO_CONFLICT = "No conflict"
    RAISED = "Raised as finding"


class PairDecision(BaseModel):
    """What an analyst decided about a pair, and when; ``severity`` and ``delta`` are those of the finding it was raised as."""

    model_config = ConfigDict(frozen=True)

    outcome: PairOutcome
    severity: Severity | None = None
    delta: str = ""
    decided_by: str
    decided_at: datetime

    @property
    def words(self) -> str:
        """For people: "Raised as finding: High, Policy: five years → Rule: seven"."""
        return ": ".join(filter(None, (self.outcome.value, ", ".join(filter(None, (self.severity, self.delta))))))


class ReviewPair(BaseModel):
    """A claim of the source beside a rule that it may concern, which no engine judged (A4). ``relation`` in [0, 1] is how much the two say the
    same; ``reason`` why it is open, where somebody has said so. ``target_introduction`` governs the rule where it is an item of a list. ``decisions`` are the analyst's, the latest last (A7)."""

    model_config = ConfigDict(frozen=True)

    source_quote: str
    source_page: int | None = None
    source_document_id: str | None = None
    source_start: int | None = None
    source_end: int | None = None
    source_label: str = ""
    target_document: str
    target_document_id: str
    target_quote: str
    target_introduction: str = ""
    target_page: int
    target_start: int | None = None
    target_end: int | None = None
    target_label: str = ""
    relation: float
    reason: str = ""
    decisions: tuple[PairDecision, ...] = ()

    @property
    def key(self) -> str:
        """The words of both sides, by which a decision about them is known again."""
        words = (
            " ".join(side.split()).casefold()
            for side in (self.source_quote, self.target_introduction, self.target_quote)
        )
        return sha256("\n".join(words).encode("utf-8", "replace")).hexdigest()[:24]

    @property
    def decision(self) -> PairDecision | None:
        """The one that stands."""
        latest = self.decisions[-1] if self.decisions else None
        return latest if latest and latest.outcome is not PairOutcome.OPEN else None


def by_claim(pairs: Iterable[ReviewPair]) -> list[list[ReviewPair]]:
    """The pairs of each claim together, the rules that say most of the same first; claims in the same order."""
    claims: dict[tuple[int | None, int | None, str], list[ReviewPair]] = {}
    for pair in sorted(pairs, key=lambda p: -p.relation):
        claims.setdefault((pair.source_page, pair.source_start, pair.source_quote), []).append(pair)
    return list(claims.values())


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


class ReadingExtent(Extent):
    """What of a target an audit rests on: the denominator of its coverage (A6)."""

    obligations: int


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
    focus: str = ""
    headline: str = ""
    """The status with its counts, see :func:`policypal.domain.verdicts.headline`."""


class AuditReport(BaseModel):
    """A stored audit with the inputs it was made from (A5). Of the ``obligations`` in scope ``judged`` were really judged and
    ``covered`` are met (None where a text was audited). ``contradicted`` are findings that their own quotations speak
    against, or that a second look does not confirm: they are shown, and count for nothing. ``review`` are claims beside the rules nearest to them, which nobody judged. ``focus``: what it is limited to, in the analyst's words; empty for
    everything (G0)."""

    model_config = ConfigDict(frozen=True)

    id: str = ""
    title: str = ""
    thread_id: str | None = None
    created_at: datetime | None = None
    overall_status: OverallStatus
    verdict_reason: str = ""
    judged: int = 0
    obligations: int = 0
    covered: int | None = None
    read_whole: bool = True
    findings: tuple[Finding, ...]
    contradicted: tuple[Finding, ...] = ()
    review: tuple[ReviewPair, ...] = ()
    summary: str
    targets_checked: tuple[str, ...]
    themes_analyzed: tuple[str, ...] = ()
    not_assessed: tuple[str, ...] = ()
    coverage: tuple[CoverageRow, ...] | None = None
    extents: tuple[ReadingExtent, ...] = ()
    source_extent: Extent | None = None
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

    @model_validator(mode="before")
    @classmethod
    def _relabelled(cls, values: Any) -> Any:
        return relabelled(values) if isinstance(values, dict) else values

    @property
    def undecided(self) -> int:
        """How many pairs to review nobody has decided about."""
        return sum(pair.decision is None for pair in self.review)

    @property
    def reading(self) -> tuple[Extent, ...]:
        """What was read of the source and the targets (A0); empty in reports of before it was counted."""
        counted = (self.source_extent, *self.extents) if self.source_extent else self.extents
        return tuple(e for e in counted if e.passages)

    @property
    def headline(self) -> str:
        """The status with its counts: "No conflict found (12 of 82 judged)"."""
        return headline(self.overall_status, self.judged, self.obligations, self.covered, self.read_whole)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> str:
        """The headline with its reason: "Cannot be judged: nothing in the text concerns these rules" (A4)."""
        return f"{self.headline}: {self.verdict_reason}" if self.verdict_reason else self.headline


class AuditedDocument(BaseModel):
    """The exact bytes that were audited: id, title and SHA-256 at that moment."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    sha256: str


AuditReport.model_rebuild()


PASTED_TEXT = "Text in the message"
"""The title of a source that was typed or pasted: of one text no more than of another."""


@dataclass(frozen=True, slots=True)
class AuditSubject:
    """What a stored report audited against what, limited to what, without what was found. ``text_digest`` tells pasted texts apart."""

    report_id: str
    source_title: str
    source_document_id: str | None
    document_ids: tuple[str, ...]
    text_digest: str = ""
    focus: str = ""
    made_at: datetime | None = None

    @property
    def target_ids(self) -> tuple[str, ...]:
        return tuple(i for i in self.document_ids if i != self.source_document_id)
