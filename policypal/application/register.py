"""The register of obligations of a document: read, changed, exported (D12)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from uuid import uuid4

from policypal.application import library, notes
from policypal.application.budget import account_of
from policypal.application.container import Container
from policypal.application.jobs import READ_REGISTER
from policypal.audit import refine
from policypal.audit import register as register_service
from policypal.audit.plan import Estimate
from policypal.db import jobs as jobs_db
from policypal.db import model_readings as readings_db
from policypal.db import provisions as provisions_db
from policypal.db.jobs import Job
from policypal.domain.account import Reserving
from policypal.domain.documents import Document
from policypal.domain.provisions import Kind
from policypal.domain.register import Register, RegisterChange, RegisterEntry
from policypal.domain.text import fitting, storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.graph.agent import register_reading
from policypal.llm.task import TaskContext
from policypal.text.provisions import READER_VERSION

MAX_TEXT = 3_000
MAX_NOTE = 2_000
MAX_PARTY = 200
_NO_MODEL = "There is no language model to read the register; see Settings."

csv_of, xlsx_of, sheet_of = (
    register_service.register_csv,
    register_service.register_xlsx,
    register_service.register_sheet,
)


def load(app: Container, user: User, document_id: str) -> Register:
    """The register of a document, with what was changed in it. Raises NotFound: no such document."""
    document = library.get_document(app, user, document_id)
    return _register(app, user, document)


def _register(app: Container, user: User, document: Document) -> Register:
    read = provisions_db.load_provisions(app.db, user.id, document.id)
    changes = provisions_db.load_changes(app.db, user.id, document.id)
    marks = readings_db.load_marks(app.db, user.id, document.id)
    models = {told["model"] for told in readings_db.register_readings(app.db, user.id, document.id).values()} - {""}
    entries = register_service.entries_of(read, changes, marks)
    return Register(document, entries, document.reader_version >= READER_VERSION, models=", ".join(sorted(models)))


def has_model(app: Container) -> bool:
    """Whether there is a model that could read registers."""
    return not app.graph_services.by_rules


@dataclass(frozen=True, slots=True)
class ModelReading:
    """How far a model has read the register of a document: the calls that are ``left``, of so many in all; ``job`` is what the queue holds
    of it, None where nothing waits."""

    left: Estimate
    calls: int
    job: Job | None

    @property
    def is_under_way(self) -> bool:
        return self.job is not None and self.job.is_open


def reading_by_model(app: Container, user: User, document_id: str) -> ModelReading | None:
    """What it would take to have the model read the register, and how far that is; None where there is no model. Raises NotFound: no such
    document."""
    document = library.get_document(app, user, document_id)
    if not has_model(app):
        return None
    left = register_reading.estimate(app.db, app.engine, user.id, [document], anew=True)
    answered = sum(bool(told["model"]) for told in readings_db.register_readings(app.db, user.id, document.id).values())
    return ModelReading(left, left.calls + answered, jobs_db.latest_job(app.db, user.id, document.id, READ_REGISTER))


def begin_reading(app: Container, user: User, document_id: str) -> None:
    """Have the model read the register in the background; a killed process loses no finished part (D12).

    Raises:
        NotFound: no such document.
        InvalidInput: there is no model.
    """
    reading = reading_by_model(app, user, document_id)
    if reading is None:
        raise InvalidInput(_NO_MODEL)
    if not reading.is_under_way:
        app.jobs.defer_register(user.id, document_id)


def stop_reading(app: Container, user: User, document_id: str) -> None:
    """Ask for no more of it; what was read is kept. Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    job = jobs_db.latest_job(app.db, user.id, document_id, READ_REGISTER)
    if job is not None and job.is_open:
        app.jobs.cancel(job.id)


def read_by_model(app: Container, user: User, document_id: str, check_stop: Callable[[], None] = lambda: None) -> int:
    """Have the model read the register of a document again, and wait for it; how many of its entries it reads otherwise. Only numbers are
    taken of it, its reading is kept, and nothing is asked twice. An analyst's changes count before it.

    Raises:
        NotFound: no such document.
        InvalidInput: there is no model.
        ModelError, BudgetExceeded, what ``check_stop`` raises: what was read until then is kept.
    """
    document = library.get_document(app, user, document_id)
    if not has_model(app):
        raise InvalidInput(_NO_MODEL)
    context = TaskContext(app.embedder, account=Reserving(account_of(app, user.id)), check_stop=check_stop)

    def ask(given: refine.RefineInput) -> tuple[refine.Corrections, str]:
        check_stop()
        result = app.engine.run(refine.REFINE, given, context)
        return result.output, result.model

    register_reading.read_register(app.db, app.engine, user.id, document, ask, check_stop, anew=True)
    return len(readings_db.load_marks(app.db, user.id, document_id))


