"""What one person has: at least one row in every table, every text of it marked, and a fingerprint of it all."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from uuid import uuid4

from psycopg import sql

from policypal.application import (
    ask,
    budget,
    conversations,
    feedback,
    finding_filters,
    library,
    notes,
    profile,
    register,
    research,
    sets,
    trash,
    triage,
    versions,
)
from policypal.application.container import Container
from policypal.db import (
    audits,
    documents,
    embeddings,
    index,
    ingestion,
    model_readings,
    sign_ins,
    usage,
    users,
    web_cache,
)
from policypal.db import conversations as conversations_db
from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    Finding,
    FindingKind,
    OverallStatus,
    ReviewPair,
    Severity,
)
from policypal.domain.documents import SET_COLOURS, Document, DocumentStatus, DocumentType, Page
from policypal.domain.triage import FindingFilter, TriageChange
from policypal.domain.usage import ModelCall, Usage
from policypal.domain.users import Profile, User
from policypal.search.bm25 import document_weights
from policypal.storage import file_key
from policypal.text.chunks import chunk_id
from policypal.text.provisions import read_provisions
from tests.support.pdf_factory import encrypted_pdf, text_pdf
from tests.support.timeouts import LONGEST_WAIT_SECONDS

PASSWORD = "the-password-of-the-file"
NO_PROCESS = "no process at all"
"""The owner of a run that nobody works on."""


@dataclass
class World:
    app: Container
    user: User
    marker: str
    documents: dict[str, Document] = field(default_factory=dict)
    set_id: str = ""
    thread_id: str = ""
    message_id: str = ""
    run_id: str = ""
    asking_thread_id: str = ""
    interrupt_id: str = ""
    report_id: str = ""
    research_id: str = ""
    asking_research_id: str = ""
    research_interrupt_id: str = ""
    sign_in_id: bytes = b""

    @property
    def document(self) -> Document:
        return self.documents["ready"]

    @property
    def set_name(self) -> str:
        return f"{self.marker} set"


def build_world(app: Container, *, wealth: int = 1) -> World:
    """Somebody new. ``wealth`` makes two of them differ in what is only counted."""
    user = User(id=str(uuid4()), email="")
    marker = f"owned{secrets.token_hex(8)}"
    world = World(app, User(id=user.id, email=f"{marker}@example.org"), marker)
    users.ensure_user(app.db, world.user)
    profile.save(app, world.user, Profile(*[f"{marker} {part}" for part in ("company", "country", "industry", "what")]))
    _fill_library(world, wealth)
    _talk(world)
    _research(world)
    _account(world, wealth)
    return world


def _fill_library(world: World, wealth: int) -> None:
    app, user = world.app, world.user
    lines = [
        "Part 1 Losses",
        f"1. The {world.marker} records must be kept for ten years.",
        "2. Breaches are reported within 72 hours.",
        "3. “Loss” means a record that is gone.",
    ]
    ready = partial(_add, world, lines=lines)
    ready("ready", text_pdf([lines]))
    ready("previous", text_pdf([lines, lines]))
    ready("deleted", text_pdf([lines, lines, lines]))
    for number in range(wealth):
        ready(f"more {number}", text_pdf([lines], title=str(number)))
    _add(world, "queued", text_pdf([lines[:1]]), is_titled=False)
    app.jobs.defer_ingest(user.id, world.documents["queued"].id)
    old = app.embedder.embed([" ".join(lines)])
    embeddings.add_vectors(
        app.db, user.id, world.document.id, chunk_ids=[chunk_id(world.document.id, 0)], model="old", vectors=old
    )
    for name, data in (("failed", b"%PDF damaged"), ("locked", encrypted_pdf(lines, PASSWORD))):
        _add(world, name, data)
        code = (
            "extraction_limit" if name == "failed" else "damaged_document"
        )  # of the second, trying again changes nothing
        ingestion.set_failed(app.db, user.id, world.documents[name].id, code, f"{world.marker} damaged")
    colour = SET_COLOURS[0]
    library.move_to_set(app, user, [world.document.id], world.set_name, colour)
    world.set_id = next(s.id for s in sets.list_sets(app, user))
    versions.link_versions(app, user, world.document.id, world.documents["previous"].id)
    mark = {"obliges": False, "party": None, "reason": f"{world.marker} obliges nobody."}
    told = {"model": "a model", "marks": {world.marker: mark}}
    model_readings.keep_reading(app.db, user.id, world.document.id, f"register {world.marker}", told)
    register.add(app, user, world.document.id, f"Everybody must read {world.marker}.", note=world.marker)
    notes.add(app, user, world.document.id, 2, world.marker)
    trash.delete(app, user, [world.documents["deleted"].id])


def _add(world: World, name: str, data: bytes, lines: list[str] | None = None, *, is_titled: bool = True) -> None:
    app, user, document_id = world.app, world.user, str(uuid4())
    data += b"\n% " + world.marker.encode() + name.encode()
    document = Document(
        id=document_id, title=f"{world.marker} {name}", version=name, type=DocumentType.REGULATORY,
        filename=f"{world.marker}-{name}.pdf", media_type="application/pdf", sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data), storage_key=file_key(user.id, document_id, "original"), status=DocumentStatus.QUEUED,
        created_at=datetime.now(UTC), aliases=(f"{world.marker} alias {name}",), tags=(f"{world.marker}-tag",),
        is_titled=is_titled,
    )  # fmt: skip
    app.files.put(document.storage_key, data)
    assert documents.insert_document(app.db, user.id, document)
    world.documents[name] = document
    if lines:
        text = "\n".join(lines)
        weights, count = document_weights(text)
        chunk = index.IndexedChunk(chunk_id(document_id, 0), 0, 1, 0, len(text), None, text, count, weights)
        assert index.publish_document(
            app.db, user.id, document_id, pages=[Page(1, text)], pages_without_text=0, chunks=[chunk],
            model=app.embedder.model, vectors=app.embedder.embed([text]),
            provisions=read_provisions([Page(1, text)]), outline=[f"{world.marker} outline"],
        )  # fmt: skip


def _talk(world: World) -> None:
    """A conversation with an answer, and one that waits for an answer to its question."""
    app, user = world.app, world.user
    world.thread_id, world.asking_thread_id = ask.new_thread_id(), ask.new_thread_id()
    question = f"How long must the {world.marker} records be kept?"
    _send(world, world.thread_id, ask.Request(message=question, document_ids=(world.document.id,)))
    world.message_id = next(
        m.id for m in conversations.history(app, user, world.thread_id).messages if m.role == "assistant"
    )
    feedback.give(app, user, world.message_id, helpful=True, comment=world.marker)
    stage = app.runner.get(user.id, world.thread_id)
    assert stage is not None
    world.run_id = stage.run_id
    _send(world, world.asking_thread_id, ask.Request(message=f"@Compare {world.marker}"))
    asked = ask.pending(app, user, world.asking_thread_id)
    assert asked is not None
    note = {"question": asked.model_dump(mode="json"), "answer": {"type": "cancel"}}
    conversations_db.record_answer(app.db, user.id, world.asking_thread_id, f"{world.marker} earlier", note)
    world.interrupt_id = asked.interrupt_id


def _research(world: World) -> None:
    """A research thread with a report, and one that waits for an answer to its question."""
    app, user = world.app, world.user
    goal = f"How long must the {world.marker} records be kept, and when are breaches reported?"
    threads = [research.start(app, user, goal, mode=mode, idempotency_key=mode) for mode in ("auto", "plan")]  # type: ignore[arg-type]
    for thread in threads:
        list(research.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    wait_until_idle(world)
    world.research_id, world.asking_research_id = threads
    asked = research.pending(app, user, world.asking_research_id)
    assert asked is not None and research.reports(app, user, world.research_id)
    world.research_interrupt_id = asked.interrupt_id


def _send(world: World, thread_id: str, request: ask.Request) -> None:
    ask.send(world.app, world.user, thread_id, request)
    list(ask.events(world.app, world.user, thread_id, timeout_seconds=LONGEST_WAIT_SECONDS))
    wait_until_idle(world)


def wait_until_idle(world: World) -> None:
    """Until no answer of this person is being worked on."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while time.monotonic() < deadline:
        with world.app.db.as_owner() as c:
            busy = c.execute(
                "SELECT 1 FROM runs WHERE user_id = %s AND status = 'running' AND owner <> %s",
                (world.user.id, NO_PROCESS),
            ).fetchone()
        if not busy:
            return
        time.sleep(0.02)
    raise AssertionError("an answer did not end")


