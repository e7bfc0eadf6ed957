"""Conversations, messages, runs and traces: the interface's memory (M1, M5, U6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import NOW, Connection, Database, Row, add, delete, made, made_one, put, update
from policypal.domain.conversations import Conversation, ConversationKind, Message, TraceEntry
from policypal.domain.identifiers import is_uuid
from policypal.domain.verdicts import relabelled_answer

ACCEPTING_SECONDS = 5.0
"""How long a run may hold its thread's lease before its input is recorded."""
LEASE_SECONDS = 30
"""A running run whose heartbeat is older than this belongs to a process that is gone."""


def _message(row: Row) -> Message:
    payload, content = row["payload"], row["content"]
    if honest := relabelled_answer(payload):
        payload, earlier, shown = honest
        content = content.replace(earlier, shown, 1) if earlier else content
    return made(Message, [{**row, "payload": payload, "content": content}])[0]


def create_conversation(db: Database, user_id: str, thread_id: str) -> bool:
    """Create a conversation; False if the thread exists already (whoever owns it)."""
    return db.run(user_id, *add("conversations", thread_id=thread_id, user_id=user_id)) == 1


def find_conversation(db: Database, user_id: str, thread_id: str) -> Conversation | None:
    """The conversation; research threads are none."""
    sql = "SELECT * FROM conversations WHERE thread_id = %s AND user_id = %s AND kind = 'chat'"
    return made_one(Conversation, db.row(user_id, sql, (thread_id, user_id))) if is_uuid(thread_id) else None


def list_conversations(
    db: Database, user_id: str, *, containing: str = "", limit: int = 200, pinned_first: bool = False
) -> list[Conversation]:
    """Chats, latest first; ``containing`` searches titles and messages, case-insensitively."""
    sql = "SELECT * FROM conversations c WHERE user_id = %(user)s AND kind = 'chat'"
    if containing:
        sql += (
            " AND (title ILIKE %(like)s OR EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = c.thread_id"
            " AND m.user_id = %(user)s AND m.content ILIKE %(like)s))"
        )
    like = "%" + containing.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    sql += f" ORDER BY {'is_pinned DESC, ' if pinned_first else ''}last_message_at DESC LIMIT %(limit)s"
    return made(Conversation, db.rows(user_id, sql, {"user": user_id, "like": like, "limit": limit}))


def rename_conversation(db: Database, user_id: str, thread_id: str, title: str) -> bool:
    return db.run(user_id, *update("conversations", {"thread_id": thread_id, "user_id": user_id}, title=title)) == 1


def set_pinned(db: Database, user_id: str, thread_id: str, *, pinned: bool) -> bool:
    key = {"thread_id": thread_id, "user_id": user_id}
    return db.run(user_id, *update("conversations", key, is_pinned=pinned)) == 1


def delete_conversation(db: Database, user_id: str, thread_id: str) -> bool:
    """Delete with messages, runs and traces; audit reports stay (A5)."""
    return db.run(user_id, *delete("conversations", thread_id=thread_id, user_id=user_id)) == 1


def begin_run(db: Database, user_id: str, thread_id: str, run_id: str, owner: str) -> bool:
    """Take the thread's lease; False if another live run holds it. A lease whose heartbeat stopped is taken over."""
    with db.as_user(user_id, durable=False) as c:
        c.execute(
            "UPDATE runs SET status = 'failed', finished_at = now() WHERE thread_id = %s AND user_id = %s"
            " AND status = 'running' AND heartbeat_at < now() - make_interval(secs => %s)",
            (thread_id, user_id, LEASE_SECONDS),
        )
        run = {"run_id": run_id, "user_id": user_id, "thread_id": thread_id, "status": "running", "owner": owner}
        return c.execute(*add("runs", **run)).rowcount == 1


def release_owned_runs(db: Database, owners_alive: Sequence[str], owner_prefix: str) -> int:
    """End the runs of this machine's dead processes at start-up. ``owner`` is "host:pid:token"."""
    with db.as_owner() as c:
        done = c.execute(
            "UPDATE runs SET status = 'failed', finished_at = now() WHERE status = 'running'"
            " AND starts_with(owner, %s) AND NOT owner = ANY(%s)",
            (owner_prefix, list(owners_alive)),
        )
        return done.rowcount


def running_owners(db: Database, owner_prefix: str) -> list[str]:
    """Owners of running runs on this machine."""
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT DISTINCT owner FROM runs WHERE status = 'running' AND starts_with(owner, %s)", (owner_prefix,)
        ).fetchall()
    return [row["owner"] for row in rows]


