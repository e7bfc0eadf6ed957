"""What the entry_points are called with: for every parameter, the thing of that name that a person owns.

A new parameter name has to be added to FOREIGN, if it names or holds something that belongs to somebody, or else to NEUTRAL.
Where one function means something else by a name, its entry is "module.function:parameter".
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

import numpy as np

from policypal.application import ask, audits, library, notes, register, research, uploads
from policypal.application.auditing import NewAudit
from policypal.application.catalogue import Entry, Filter
from policypal.application.intake import Upload
from policypal.application.jobs import INGEST
from policypal.config import MonthlyLimits
from policypal.db import conversations as conversations_db
from policypal.db import documents as documents_db
from policypal.db import research as research_db
from policypal.db.index import IndexedChunk
from policypal.domain.audits import PairOutcome
from policypal.domain.citations import Citation
from policypal.domain.conversations import Feedback, TraceEntry
from policypal.domain.documents import SET_COLOURS, Document, DocumentStatus, DocumentType, FoundFile, Page
from policypal.domain.interrupts import Answer
from policypal.domain.provisions import Kind, Provision
from policypal.domain.register import RegisterChange
from policypal.domain.research import Report
from policypal.domain.triage import UNTOUCHED, FindingFilter, Triage, TriageStatus
from policypal.domain.usage import ModelCall, Usage
from policypal.domain.users import Profile
from policypal.search.terms import term_position, terms
from policypal.storage import file_key
from policypal.text.chunks import chunk_id
from tests.isolation.world import NO_PROCESS, PASSWORD, World, report
from tests.support.pdf_factory import text_pdf

Value = Callable[[World], Any]


def _document(name: str) -> Value:
    return lambda w: w.documents[name].id


def _documents(name: str) -> Value:
    return lambda w: [w.documents[name].id]


def _positions(w: World) -> list[int]:
    return [term_position(term) for term in terms(f"{w.marker} records")]


def _uploaded(w: World) -> str:
    """An upload that has arrived."""
    uploads.start(w.app, w.user, w.marker, [FoundFile("new.pdf", (), _new_pdf)], [_UPLOAD])
    while (progress := uploads.follow(w.app, w.user, w.marker)) is not None and not progress.is_finished:
        pass
    return w.marker


def _research(w: World) -> str:
    """A research thread that has a report."""
    return w.research_id


def _asking_research(w: World) -> str:
    return w.asking_research_id


def _step(w: World) -> str:
    return research.timeline(w.app, w.user, w.research_id)[-1].checkpoint_id


def _written(w: World) -> Report:
    return research.reports(w.app, w.user, w.research_id)[0]


def _begun(w: World) -> str:
    """A run that is at work, begun now unless it was before."""
    run_id = str(uuid5(NAMESPACE_OID, w.marker))
    conversations_db.begin_run(w.app.db, w.user.id, w.asking_thread_id, run_id, NO_PROCESS)
    return run_id


def _register_entry(w: World) -> str:
    """An obligation that was added to the register of a document."""
    return next(e.entry for e in register.load(w.app, w.user, w.document.id).entries if e.is_added)


def _note(w: World) -> str:
    """A note on a provision, made anew if an owner has deleted it."""
    held = notes.load(w.app, w.user, w.document.id)
    return held[0].note.id if held else notes.add(w.app, w.user, w.document.id, 2, w.marker)


def _finding(w: World) -> str:
    """A finding of a stored report."""
    return audits.get_report(w.app, w.user, w.report_id).findings[0].id


FOREIGN: Mapping[str, Value] = {
    "document_id": _document("ready"),
    "previous_id": _document("previous"),
    "document_ids": _documents("ready"),
    "ids": _documents("ready"),
    "documents": lambda w: [library.get_document(w.app, w.user, w.documents["failed"].id)],
    "set_id": lambda w: w.set_id,
    "thread_id": lambda w: w.thread_id,
    "run_id": lambda w: w.run_id,
    "message_id": lambda w: w.message_id,
    "report_id": lambda w: w.report_id,
    "report_ids": lambda w: [w.report_id],
    "sign_in_id": lambda w: w.sign_in_id,
    "interrupt_id": lambda w: w.interrupt_id,
    "sha256": lambda w: w.document.sha256,
    "title": lambda w: w.document.title,
    "name": lambda w: w.set_name,
    "chunk_ids": lambda w: [chunk_id(w.document.id, 0)],
    "idempotency_key": lambda w: f"answer:{w.run_id}",
    "words": lambda w: w.marker,
    "search_key": lambda w: w.marker,
    "page_key": lambda w: w.marker,
    "reading_key": lambda w: w.marker,
    "db.jobs.latest_job:document_id": _document("queued"),
    "db.model_readings.delete_readings:keys": lambda w: [f"register {w.marker}"],
    "told": lambda w: {"numbers": [2]},
    "wanted": lambda w: [(w.document.id, 1)],
    "report": report,
    "before": report,
    "application.ask.composed:content": lambda w: {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": f"@{w.document.title} How long?"}]}],
    },
    "application.follow_ups.after:citations": lambda w: [
        Citation(id=1, title=w.document.title, page=1, quote=w.marker[:300], verified=True, document_id=w.document.id)
    ],
    "finding_id": _finding,
    "note_id": _note,
    **{f"application.finding_filters.{function}:name": lambda w: w.marker for function in ("delete", "rename")},
    **{f"db.saved_choices.{function}:name": lambda w: w.marker for function in ("delete_choice", "rename_choice")},
    "finding_ids": lambda w: [_finding(w)],
    "application.pair_decisions.decide:key": lambda w: audits.get_report(w.app, w.user, w.report_id).review[0].key,
    "review": lambda w: audits.get_report(w.app, w.user, w.report_id).review,
    "raised": lambda w: [
        audits.get_report(w.app, w.user, w.report_id).findings[0].model_copy(update={"id": str(uuid4()), "is_raised": True})
    ],
    "decided": lambda w: {_finding(w): (UNTOUCHED, Triage(TriageStatus.RESOLVED))},
    "application.triage.put_back:before": lambda w: {_finding(w): Triage(TriageStatus.IN_PROGRESS)},
    "standing": lambda w: w.app.agent.standing(w.user.id, w.thread_id),
    "question": lambda w: w.app.agent.pending(w.user.id, w.asking_thread_id),
    "upload_id": lambda w: w.marker,
    "entry": _register_entry,
    "into": _register_entry,
    "application.register.merge:entries": lambda w: [e.entry for e in register.load(w.app, w.user, w.document.id).entries],
    # other meanings of the same names
    "target_ids": _documents("ready"),
    "application.impact.of_version:document": lambda w: w.document,
    **{f"application.audit_files.{name}:decided": lambda w: {_finding(w): Triage(wording="Something else.")} for name in (
        "audit_pack", "export", "policy_with_changes",
    )},
    "application.audit_files.policy_with_changes:report": lambda w: audits.get_report(
        w.app, w.user, w.report_id
    ).model_copy(update={"source_document_id": w.document.id}),
    "application.auditing.estimate:wanted": lambda w: NewAudit(w.document.id, (w.document.id,)),
    "application.auditing.workload:wanted": lambda w: NewAudit(w.document.id, (w.document.id,)),
    "application.auditing.start:wanted": lambda w: NewAudit(w.document.id, (w.documents["previous"].id,)),
    "application.intake.unlock:document_id": _document("locked"),
    "application.intake.retry:document_id": _document("failed"),
    "application.processing.cancel:document_ids": _documents("queued"),
    "application.processing.requeue:documents": lambda w: [w.documents["failed"]],
    "application.reading.missing:document_ids": _documents("ready"),
    "application.trash.restore:ids": _documents("deleted"),
    "application.trash.purge:ids": _documents("deleted"),
    "application.trash.restore_file:sha256": lambda w: w.documents["deleted"].sha256,
    "application.ask.resume:thread_id": lambda w: w.asking_thread_id,
    "application.ask.pending:thread_id": lambda w: w.asking_thread_id,
    "application.ask.continue_without_model:thread_id": lambda w: w.thread_id,
    "application.ask.send_again:thread_id": lambda w: w.thread_id,
    "db.ingestion.cancel:document_ids": _documents("queued"),
    "db.ingestion.report_progress:document": lambda w: documents_db.find_document(w.app.db, w.user.id, w.documents["queued"].id),
    "db.ingestion.is_wanted:document": lambda w: documents_db.find_document(w.app.db, w.user.id, w.documents["queued"].id),
    "db.ingestion.set_failed:document_id": _document("queued"),
    "db.trash.show_documents:ids": _documents("deleted"),
    "db.trash.find_deleted_by_sha256:sha256": lambda w: w.documents["deleted"].sha256,
    "db.index.passages_by_id:ids": lambda w: [chunk_id(w.document.id, 0)],
    "db.pages.load_hits:wanted": lambda w: [(1, 1)],
    "application.ask.stop:thread_id": lambda w: (_begun(w), w.asking_thread_id)[1],
    "application.uploads.follow:upload_id": lambda w: _uploaded(w),
    "application.catalogue.excerpts:words": lambda w: "kept",
    "application.intake.check_is_new:data": lambda w: w.app.files.get(w.document.storage_key),
    "application.uploads.look:file": lambda w: FoundFile(
        "a.pdf", (), lambda: w.app.files.get(w.document.storage_key)
    ),
    "db.conversations.end_run:run_id": lambda w: _begun(w),
    "db.conversations.withdraw_run:run_id": lambda w: _begun(w),
    "db.conversations.finish_run:run_id": lambda w: _begun(w),
    "db.conversations.finish_run:thread_id": lambda w: w.asking_thread_id,
    "db.conversations.lease:thread_id": lambda w: (_begun(w), w.asking_thread_id)[1],
    "db.conversations.is_accepting:thread_id": lambda w: (_begun(w), w.asking_thread_id)[1],
    "db.conversations.request_stop:thread_id": lambda w: (_begun(w), w.asking_thread_id)[1],
    **{f"application.research.{name}:thread_id": _research for name in (
        "continue_run", "delete", "edit_report", "find", "fork", "plan", "reports", "run_log", "step_values", "timeline",
    )},
    **{f"application.research.{name}:thread_id": _asking_research for name in ("pending", "resume")},
    **{f"db.research.{name}:thread_id": _research for name in ("beginning", "find_thread", "list_reports")},
    "begin": lambda w: research_db.beginning(w.app.db, w.user.id, w.research_id),
    "checkpoint_id": _step,
    "db.research.add_report:report": _written,
    "db.research.add_edited:report": _written,
    "application.catalogue.excerpts:entries": lambda w: [Entry(document=w.document)],
}  # fmt: skip

_UPLOAD = Upload(filename="new.pdf", data=b"", type=DocumentType.REGULATORY)


def _new_pdf() -> bytes:
    return text_pdf([["A rule that is new."]]) + secrets.token_bytes(4).hex().encode()


def _new_document(w: World) -> Document:
    new = str(uuid4())
    return Document(
        id=new, title="New", version="", type=DocumentType.REGULATORY, filename="new.txt", media_type="text/plain",
        sha256=secrets.token_hex(32), size_bytes=1, storage_key=file_key(w.user.id, new, "original"),
        status=DocumentStatus.QUEUED, created_at=datetime.now(UTC),
    )  # fmt: skip


NEUTRAL: Mapping[str, Value] = {
    "text": lambda w: "An institution must do something else.",
    "kind": lambda w: Kind.PROHIBITION,
    "application.pair_decisions.decide:outcome": lambda w: PairOutcome.NO_CONFLICT,
    "ordinal": lambda w: 2,
    "ordinals": lambda w: [1, 2],
    "removed": lambda w: notes.Removed(w.document.id, str(uuid4()), "words-1", "1", "An institution must", w.marker),
    "application.register.with_notes:register": lambda w: register.load(w.app, w.user, w.document.id),
    "provision": lambda w: Provision(2, "1", (), 1, ()),
    "new_name": lambda w: "Another name",
    "choice": lambda w: {"words": "records"},
    "application.audit_files.export:extension": lambda w: "xlsx",
    "application.audit_files.export:findings": lambda w: [],
    "application.finding_filters.save:name": lambda w: "A filter",
    "application.finding_filters.save:wanted": lambda w: FindingFilter(words="records"),
    "db.saved_choices.save_choice:name": lambda w: "A filter",
    **{f"db.saved_choices.{function}:kind": lambda w: "finding_filter" for function in (
        "delete_choice", "list_choices", "rename_choice", "save_choice",
    )},
    "anchor": lambda w: "words-1",
    "label": lambda w: "1",
    "quote": lambda w: "An institution must",
    "party": lambda w: "institution",
    "note": lambda w: "A note",
    "is_struck": lambda w: True,
    "provisions": lambda w: [],
    "outline": lambda w: ["A title"],
    "reader_version": lambda w: 1,
    "db.provisions.provisions_on:places": lambda w: [(w.document.id, 1)],
    "db.provisions.label_places:places": lambda w: [(w.document.id, 1)],
    "db.provisions.provisions_labelled:labels": lambda w: ["1"],
    "db.provisions.provisions_defining:term": lambda w: "loss",
    "db.provisions.provisions_under:heading": lambda w: "Part 1 Losses",
    "db.provisions.insert_provisions:version": lambda w: 1,
    "change": lambda w: RegisterChange("another entry", "An institution must do something else.", is_added=True),
    "aliases": lambda w: ("An alias",),
    "tags": lambda w: ("a tag",),
    "add": lambda w: ("an added tag",),
    "remove": lambda w: (f"{w.marker}-tag",),
    "type": lambda w: DocumentType.COMPANY,
    "version": lambda w: "2",
    "set_name": lambda w: "A set",
    "colour": lambda w: SET_COLOURS[1],
    "page": lambda w: 1,
    "pages": lambda w: [Page(1, "A rule that is new.")],
    "pages_without_text": lambda w: 0,
    "password": lambda w: PASSWORD,
    "helpful": lambda w: False,
    "pinned": lambda w: True,
    "db.jobs.latest_job:task": lambda w: INGEST,
    "application.register.read_by_model:check_stop": lambda w: lambda: None,
    "citation_id": lambda w: 1,
    "feedback": lambda w: Feedback(False, "A comment"),
    "profile": lambda w: Profile("Another company", "Another country"),
    "monthly_usd": lambda w: Decimal("1.00"),
    "installation": lambda w: MonthlyLimits(Decimal("100")),
    "continue_without_model": lambda w: False,
    "provider": lambda w: "tavily",
    "quota": lambda w: 5,
    "call": lambda w: ModelCall("answer", "openai", "a model", "1", Usage(1, 1, Decimal(1)), 0.1),
    "entries": lambda w: [TraceEntry("node", "retrieve", 0.1)],
    "status": lambda w: "failed",
    "role": lambda w: "assistant",
    "content": lambda w: "An answer",
    "payload": lambda w: {},
    "owner": lambda w: NO_PROCESS,
    "answer": lambda w: Answer(type="cancel"),
    "request": lambda w: ask.Request(message="How long must records be kept?"),
    "upload": lambda w: Upload(filename="new.pdf", data=_new_pdf(), type=DocumentType.REGULATORY),
    "details": lambda w: _UPLOAD,
    "file": lambda w: FoundFile("new.pdf", (), _new_pdf),
    "files": lambda w: [FoundFile("new.pdf", (), _new_pdf)],
    "document": _new_document,
    "sealed": lambda w: b"sealed",
    "seconds": lambda w: 1.0,
    "timeout_seconds": lambda w: 5.0,
    "code": lambda w: "damaged_document",
    "reason": lambda w: "It is damaged.",
    "progress": lambda w: 0.5,
    "key": lambda w: file_key(w.user.id, w.document.id, "unlocked"),
    "model": lambda w: w.app.embedder.model,
    "vectors": lambda w: w.app.embedder.embed(["A rule that is new."]),
    "vector": lambda w: np.ones(256, dtype=np.float32),
    "limit": lambda w: 10,
    "per_document": lambda w: 5,
    "dense_weight": lambda w: 0.3,
    "positions": _positions,
    "terms": lambda w: dict.fromkeys(_positions(w), 1.0),
    "weights": lambda w: dict.fromkeys(_positions(w), 1.0),
    "chunks": lambda w: [IndexedChunk(str(uuid4()), 0, 1, 0, 5, None, "A rule", 2, {1: 1.0})],
    "sign": lambda w: 1,
    "changes": lambda w: {"owner": w.marker},
    "changed_by": lambda w: w.marker,
    "today": lambda w: date.today(),
    "goal": lambda w: "What must a bank report about incidents?",
    "markdown": lambda w: "# A report",
    "expected_version": lambda w: 1,
    "hits": lambda w: [],
    "harvested": lambda w: {},
    "application.catalogue.find:documents": lambda w: library.list_documents(w.app, w.user),
    "application.catalogue.find:wanted": lambda w: Filter(),
    "application.conversations.rename:title": lambda w: "A name",
    "application.uploads.start:details": lambda w: [_UPLOAD],
    "application.library.edit:title": lambda w: "A title",
    "application.library.move_to_set:name": lambda w: "A set",
    "application.metadata.set_id_of:name": lambda w: "A set",
    "application.sets.edit_set:name": lambda w: "A set",
    "db.conversations.rename_conversation:title": lambda w: "A name",
    "db.conversations.begin_run:run_id": lambda w: str(uuid4()),
    "db.conversations.record_answer:answer": lambda w: {"type": "cancel"},
    "db.conversations.record_answer:interrupt_id": lambda w: secrets.token_hex(8),
    "db.documents.update_metadata:title": lambda w: "A title",
    "db.ingestion.report_progress:status": lambda w: DocumentStatus.CHUNKING,
    "db.ingestion.set_recognised_copy:pages": lambda w: [1],
    "db.documents.ensure_set:name": lambda w: "A set",
    "db.documents.update_set:name": lambda w: "A set",
    "db.sign_ins.add:sign_in_id": lambda w: secrets.token_bytes(32),
        "db.embeddings.count_missing:model": lambda w: "another model",
    "db.embeddings.add_vectors:model": lambda w: "another model",
}  # fmt: skip

OPTIONAL = frozenset({
    "db.documents.list_documents:ids", "application.library.list_documents:ids",
})  # fmt: skip
"""Parameters with a default that are given all the same, because they name something that belongs to somebody."""

_HOUSEKEEPING = "housekeeping of the worker, called for nobody and answering nobody"
_ACCOUNTS = "what is asked for is whose account it is: a password, a secret or a link decides"

WITHOUT_USER: Mapping[str, str] = {
    "application.register.has_model": "tells of the installation, not of a person",
    "application.wiring.build_web_research": "wires a service",
    "application.wiring.build_embedder": "wires a service",
    "application.components.unpriced_models": "tells of settings",
    "db.embeddings.halfvecs": "adapts vectors for a statement",
    "application.container.local_analyst": "says who works here without sign-in",
    "application.wiring.migrate_all": "changes tables, not rows",
    "application.uploads.found_in": "reads what was handed in",
    "application.drafts.read_draft": "reads what was handed in",
    "application.outcomes.recorded": "its run says whose it is",
    "application.trash.purge_expired": _HOUSEKEEPING,
    "application.trash.remove_orphans": _HOUSEKEEPING,
    "application.components.components": "tells of settings",
    "db.conversations.held_runs": _HOUSEKEEPING,
    "db.conversations.release_owned_runs": _HOUSEKEEPING,
    "db.conversations.running_owners": _HOUSEKEEPING,
    "application.auditing.regulations_of": "chooses among what was loaded for its owner",
    "application.audit_files.accepted": "works on what was loaded for its owner",
    "application.triage.corrected": "works on what was loaded for its owner",
    "db.embeddings.documents_without_vectors": _HOUSEKEEPING,
    "db.jobs.ready_without_job": _HOUSEKEEPING,
    "db.provisions.documents_to_read": _HOUSEKEEPING,
    "db.embeddings.kept_as": _HOUSEKEEPING,
    "db.embedded.installation_id": "tells of the installation",
    "db.jobs.documents_without_job": _HOUSEKEEPING,
    "db.jobs.stored_keys": _HOUSEKEEPING,
    "db.pool.check_if_idle": "asks nothing",
    "db.pool.use_search_path": "sets up a connection",
    "db.probe.inspect": "tries connections, reads no rows of anybody's",
    "db.probe.probe": "tries connections, reads no rows of anybody's",
    "db.probe.probe_direct": "tries connections, reads no rows of anybody's",
    "db.probe.probe_pooled": "tries connections, reads no rows of anybody's",
    "db.trash.expired": _HOUSEKEEPING,
    "db.web_cache.remove_expired": _HOUSEKEEPING,
    **{f"application.identity.{name}": _ACCOUNTS for name in (
        "has_accounts", "open_link", "request_password_reset", "resend_confirmation", "resume", "set_password", "sign_in",
        "sign_out", "sign_up",
    )},
}  # fmt: skip
"""Functions that reach data without being told whose, and why nobody's data can leave through them."""

