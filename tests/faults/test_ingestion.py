"""An ingest of twenty files survives kill -9 at any moment: nothing lost, nothing twice, nothing left behind (D5)."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import intake, jobs, library
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.application.trash import Housekeeping
from policypal.db import jobs as jobs_db
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from policypal.errors import DuplicateDocument
from tests.faults.walk import PROCESSES, open_app
from tests.support import pdf_factory

KILLS = 5
LONGEST_SECONDS = 3.0
"""About as long as an undisturbed ingest takes, so that the kills fall into all of it."""


def hurry() -> None:
    """What is certain after seconds in real life is certain after a moment here."""
    jobs.HEARTBEAT_SECONDS, jobs.STALLED_SECONDS, jobs.SWEEP_SECONDS, jobs.WITHOUT_JOB_SECONDS = 0.4, 1.6, 0.4, 1.0


def twenty_files() -> list[tuple[str, bytes]]:
    """Rules of several pages and kinds, a damaged file, one with a password and one without text."""
    chance = random.Random(20)
    files: list[tuple[str, bytes]] = []
    for n in range(17):
        pages = [
            [f"Section {p}. Records", *(f"Rule {n}.{p}.{k}: keep record {chance.randrange(999)} for {k} years." for k in range(30))]
            for p in range(chance.randrange(2, 9))
        ]  # fmt: skip
        plain = "\n\n".join("\n".join(page) for page in pages).encode()
        files.append((f"rule {n}.txt", plain) if n % 4 == 0 else (f"rule {n}.pdf", pdf_factory.text_pdf(pages)))
    locked = pdf_factory.encrypted_pdf(["Secret."], "open sesame")
    return [
        *files,
        ("damaged.pdf", b"%PDF-1.7 nothing"),
        ("locked.pdf", locked),
        ("blank.pdf", pdf_factory.blank_pdf(2)),
    ]


def hand_in(app: Container, user: User, folder: Path) -> None:
    """As somebody would who does not know what arrived before the crash."""
    for path in sorted(folder.iterdir()):
        try:
            intake.add_document(app, user, Upload(path.name, path.read_bytes(), DocumentType.REGULATORY))
        except DuplicateDocument:
            continue


def _ingest_until_killed(folder: Path, user: User, said: Connection) -> None:
    tempfile.tempdir = str(folder / "scratch")
    hurry()
    app = open_app(folder, run_worker=True)
    said.send("ready")
    hand_in(app, user, folder / "handed in")
    time.sleep(600)


class Ground:
    """One installation for all campaigns, and what an undisturbed ingest leaves on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch, self.given = folder / "scratch", folder / "handed in"
        self.scratch.mkdir()
        self.given.mkdir()
        for name, data in twenty_files():
            (self.given / name).write_bytes(data)
        self.app = open_app(folder)
        self.expected = self.undisturbed()

    def undisturbed(self) -> dict[str, Any]:
        user = self.somebody()
        self.finish(user)
        return self.contents(user)

    def somebody(self) -> User:
        user = User(id=str(uuid4()), email="someone@example.org")
        users_db.ensure_user(self.app.db, user)
        return user

    def kill(self, user: User, after_seconds: float) -> None:
        mine, its = PROCESSES.Pipe()
        child = PROCESSES.Process(target=_ingest_until_killed, args=(self.folder, user, its))
        child.start()
        its.close()  # so that a process that cannot start ends the test instead of keeping it waiting
        assert mine.recv() == "ready" and child.pid is not None
        time.sleep(after_seconds)
        os.kill(child.pid, signal.SIGKILL)
        child.join(30)

    def finish(self, user: User) -> list[Document]:
        """The installation is started again, and the files are handed in again."""
        app = open_app(self.folder, run_worker=True)
        try:
            hand_in(app, user, self.given)
            ids = [d.id for d in library.list_documents(app, user)]
            return intake.wait_until_final(app, user, ids, timeout_seconds=90)
        finally:
            app.close()

    def contents(self, user: User) -> dict[str, Any]:
        """Everything the tables hold of a user's documents, by file instead of by id."""
        with self.app.db.as_user(user.id) as c:
            documents = c.execute(
                "SELECT id, sha256, status, reason_code, title, pages, chunks, embedding_models FROM documents"
            ).fetchall()
            chunks = c.execute(
                "SELECT d.sha256, k.ordinal, k.page, k.start_offset, k.end_offset, k.text, e.embedding::text, l.lexical::text"
                " FROM chunks k JOIN documents d ON d.id = k.document_id JOIN embeddings e ON e.chunk_id = k.id"
                " JOIN lexical_vectors l ON l.chunk_id = k.id ORDER BY 1, 2"
            ).fetchall()
            pages = c.execute(
                "SELECT d.sha256, p.number, p.text FROM pages p JOIN documents d ON d.id = p.document_id ORDER BY 1, 2"
            ).fetchall()
            terms = c.execute("SELECT position, chunks FROM lexical_terms ORDER BY position").fetchall()
            counts = c.execute(
                "SELECT (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM embeddings) AS embeddings,"
                " (SELECT count(*) FROM lexical_vectors) AS lexical, (SELECT chunks FROM lexical_corpora) AS corpus"
            ).fetchone()
        known = {d.pop("id"): d["sha256"] for d in documents}
        return {
            "documents": sorted(documents, key=lambda d: d["sha256"]), "chunks": chunks, "pages": pages, "terms": terms,
            "counts": counts, "jobs": self._jobs(set(map(str, known))),
        }  # fmt: skip

    def _jobs(self, ids: set[str]) -> int:
        with self.app.db.as_owner() as c:
            rows = c.execute("SELECT args->>'document_id' AS id, status::text FROM procrastinate_jobs").fetchall()
        return sum(row["id"] in ids and row["status"] in ("todo", "doing") for row in rows)

    def left_behind(self, user: User) -> tuple[set[str], list[Path]]:
        """Files without a row and folders of dead processes, after the housekeeping."""
        Housekeeping(self.app.db, self.app.files).run(grace_seconds=0)
        stored = {f.key for f in self.app.files.files() if f.key.startswith(user.id)}
        held = {key for key in jobs_db.stored_keys(self.app.db) if key.startswith(user.id)}
        assert held <= stored, "a document lost its file"
        every_file = {p for p in (self.folder / "files" / user.id).rglob("*") if p.is_file()}
        assert len(every_file) == len(stored), every_file
        return stored - held, list(self.scratch.glob("policypal-*-*"))


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HEARTBEAT_SECONDS", "STALLED_SECONDS", "SWEEP_SECONDS", "WITHOUT_JOB_SECONDS"):
            patch.setattr(jobs, name, getattr(jobs, name))  # remembered, to be put back
        hurry()
        made = Ground(tmp_path_factory.mktemp("kills"))
        patch.setattr(tempfile, "tempdir", str(made.scratch))
        yield made
        made.app.close()