def held_runs(db: Database, run_ids: Sequence[str], *, renew: bool) -> dict[str, bool]:
    """Which of these runs still hold their lease, and whether they are asked to stop. ``renew`` is the heartbeat.

    Housekeeping of a process for its own runs, whoever they work for: one statement for all of them.
    """
    ours, told = "run_id = ANY(%s::uuid[]) AND status = 'running'", "run_id, stop_requested"
    sql = f"SELECT {told} FROM runs WHERE {ours}"
    if renew:
        sql = f"UPDATE runs SET heartbeat_at = now() WHERE {ours} RETURNING {told}"
    with db.as_owner() as c:
        rows = c.execute(sql, (list(run_ids),)).fetchall()
    return {row["run_id"]: row["stop_requested"] for row in rows}


def request_stop(db: Database, user_id: str, thread_id: str) -> bool:
    """Ask the run that holds the thread's lease to stop, in whatever process it works; False if there is none."""
    key = {"thread_id": thread_id, "user_id": user_id, "status": "running"}
    return db.run(user_id, *update("runs", key, stop_requested=True)) == 1


def end_run(db: Database, user_id: str, run_id: str, status: str) -> bool:
    """Give the lease back; False if it was not held any more."""
    with db.as_user(user_id) as c:
        return _end(c, user_id, run_id, status)


def _end(c: Connection, user_id: str, run_id: str, status: str) -> bool:
    key = {"run_id": run_id, "user_id": user_id, "status": "running"}
    return c.execute(*update("runs", key, status=status, finished_at=NOW)).rowcount == 1


def withdraw_run(db: Database, user_id: str, run_id: str) -> None:
    """Give back the lease of a run whose input was not accepted; nothing of the run remains."""
    db.run(user_id, *delete("runs", run_id=run_id, user_id=user_id, status="running"))


def finish_run(
    db: Database,
    user_id: str,
    thread_id: str,
    run_id: str,
    status: str,
    role: str,
    content: str,
    payload: dict[str, Any],
) -> bool:
    """Append a run's outcome and give the lease back, both or neither; False if the lease was lost, because then the
    thread may have moved on."""
    with db.as_user(user_id) as c:
        if not _end(c, user_id, run_id, status):
            return False
        told: dict[str, Any] = {
            "role": role,
            "content": content,
            "payload": payload,
            "idempotency_key": answer_key(run_id),
        }
        return _append(c, user_id, thread_id, run_id=run_id, **told)


def answer_key(run_id: str) -> str:
    """The idempotency key of a run's outcome: a run has one."""
    return f"answer:{run_id}"


@dataclass(frozen=True, slots=True)
class Lease:
    """Who works on a thread. ``expired``: its heartbeat stopped."""

    run_id: str
    owner: str
    expired: bool


