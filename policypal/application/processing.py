"""Following a batch of documents into the library, calling it off, and trying again what failed (D4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from policypal.application import library
from policypal.application.container import Container
from policypal.db import ingestion as ingestion_db
from policypal.db import jobs as jobs_db
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.identifiers import uuids
from policypal.domain.users import User

CANCELLED = ingestion_db.CANCELLED
_OVERHEAD_BYTES = 100_000
"""What any document costs beside its size, in bytes of an average one; only for the estimate of the time left."""
_NEEDS_SOMETHING = {"password_required", "damaged_document", "not_a_document", "empty_document"}
"""Reasons that stay until the person gives a password or another file."""
_TOO_SOON_SECONDS = 3.0
_TOO_LITTLE = 0.02


@dataclass(frozen=True, slots=True)
class Batch:
    """The documents that were queued since ``began`` while others were being read, back to when none was. ``share`` of the work is done,
    in [0, 1]; ``seconds_left`` is an estimate, None while there is nothing to estimate from. ``final_in_library`` counts
    what is ready or failed in the whole library."""

    began: datetime
    unfinished: tuple[Document, ...]
    ready: int
    failed: int
    share: float
    seconds_left: float | None
    final_in_library: int

    @property
    def size(self) -> int:
        return len(self.unfinished) + self.ready + self.failed


def batch_of(documents: Sequence[Document], now: datetime, since: datetime | None = None) -> Batch:
    """The batch that is being worked on; where nothing is, what was finished after ``since``. Cancelled documents do not
    count."""
    counted = [d for d in documents if not is_cancelled(d)]
    start = _beginning(counted, since or now)
    members = [d for d in counted if not d.status.is_final or _finished(d) >= start]
    unfinished = tuple(d for d in members if not d.status.is_final)
    ready = sum(d.status is DocumentStatus.READY for d in members)
    share = _share_done(members)
    return Batch(
        start,
        unfinished,
        ready,
        failed=len(members) - len(unfinished) - ready,
        share=share,
        seconds_left=_left((now - start).total_seconds(), share),
        final_in_library=sum(d.status.is_final for d in documents),
    )


def _beginning(documents: Sequence[Document], latest: datetime) -> datetime:
    """When the first document of the batch was queued: going back from those that are unfinished, every document that was
    not finished when another one of the batch was queued belongs to it, too."""
    start = min((_queued(d) for d in documents if not d.status.is_final), default=latest)
    for document in sorted(documents, key=_finished, reverse=True):
        if _finished(document) < start:
            break
        start = min(start, _queued(document))
    return start


def _queued(document: Document) -> datetime:
    return document.queued_at or document.created_at


def _finished(document: Document) -> datetime:
    """Of an unfinished document, a time that is still to come."""
    if not document.status.is_final:
        return datetime.max.replace(tzinfo=UTC)
    return document.finished_at or document.created_at


def progress(app: Container, user: User, since: datetime | None = None) -> Batch:
    """How far the documents that are being read have come, one by one and together; as :func:`batch_of`."""
    return batch_of(library.list_documents(app, user), datetime.now(UTC), since)


def unread_seconds(app: Container, user: User) -> float | None:
    """For how long no process has read documents although some of this person's wait; None where one does or none waits.
    Read from the workers' signs of life, because nothing else knows of those on other machines (D5)."""
    state = jobs_db.queue_state(app.db, user.id)
    return state.unread_seconds if state is not None else None


def cancel(app: Container, user: User, document_ids: Sequence[str]) -> int:
    """Stop reading these documents, or take them out of the queue; how many were not finished. They stay in the library as
    failed, with "cancelled" as the reason, and can be tried again or deleted."""
    return ingestion_db.cancel(app.db, user.id, uuids(document_ids))


def cancel_all(app: Container, user: User) -> int:
    """:func:`cancel` everything that is waiting or being read."""
    return ingestion_db.cancel(app.db, user.id, None)


def requeue(app: Container, user: User, documents: Sequence[Document]) -> None:
    """Read these documents from the beginning."""
    ingestion_db.requeue(app.db, user.id, [d.id for d in documents])
    for document in documents:
        app.jobs.defer_ingest(user.id, document.id)


def retry_failed(app: Container, user: User) -> int:
    """Queue all failed documents again that can be read without anything else; how many."""
    failed = [d for d in library.list_documents(app, user) if can_be_tried_again(d)]
    requeue(app, user, failed)
    return len(failed)


def can_be_tried_again(document: Document) -> bool:
    """Whether trying again can change something and needs nothing from the person (D4): a file that is no document stays what it is."""
    return document.status is DocumentStatus.FAILED and document.reason_code not in _NEEDS_SOMETHING


def is_cancelled(document: Document) -> bool:
    """Whether somebody stopped its reading, which is no failure."""
    return document.reason_code == CANCELLED


def _share_done(members: Sequence[Document]) -> float:
    weights = [d.size_bytes + _OVERHEAD_BYTES for d in members]
    done = sum(w if d.status.is_final else w * d.progress for w, d in zip(weights, members, strict=True))
    return done / sum(weights) if weights else 1.0


def _left(elapsed: float, share: float) -> float | None:
    if elapsed < _TOO_SOON_SECONDS or share < _TOO_LITTLE:
        return None
    return elapsed * (1 - share) / share
