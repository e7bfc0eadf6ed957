"""The provisions of documents and what analysts changed in their registers (D11, D12).

Rows of a deleted document are read through its row, which row-level security hides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from policypal.db.pool import Connection, Database
from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import RegisterChange

_HERE = "JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id WHERE p.document_id = %s AND p.user_id = %s"


def insert_provisions(
    c: Connection,
    user_id: str,
    document_id: str,
    provisions: Sequence[Provision],
    *,
    outline: Sequence[str],
    version: int,
) -> None:
    """Replace a document's provisions by what a reader of this ``version`` found, in the caller's transaction."""
    c.execute("DELETE FROM provisions WHERE document_id = %s AND user_id = %s", (document_id, user_id))
    with c.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO provisions (document_id, user_id, ordinal, label, headings, page, sentences)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s::jsonb)",
            [(document_id, user_id, p.ordinal, p.label, list(p.headings), p.page, _packed(p)) for p in provisions],
        )
    c.execute(
        "INSERT INTO outlines (document_id, user_id, titles) VALUES (%s, %s, %s)"
        " ON CONFLICT (document_id) DO UPDATE SET titles = EXCLUDED.titles",
        (document_id, user_id, list(outline)),
    )
    c.execute(
        "UPDATE documents SET reader_version = %s WHERE id = %s AND user_id = %s", (version, document_id, user_id)
    )


def replace_provisions(
    db: Database,
    user_id: str,
    document_id: str,
    provisions: Sequence[Provision],
    *,
    outline: Sequence[str],
    version: int,
) -> None:
    """:func:`insert_provisions` for a document that is ready; nothing for one that is not (any more)."""
    with db.as_user(user_id) as c:
        ready = c.execute(
            "SELECT 1 FROM documents WHERE id = %s AND user_id = %s AND status = 'ready' FOR UPDATE",
            (document_id, user_id),
        ).fetchone()
        if ready is not None:
            insert_provisions(c, user_id, document_id, provisions, outline=outline, version=version)


def load_provisions(db: Database, user_id: str, document_id: str) -> list[Provision]:
    """The provisions of a document in reading order, with the words of their sentences."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            f"SELECT p.ordinal, p.label, p.headings, p.page, p.sentences FROM provisions p {_HERE} ORDER BY p.ordinal",
            (document_id, user_id),
        ).fetchall()
        pages = c.execute(f"SELECT p.number, p.text FROM pages p {_HERE}", (document_id, user_id)).fetchall()
    texts = {row["number"]: row["text"] for row in pages}
    return [_provision(row, texts) for row in rows]


def load_reading(db: Database, user_id: str, document_id: str) -> tuple[list[Page], list[str]]:
    """What the reader of provisions needs of a stored document: its pages and the titles of its outline."""
    with db.as_user(user_id) as c:
        row = c.execute(f"SELECT p.titles FROM outlines p {_HERE}", (document_id, user_id)).fetchone()
        pages = c.execute(f"SELECT p.number, p.text FROM pages p {_HERE} ORDER BY p.number", (document_id, user_id))
        return [Page(p["number"], p["text"]) for p in pages.fetchall()], list(row["titles"]) if row else []


def documents_to_read(db: Database, version: int, *, task: str) -> list[tuple[str, str]]:
    """(user id, document id) of ready documents whose provisions an older reader made, and that no job of ``task`` waits for."""
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT user_id, id FROM documents d WHERE status = 'ready' AND deleted_at IS NULL AND reader_version < %s"
            " AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs j WHERE j.status = 'todo' AND j.task_name = %s"
            "  AND j.args->>'document_id' = d.id::text) ORDER BY user_id, created_at",
            (version, task),
        ).fetchall()
    return [(str(row["user_id"]), str(row["id"])) for row in rows]


def load_changes(db: Database, user_id: str, document_id: str) -> dict[str, RegisterChange]:
    """What was changed in the register of a document, by the entry it concerns."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT p.entry, p.text, p.is_added, p.is_struck, p.merged_into, p.kind, p.party, p.note FROM register_changes p"
            f" {_HERE} ORDER BY p.created_at, p.id",
            (document_id, user_id),
        ).fetchall()
    return {row["entry"]: _change(row) for row in rows}


def save_change(db: Database, user_id: str, document_id: str, change: RegisterChange) -> None:
    """Store what an entry was changed to; the latest change of an entry counts."""
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO register_changes (id, user_id, document_id, entry, text, is_added, is_struck, merged_into, kind, party, note)"
            " VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (document_id, entry) DO UPDATE SET is_struck = EXCLUDED.is_struck, merged_into = EXCLUDED.merged_into,"
            " kind = EXCLUDED.kind, party = EXCLUDED.party, note = EXCLUDED.note, text = EXCLUDED.text, updated_at = now()",
            (
                user_id, document_id, change.entry, change.text, change.is_added, change.is_struck, change.merged_into,
                change.kind, change.party, change.note,
            ),
        )  # fmt: skip


def delete_change(db: Database, user_id: str, document_id: str, entry: str) -> None:
    """Take a change back: the entry is again as it was read; what was added is gone."""
    with db.as_user(user_id) as c:
        c.execute(
            "DELETE FROM register_changes WHERE document_id = %s AND user_id = %s AND entry = %s",
            (document_id, user_id, entry),
        )


def _packed(provision: Provision) -> str:
    return json.dumps(
        [[s.number, s.page, s.start, s.end, s.kind, s.introduction, s.introduces, s.party] for s in provision.sentences]
    )


def _provision(row: Mapping[str, Any], texts: Mapping[int, str]) -> Provision:
    sentences = tuple(
        ProvisionSentence(number, page, start, end, texts[page][start:end], Kind(kind), introduction, introduces, party)
        for number, page, start, end, kind, introduction, introduces, party in row["sentences"]
        if page in texts
    )
    return Provision(row["ordinal"], row["label"], tuple(row["headings"]), row["page"], sentences)


def _change(row: Mapping[str, Any]) -> RegisterChange:
    return RegisterChange(
        entry=row["entry"], text=row["text"], is_added=row["is_added"], is_struck=row["is_struck"],
        merged_into=row["merged_into"], kind=Kind(row["kind"]) if row["kind"] else None, party=row["party"], note=row["note"],
    )  # fmt: skip
