"""What a question is about, in the person's own words."""

from collections.abc import Sequence

from policypal.answer.queries import search_query
from policypal.domain.documents import Document
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of


def asked_in_own_words(state: AgentState, library: Sequence[Document]) -> str:
    """A question in the words that the person has typed: a bare follow-up with the question before it (A2)."""
    words = subject_of(state, library)
    if not state["resolved_doc_titles"] and not state.get("conversation_docs"):
        return words
    titles, called = list(state["resolved_doc_titles"].values()), names_of(state, library).called
    return search_query(words, titles, called, history_lines(state, last=None)) or words
