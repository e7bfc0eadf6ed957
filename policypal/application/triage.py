"""Working through the findings of an audit: decide, assign, note, take back (A7), and keep it all through a re-audit (A9)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date

from policypal.application import audits, reaudits
from policypal.application.container import Container
from policypal.db import triage as triage_db
from policypal.domain.audits import AuditReport
from policypal.domain.identifiers import is_uuid, uuids
from policypal.domain.text import fitting
from policypal.domain.triage import (
    UNTOUCHED,
    Triage,
    TriageChange,
    TriageEvent,
    TriageStatus,
    WaitingFinding,
    with_corrections,
)
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound

MAX_OWNER = 200
MAX_WORDS = 2_000
"""Characters of a reason, a note or the evidence."""
_LIMITS = {"owner": MAX_OWNER, "reason": MAX_WORDS, "evidence": MAX_WORDS, "wording": MAX_WORDS}


def load(app: Container, user: User, report: AuditReport) -> dict[str, Triage]:
    """What was decided about each finding of a report, by finding id; untouched ones included."""
    held = triage_db.load_triage(app.db, user.id, [f.id for f in report.findings if is_uuid(f.id)])
    return {f.id: held.get(f.id, UNTOUCHED) for f in report.findings}


def change(
    app: Container, user: User, report_id: str, finding_ids: Sequence[str], changes: TriageChange, *, note: str = ""
) -> dict[str, Triage]:
    """Decide about one finding or several at once. What each was before is returned, for :func:`put_back`.

    Raises:
        NotFound: no such report, or none of these findings is in it.
        InvalidInput: a text that is too long, an accepted risk without a reason, or nothing to change.
    """
    report = audits.get_report(app, user, report_id)
    before = {i: t for i, t in load(app, user, report).items() if i in set(finding_ids)}
    if not before:
        raise NotFound("These findings are not in the report any more.")
    words = fitting(note, MAX_WORDS, "note")
    clean = TriageChange(**{**changes, **_texts(changes)})  # type: ignore[typeddict-item]
    after = {i: _decided(t, clean) for i, t in before.items()}
    decided = {i: (before[i], after[i]) for i in before if words or before[i] != after[i]}
    if not decided:
        raise InvalidInput("Nothing was changed.")
    triage_db.save_triage(app.db, user.id, decided, changed_by=user.email, note=words)
    return {i: before[i] for i in decided}


def put_back(app: Container, user: User, report_id: str, before: Mapping[str, Triage]) -> None:
    """Undo: findings are again as they were. The history keeps both steps.

    Raises:
        NotFound: no such report.
    """
    now = load(app, user, audits.get_report(app, user, report_id))
    decided = {i: (now[i], was) for i, was in before.items() if i in now and now[i] != was}
    triage_db.save_triage(app.db, user.id, decided, changed_by=user.email, note="Undone")


def history(app: Container, user: User, finding_id: str) -> list[TriageEvent]:
    """Who changed what of a finding, latest first; empty where nobody did."""
    return triage_db.load_history(app.db, user.id, finding_id) if is_uuid(finding_id) else []


def corrected(report: AuditReport, decided: Mapping[str, Triage]) -> AuditReport:
    """The report with the severities that the analyst corrected."""
    return report.model_copy(
        update={"findings": tuple(with_corrections(f, decided.get(f.id, UNTOUCHED)) for f in report.findings)}
    )


def carry_over(app: Container, user: User, report: AuditReport) -> int:
    """Give the findings of a new audit what was decided about the same ones in the audit before it, whatever the versions of its
    documents (A9); how many. A finding that is resolved and found again is open again."""
    before = reaudits.report_before(app, user, report)
    if before is None:
        return 0
    held = load(app, user, before)
    found = reaudits.changes(app, user, before, report)
    same = [(one, other) for one, other in found.pairs if held[one.id] != UNTOUCHED]
    decided = {other.id: (UNTOUCHED, _found_again(held[one.id])) for one, other in same}
    if decided:
        title = before.title if before.created_at is None else f"{before.title}, {before.created_at:%d %b %Y}"
        triage_db.save_triage(app.db, user.id, decided, changed_by="PolicyPal", note=f"Carried over from {title}")
    return len(decided)


def waiting(app: Container, user: User, report_ids: Collection[str]) -> list[WaitingFinding]:
    """The findings of these reports that are not closed, overdue and severe ones first (T4)."""
    today = date.today()
    found = triage_db.list_waiting(app.db, user.id, uuids(report_ids), today)
    return sorted(found, key=lambda w: (not w.triage.is_overdue(today), w.finding.severity.rank))


def statuses(app: Container, user: User, report_ids: Collection[str]) -> dict[str, dict[TriageStatus, int]]:
    """By report: how many of its findings stand where."""
    return triage_db.count_statuses(app.db, user.id, uuids(report_ids))


def _found_again(triage: Triage) -> Triage:
    return replace(triage, status=TriageStatus.OPEN) if triage.status is TriageStatus.RESOLVED else triage


def _decided(before: Triage, changes: TriageChange) -> Triage:
    after = replace(before, **changes)
    if after.status is not TriageStatus.ACCEPTED_RISK:
        after = replace(
            after, reason="" if before.status is TriageStatus.ACCEPTED_RISK else after.reason, expires_on=None
        )
    if after.status is TriageStatus.ACCEPTED_RISK and not after.reason:
        raise InvalidInput("Please say why the risk is accepted.")
    return after


def _texts(changes: TriageChange) -> dict[str, str]:
    return {name: fitting(str(changes[name]), most, name) for name, most in _LIMITS.items() if name in changes}  # type: ignore[literal-required]
