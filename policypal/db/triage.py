"""Decisions about findings and their history (A7)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date

from psycopg.types.json import Jsonb

from policypal.db.pool import NOW, Database, insert, made, put
from policypal.domain.audits import Finding
from policypal.domain.triage import Triage, TriageEvent, TriageStatus, WaitingFinding, with_corrections


def load_triage(db: Database, user_id: str, finding_ids: Sequence[str]) -> dict[str, Triage]:
    """By finding id; findings nobody has decided about are left out."""
    sql = "SELECT * FROM finding_triage WHERE user_id = %s AND finding_id = ANY(%s::uuid[])"
    rows = db.rows(user_id, sql, (user_id, list(finding_ids)))
    return {row["finding_id"]: triage for row, triage in zip(rows, made(Triage, rows), strict=True)}


def save_triage(
    db: Database, user_id: str, decided: Mapping[str, tuple[Triage, Triage]], *, changed_by: str, note: str = ""
) -> None:
    """Store decisions, (before, after) by finding id, with their history: all of them or none. Findings that are gone are left out."""
    with db.as_user(user_id) as c:
        held = "SELECT id FROM findings WHERE user_id = %s AND id = ANY(%s::uuid[])"
        ids = [row["id"] for row in c.execute(held, (user_id, list(decided))).fetchall()]
        with c.pipeline():
            for finding_id in ids:
                before, after = decided[finding_id]
                now = {"user_id": user_id, "updated_at": NOW, **asdict(after)}
                c.execute(*put("finding_triage", {"finding_id": finding_id}, **now))
                told = {"changed_by": changed_by, "changes": Jsonb(_differences(before, after)), "note": note}
                c.execute(*insert("triage_history", finding_id=finding_id, user_id=user_id, **told))


def list_waiting(db: Database, user_id: str, report_ids: Sequence[str], today: date) -> list[WaitingFinding]:
    """The findings of these reports that are open, in progress, or accepted as a risk until a day that has passed."""
    sql = (
        "SELECT r.id AS report_id, r.title, f.body, f.id AS finding_id, coalesce(t.status, 'open') AS status, coalesce(t.owner, '') AS owner, t.due_on,"
        " coalesce(t.reason, '') AS reason, t.expires_on, coalesce(t.evidence, '') AS evidence, t.severity,"
        " coalesce(t.wording, '') AS wording FROM findings f JOIN audit_reports r ON r.id = f.report_id"
        " LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
        " WHERE f.user_id = %s AND f.ordinal >= 0 AND r.user_id = f.user_id AND r.id = ANY(%s::uuid[]) AND (t.status IS NULL"
        "  OR t.status IN ('open', 'in_progress') OR (t.status = 'accepted_risk' AND t.expires_on < %s))"
        " ORDER BY r.created_at DESC, f.ordinal"
    )
    rows = db.rows(user_id, sql, (user_id, list(report_ids), today))
    return [
        WaitingFinding(r["report_id"], r["title"], with_corrections(Finding(**r["body"]), held), held)
        for r, held in zip(rows, made(Triage, rows), strict=True)
    ]


def count_statuses(db: Database, user_id: str, report_ids: Sequence[str]) -> dict[str, dict[TriageStatus, int]]:
    """By report id, every one of them: how many of its findings have which status."""
    counts: dict[str, dict[TriageStatus, int]] = {i: {} for i in report_ids}
    sql = (
        "SELECT f.report_id, coalesce(t.status, 'open') AS status, count(*) AS n FROM findings f"
        " LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
        " WHERE f.user_id = %s AND f.ordinal >= 0 AND f.report_id = ANY(%s::uuid[]) GROUP BY 1, 2 ORDER BY 1, 2"
    )
    for row in db.rows(user_id, sql, (user_id, list(report_ids))):
        counts[row["report_id"]][TriageStatus(row["status"])] = row["n"]
    return counts


def load_history(db: Database, user_id: str, finding_id: str) -> list[TriageEvent]:
    """What was changed of a finding, latest first."""
    sql = "SELECT * FROM triage_history WHERE user_id = %s AND finding_id = %s ORDER BY id DESC"
    return made(TriageEvent, db.rows(user_id, sql, (user_id, finding_id)))


def _differences(before: Triage, after: Triage) -> dict[str, tuple[str, str]]:
    one, other = asdict(before), asdict(after)
    return {name: (str(one[name] or ""), str(other[name] or "")) for name in one if one[name] != other[name]}
