"""Who a statement binds, as its own words name them (A1, A6)."""

from __future__ import annotations

from policypal.answer.statements import Statement
from policypal.search.terms import terms
from policypal.text.modality import subject_of

_MOST_WORDS = 5


def party_of(statement: Statement) -> str:
    """The party a duty or prohibition binds ("institution", "compliance officer"), without its article; "" where the
    subject is no party: a passive, a pronoun, a document."""
    if not statement.kind.binds:
        return ""
    party, acts = subject_of(statement.full_text)
    return party if acts and len(party.split()) <= _MOST_WORDS and not any(c.isdigit() for c in party) else ""


def same_party(party: str) -> str:
    """The key under which "Institutions" and "an institution" are one party."""
    return " ".join(terms(party)) or party.lower()
