"""The verdict of an audit, from what was judged and what was met; finding nothing proves nothing (A4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from policypal.domain.audits import Finding, FindingKind, Severity
from policypal.domain.verdicts import OverallStatus

_LEAST_RELATED = 0.1
"""Where fewer of the obligations have a related passage, the policy is about something else, and its gaps tell nothing."""
MOST_UNSURE = 0.74
"""The confidence in having found nothing; "high" begins above it."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Of the ``obligations`` of one target in scope: ``judged`` were met or broken by what was read, ``covered`` are met, ``related`` have
    a passage that concerns them. ``rated`` were looked at one by one, and ``seeks_gaps`` says that all of the source was."""

    obligations: int = 0
    judged: int = 0
    covered: int = 0
    related: int = 0
    rated: int = 0
    seeks_gaps: bool = False

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.obligations + other.obligations, self.judged + other.judged, self.covered + other.covered,
            self.related + other.related, self.rated + other.rated, self.seeks_gaps or other.seeks_gaps,
        )  # fmt: skip

    @property
    def is_of_another_subject(self) -> bool:
        """Whether hardly any obligation has a related passage in a policy that was searched for all, or most, of them."""
        asked = self.seeks_gaps and self.rated > 0 and 2 * self.rated >= self.obligations
        return asked and self.related < _LEAST_RELATED * self.rated


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What stands in the way of a verdict. ``foreign``: titles in languages that the engine does not read, ``nothing_read``
    if that leaves nothing to compare; ``unread``: what was not read, in words; ``by_model``: a model judged, whose silence does not say what it looked at."""

    foreign: Sequence[str] = ()
    nothing_read: bool = False
    unread: Sequence[str] = ()
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is "" where the status needs none. ``confidence`` in [0, 1] is of the verdict, ``level`` its word."""

    status: OverallStatus
    reason: str
    read_whole: bool
    confidence: float

    @property
    def level(self) -> str:
        return "high" if self.confidence > 0.75 else "medium" if self.confidence >= 0.5 else "low"


Tallies = Mapping[str, Tally]
"""By the id of the target."""


def of_another_subject(tallies: Tallies) -> frozenset[str]:
    """The targets that the policy is not about, see :attr:`Tally.is_of_another_subject`."""
    return frozenset(target for target, tally in tallies.items() if tally.is_of_another_subject)


def taken_together(tallies: Tallies) -> Tally:
    """All targets as one. Of one about another subject only what is related was judged, and it says nothing about the subject of the others."""
    strange = of_another_subject(tallies)
    left = {i: replace(t, judged=min(t.judged, t.related)) if i in strange else t for i, t in tallies.items()}
    if len(strange) < len(left):
        left |= {i: replace(left[i], related=0, rated=0) for i in strange}
    return _sum(left.values())


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total += tally
    return total


def reach_verdict(findings: Sequence[Finding], tally: Tally, met: Circumstances) -> Verdict:
    """The verdict on ``findings`` that stand: their severity decides; without any, what was judged does (A4)."""
    unread = [*met.unread, *(f"“{title}” is not in English" for title in met.foreign)]
    if findings:
        grave = any(f.severity in (Severity.CRITICAL, Severity.HIGH) for f in findings)
        status = OverallStatus.MAJOR_VIOLATIONS if grave else OverallStatus.MINOR_ISSUES
        mean = sum(f.confidence for f in findings) / len(findings)
        return Verdict(status, _joined(unread), not unread, mean if not unread else min(mean, MOST_UNSURE))
    if reason := _not_to_be_judged(tally, met):
        return Verdict(OverallStatus.CANNOT_BE_JUDGED, reason, True, 0.0)
    if unread:
        return Verdict(OverallStatus.CANNOT_BE_JUDGED, _joined(unread), False, 0.0)
    if tally.judged == tally.covered == tally.obligations:
        return Verdict(OverallStatus.COMPLIANT, "", True, 0.9)
    return Verdict(OverallStatus.NO_CONFLICT_FOUND, "", True, MOST_UNSURE * tally.judged / tally.obligations)


def _not_to_be_judged(tally: Tally, met: Circumstances) -> str:
    """Why nothing at all can be said, "" where something can."""
    if met.nothing_read:
        titles = " and ".join(f"“{title}”" for title in met.foreign)
        return f"{titles} {'is' if len(met.foreign) == 1 else 'are'} not in English, the only language read without a model"
    if not tally.obligations:
        return "no obligation was found in what it was to be audited against"
    if tally.is_of_another_subject:
        return f"{tally.related} of {tally.rated} obligations have a related passage in it; it seems to be about another subject"
    if tally.judged:
        return ""
    if met.by_model:
        return f"none of the {tally.obligations} obligations was judged"
    if tally.seeks_gaps or tally.related:
        return "nothing in it could be judged against an obligation"
    return "nothing in the text concerns these rules"


def without_foreign_gaps(findings: Sequence[Finding], strange: Set[str], met: Circumstances) -> list[Finding]:
    """The findings that mean something: where the language is another one, or the subject of a target (``strange``), gaps do not."""
    return [
        f
        for f in findings
        if f.kind is not FindingKind.GAP or not (met.nothing_read or f.target_document_id in strange)
    ]


_MOST_JOINED = 3


def _joined(told: Sequence[str]) -> str:
    shown = [t.rstrip(".") for t in told[:_MOST_JOINED]]
    more = len(told) - len(shown)
    return "; ".join([*shown, f"{more} more under Not assessed"] if more else shown)
