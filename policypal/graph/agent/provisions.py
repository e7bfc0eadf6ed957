"""The provisions a question is answered from: those it names by number, and those its search results stand in (A2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policypal.answer.questions import content_terms
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document, DocumentStatus, RetrievedPassage
from policypal.domain.versions import superseded_by
from policypal.graph.agent.state import AgentState, subject_of
from policypal.graph.context import NodeContext
from policypal.search.provisions import provisions_named, provisions_of
from policypal.text.numbering import asked_label

MOST_PARTS = 40
_MOST_NAMED_DOCUMENTS = 3
_MOST_OTHER_TERMS = 1
"""With more words of content beside the number, something in the provision is asked for, not the provision."""


@dataclass(frozen=True, slots=True)
class Named:
    """Parts of the provisions that a question names by number. ``are_asked_for``: they are the answer, as they stand."""

    parts: Sequence[RetrievedPassage] = ()
    are_asked_for: bool = False


def named_provisions(state: AgentState, context: NodeContext) -> Named:
    """ "Article 17", "AU-11"; superseded editions are left out where the edition in force has the provision, too."""
    asked = asked_label(subject_of(state, context.run.library))
    if asked is None:
        return Named()
    library = readable(context)
    scope = state["resolved_doc_ids"] or None
    parts = provisions_named(context.services.db, context.run.user_id, asked, library, scope)
    newer = superseded_editions(context)
    having = {part.document_id for part in parts}
    kept = [p for p in parts if p.document_id not in newer or newer[p.document_id].id not in having]
    documents = list(dict.fromkeys(p.document_id for p in kept))[:_MOST_NAMED_DOCUMENTS]
    found = [RetrievedPassage(p, score=1.0, similarity=0.0, coverage=1.0) for p in kept if p.document_id in documents]
    return Named(found, bool(found) and len(content_terms(asked.rest)) <= _MOST_OTHER_TERMS)


def ranked_provisions(words: str, hits: Sequence[RetrievedPassage], context: NodeContext) -> list[RetrievedPassage]:
    """The parts of provisions that the hits stand in, best first; and the other parts of those that are longer."""
    search = context.services.search
    parts = provisions_of(context.services.db, context.run.user_id, hits, readable(context))
    return search.ranked(context.run.user_id, words, parts)[:MOST_PARTS]


def count_searched(state: AgentState, context: NodeContext) -> tuple[int, int]:
    """How many provisions of how many documents a question was looked for in."""
    scope = state["resolved_doc_ids"] or list(readable(context))
    return provisions_db.count_provisions(context.services.db, context.run.user_id, scope), len(scope)


def readable(context: NodeContext) -> dict[str, Document]:
    """The documents that can be searched, by id."""
    return {d.id: d for d in context.run.library if d.status is DocumentStatus.READY}


def superseded_editions(context: NodeContext) -> dict[str, Document]:
    """By the id of each superseded edition that can be read: the one in force."""
    return superseded_by(list(readable(context).values()))
