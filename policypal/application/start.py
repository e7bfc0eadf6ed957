"""What greets a person: what waits for them, and what they worked on last (T4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from policypal.application import reaudits, triage
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.db import conversations as conversations_db
from policypal.db import documents as documents_db
from policypal.db import research as research_db
from policypal.domain.audits import AuditSubject
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.research import ResearchThread
from policypal.domain.users import User
from policypal.domain.versions import superseded_by

_RECENT = 6


@dataclass(frozen=True, slots=True)
class Work:
    """Something a person worked on; ``id`` is a thread's, or a report's."""

    kind: Literal["conversation", "report", "research"]
    id: str
    title: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    """``open_findings`` and ``overdue`` count the latest audit of the same source and targets; ``outdated`` are the ids of such audits that
    rest on an edition which a newer one has superseded since, ``failed`` the documents that could not be read, ``unfinished`` the
    research that waits for an answer or broke off; ``recent`` is the latest work first."""

    open_findings: int
    overdue: int
    outdated: tuple[str, ...]
    failed: tuple[Document, ...]
    unfinished: tuple[ResearchThread, ...]
    recent: tuple[Work, ...]


def overview(app: Container, user: User) -> Overview:
    """No report is loaded for it: one statement per kind of thing."""
    documents = documents_db.list_documents(app.db, user.id)
    subjects = audits_db.list_subjects(app.db, user.id)
    latest = reaudits.latest_of(subjects, documents)
    threads = research_db.list_threads(app.db, user.id)
    waiting = triage.waiting(app, user, latest)
    return Overview(
        open_findings=sum(not w.triage.status.is_closed for w in waiting),
        overdue=sum(w.triage.is_overdue(date.today()) for w in waiting),
        outdated=tuple(_outdated(subjects, latest, documents)),
        failed=tuple(d for d in documents if d.status is DocumentStatus.FAILED),
        unfinished=tuple(t for t in threads if t.status in ("waiting", "failed", "stopped")),
        recent=tuple(_recent(app, user, threads)),
    )


def _outdated(subjects: Sequence[AuditSubject], latest: set[str], documents: Sequence[Document]) -> list[str]:
    """Whoever audits an old edition beside the new one, or after it was added, means it."""
    newer = superseded_by([d for d in documents if d.status is DocumentStatus.READY])
    return [
        s.report_id
        for s in subjects
        if s.report_id in latest
        and any(
            newer[i].id not in s.document_ids and (s.made_at is None or newer[i].created_at > s.made_at)
            for i in newer.keys() & set(s.document_ids)
        )
    ]


def _recent(app: Container, user: User, threads: Sequence[ResearchThread]) -> list[Work]:
    talks = conversations_db.list_conversations(app.db, user.id, limit=_RECENT)
    found = [
        *(Work("conversation", c.thread_id, c.title, c.last_message_at) for c in talks),
        *(Work("report", r.id, r.title, r.created_at) for r in audits_db.list_overviews(app.db, user.id)[:_RECENT]),
        *(Work("research", t.thread_id, t.title or t.goal, t.created_at) for t in threads[:_RECENT]),
    ]
    return sorted(found, key=lambda w: w.at.astimezone(UTC), reverse=True)[:_RECENT]
