"""Decisions about findings and their history (A7)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database
from policypal.domain.audits import Finding, Severity
from policypal.domain.triage import Triage, TriageEvent, TriageStatus, WaitingFinding, with_corrections


def load_triage(db: Database, user_id: str, finding_ids: Sequence[str]) -> dict[str, Triage]:
    """By finding id; findings nobody has decided about are left out."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT * FROM finding_triage WHERE user_id = %s AND finding_id = ANY(%s::uuid[])",
            (user_id, list(finding_ids)),
        ).fetchall()
    return {str(row["finding_id"]): _triage(row) for row in rows}


def save_triage(
    db: Database, user_id: str, decided: Mapping[str, tuple[Triage, Triage]], *, changed_by: str, note: str = ""
) -> None:
    """Store decisions, (before, after) by finding id, with their history: all of them or none. Findings that are gone are left out."""
    with db.as_user(user_id) as c, c.cursor() as cursor:
        held = c.execute(
            "SELECT id FROM findings WHERE user_id = %s AND id = ANY(%s::uuid[])", (user_id, list(decided))
        ).fetchall()
        ids = [str(row["id"]) for row in held]
        cursor.executemany(
            "INSERT INTO finding_triage (finding_id, user_id, status, owner, due_on, reason, expires_on, evidence, severity, wording)"
            " VALUES (%(id)s, %(user)s, %(status)s, %(owner)s, %(due_on)s, %(reason)s, %(expires_on)s, %(evidence)s, %(severity)s, %(wording)s)"
            " ON CONFLICT (finding_id) DO UPDATE SET status = EXCLUDED.status, owner = EXCLUDED.owner, due_on = EXCLUDED.due_on,"
            " reason = EXCLUDED.reason, expires_on = EXCLUDED.expires_on, evidence = EXCLUDED.evidence,"
            " severity = EXCLUDED.severity, wording = EXCLUDED.wording, updated_at = now()",
            [{"id": i, "user": user_id, **asdict(decided[i][1])} for i in ids],
        )
        cursor.executemany(
            "INSERT INTO triage_history (finding_id, user_id, changed_by, changes, note) VALUES (%s, %s, %s, %s, %s)",
            [(i, user_id, changed_by, Jsonb(_differences(*decided[i])), note) for i in ids],
        )


def list_waiting(db: Database, user_id: str, report_ids: Sequence[str], today: date) -> list[WaitingFinding]:
    """The findings of these reports that are open, in progress, or accepted as a risk until a day that has passed."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT r.id AS report_id, r.title, f.body, f.id AS finding_id, coalesce(t.status, 'open') AS status,"
            " coalesce(t.owner, '') AS owner, t.due_on, coalesce(t.reason, '') AS reason, t.expires_on,"
            " coalesce(t.evidence, '') AS evidence, t.severity, coalesce(t.wording, '') AS wording FROM findings f JOIN audit_reports r ON r.id = f.report_id"
            " LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
            " WHERE f.user_id = %s AND f.ordinal >= 0 AND r.user_id = f.user_id AND r.id = ANY(%s::uuid[]) AND (t.status IS NULL"
            "  OR t.status IN ('open', 'in_progress') OR (t.status = 'accepted_risk' AND t.expires_on < %s))"
            " ORDER BY r.created_at DESC, f.ordinal",
            (user_id, list(report_ids), today),
        ).fetchall()
    return [
        WaitingFinding(str(r["report_id"]), r["title"], with_corrections(Finding(**r["body"]), held), held)
        for r in rows for held in [_triage(r)]
    ]  # fmt: skip


def count_statuses(db: Database, user_id: str, report_ids: Sequence[str]) -> dict[str, dict[TriageStatus, int]]:
    """By report id, every one of them: how many of its findings have which status."""
    counts: dict[str, dict[TriageStatus, int]] = {i: {} for i in report_ids}
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT f.report_id, coalesce(t.status, 'open') AS status, count(*) AS n FROM findings f"
            " LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
            " WHERE f.user_id = %s AND f.ordinal >= 0 AND f.report_id = ANY(%s::uuid[]) GROUP BY 1, 2 ORDER BY 1, 2",
            (user_id, list(report_ids)),
        ).fetchall()
    for row in rows:
        counts[str(row["report_id"])][TriageStatus(row["status"])] = row["n"]
    return counts


def load_history(db: Database, user_id: str, finding_id: str) -> list[TriageEvent]:
    """What was changed of a finding, latest first."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT changed_by, changed_at, changes, note FROM triage_history WHERE user_id = %s AND finding_id = %s ORDER BY id DESC",
            (user_id, finding_id),
        ).fetchall()
    return [
        TriageEvent(
            r["changed_by"], r["changed_at"], {k: (was, now) for k, (was, now) in r["changes"].items()}, r["note"]
        )
        for r in rows
    ]


def _differences(before: Triage, after: Triage) -> dict[str, tuple[str, str]]:
    one, other = asdict(before), asdict(after)
    return {name: (str(one[name] or ""), str(other[name] or "")) for name in one if one[name] != other[name]}


def _triage(row: Mapping[str, Any]) -> Triage:
    severity = Severity(row["severity"]) if row["severity"] else None
    return Triage(
        TriageStatus(row["status"]), row["owner"], row["due_on"], row["reason"], row["expires_on"], row["evidence"], severity, row["wording"],
    )  # fmt: skip