def _account(world: World, wealth: int) -> None:
    app, user, marker = world.app, world.user, world.marker
    stored = audits.save_report(app.db, user.id, report(world))
    world.report_id = stored.id
    decision = TriageChange(owner=marker, evidence=marker)
    finding_filters.save(app, user, marker, FindingFilter(words=marker))
    triage.change(app, user, stored.id, [stored.findings[0].id], decision, note=marker)
    call = ModelCall("answer", "openai", marker, "1", Usage(10 * wealth, 10, Decimal(wealth)), 0.1)
    usage.add_usage(app.db, user.id, call, thread_id=world.thread_id, run_id=world.run_id)
    web_cache.claim_search(app.db, user.id, "tavily", 10)
    web_cache.keep_hits(app.db, user.id, marker, [{"url": f"https://{marker}.example/"}], 3600)
    model_readings.keep_reading(app.db, user.id, world.document.id, marker, {"numbers": [1]})
    web_cache.keep_page(app.db, user.id, marker, {"url": f"https://{marker}.example/"}, 3600)
    budget.save(app, user, Decimal(10 * wealth), continue_without_model=True)
    world.sign_in_id = secrets.token_bytes(32)
    sign_ins.add(app.db, user.id, world.sign_in_id, marker.encode())


def report(world: World) -> AuditReport:
    finding = Finding(
        id=str(uuid4()), kind=FindingKind.CONFLICT, target_document=world.document.title,
        target_document_id=world.document.id, theme=world.marker, severity=Severity.HIGH, consequence=world.marker,
        source_quote=world.marker, target_quote=world.marker, target_page=1, suggestion=world.marker, confidence=0.9,
    )  # fmt: skip
    pair = ReviewPair(
        source_quote=world.marker, target_document=world.document.title, target_document_id=world.document.id, target_page=1,
        target_quote=world.marker, relation=0.5,
    )  # fmt: skip
    return AuditReport(
        id=str(uuid4()), title=f"{world.marker} audit", review=(pair,), thread_id=world.thread_id, created_at=datetime.now(UTC),
        overall_status=OverallStatus.MAJOR_VIOLATIONS, findings=(finding,), summary=world.marker,
        targets_checked=(world.document.title,),
        documents=(AuditedDocument(id=world.document.id, title=world.document.title, sha256=world.document.sha256),),
    )  # fmt: skip


