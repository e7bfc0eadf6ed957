"""Where documents stand on their way into the library, and whether anybody still waits for them (D4, D5)."""

from collections.abc import Sequence

from policypal.db.pool import NOW, Database, update
from policypal.domain.documents import Document, DocumentStatus

CANCELLED = "cancelled"
"""The reason code of a document whose ingestion somebody called off."""
_CANCELLED_REASON = "It was cancelled before it was read. Nothing of it can be searched; you can try again at any time."
_UNFINISHED = "status NOT IN ('ready', 'failed')"


def report_progress(db: Database, user_id: str, document: Document, status: DocumentStatus, progress: float) -> bool:
    """Record how far the ingestion of a document has come; False if it was deleted, cancelled or begun anew meanwhile."""
    with db.as_user(user_id, durable=False) as c:
        done = c.execute(
            "UPDATE documents SET status = %s, progress = %s, updated_at = now()"
            f" WHERE id = %s AND user_id = %s AND queued_at = %s AND {_UNFINISHED}",
            (status, progress, document.id, user_id, document.queued_at),
        )
        return done.rowcount == 1


def is_wanted(db: Database, user_id: str, document: Document) -> bool:
    """Whether the document is still to be read as it was queued: neither deleted, nor cancelled, nor begun anew."""
    sql = f"SELECT 1 FROM documents WHERE id = %s AND user_id = %s AND queued_at = %s AND {_UNFINISHED}"
    return db.row(user_id, sql, (document.id, user_id, document.queued_at)) is not None


def requeue(db: Database, user_id: str, document_ids: Sequence[str]) -> None:
    """Back to the beginning, whatever has become of them."""
    key, nothing = (
        {"id": list(document_ids), "user_id": user_id},
        dict.fromkeys(("reason", "reason_code", "finished_at")),
    )
    now = {"queued_at": NOW, "updated_at": NOW}
    db.run(user_id, *update("documents", key, status="queued", progress=0, **nothing, **now))


def set_failed(db: Database, user_id: str, document_id: str, code: str, reason: str) -> None:
    """Mark as failed with a sentence for the analyst (D4, D7); a document that is ready or was cancelled stays so."""
    _fail(db, user_id, [document_id], code, reason)


def cancel(db: Database, user_id: str, document_ids: Sequence[str] | None) -> int:
    """Call off the ingestion of these documents (None: of all that are not finished); how many there were."""
    return _fail(db, user_id, document_ids, CANCELLED, _CANCELLED_REASON)


def _fail(db: Database, user_id: str, ids: Sequence[str] | None, code: str, reason: str) -> int:
    wanted = None if ids is None else list(ids)
    sql = (
        "UPDATE documents SET status = 'failed', reason = %s, reason_code = %s, finished_at = now(), updated_at = now()"
        f" WHERE user_id = %s AND {_UNFINISHED} AND (%s::uuid[] IS NULL OR id = ANY(%s::uuid[]))"
    )
    return db.run(user_id, sql, (reason, code, user_id, wanted, wanted))


def set_unlocked_key(db: Database, user_id: str, document_id: str, key: str) -> None:
    """The key of a copy that opens without a password (D7)."""
    db.run(user_id, *update("documents", {"id": document_id, "user_id": user_id}, unlocked_key=key))


def set_recognised_copy(db: Database, user_id: str, document_id: str, key: str, pages: Sequence[int]) -> None:
    """The key of a copy in which these pages have a text layer made by OCR (D7); it takes the place of the unlocked copy."""
    row = {"id": document_id, "user_id": user_id}
    db.run(user_id, *update("documents", row, unlocked_key=key, ocr_pages=list(pages)))