def lease(db: Database, user_id: str, thread_id: str) -> Lease | None:
    """The thread's lease, if a run holds one."""
    sql = (
        "SELECT run_id, owner, heartbeat_at < now() - make_interval(secs => %s) AS expired FROM runs"
        " WHERE thread_id = %s AND user_id = %s AND status = 'running'"
    )
    return made_one(Lease, db.row(user_id, sql, (LEASE_SECONDS, thread_id, user_id)))


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a thread stands, as far as its tables tell: it differs as soon as there is something new to show. A question
    is open exactly if the latest run ended as "interrupted"; an empty ``run_id`` means that there was no run."""

    title: str
    last_position: int
    run_id: str
    run_status: str
    kind: ConversationKind = "chat"


def stage(db: Database, user_id: str, thread_id: str) -> Stage | None:
    """One cheap look at a thread, for interfaces that look often; None if it does not exist."""
    sql = (
        "SELECT c.title, c.kind, coalesce(r.run_id::text, '') AS run_id, coalesce(r.status, '') AS run_status,"
        " coalesce((SELECT max(m.position) FROM messages m WHERE m.thread_id = c.thread_id AND m.user_id = c.user_id), 0)"
        " AS last_position FROM conversations c LEFT JOIN LATERAL (SELECT run_id, status FROM runs"
        " WHERE thread_id = c.thread_id AND user_id = c.user_id ORDER BY started_at DESC LIMIT 1) r ON true"
        " WHERE c.thread_id = %s AND c.user_id = %s"
    )
    return made_one(Stage, db.row(user_id, sql, (thread_id, user_id)))


def add_message(
    db: Database,
    user_id: str,
    thread_id: str,
    role: str,
    content: str,
    *,
    run_id: str | None = None,
    payload: dict[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> bool:
    """Append a message once; False if ``idempotency_key`` was used before (a second click, a second tab)."""
    with db.as_user(user_id) as c:
        told: dict[str, Any] = {
            "role": role,
            "content": content,
            "payload": payload or {},
            "idempotency_key": idempotency_key,
        }
        return _append(c, user_id, thread_id, run_id=run_id, **told)


def _append(c: Connection, user_id: str, thread_id: str, *, payload: dict[str, Any], **told: Any) -> bool:
    key = {"thread_id": thread_id, "user_id": user_id}
    done = c.execute(*add("messages", payload=Jsonb(payload), **key, **told))
    c.execute(*update("conversations", key, last_message_at=NOW))
    return done.rowcount == 1


def list_messages(db: Database, user_id: str, thread_id: str) -> list[Message]:
    sql = "SELECT * FROM messages WHERE thread_id = %s AND user_id = %s ORDER BY position"
    return [_message(row) for row in db.rows(user_id, sql, (thread_id, user_id))]


def thread_of(db: Database, user_id: str, message_id: str) -> str | None:
    """The conversation in which an answer stands."""
    sql = "SELECT thread_id FROM messages WHERE id = %s AND user_id = %s AND role = 'assistant'"
    row = db.row(user_id, sql, (message_id, user_id))
    return row["thread_id"] if row else None


_SENT = "FROM messages WHERE user_id = %s AND idempotency_key = %s"


def outcome_of(db: Database, user_id: str, run_id: str) -> Message | None:
    """The answer or the error a run left in the history."""
    row = db.row(user_id, f"SELECT * {_SENT}", (user_id, answer_key(run_id)))
    return _message(row) if row else None


def message_exists(db: Database, user_id: str, idempotency_key: str) -> bool:
    return db.row(user_id, f"SELECT 1 {_SENT}", (user_id, idempotency_key)) is not None


def is_accepting(db: Database, user_id: str, thread_id: str) -> bool:
    """Whether a run has just taken the thread's lease and not yet recorded its input, which takes a moment."""
    sql = (
        "SELECT 1 FROM runs r WHERE r.thread_id = %s AND r.user_id = %s AND r.status = 'running'"
        " AND r.started_at > now() - make_interval(secs => %s) AND NOT EXISTS (SELECT 1 FROM messages m"
        " WHERE m.user_id = r.user_id AND m.run_id = r.run_id)"
    )
    return db.row(user_id, sql, (thread_id, user_id, ACCEPTING_SECONDS)) is not None


def record_answer(db: Database, user_id: str, thread_id: str, interrupt_id: str, answer: dict[str, Any]) -> None:
    """Record the answer to an interrupt, once per interrupt (G9). Called under the thread's lease, after checking that the
    interrupt is still open: an earlier row is of a process that died before its answer took effect, and is replaced."""
    told = {"user_id": user_id, "thread_id": thread_id, "answer": Jsonb(answer), "answered_at": NOW}
    db.run(user_id, *put("interrupt_answers", {"interrupt_id": interrupt_id}, **told))


def add_trace(db: Database, user_id: str, thread_id: str, run_id: str, entries: Sequence[TraceEntry]) -> None:
    if not entries:
        return
    with db.as_user(user_id, durable=False) as c:
        c.execute(
            "INSERT INTO execution_traces (user_id, thread_id, run_id, kind, name, seconds, detail)"
            " SELECT %s, %s, %s, kind, name, seconds, detail"
            " FROM unnest(%s::text[], %s::text[], %s::float8[], %s::jsonb[])"
            " WITH ORDINALITY AS told (kind, name, seconds, detail, place) ORDER BY place",
            (
                user_id, thread_id, run_id, [e.kind for e in entries], [e.name for e in entries],
                [e.seconds for e in entries], [Jsonb(e.detail) for e in entries],
            ),
        )  # fmt: skip


def list_traces(db: Database, user_id: str, thread_id: str) -> dict[str, list[TraceEntry]]:
    """All trace entries of a thread by run id, in order."""
    sql = "SELECT * FROM execution_traces WHERE thread_id = %s AND user_id = %s ORDER BY id"
    rows = db.rows(user_id, sql, (thread_id, user_id))
    traces: dict[str, list[TraceEntry]] = {}
    for row, entry in zip(rows, made(TraceEntry, rows), strict=True):
        traces.setdefault(row["run_id"], []).append(entry)
    return traces


def nodes_passed(db: Database, user_id: str, run_id: str) -> list[tuple[str, dict[str, Any]]]:
    """The nodes a run has passed so far, in order: the name of each, and what its trace says."""
    sql = "SELECT name, detail FROM execution_traces WHERE run_id = %s AND user_id = %s AND kind = 'node' ORDER BY id"
    return [(row["name"], row["detail"]) for row in db.rows(user_id, sql, (run_id, user_id))]