def owned_tables(app: Container) -> list[str]:
    """The tables whose rows have an owner."""
    with app.db.as_owner() as c:
        rows = c.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'policypal'"
            " AND column_name = 'user_id' ORDER BY 1"
        ).fetchall()
    return [str(row["table_name"]) for row in rows]


def fingerprint(world: World) -> dict[str, str]:
    """A digest per table of the rows this person owns, of the jobs for their documents, and of their files."""
    queries: list[sql.Composable] = [
        sql.SQL("SELECT {name} AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS rows FROM {table} t WHERE user_id = {user}")
        .format(name=sql.Literal(table), table=sql.Identifier(table), user=sql.Literal(world.user.id))
        for table in owned_tables(world.app)
    ]  # fmt: skip
    queries.append(
        sql.SQL(
            "SELECT 'jobs', md5(coalesce(string_agg(t.args::text || t.task_name || t.status::text, '|' ORDER BY t.id), '')) FROM procrastinate_jobs t"
            " WHERE args->>'user_id' = {user}"
        ).format(user=sql.Literal(world.user.id))
    )
    with world.app.db.as_owner() as c:
        rows = c.execute(sql.SQL(" UNION ALL ").join(queries)).fetchall()
    return {str(row["name"]): str(row["rows"]) for row in rows} | _files(world)


def _files(world: World) -> dict[str, str]:
    folder: Path = world.app.settings.data_dir / "files" / world.user.id
    return {
        str(p.relative_to(folder)): hashlib.md5(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()
    }


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
