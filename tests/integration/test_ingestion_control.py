"""A batch is followed, called off and tried again; one bad file never holds up the others (D4, D6)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from policypal.application import intake, library, processing
from policypal.application.container import Container, local_analyst
from policypal.application.intake import Upload
from policypal.application.trash import Housekeeping
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import ingestion as ingestion_db
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.ingest.workspace import remove_abandoned
from policypal.storage import file_key
from tests.support import pdf_factory
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

REGULATION = DocumentType.REGULATORY
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def bomb(app: Container, user: User) -> Document:
    """A file that is read for as long as it is let."""
    return intake.add_document(app, user, Upload("bomb.pdf", pdf_factory.page_bomb(), REGULATION))


def test_d4_a_document_that_is_being_read_can_be_cancelled_and_tried_again(app: Container, user: User) -> None:
    document = bomb(app, user)
    until(lambda: library.get_document(app, user, document.id).status is DocumentStatus.EXTRACTING)
    started = time.monotonic()
    assert processing.cancel(app, user, [document.id]) == 1
    cancelled = library.get_document(app, user, document.id)
    assert (cancelled.status, cancelled.reason_code) == (DocumentStatus.FAILED, processing.CANCELLED)
    add_text(app, user, "Rule", RECORDS_RULE)
    assert time.monotonic() - started < 20, "the worker goes on with others"
    assert processing.cancel(app, user, [document.id]) == 0
    assert not intake.retry(app, user, document.id).status.is_final
    until(lambda: library.get_document(app, user, document.id).status is DocumentStatus.EXTRACTING)
    processing.cancel_all(app, user)


def test_d4_what_is_cancelled_in_the_queue_is_never_read(tmp_path: Path) -> None:
    idle = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=False)
    user = local_analyst(idle)
    queued = [
        intake.add_document(idle, user, Upload(f"{n}.txt", f"{RECORDS_RULE} {n}".encode(), REGULATION)) for n in range(3)
    ]  # fmt: skip
    processing.cancel(idle, user, [queued[0].id])
    idle.close()
    app = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=True)
    try:
        done = intake.wait_until_final(app, user, [d.id for d in queued], timeout_seconds=LONGEST_WAIT_SECONDS)
        assert [d.reason_code for d in done] == [processing.CANCELLED, None, None]
        until(lambda: not _jobs(app))
        assert library.get_document(app, user, queued[0].id).chunks == 0
        assert processing.retry_failed(app, user) == 1
        (again,) = intake.wait_until_final(app, user, [queued[0].id], timeout_seconds=LONGEST_WAIT_SECONDS)
        assert again.status is DocumentStatus.READY
    finally:
        app.close()


def _jobs(app: Container) -> int:
    with app.db.as_owner() as c:
        row = c.execute("SELECT count(*) AS n FROM procrastinate_jobs WHERE status IN ('todo', 'doing')").fetchone()
    assert row is not None
    return int(row["n"])


def test_d4_all_that_failed_is_tried_again_but_what_needs_a_password_or_another_file(
    app: Container, user: User
) -> None:
    locked = pdf_factory.encrypted_pdf(["Secret."], "open sesame")
    files = {"blank.pdf": pdf_factory.blank_pdf(), "damaged.pdf": b"%PDF-1.7 x", "locked.pdf": locked}
    ids = [intake.add_document(app, user, Upload(n, d, REGULATION)).id for n, d in files.items()]
    intake.wait_until_final(app, user, ids, timeout_seconds=LONGEST_WAIT_SECONDS)
    assert processing.retry_failed(app, user) == 1
    found = intake.wait_until_final(app, user, ids, timeout_seconds=LONGEST_WAIT_SECONDS)
    assert [d.reason_code for d in found] == ["no_readable_text", "damaged_document", "password_required"]


def test_d4_a_cancelled_document_is_not_brought_back_by_a_late_step(app: Container, user: User) -> None:
    document = add_text(app, user, "Rule", RECORDS_RULE)
    ingestion_db.requeue(app.db, user.id, [document.id])
    processing.cancel(app, user, [document.id])
    late = library.get_document(app, user, document.id)
    assert not ingestion_db.report_progress(app.db, user.id, late, DocumentStatus.EMBEDDING, 0.9)
    ingestion_db.set_failed(app.db, user.id, document.id, "damaged_document", "Damaged.")
    app.ingestion.ingest(user.id, document.id)
    assert library.get_document(app, user, document.id).reason_code == processing.CANCELLED


def test_x1_nobody_cancels_for_others(app: Container, user: User) -> None:
    from policypal.db import users as users_db

    other = User(id="7d0c3f0e-52e2-4a3c-8a5e-6a1f3b1f0c11", email="o@example.org")
    users_db.ensure_user(app.db, other)
    document = bomb(app, user)
    assert processing.cancel(app, other, [document.id]) == processing.cancel_all(app, other) == 0
    assert processing.cancel_all(app, user) == 1


def test_d6_limits_are_those_of_the_settings_and_hold_up_no_others(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, _env_file=None, extraction_seconds=8, max_pages=200)
    app = build_container(settings, run_worker=True)
    try:
        user = local_analyst(app)
        hostile = bomb(app, user)
        long = intake.add_document(app, user, Upload("a.pdf", pdf_factory.text_pdf([["One"]] * 201), REGULATION))
        others = [
            intake.add_document(app, user, Upload(f"{n}.pdf", pdf_factory.text_pdf([[f"Rule {n} is short."]]), REGULATION))
            for n in range(5)
        ]  # fmt: skip
        done = intake.wait_until_final(app, user, [d.id for d in others], timeout_seconds=LONGEST_WAIT_SECONDS)
        assert {d.status for d in done} == {DocumentStatus.READY}
        (stopped,) = intake.wait_until_final(app, user, [hostile.id], timeout_seconds=LONGEST_WAIT_SECONDS)
        assert stopped.status is DocumentStatus.FAILED
        # whichever of its limits comes first on this machine: eight seconds, or the characters one document may hold
        assert stopped.reason_code in {"extraction_limit", "document_too_large"}
        assert stopped.finished_at and stopped.queued_at
        assert all(d.finished_at and d.finished_at < stopped.finished_at for d in done[:2])
        refused = library.get_document(app, user, long.id)
        assert refused.reason == "This document has 201 pages; the limit is 200. Please split it."
    finally:
        app.close()


def test_d7_a_thousand_pages_are_read(app: Container, user: User) -> None:
    lines = [f"Clause {n}: the record is kept for {n} years after the end of the relationship." for n in range(12)]
    pdf = pdf_factory.text_pdf([[f"Section {p}", *lines] for p in range(1000)])
    queued = intake.add_document(app, user, Upload("long.pdf", pdf, REGULATION))
    (document,) = intake.wait_until_final(app, user, [queued.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    assert (document.status, document.pages, document.pages_without_text) == (DocumentStatus.READY, 1000, 0)


def _at(minute: float, status: str, finished: float | None = None, **more: object) -> Document:
    made = Document(
        id=str(minute), title="T", version="", type=REGULATION, filename="t", media_type="", sha256="", size_bytes=0,
        storage_key="", status=DocumentStatus(status), created_at=NOON, queued_at=NOON + timedelta(minutes=minute),
        finished_at=None if finished is None else NOON + timedelta(minutes=finished),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def test_d4_a_batch_is_what_was_queued_while_others_were_being_read() -> None:
    documents = [
        _at(-60, "ready", -59), _at(0, "ready", 3), _at(1, "failed", 4), _at(3.5, "extracting", progress=0.5),
        _at(5, "queued"), _at(5, "failed", 5.5, reason_code=processing.CANCELLED),
    ]  # fmt: skip
    batch = processing.batch_of(documents, NOON + timedelta(minutes=10))
    assert (batch.began, batch.size, batch.ready, batch.failed) == (NOON, 4, 1, 1)
    assert batch.share == pytest.approx(2.5 / 4)
    assert batch.seconds_left == pytest.approx(600 * 1.5 / 2.5)
    over = [replace(d, status=DocumentStatus.READY, finished_at=NOON + timedelta(minutes=9)) for d in batch.unfinished]
    last = processing.batch_of([*documents[:3], *over], NOON + timedelta(minutes=11), batch.began)
    assert (last.unfinished, last.ready, last.failed) == ((), 3, 1)
    assert processing.batch_of(documents[:3], NOON + timedelta(minutes=11)).size == 0


def test_d5_what_a_killed_process_left_behind_is_removed(app: Container, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    document = add_text(app, user, "Rule", RECORDS_RULE)
    orphan = file_key(user.id, document.id, "recognised")
    app.files.put(orphan, b"stored, but the process died before it was recorded")
    Housekeeping(app.db, app.files).run(grace_seconds=3600)
    assert orphan in {f.key for f in app.files.files()}, "it may be on its way"
    Housekeeping(app.db, app.files).run(grace_seconds=0)
    assert {f.key for f in app.files.files() if f.key.startswith(user.id)} == {document.storage_key}
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "policypal-999999999-abc").mkdir()
    (tmp_path / f"policypal-{os.getpid()}-abc").mkdir()
    assert remove_abandoned(older_than_seconds=3600) == 0
    assert remove_abandoned(older_than_seconds=0) == 1
    assert [p.name for p in tmp_path.iterdir()] == [f"policypal-{os.getpid()}-abc"]
