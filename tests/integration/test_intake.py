"""Every bad input at the door: what is said, and that nothing half is left behind (D1, D5, D7, D8)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from policypal.application import intake, library, sets, uploads
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.application.uploads import Outcome
from policypal.domain.documents import DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, InvalidInput, NotFound, StorageError
from tests.support.disk import full_disk
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.zip_factory import encrypted, zipped

RULE = RECORDS_RULE.encode()
DETAILS = Upload("", b"", DocumentType.REGULATORY)


def stored_files(app: Container, user: User) -> list[Path]:
    return [p for p in (app.settings.data_dir / "files" / user.id).rglob("*") if p.is_file()]


def uploaded(app: Container, user: User, name: str, data: bytes) -> dict[str, Outcome]:
    found = uploads.found_in(app, name, io.BytesIO(data))
    return {outcome.path: outcome for outcome in (uploads.add_file(app, user, file, DETAILS) for file in found)}


def assert_nothing_there(app: Container, user: User) -> None:
    assert library.list_documents(app, user) == []
    assert stored_files(app, user) == []
    assert sets.list_sets(app, user) == []


def test_d7_a_full_disk_leaves_neither_a_row_nor_a_file_nor_a_set(app: Container, user: User) -> None:
    upload = Upload("big.txt", RULE * 2000, DocumentType.COMPANY, set_name="New set")
    with full_disk(), pytest.raises(StorageError) as refusal:
        intake.add_document(app, user, upload)
    assert refusal.value.retryable
    assert_nothing_there(app, user)
    document = intake.add_document(app, user, upload)
    (document,) = intake.wait_until_final(app, user, [document.id])
    assert (document.status, document.set_name) == (DocumentStatus.READY, "New set")


@contextmanager
def _rows_refused(app: Container) -> Iterator[None]:
    """The database takes no new document."""
    with app.db.as_owner() as c:
        c.execute("ALTER TABLE documents ADD CONSTRAINT none_new CHECK (title <> 'Refused') NOT VALID")
    try:
        yield
    finally:
        with app.db.as_owner() as c:
            c.execute("ALTER TABLE documents DROP CONSTRAINT none_new")


def test_d7_a_row_that_cannot_be_written_takes_its_file_along(app: Container, user: User) -> None:
    with _rows_refused(app), pytest.raises(psycopg.errors.CheckViolation):
        intake.add_document(app, user, Upload("a.txt", RULE, DocumentType.COMPANY, title="Refused"))
    assert library.list_documents(app, user) == []
    assert stored_files(app, user) == []


def test_d7_an_unexpected_failure_of_one_file_is_its_own_and_the_others_are_added(app: Container, user: User) -> None:
    details = [Upload("", b"", DocumentType.COMPANY, title=title) for title in ("First", "Refused", "Last")]
    data = zipped({f"{n}.txt": RULE + str(n).encode() for n in range(3)})
    upload = str(uuid4())
    with _rows_refused(app):
        uploads.start(app, user, upload, uploads.found_in(app, "a.zip", io.BytesIO(data)), details)
        progress = uploads.follow(app, user, upload, wait_seconds=30)
    assert progress is not None and progress.is_finished
    assert [outcome.is_added for outcome in progress.outcomes] == [True, False, True]
    assert sorted(d.title for d in library.list_documents(app, user)) == ["First", "Last"]


def test_d1_an_archive_gives_every_file_its_own_outcome(app: Container, user: User) -> None:
    add_text(app, user, "Known", RECORDS_RULE)
    outcomes = uploaded(
        app, user, "all.zip",
        zipped({
            "good.txt": RULE + b"And more.", "known.txt": RULE, "empty.pdf": b"", "../../up.txt": RULE + b"Upwards.",
            "tool.exe": b"MZ\x90\x00" + bytes(400), "inner.zip": encrypted(zipped({"locked.txt": RULE})),
        }),
    )  # fmt: skip
    said = {path: outcome.error.message if outcome.error else "" for path, outcome in outcomes.items()}
    assert said["all.zip/good.txt"] == said["all.zip/up.txt"] == ""
    assert "already in your library" in said["all.zip/known.txt"]
    assert "empty" in said["all.zip/empty.pdf"]
    assert "not a document" in said["all.zip/tool.exe"]
    assert "password" in said["all.zip/inner.zip/locked.txt"]
    assert len(stored_files(app, user)) == len(library.list_documents(app, user)) == 3


def test_d7_an_upload_that_broke_off_adds_nothing(app: Container, user: User) -> None:
    whole = zipped({f"{n}.txt": RULE * 40 for n in range(5)})
    (outcome,) = uploaded(app, user, "all.zip", whole[: len(whole) // 2]).values()
    assert outcome.error is not None and "incomplete" in outcome.error.message
    assert_nothing_there(app, user)


def test_u6_the_same_upload_twice_is_one_and_nobody_elses_is_seen(app: Container, user: User) -> None:
    upload = str(uuid4())
    data = zipped({"a.txt": RULE})
    started = [
        uploads.start(app, user, upload, uploads.found_in(app, "a.zip", io.BytesIO(data)), [DETAILS]) for _ in range(2)
    ]
    progress = uploads.follow(app, user, upload, wait_seconds=30)
    assert started == [True, False]
    assert progress is not None and len(progress.outcomes) == 1
    assert uploads.follow(app, User(id=str(uuid4()), email="other@example.org"), upload) is None


def test_d1_titles_of_300_characters_are_kept_and_301_refused_before_anything_is_stored(
    app: Container, user: User
) -> None:
    with pytest.raises(InvalidInput, match="301 characters"):
        intake.add_document(app, user, Upload("a.txt", RULE, DocumentType.COMPANY, title="ü" * 301, set_name="S"))
    assert_nothing_there(app, user)
    longest = "سياسة " * 49 + "👩‍💻🙂🙂🙂"
    assert len(longest) == 300
    assert intake.add_document(app, user, Upload("a.txt", RULE, DocumentType.COMPANY, title=longest)).title == longest


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a" * 4000 + ".txt", "a" * 234 + "…" + "a" * 16 + ".txt"),
        ("..\\..\\secret\x00\n.txt", "secret.txt"),
        ("/", "document"),
        ("גיבוי 🗄.txt", "גיבוי 🗄.txt"),
    ],
)
def test_d7_file_names_are_names_and_nothing_else(app: Container, user: User, name: str, kept: str) -> None:
    document = intake.add_document(app, user, Upload(name, RULE, DocumentType.COMPANY))
    assert document.filename == kept
    assert document.title


def test_d8_a_new_version_is_linked_and_only_to_ones_own_document(app: Container, user: User) -> None:
    first = add_text(app, user, "Rule", RECORDS_RULE, version="2023")
    upload = Upload("b.txt", RULE + b"New.", DocumentType.REGULATORY, title="Rule", version="2025")
    with pytest.raises(NotFound):
        intake.add_document(
            app, user, Upload("b.txt", RULE + b"New.", DocumentType.REGULATORY, previous_version_id=str(uuid4()))
        )
    assert len(stored_files(app, user)) == 1
    linked = intake.add_document(
        app, user, Upload(upload.filename, upload.data, upload.type, "Rule", "2025", previous_version_id=first.id)
    )
    assert linked.previous_version_id == first.id


def test_d2_a_set_named_twice_is_one_set(app: Container, user: User) -> None:
    for n, name in enumerate(("Bank rules", "  bank  RULES ")):
        intake.add_document(app, user, Upload(f"{n}.txt", RULE + bytes([65 + n]), DocumentType.COMPANY, set_name=name))
    assert [s.name for s in sets.list_sets(app, user)] == ["Bank rules"]
    with pytest.raises(DuplicateDocument):
        intake.add_document(app, user, Upload("c.txt", RULE + b"A", DocumentType.COMPANY))
