"""What the stored provisions of a turn's documents say, with the changes of their registers (A0, D11, D12)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from policypal.answer.readings import Reading as Clauses
from policypal.audit.register import entries_of
from policypal.audit.units import provisions_of
from policypal.db import model_readings as readings_db
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document, Passage
from policypal.domain.extents import Extent
from policypal.graph.context import NodeContext
from policypal.text.clauses import Clause, Place, clauses_of


@dataclass(frozen=True, slots=True)
class Reading:
    """A document and all of its clauses. Its pages are those that hold text."""

    document: Document
    clauses: tuple[Clause, ...]
    pages: int

    @property
    def extent(self) -> Extent:
        """All of it was read; pages without text are left."""
        return Extent.of(self.document, min(self.pages, self.document.pages), self.document.chunks)

    @property
    def passages(self) -> list[Passage]:
        """Where the clauses stand, one passage each, for the look-up of their quotations."""
        return [passage_at(self.document, c.places[0], c.text, c.heading) for c in self.clauses]


def readings_of(documents: Iterable[Document], context: NodeContext) -> list[Reading]:
    """The clauses of documents, each once; an analyst's word on what a clause is and whom it binds counts."""
    return [_reading(document, context) for document in documents]


def numbered(readings: Iterable[Reading], *, after: int = 0) -> list[Clauses]:
    """The readings as tasks see them, their clauses numbered on from so many passages; a citer numbers their passages alike."""
    found = []
    for reading in readings:
        found.append(Clauses(reading.document.display_title, reading.clauses, after))
        after += len(reading.clauses)
    return found


def passage_at(document: Document, place: Place, text: str, heading: str = "") -> Passage:
    """A stretch of a document's page as a passage."""
    return Passage(
        id="", document_id=document.id, document_title=document.title, document_version=document.version,
        document_type=document.type, ordinal=0, page=place.page, start=place.start, end=place.end, heading=heading or None,
        text=text,
    )  # fmt: skip


def _reading(document: Document, context: NodeContext) -> Reading:
    db, user = context.services.db, context.run.user_id
    provisions = provisions_of(db, user, document.id)
    changes, marks = provisions_db.load_changes(db, user, document.id), readings_db.load_marks(db, user, document.id)
    told = entries_of(provisions, changes, marks) if changes or marks else ()
    entries = {(e.page, e.end): e for e in told if e.is_changed or e.model_says}
    clauses = []
    for clause in clauses_of(provisions):
        changed = entries.get((clause.page, clause.places[0].end))
        if changed is not None:
            struck = changed.is_struck or bool(changed.merged_into)
            clause = replace(clause, kind=changed.kind, party=changed.party, is_struck=struck)
        clauses.append(clause)
    return Reading(document, tuple(clauses), len({s.page for p in provisions for s in p.sentences}))
