"""The provisions a question is answered from: those it names by number, and those its search results stand in (A2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policypal.answer.confidence import Rating, rating
from policypal.answer.evidence import Evidence
from policypal.answer.questions import Question, analyse, content_terms
from policypal.answer.view import topic_headings, view
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document, DocumentStatus, RetrievedPassage
from policypal.domain.provisions import Kind
from policypal.domain.versions import superseded_by
from policypal.graph.agent.state import AgentState, documents_read, subject_of
from policypal.graph.citing import numbered_evidence
from policypal.graph.context import NodeContext
from policypal.search.provisions import provisions_named, provisions_of, with_definitions, with_section
from policypal.text.numbering import asked_label, chosen_labels

MOST_PARTS = 40
_MOST_NAMED_DOCUMENTS = 3
_MOST_OTHER_TERMS = 1
"""With more words of content beside the number, something in the provision is asked for, not the provision."""


@dataclass(frozen=True, slots=True)
class Named:
    """Parts of the provisions that a question names by number. ``are_asked_for``: they are the answer, as they stand. ``are_all``: the
    question is to be answered from them alone (U11)."""

    parts: Sequence[RetrievedPassage] = ()
    are_asked_for: bool = False
    are_all: bool = False


@dataclass(frozen=True, slots=True)
class Material:
    """What a question is answered from: parts of provisions, those it names first, and the same as evidence, numbered from 1."""

    hits: Sequence[RetrievedPassage]
    evidence: Sequence[Evidence]


def named_provisions(state: AgentState, context: NodeContext) -> Named:
    """ "Article 17", "AU-11"; superseded editions are left out where the edition in force has the provision, too."""
    chosen = chosen_labels(state["clean_query"])
    one = asked_label(subject_of(state, context.run.library))
    asked = chosen or ([one] if one else [])
    if not asked:
        return Named()
    scope, library = documents_read(state), readable(context)
    each = [provisions_named(context.services.db, context.run.user_id, a, library, scope) for a in asked]
    parts = list({part.id: part for found in each for part in found}.values())
    newer = superseded_editions(context)
    having = {part.document_id for part in parts}
    kept = [p for p in parts if p.document_id not in newer or newer[p.document_id].id not in having]
    documents = list(dict.fromkeys(p.document_id for p in kept))[:_MOST_NAMED_DOCUMENTS]
    found = [RetrievedPassage(p, score=1.0, similarity=0.0, coverage=1.0) for p in kept if p.document_id in documents]
    is_short = len(content_terms(asked[-1].rest)) <= _MOST_OTHER_TERMS
    return Named(found, bool(found) and is_short, are_all=bool(chosen) and all(each))


def material(
    state: AgentState, context: NodeContext, words: str, found: Sequence[RetrievedPassage], named: Named | None = None
) -> Material:
    """The provisions that are named, and those the passages ``found`` for ``words`` stand in, best first."""
    named = named_provisions(state, context) if named is None else named
    if named.are_all:
        return Material(
            named.parts, list(_marked(context, named.parts, len(named.parts) if named.are_asked_for else 0))
        )
    db, user, library = context.services.db, context.run.user_id, readable(context)
    parts = provisions_of(db, user, found, library)
    question = analyse(words)
    term = question.definiendum
    if term:
        parts = with_definitions(db, user, term, parts, library)
    for heading, best in list(_sections_on(question, parts)):
        parts = with_section(db, user, heading, best, parts, library)
    known = {hit.passage.id for hit in named.parts}
    ranked = [h for h in context.services.search.ranked(user, words, parts) if h.passage.id not in known]
    meanings = [h for h in ranked[MOST_PARTS:] if term and Kind.DEFINITION in h.passage.kinds]
    hits = [*named.parts, *ranked[:MOST_PARTS], *meanings]
    return Material(hits, list(_marked(context, hits, len(named.parts) if named.are_asked_for else 0)))


def _sections_on(question: Question, parts: Sequence[RetrievedPassage]) -> Iterator[tuple[str, RetrievedPassage]]:
    """The section of each document whose heading names all that a question is about, with a part that stands under it."""
    headings = topic_headings(question, [(hit.passage.document_id, hit.passage.heading or "") for hit in parts])
    for document, heading in headings.items():
        ours = (hit for hit in parts if hit.passage.document_id == document)
        yield heading, next(hit for hit in ours if heading in (hit.passage.heading or "").splitlines())


def _marked(context: NodeContext, hits: Sequence[RetrievedPassage], named: int) -> Iterator[Evidence]:
    """The hits as evidence; the first ``named`` are what was asked for, and older editions say so."""
    newer = superseded_editions(context)
    for evidence, hit in zip(numbered_evidence(hits), hits, strict=True):
        edition = newer.get(hit.passage.document_id)
        superseded = edition.version if edition else ""
        yield evidence.model_copy(update={"is_named": evidence.number <= named, "superseded_by": superseded})


def rated(words: str, evidence: Sequence[Evidence]) -> Rating:
    """How sure the rules are that the evidence holds the answer (C4)."""
    question = analyse(words)
    return rating(question, view(question, evidence)) if evidence else Rating("low", 0.0)


def count_searched(state: AgentState, context: NodeContext) -> tuple[int, int]:
    """How many provisions of how many documents a question was looked for in."""
    named = named_provisions(state, context)
    if named.are_all:
        return len({(hit.passage.document_id, hit.passage.ordinal) for hit in named.parts}), 1
    scope = documents_read(state) or list(readable(context))
    return provisions_db.count_provisions(context.services.db, context.run.user_id, scope), len(scope)


def readable(context: NodeContext) -> dict[str, Document]:
    """The documents that can be searched, by id."""
    return {d.id: d for d in context.run.library if d.status is DocumentStatus.READY}


def superseded_editions(context: NodeContext) -> dict[str, Document]:
    """By the id of each superseded edition that can be read: the one in force."""
    return superseded_by(list(readable(context).values()))
