"""What became of a finding: decided by an analyst, with everything that was ever changed (A7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Self, TypedDict

from policypal.domain.audits import Finding, Severity


class TriageStatus(StrEnum):
    """Where work on a finding stands."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    ACCEPTED_RISK = "accepted_risk"
    RESOLVED = "resolved"
    FALSE_POSITIVE = "false_positive"

    @property
    def label(self) -> str:
        """For people: "Accepted risk"."""
        return self.value.replace("_", " ").capitalize()

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to do."""
        return self not in (TriageStatus.OPEN, TriageStatus.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class Triage:
    """The state of one finding. ``reason`` and ``expires_on`` belong to an accepted risk; ``evidence`` is a link or a document's name;
    ``severity`` replaces the engine's where the analyst disagrees, None where not. ``wording`` is the accepted one: what the policy is to
    say in place of its quotation, or, where something is missing, in addition; "" where none is."""

    status: TriageStatus = TriageStatus.OPEN
    owner: str = ""
    due_on: date | None = None
    reason: str = ""
    expires_on: date | None = None
    evidence: str = ""
    severity: Severity | None = None
    wording: str = ""

    def is_overdue(self, today: date) -> bool:
        """Whether it should have been done, or an accepted risk has run out."""
        if self.status is TriageStatus.ACCEPTED_RISK:
            return self.expires_on is not None and self.expires_on < today
        return not self.status.is_closed and self.due_on is not None and self.due_on < today


UNTOUCHED = Triage()
"""A finding nobody has decided about."""


class TriageChange(TypedDict, total=False):
    """What to change; a field that is absent stays as it is."""

    status: TriageStatus
    owner: str
    due_on: date | None
    reason: str
    expires_on: date | None
    evidence: str
    severity: Severity | None
    wording: str


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings are shown; what is empty lets everything pass. ``targets`` are the regulations' titles."""

    severities: tuple[Severity, ...] = ()
    statuses: tuple[TriageStatus, ...] = ()
    targets: tuple[str, ...] = ()
    words: str = ""

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """What was stored of a filter, without severities and statuses that no longer exist."""
        return cls(
            tuple(s for s in Severity if s in kept.get("severities", ())),
            tuple(s for s in TriageStatus if s in kept.get("statuses", ())),
            tuple(kept.get("targets", ())),
            str(kept.get("words", "")),
        )


@dataclass(frozen=True, slots=True)
class TriageEvent:
    """One change of one finding: before and after by field, and the note that was left with it."""

    changed_by: str
    changed_at: datetime
    changes: dict[str, tuple[str, str]]
    note: str


@dataclass(frozen=True, slots=True)
class WaitingFinding:
    """A finding that somebody still has to work on, as the analyst judges it, with the report it stands in."""

    report_id: str
    report_title: str
    finding: Finding
    triage: Triage


def with_corrections(finding: Finding, triage: Triage) -> Finding:
    """The finding as the analyst judges it: its severity corrected."""
    return finding.model_copy(update={"severity": triage.severity}) if triage.severity else finding