def _campaign(ground: Ground, seed: int, kills: int) -> None:
    chance, user = random.Random(seed), ground.somebody()
    moments = [round(chance.uniform(0, LONGEST_SECONDS), 2) for _ in range(kills)]
    for moment in moments:
        ground.kill(user, moment)
    documents = ground.finish(user)
    assert len(documents) == 20 and all(d.status.is_final for d in documents), moments
    assert ground.contents(user) == ground.expected, moments
    assert ground.left_behind(user) == (set(), []), moments


def test_d5_an_undisturbed_ingest_ends_with_every_file_ready_or_failed(ground: Ground) -> None:
    states = [(d["status"], d["reason_code"]) for d in ground.expected["documents"]]
    assert sorted(set(states), key=str) == [
        ("failed", "damaged_document"), ("failed", "no_readable_text"), ("failed", "password_required"), ("ready", None),
    ]  # fmt: skip
    assert states.count(("ready", None)) == 17
    assert ground.expected["counts"]["chunks"] == ground.expected["counts"]["corpus"] > 100
    assert ground.expected["jobs"] == 0


def test_d5_a_few_kills_lose_and_duplicate_nothing(ground: Ground) -> None:
    _campaign(ground, seed=7, kills=2)


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(10))
def test_d5_fifty_kills_lose_and_duplicate_nothing(ground: Ground, seed: int) -> None:
    _campaign(ground, seed, KILLS)
