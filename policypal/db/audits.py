"""Stored audit reports and their findings (A5, A7)."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from policypal.db.pool import Database, Row, add, delete, insert, made
from policypal.domain.audits import AuditReport, AuditSubject, Finding, ReportOverview, ReviewPair, Severity
from policypal.domain.verdicts import OverallStatus, headline, relabelled, with_raised

_NOT_IN_BODY = frozenset({"id", "title", "thread_id", "created_at", "overall_status", "summary", "findings", "verdict"})


def save_report(db: Database, user_id: str, report: AuditReport) -> AuditReport:
    """Store a report with its findings in one transaction and return it with ids. Saving the same id twice keeps one."""
    report = report.model_copy(
        update={"findings": tuple(f.model_copy(update={"id": f.id or str(uuid4())}) for f in report.findings)}
    )
    with db.as_user(user_id) as c:
        told = {name: getattr(report, name) for name in ("id", "thread_id", "title", "overall_status", "summary")}
        body = Jsonb(report.model_dump(mode="json", exclude=set(_NOT_IN_BODY)))
        if c.execute(*add("audit_reports", user_id=user_id, body=body, **told)).rowcount:
            with c.pipeline():
                for n, f in enumerate(report.findings):
                    c.execute(*insert("findings", user_id=user_id, report_id=report.id, ordinal=n, **_columns(f)))
        made_at = c.execute("SELECT created_at FROM audit_reports WHERE id = %s", (report.id,)).fetchone()
    return report.model_copy(update=made_at) if made_at else report


def _columns(finding: Finding) -> dict[str, Any]:
    told = {name: getattr(finding, name) for name in ("id", "severity", "kind", "target_document", "theme")}
    return {**told, "body": Jsonb(finding.model_dump(mode="json"))}


_FINDING = (
    "f.body, t.status IS NOT DISTINCT FROM 'false_positive' AS is_false"
    " FROM findings f LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
)


def _report(row: Row, rows: Sequence[Row]) -> AuditReport:
    findings = tuple(Finding(**r["body"]) for r in rows)
    report = AuditReport(**{**row, **row["body"], "findings": findings})
    weigh = (f.severity for f, r in zip(findings, rows, strict=True) if f.is_raised and not r["is_false"])
    status = with_raised(report.overall_status, weigh)
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
    sql = (
        "SELECT r.id, r.title, r.created_at, r.overall_status, r.thread_id,"
        " coalesce(r.body->'targets_checked', '[]') AS targets_checked, coalesce(r.body->>'source_title', '') AS source_title,"
        " coalesce(r.body->>'focus', '') AS focus, CASE WHEN r.body ? 'judged'"
        "  THEN r.body - ARRAY['coverage', 'contradicted', 'review', 'source_text'] ELSE r.body END AS body, (SELECT"
        "  jsonb_object_agg(severity, n) FROM (SELECT coalesce(t.severity, f.severity) AS severity,"
        "    count(*) AS n FROM findings f LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id"
        "   WHERE f.report_id = r.id AND f.user_id = r.user_id AND f.ordinal >= 0 AND t.status IS DISTINCT FROM 'false_positive' GROUP BY 1) AS s) AS counts, ARRAY(SELECT f.severity FROM findings f"
        "   LEFT JOIN finding_triage t ON t.finding_id = f.id AND t.user_id = f.user_id WHERE f.report_id = r.id AND f.user_id = r.user_id"
        "   AND f.ordinal >= 0 AND t.status IS DISTINCT FROM 'false_positive' AND f.body->>'is_raised' = 'true') AS raised"
        " FROM audit_reports r WHERE r.user_id = %s ORDER BY r.created_at DESC"
    )
    return made(ReportOverview, map(_overview, db.rows(user_id, sql, (user_id,))))


def _overview(row: Row) -> Row:
    told = relabelled({**row["body"], "overall_status": row["overall_status"]})
    status = with_raised(OverallStatus(told["overall_status"]), row["raised"])
    words = headline(status, told["judged"], told["obligations"], told["covered"], told["read_whole"])
    counts = {s: (row["counts"] or {}).get(s.value, 0) for s in Severity}
    return {**row, "overall_status": status, "headline": words, "counts": counts}


def list_subjects(db: Database, user_id: str) -> list[AuditSubject]:
    """What the user's reports audited, latest first; their findings stay where they are."""
    sql = (
        "SELECT id AS report_id, created_at AS made_at, coalesce(body->>'source_title', '') AS source_title,"
        " body->>'source_document_id' AS source_document_id, md5(coalesce(body->>'source_text', '')) AS text_digest,"
        " coalesce(body->>'focus', '') AS focus, jsonb_path_query_array(body, '$.documents[*].id') AS document_ids"
        " FROM audit_reports WHERE user_id = %s ORDER BY created_at DESC"
    )
    return made(AuditSubject, db.rows(user_id, sql, (user_id,)))


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
                " SELECT %(id)s, r.user_id, r.id, (SELECT coalesce(max(greatest(ordinal, -1 - ordinal)), -1) + 1 FROM findings WHERE report_id = r.id),"
                " %(severity)s, %(kind)s, %(target_document)s, %(theme)s, %(body)s"
                " FROM audit_reports r WHERE r.id = %(report)s AND r.user_id = %(user)s"
                " ON CONFLICT (id) DO UPDATE SET severity = EXCLUDED.severity, body = EXCLUDED.body,"
                " ordinal = greatest(findings.ordinal, -1 - findings.ordinal)",
                {"report": report_id, "user": user_id, **_columns(f)},
            )  # fmt: skip


def delete_report(db: Database, user_id: str, report_id: str) -> bool:
    return db.run(user_id, *delete("audit_reports", id=report_id, user_id=user_id)) == 1