QUIET: Mapping[str, str] = {
    "application.ask.asks_anew": "compares a message with the caller's own titles, and says yes or no",
    "application.ask.failure": "tells only of a failed run whose error could not be stored",
    "application.budget.charged_search": "gives a search on the caller's account, and searches nothing yet",
    "application.budget.goes_without_model": "no installation without a model key has a limit to reach",
    "application.catalogue.excerpts": "finds the words of entries the caller holds; the pages it reads are the caller's",
    
    "application.triage.carry_over": "acts on an earlier one of the reports the caller can list",
    "application.uploads.start": "takes in what the caller hands in",
    "application.reaudits.report_before": "tells of an earlier one of the reports the caller can list",
    "application.reaudits.versions_of": "tells of the versions of one of the reports the caller can list",
    "application.impact.of_version": "tells of reports the caller can list, where a version follows the one they rest on",
    "application.reaudits.resting_on_earlier": "tells of reports the caller can list, where a version follows the one they rest on",
    "application.research.gate": "reads a goal beside the caller's own library, and looks nothing up",
    "application.usage.renewal": "tells of vectors of a model that is not in use",
    "application.sample_documents.remove_samples": "nobody has samples here",
    "application.usage.status": "tells of the installation",
    "db.web_cache.claim_search": "a provider's quota is the installation's",
    "db.web_cache.searches_this_month": "a provider's quota is the installation's",
    "db.conversations.create_conversation": "an id that is taken is refused to everybody, its owner included",
    "db.research.add_thread": "an id that is taken is refused to everybody, its owner included",
    "db.index.lock_corpus": "holds a lock until the end of the transaction",
    "db.pool.enter_as_user": "only says who asks",
    "db.users.ensure_user": "the person exists already",
}  # fmt: skip
"""Functions that do and say the same for an owner as for a stranger, and why."""
