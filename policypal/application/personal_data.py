"""All that a person has here: taken along, or deleted for good (U9)."""

from __future__ import annotations

import io
import json
import logging
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict

from policypal.application import audits, catalogue, library, profile, triage, usage
from policypal.application.container import Container
from policypal.db import conversations as conversations_db
from policypal.db import personal_data as personal_data_db
from policypal.db import research as research_db
from policypal.domain.users import Removed, User
from policypal.errors import RunInProgress, StorageError
from policypal.export.transcript import conversation_markdown

logger = logging.getLogger(__name__)

STOP_SECONDS = 20.0
_ALL = 1_000_000


def delete_everything(app: Container, user: User) -> Removed:
    """Delete all documents with their files, conversations with their memory, reports, usage, profile and settings of a
    user, and nobody else's. An account at an identity provider stays, but its sign-ins here end.

    Answers at work are stopped first. Files go after the rows that name them; ``files`` of the result are those the store
    would not delete now: nothing refers to them, and the clean-up of the file store removes them later.

    Raises:
        RunInProgress: an answer did not stop in time; nothing was deleted.
        DatabaseUnavailable: nothing was deleted, or everything but waiting jobs, which find nothing to do.
    """
    _stop_runs(app, user)
    removed = personal_data_db.remove_everything(app.db, user.id)
    app.checkpoints.forget_all(user.id, removed.threads)  # of a run that began meanwhile
    personal_data_db.remove_jobs(app.db, user.id)
    app.runner.forget(user.id)
    return Removed(
        removed.documents, removed.conversations, removed.reports, tuple(_kept_files(app, removed)), removed.threads
    )


def _stop_runs(app: Container, user: User) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    while running := personal_data_db.running_threads(app.db, user.id):
        if time.monotonic() > deadline:
            raise RunInProgress(
                "An answer is still being written and did not stop. Nothing was deleted; please try again."
            )
        for thread_id in running:
            app.runner.stop(user.id, thread_id)
        time.sleep(0.1)


def _kept_files(app: Container, removed: Removed) -> Iterator[str]:
    for key in removed.files:
        try:
            app.files.delete(key)
        except StorageError:
            logger.warning("the file %s could not be deleted; the clean-up of the file store will", key)
            yield key


def export_everything(app: Container, user: User) -> bytes:
    """A ZIP archive: the profile, the list of documents and the usage as CSV, every conversation and every version of every
    research report as Markdown, the findings of every audit as CSV. The documents themselves are not in it: they came from the user."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _files(app, user):
            archive.writestr(name, data)
    return buffer.getvalue()


def _files(app: Container, user: User) -> Iterator[tuple[str, bytes | str]]:
    yield "profile.json", json.dumps(asdict(profile.load(app, user)), ensure_ascii=False, indent=2)
    documents = library.list_documents(app, user)
    yield "documents.csv", catalogue.export_csv(catalogue.find(app, user, documents, catalogue.Filter()))
    yield "usage.csv", usage.export_csv(app, user)
    for number, one in enumerate(conversations_db.list_conversations(app.db, user.id, limit=_ALL), 1):
        told = conversations_db.list_messages(app.db, user.id, one.thread_id)
        yield f"conversations/{number:03d}-{_slug(one.title)}.md", conversation_markdown(one, told)
    for number, thread in enumerate(research_db.list_threads(app.db, user.id), 1):
        for version in research_db.list_reports(app.db, user.id, thread.thread_id):
            yield f"research/{number:03d}-{_slug(thread.title)}-v{version.version}.md", version.markdown
    for number, report in enumerate(audits.list_reports(app, user), 1):
        decided = triage.load(app, user, report)
        shown = audits.filter_findings(triage.corrected(report, decided))
        yield f"audits/{number:03d}-{_slug(report.title)}.csv", audits.export_csv(report, shown, decided)


def _slug(title: str) -> str:
    """A title as part of a file name on any system."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "untitled"
