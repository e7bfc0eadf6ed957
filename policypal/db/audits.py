"""Stored audit reports and their findings (A5, A7)."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from policypal.db.pool import Database
from policypal.domain.audits import AuditReport, AuditSubject, Finding, ReportOverview, ReviewPair, Severity
from policypal.domain.verdicts import OverallStatus, headline, relabelled, with_raised

_NOT_IN_BODY = frozenset({"id", "title", "thread_id", "created_at", "overall_status", "summary", "findings", "verdict"})


def save_report(db: Database, user_id: str, report: AuditReport) -> AuditReport:
    """Store a report with its findings in one transaction and return it with ids. Saving the same id twice keeps one."""
    report = report.model_copy(
        update={"findings": tuple(f.model_copy(update={"id": f.id or str(uuid4())}) for f in report.findings)}
    )
    with db.as_user(user_id) as c:
        stored = c.execute(
            "INSERT INTO audit_reports (id, user_id, thread_id, title, overall_status, summary, body)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (id) DO NOTHING RETURNING created_at",
            (
                report.id, user_id, report.thread_id, report.title, report.overall_status, report.summary,
                Jsonb(report.model_dump(mode="json", exclude=set(_NOT_IN_BODY))),
            ),
        ).fetchone()  # fmt: skip
        if stored is not None:
            report = report.model_copy(update={"created_at": stored["created_at"]})
            with c.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO findings (id, user_id, report_id, ordinal, severity, kind, target_document, theme, body)"
                    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    [
                        (f.id, user_id, report.id, n, f.severity, f.kind, f.target_document, f.theme,
                         Jsonb(f.model_dump(mode="json")))
                        for n, f in enumerate(report.findings)
                    ],
                )  # fmt: skip
    return report


_FINDING = (
    "f.body, t.status IS NOT DISTINCT FROM 'false_positive' AS is_false"
    " FROM findings f LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
)


def _report(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> AuditReport:
    report = AuditReport(
        id=str(row["id"]),
        title=row["title"],
        thread_id=str(row["thread_id"]) if row["thread_id"] else None,
        created_at=row["created_at"],
        overall_status=row["overall_status"],
        summary=row["summary"],
        findings=tuple(Finding(**r["body"]) for r in rows),
        **row["body"],
    )
    status = with_raised(
        report.overall_status,
        (f.severity for f, r in zip(report.findings, rows, strict=True) if f.is_raised and not r["is_false"]),
    )
    return report if status is report.overall_status else report.model_copy(update={"overall_status": status})


def list_reports(db: Database, user_id: str) -> list[AuditReport]:
    """All reports with their findings, latest first."""
    with db.as_user(user_id) as c:
        reports = c.execute(
            "SELECT * FROM audit_reports WHERE user_id = %s ORDER BY created_at DESC", (user_id,)
        ).fetchall()
        rows = c.execute(
            f"SELECT f.report_id, {_FINDING} WHERE f.user_id = %s AND f.ordinal >= 0 ORDER BY f.report_id, f.ordinal",
            (user_id,),
        ).fetchall()
    by_report: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        by_report.setdefault(row["report_id"], []).append(row)
    return [_report(row, by_report.get(row["id"], ())) for row in reports]


def list_overviews(db: Database, user_id: str) -> list[ReportOverview]:
    """What a list shows of the reports, latest first; their findings are counted where they are, as the analyst
    judged them: false positives do not count (A7)."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT r.id, r.title, r.created_at, r.overall_status, r.thread_id, r.body->'targets_checked' AS targets,"
            " r.body->>'source_title' AS source, r.body->>'focus' AS focus, CASE WHEN r.body ? 'judged'"
            "  THEN r.body - ARRAY['coverage', 'contradicted', 'review', 'source_text'] ELSE r.body END AS body, (SELECT"
            "  jsonb_object_agg(severity, n) FROM (SELECT coalesce(t.severity, f.severity) AS severity,"
            "    count(*) AS n FROM findings f LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
            "   WHERE f.report_id = r.id AND f.user_id = r.user_id AND f.ordinal >= 0 AND t.status IS DISTINCT FROM 'false_positive' GROUP BY 1) AS s) AS counts, ARRAY(SELECT f.severity FROM findings f"
            "   LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id WHERE f.report_id = r.id AND f.user_id = r.user_id"
            "   AND f.ordinal >= 0 AND t.status IS DISTINCT FROM 'false_positive' AND f.body->>'is_raised' = 'true') AS raised"
            " FROM audit_reports r WHERE r.user_id = %s ORDER BY r.created_at DESC",
            (user_id,),
        ).fetchall()
    return [_overview(r) for r in rows]


