"""Research threads and the versions of their reports (W6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from psycopg.types.json import Jsonb

from policypal.db.pool import Connection, Database, Row, add, insert, made_one
from policypal.domain.identifiers import is_uuid
from policypal.domain.research import Mode, Report, ResearchThread
from policypal.errors import Conflict

_STATUS = {"": "failed", "interrupted": "waiting"}
_BODY = frozenset({"sections", "citations", "sources", "contradictions", "issues"})
_THREADS = (
    "SELECT t.*, c.title, r.status FROM research_threads t"
    " JOIN conversations c ON c.thread_id = t.thread_id AND c.user_id = t.user_id"
    " LEFT JOIN LATERAL (SELECT CASE WHEN EXISTS (SELECT 1 FROM messages m WHERE m.run_id = runs.run_id"
    " AND m.user_id = runs.user_id AND m.role = 'assistant') THEN 'finished' ELSE status END AS status FROM runs"
    " WHERE thread_id = t.thread_id AND user_id = t.user_id ORDER BY started_at DESC LIMIT 1) r ON true"
    " WHERE t.user_id = %s"
)


@dataclass(frozen=True, slots=True)
class Begin:
    """What a research thread begins with. ``parent`` are the thread, the checkpoint and the title of the step it is
    forked from."""

    thread_id: str
    goal: str
    title: str
    mode: Mode
    document_ids: Sequence[str] = ()
    without_model: bool = False
    parent: tuple[str, str, str] | None = None


def add_thread(db: Database, user_id: str, begin: Begin) -> None:
    """Create a research thread with its conversation, once: doing it twice changes nothing."""
    parent = begin.parent or (None, None, "")
    with db.as_user(user_id) as c:
        talk = {"thread_id": begin.thread_id, "user_id": user_id}
        c.execute(*add("conversations", kind="research", title=begin.title, **talk))
        if not c.execute(
            "SELECT 1 FROM conversations WHERE thread_id = %(thread_id)s AND user_id = %(user_id)s", talk
        ).fetchone():
            return
        told = {"goal": begin.goal, "mode": begin.mode, "without_model": begin.without_model, "forked_at": parent[2]}
        fork = {
            "parent_thread_id": parent[0],
            "parent_checkpoint_id": parent[1],
            "document_ids": list(begin.document_ids),
        }
        c.execute(*add("research_threads", **talk, **told, **fork))


def list_threads(db: Database, user_id: str) -> list[ResearchThread]:
    """Latest first."""
    rows = db.rows(user_id, f"{_THREADS} ORDER BY t.created_at DESC, t.thread_id", (user_id,))
    return [_thread(row) for row in rows]


def find_thread(db: Database, user_id: str, thread_id: str) -> ResearchThread | None:
    if not is_uuid(thread_id):
        return None
    row = db.row(user_id, f"{_THREADS} AND t.thread_id = %s", (user_id, thread_id))
    return _thread(row) if row else None


def beginning(db: Database, user_id: str, thread_id: str) -> Begin | None:
    """What the thread began with."""
    sql = "SELECT *, '' AS title FROM research_threads WHERE thread_id = %s AND user_id = %s"
    return made_one(Begin, db.row(user_id, sql, (thread_id, user_id))) if is_uuid(thread_id) else None


def add_report(db: Database, user_id: str, report: Report, run_id: str) -> Report:
    """Store the report a run has written, as the thread's next version; the stored one if the run's is there already."""
    with db.as_user(user_id) as c:
        _hold(c, user_id, report.thread_id)
        known = c.execute(
            "SELECT * FROM research_reports WHERE thread_id = %s AND run_id = %s AND user_id = %s",
            (report.thread_id, run_id, user_id),
        ).fetchone()
        return _report(known) if known else _insert(c, user_id, report, run_id)


def add_edited(db: Database, user_id: str, report: Report, expected_version: int) -> Report:
    """Store an edited version after ``expected_version``. Raises Conflict: there is a later version."""
    with db.as_user(user_id) as c:
        _hold(c, user_id, report.thread_id)
        if _latest_version(c, user_id, report.thread_id) != expected_version:
            raise Conflict
        return _insert(c, user_id, report, None)


def list_reports(db: Database, user_id: str, thread_id: str) -> list[Report]:
    """All versions, latest first."""
    sql = "SELECT * FROM research_reports WHERE thread_id = %s AND user_id = %s ORDER BY version DESC"
    return [_report(row) for row in db.rows(user_id, sql, (thread_id, user_id))]


def _hold(c: Connection, user_id: str, thread_id: str) -> None:
    """Until the end of the transaction nobody else adds a version."""
    c.execute("SELECT 1 FROM research_threads WHERE thread_id = %s AND user_id = %s FOR UPDATE", (thread_id, user_id))


def _latest_version(c: Connection, user_id: str, thread_id: str) -> int:
    sql = "SELECT coalesce(max(version), 0) AS latest FROM research_reports WHERE thread_id = %s AND user_id = %s"
    (row,) = c.execute(sql, (thread_id, user_id)).fetchall()
    return int(row["latest"])


def _insert(c: Connection, user_id: str, report: Report, run_id: str | None) -> Report:
    stored = {"id": str(uuid4()), "version": _latest_version(c, user_id, report.thread_id) + 1}
    told = {name: getattr(report, name) for name in ("thread_id", "title", "markdown", "origin", "engine")}
    body = Jsonb(report.model_dump(mode="json", include=set(_BODY)))
    c.execute(*insert("research_reports", user_id=user_id, run_id=run_id, body=body, **told, **stored))
    (row,) = c.execute("SELECT * FROM research_reports WHERE id = %s", (stored["id"],)).fetchall()
    return _report(row)


def _report(row: Row) -> Report:
    return Report(**{**row, **row["body"]})


def _thread(row: Row) -> ResearchThread:
    status = row["status"] or ""
    return ResearchThread(**{**row, "status": _STATUS.get(status, status)})