def forget_reading_by_model(app: Container, user: User, document_id: str) -> None:
    """The register is again as the rules read it, and as analysts changed it; no audit has it read again. Raises NotFound: no such
    document."""
    library.get_document(app, user, document_id)
    for key in readings_db.register_readings(app.db, user.id, document_id):
        readings_db.keep_reading(app.db, user.id, document_id, key, {"model": "", "marks": {}})


def change(
    app: Container, user: User, document_id: str, entry: str, *, kind: Kind | None = None, party: str | None = None,
    note: str | None = None, is_struck: bool | None = None,
) -> None:  # fmt: skip
    """Change an entry: what it is, whom it binds, a note, whether it is struck. None leaves a thing as it is.

    Raises:
        NotFound: no such document or entry; it may have gone when the document was read again.
        InvalidInput: a note or party that is too long.
    """
    held = _entry(load(app, user, document_id), entry)
    before = _change_of(app, user, document_id, held)
    changed = replace(
        before,
        kind=kind or before.kind,
        party=before.party if party is None else fitting(party, MAX_PARTY, "party"),
        note=before.note if note is None else fitting(note, MAX_NOTE, "note"),
        is_struck=before.is_struck if is_struck is None else is_struck,
    )
    provisions_db.save_change(app.db, user.id, document_id, changed)


def merge(app: Container, user: User, document_id: str, entries: Collection[str], into: str) -> None:
    """Count several entries as one: ``entries`` no longer count, ``into`` does.

    Raises:
        NotFound: no such document or entry.
        InvalidInput: ``into`` is itself merged, or nothing else was named.
    """
    register = load(app, user, document_id)
    target = _entry(register, into)
    others = [_entry(register, e) for e in entries if e != into]
    if not others or target.merged_into:
        raise InvalidInput("Please choose at least two entries, and one of them to keep, which is not itself merged.")
    for other in others:
        provisions_db.save_change(
            app.db, user.id, document_id, replace(_change_of(app, user, document_id, other), merged_into=into)
        )


def add(
    app: Container,
    user: User,
    document_id: str,
    text: str,
    *,
    kind: Kind = Kind.OBLIGATION,
    party: str = "",
    note: str = "",
) -> str:
    """Add an obligation the reading does not have; its id.

    Raises:
        NotFound: no such document.
        InvalidInput: no text, or one that is too long.
    """
    library.get_document(app, user, document_id)
    words = fitting(text, MAX_TEXT, "text")
    if not words:
        raise InvalidInput("Please say what the obligation is.")
    entry = str(uuid4())
    added = RegisterChange(
        entry,
        words,
        is_added=True,
        kind=kind,
        party=fitting(party, MAX_PARTY, "party"),
        note=fitting(note, MAX_NOTE, "note"),
    )
    provisions_db.save_change(app.db, user.id, document_id, added)
    return entry


def restore(app: Container, user: User, document_id: str, entry: str) -> None:
    """Take back what was changed of an entry; what was added goes. Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    provisions_db.delete_change(app.db, user.id, document_id, storable(entry))


def with_notes(app: Container, user: User, register: Register) -> Register:
    """The register with the notes on the document's provisions, for its files. Raises NotFound: the document is gone."""
    return replace(register, notes=tuple(notes.load(app, user, register.document.id)))


def _entry(register: Register, entry: str) -> RegisterEntry:
    found = next((e for e in register.entries if e.entry == entry), None)
    if found is None:
        raise NotFound("This entry is no longer in the register; the document may have been read again.")
    return found


def _change_of(app: Container, user: User, document_id: str, entry: RegisterEntry) -> RegisterChange:
    """What was changed of an entry so far."""
    held = provisions_db.load_changes(app.db, user.id, document_id).get(entry.entry)
    return held or RegisterChange(entry.entry, entry.full, is_struck=entry.is_struck)