def _overview(row: dict[str, Any]) -> ReportOverview:
    told = relabelled({**row["body"], "overall_status": row["overall_status"]})
    status = with_raised(OverallStatus(told["overall_status"]), row["raised"])
    return ReportOverview(
        str(row["id"]), row["title"], row["created_at"], status, tuple(row["targets"] or ()),
        row["source"] or "", str(row["thread_id"]) if row["thread_id"] else None,
        {s: (row["counts"] or {}).get(s.value, 0) for s in Severity}, row["focus"] or "",
        headline(status, told["judged"], told["obligations"], told["covered"], told["read_whole"]),
    )  # fmt: skip


def list_subjects(db: Database, user_id: str) -> list[AuditSubject]:
    """What the user's reports audited, latest first; their findings stay where they are."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT id, created_at, body->>'source_title' AS source, body->>'source_document_id' AS source_id,"
            " md5(coalesce(body->>'source_text', '')) AS text_digest, coalesce(body->>'focus', '') AS focus,"
            " jsonb_path_query_array(body, '$.documents[*].id') AS documents"
            " FROM audit_reports WHERE user_id = %s ORDER BY created_at DESC",
            (user_id,),
        ).fetchall()
    return [
        AuditSubject(
            str(r["id"]),
            r["source"] or "",
            r["source_id"],
            tuple(r["documents"]),
            r["text_digest"],
            r["focus"],
            r["created_at"],
        )
        for r in rows
    ]


def find_report(db: Database, user_id: str, report_id: str) -> AuditReport | None:
    with db.as_user(user_id) as c:
        row = c.execute("SELECT * FROM audit_reports WHERE id = %s AND user_id = %s", (report_id, user_id)).fetchone()
        if row is None:
            return None
        rows = c.execute(
            f"SELECT {_FINDING} WHERE f.report_id = %s AND f.user_id = %s AND f.ordinal >= 0 ORDER BY f.ordinal",
            (report_id, user_id),
        ).fetchall()
    return _report(row, rows)


def save_review(
    db: Database, user_id: str, report_id: str, review: Sequence[ReviewPair], raised: Sequence[Finding]
) -> None:
    """Store the pairs to review of a report with what was decided about them, and the findings that were raised from them; those that
    were raised and are not any more are out of sight, with what was decided about them, until they are raised again (A7)."""
    pairs = [pair.model_dump(mode="json") for pair in review]
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE audit_reports SET body = jsonb_set(body, '{review}', %s) WHERE id = %s AND user_id = %s",
            (Jsonb(pairs), report_id, user_id),
        )
        c.execute(
            "UPDATE findings SET ordinal = -1 - ordinal WHERE report_id = %s AND user_id = %s AND body->>'is_raised' = 'true'"
            " AND ordinal >= 0 AND NOT id = ANY(%s::uuid[])",
            (report_id, user_id, [f.id for f in raised]),
        )
        for f in raised:
            c.execute(
                "INSERT INTO findings (id, user_id, report_id, ordinal, severity, kind, target_document, theme, body)"
                " SELECT %s, %s, r.id, (SELECT coalesce(max(greatest(ordinal, -1 - ordinal)), -1) + 1 FROM findings WHERE report_id = r.id), %s, %s, %s, %s, %s"
                " FROM audit_reports r WHERE r.id = %s AND r.user_id = %s"
                " ON CONFLICT (id) DO UPDATE SET severity = EXCLUDED.severity, body = EXCLUDED.body,"
                " ordinal = greatest(findings.ordinal, -1 - findings.ordinal)",
                (f.id, user_id, f.severity, f.kind, f.target_document, f.theme, Jsonb(f.model_dump(mode="json")), report_id, user_id),
            )  # fmt: skip


def delete_report(db: Database, user_id: str, report_id: str) -> bool:
    with db.as_user(user_id) as c:
        done = c.execute("DELETE FROM audit_reports WHERE id = %s AND user_id = %s", (report_id, user_id))
        return done.rowcount == 1
