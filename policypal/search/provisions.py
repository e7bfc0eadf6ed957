"""Provisions as passages: the ones that search results stand in, those a question names by number, and their order (A2, D11)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from policypal.db import provisions as provisions_db
from policypal.db.pool import Database
from policypal.domain.documents import Document, Passage, RetrievedPassage
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.text.line_shapes import SCOPE
from policypal.text.numbering import AskedLabel

Place = tuple[str, int]
"""Document id and page."""
PART_CHARACTERS = 1000
"""A longer provision is ranked in parts, which are put together again where they are shown."""
_HEADINGS = 2


def provisions_of(
    db: Database, user_id: str, hits: Sequence[RetrievedPassage], library: Mapping[str, Document]
) -> list[RetrievedPassage]:
    """The parts of the provisions that ``hits`` stand in, each with the score of its best hit, in no particular order; the hit itself
    where its document has no provisions yet, and nothing for a hit in a table of contents unless
    that is all there is. ``library`` holds the documents by id."""
    places = {(hit.passage.document_id, hit.passage.page) for hit in hits}
    stored, texts = provisions_db.provisions_on(db, user_id, places)
    found: dict[tuple[str, int, int, int], RetrievedPassage] = {}
    for hit in sorted(hits, key=lambda hit: hit.score):
        at = hit.passage
        document = library.get(at.document_id)
        touched = [p for p in stored.get(at.document_id, []) if _touches(p, at)]
        parts = [part for p in touched for part in parts_of(document, p, texts)] if document else []
        for part in parts if document and touched else [at]:
            key = part.document_id, part.page, part.start, part.end
            found[key] = RetrievedPassage(part, hit.score, hit.similarity, hit.coverage)
    return list(found.values()) or list(hits)


def with_definitions(
    db: Database, user_id: str, term: str, found: Sequence[RetrievedPassage], library: Mapping[str, Document]
) -> list[RetrievedPassage]:
    """Parts of provisions, and those of the same documents that define a term."""
    known = {hit.passage.id for hit in found}
    documents = {hit.passage.document_id for hit in found}
    parts = _parts(library, *provisions_db.provisions_defining(db, user_id, term, documents))
    meanings = [p for p in parts if Kind.DEFINITION in p.kinds and term.lower() in " ".join(p.text.lower().split())]
    return [*found, *(RetrievedPassage(p, 1.0, 0.0, 1.0) for p in meanings if p.id not in known)]


def with_section(
    db: Database,
    user_id: str,
    heading: str,
    best: RetrievedPassage,
    found: Sequence[RetrievedPassage],
    library: Mapping[str, Document],
) -> list[RetrievedPassage]:
    """Parts of provisions, and the first ones below a ``heading`` that the ``best`` of them stands under."""
    known = {hit.passage.id for hit in found}
    parts = _parts(library, *provisions_db.provisions_under(db, user_id, best.passage.document_id, heading))
    return [*found, *(replace(best, passage=p) for p in parts if p.id not in known)]


def provisions_named(
    db: Database, user_id: str, asked: AskedLabel, library: Mapping[str, Document], document_ids: Collection[str] | None
) -> list[Passage]:
    """The parts of the provisions with a label, in reading order; of several documents, those that have its likeliest form. A number that
    begins again in a document is the one most is said under."""
    scope = None if document_ids is None else list(document_ids)
    stored, texts = provisions_db.provisions_labelled(db, user_id, asked.labels, scope)
    for label in asked.labels:
        found = {document: _run(provisions, label) for document, provisions in stored.items() if document in library}
        if any(found.values()):
            return _parts(library, found, texts)
    return []


def _parts(
    library: Mapping[str, Document], stored: Mapping[str, Sequence[Provision]], texts: Mapping[Place, str]
) -> list[Passage]:
    return [part for document, ours in stored.items() for p in ours for part in parts_of(library[document], p, texts)]


def _run(provisions: Sequence[Provision], label: str) -> list[Provision]:
    """The provisions that belong to one occurrence of a label, by the ordinals that follow one another."""
    runs = groupby(enumerate(provisions), key=lambda item: item[1].ordinal - item[0])
    together = [[provision for _, provision in run] for _, run in runs]
    ours = [run for run in together if any(_is_labelled(p.label, label) for p in run)]
    return max(ours, key=lambda run: sum(len(s.text) for p in run for s in p.sentences), default=[])


def _is_labelled(own: str, label: str) -> bool:
    own, label = own.upper(), label.upper()
    return own == label or own.startswith(f"{label}(")


def _touches(provision: Provision, passage: Passage) -> bool:
    return any(s.page == passage.page and s.start < passage.end and s.end > passage.start for s in provision.sentences)


def parts_of(document: Document, provision: Provision, texts: Mapping[Place, str]) -> Iterator[Passage]:
    """A provision page by page, in parts of about 1000 characters; nothing of one that is a heading only."""
    if all(s.kind is Kind.HEADING for s in provision.sentences):
        return
    for page, group in groupby(_below_headings(provision.sentences), key=lambda s: s.page):
        for sentences in _cut(list(group)):
            yield _part(document, provision, sentences, texts[document.id, page])


def _below_headings(sentences: Sequence[ProvisionSentence]) -> Sequence[ProvisionSentence]:
    """What stands below the headings a provision begins with; they stand in its path."""
    first = next(n for n, s in enumerate(sentences) if s.kind is not Kind.HEADING)
    return sentences[first:]


def _cut(sentences: Sequence[ProvisionSentence]) -> Iterator[list[ProvisionSentence]]:
    held: list[ProvisionSentence] = []
    for sentence in sentences:
        if held and sentence.end - held[0].start > PART_CHARACTERS:
            yield held
            held = []
        held.append(sentence)
    yield held


def _part(document: Document, provision: Provision, sentences: Sequence[ProvisionSentence], text: str) -> Passage:
    page, start, end = sentences[0].page, sentences[0].start, sentences[-1].end
    return Passage(
        id=f"{document.id}:{provision.ordinal}:{page}:{start}", document_id=document.id, document_title=document.title,
        document_version=document.version, document_type=document.type, ordinal=provision.ordinal, page=page, start=start,
        end=end, heading="\n".join(provision.headings[-_HEADINGS:]) or None, text=text[start:end], label=provision.label,
        introduction=sentences[0].introduction, kinds=frozenset(s.kind for s in sentences), scope=_scope(text[:start], provision.headings),
    )  # fmt: skip


def _scope(before: str, headings: Sequence[str]) -> str:
    """Whom the last line of the kind "For High Systems:" above limits what follows to, where it stands below the innermost heading."""
    at = before.rfind(headings[-1]) if headings else -1
    found = list(SCOPE.finditer(before, at)) if at >= 0 else []
    return found[-1]["who"].strip() if found else ""
