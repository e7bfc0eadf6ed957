"""Who a statement binds, as its own words name them (A1, A6)."""

from __future__ import annotations

from collections.abc import Iterable

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


def by_party(statements: Iterable[Statement]) -> dict[str, list[Statement]]:
    """The duties and prohibitions of each party, the party with the most of them first, named as it is first named."""
    named: dict[str, str] = {}
    found: dict[str, list[Statement]] = {}
    for statement in statements:
        if party := party_of(statement):
            key = same_party(party)
            named.setdefault(key, party)
            found.setdefault(key, []).append(statement)
    return {named[key]: duties for key, duties in sorted(found.items(), key=lambda item: -len(item[1]))}
