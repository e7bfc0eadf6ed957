"""Research threads and the versions of their reports (W6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from policypal.db.pool import Connection, Database
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
        c.execute(
            "INSERT INTO conversations (thread_id, user_id, kind, title) VALUES (%s, %s, 'research', %s)"
            " ON CONFLICT DO NOTHING",
            (begin.thread_id, user_id, begin.title),
        )
        c.execute(
            "INSERT INTO research_threads (thread_id, user_id, goal, mode, document_ids, without_model,"
            " parent_thread_id, parent_checkpoint_id, forked_at)"
            " SELECT thread_id, user_id, %s, %s, %s::uuid[], %s, %s::uuid, %s, %s FROM conversations"
            " WHERE thread_id = %s AND user_id = %s ON CONFLICT DO NOTHING",
            (
                begin.goal, begin.mode, list(begin.document_ids), begin.without_model, *parent, begin.thread_id, user_id,
            ),
        )  # fmt: skip


def list_threads(db: Database, user_id: str) -> list[ResearchThread]:
    """Latest first."""
    with db.as_user(user_id) as c:
        rows = c.execute(f"{_THREADS} ORDER BY t.created_at DESC, t.thread_id", (user_id,)).fetchall()
    return [_thread(row) for row in rows]


def find_thread(db: Database, user_id: str, thread_id: str) -> ResearchThread | None:
    if not is_uuid(thread_id):
        return None
    with db.as_user(user_id) as c:
        row = c.execute(f"{_THREADS} AND t.thread_id = %s", (user_id, thread_id)).fetchone()
    return _thread(row) if row else None


def beginning(db: Database, user_id: str, thread_id: str) -> Begin | None:
    """What the thread began with."""
    if not is_uuid(thread_id):
        return None
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT * FROM research_threads WHERE thread_id = %s AND user_id = %s", (thread_id, user_id)
        ).fetchone()
    if row is None:
        return None
    ids = [str(i) for i in row["document_ids"]]
    return Begin(thread_id, row["goal"], "", row["mode"], ids, row["without_model"])


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
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT * FROM research_reports WHERE thread_id = %s AND user_id = %s ORDER BY version DESC",
            (thread_id, user_id),
        ).fetchall()
    return [_report(row) for row in rows]


def _hold(c: Connection, user_id: str, thread_id: str) -> None:
    """Until the end of the transaction nobody else adds a version."""
    c.execute("SELECT 1 FROM research_threads WHERE thread_id = %s AND user_id = %s FOR UPDATE", (thread_id, user_id))


def _latest_version(c: Connection, user_id: str, thread_id: str) -> int:
    row = c.execute(
        "SELECT coalesce(max(version), 0) AS latest FROM research_reports WHERE thread_id = %s AND user_id = %s",
        (thread_id, user_id),
    ).fetchone()
    assert row is not None
    latest: int = row["latest"]
    return latest


def _insert(c: Connection, user_id: str, report: Report, run_id: str | None) -> Report:
    row = c.execute(
        "INSERT INTO research_reports (id, user_id, thread_id, run_id, version, title, markdown, origin, engine, body)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING *",
        (
            str(uuid4()), user_id, report.thread_id, run_id, _latest_version(c, user_id, report.thread_id) + 1,
            report.title, report.markdown, report.origin, report.engine,
            Jsonb(report.model_dump(mode="json", include=set(_BODY))),
        ),
    ).fetchone()  # fmt: skip
    assert row is not None
    return _report(row)


def _report(row: dict[str, Any]) -> Report:
    return Report(
        id=str(row["id"]), thread_id=str(row["thread_id"]), version=row["version"], title=row["title"],
        markdown=row["markdown"], origin=row["origin"], engine=row["engine"], created_at=row["created_at"], **row["body"],
    )  # fmt: skip


def _thread(row: dict[str, Any]) -> ResearchThread:
    status: Any = row["status"] or ""
    return ResearchThread(
        thread_id=str(row["thread_id"]), goal=row["goal"], title=row["title"], mode=row["mode"],
        status=_STATUS.get(status, status), created_at=row["created_at"],
        parent_thread_id=str(row["parent_thread_id"]) if row["parent_thread_id"] else None,
        parent_checkpoint_id=row["parent_checkpoint_id"], forked_at=row["forked_at"],
    )  # fmt: skip
