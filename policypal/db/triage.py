"""Decisions about findings and their history (A7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database
from policypal.domain.audits import Severity
from policypal.domain.triage import Triage, TriageEvent, TriageStatus


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
    with db.as_user(user_id) as c:
        held = c.execute(
            "SELECT id FROM findings WHERE user_id = %s AND id = ANY(%s::uuid[])", (user_id, list(decided))
        ).fetchall()
        for finding_id in (str(row["id"]) for row in held):
            before, after = decided[finding_id]
            c.execute(
                "INSERT INTO finding_triage (finding_id, user_id, status, owner, due_on, reason, expires_on, evidence, severity)"
                " VALUES (%(id)s, %(user)s, %(status)s, %(owner)s, %(due_on)s, %(reason)s, %(expires_on)s, %(evidence)s, %(severity)s)"
                " ON CONFLICT (finding_id) DO UPDATE SET status = EXCLUDED.status, owner = EXCLUDED.owner, due_on = EXCLUDED.due_on,"
                " reason = EXCLUDED.reason, expires_on = EXCLUDED.expires_on, evidence = EXCLUDED.evidence,"
                " severity = EXCLUDED.severity, updated_at = now()",
                {"id": finding_id, "user": user_id, **asdict(after)},
            )
            c.execute(
                "INSERT INTO triage_history (finding_id, user_id, changed_by, changes, note) VALUES (%s, %s, %s, %s, %s)",
                (finding_id, user_id, changed_by, Jsonb(_differences(before, after)), note),
            )


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
        TriageStatus(row["status"]), row["owner"], row["due_on"], row["reason"], row["expires_on"], row["evidence"], severity
    )  # fmt: skip
