"""What a message is about, in the person's own words."""

import re
from collections.abc import Sequence

from policypal.answer.queries import search_query
from policypal.domain.documents import Document
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of
from policypal.graph.context import NodeContext
from policypal.request.focus import focus_of
from policypal.request.subject import Names, without_document_names
from policypal.search.terms import terms

_GENERIC = frozenset(
    terms(
        "compare comparison contrast difference differences differ different similar similarities similarity between versus"
        " against document documents regulation regulations rulebook policy policies guideline edition editions version"
        " versions new newer old older latest two both three these those them please show me tell change changes changed"
        " what's how text vs all main key major overview give list summary"
    )
)


_ASKED = re.compile(
    r"\bsummar\w+(?:\s+(?!about|on|regarding)\w+){0,4}\s+(?:about|on|regarding)\s+(?P<topic>[^.?!;\n]{3,120})",
    re.IGNORECASE,
)


def asked_in_own_words(state: AgentState, library: Sequence[Document]) -> str:
    """A question in the words that the person has typed: a bare follow-up with the question before it (A2)."""
    words = subject_of(state, library)
    if not state["resolved_doc_titles"] and not state.get("conversation_docs"):
        return words
    titles, called = list(state["resolved_doc_titles"].values()), names_of(state, library).called
    return search_query(words, titles, called, history_lines(state, last=None)) or words


def summary_topic(state: AgentState, context: NodeContext) -> str:
    """What a summary is limited to, in the user's words; empty for all of its documents."""
    names = names_of(state, context.run.library)
    said = without_document_names(state["clean_query"], names.called, names.sets)
    found = _ASKED.search(said)
    return focus_of(said, names.called) or (found["topic"].strip() if found else "")


def comparison_topic(clean_query: str, names: Names) -> str:
    """What a comparison is focused on, in the user's words; empty for a holistic one.

    ``clean_query`` has no mentions; ``names`` are cut from it as from every question (:mod:`.subject`).
    """
    rest = without_document_names(clean_query, names.called, names.sets)
    title_terms = {t for title in names.called for t in terms(title)}
    words = [w for w in rest.split() if any(t not in _GENERIC and t not in title_terms for t in terms(w))]
    meaningful = [w for w in words if any(len(t) > 2 for t in terms(w))]
    return " ".join(meaningful).strip(" .,:;?!") if meaningful else ""
