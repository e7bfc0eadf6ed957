"""Who a statement binds, as its own words name them (A1, A6)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from policypal.answer.statements import Statement
from policypal.search.terms import terms
from policypal.text.obligations import Modality, bound_party, modality_of

_ARTICLE = re.compile(r"^(?:an?|the|any|every|each|all|no|such|its|their|this|these|that|those)\s+", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:must|shall|may|should)\s+(?:not\s+|only\s+|also\s+)?be\s", re.IGNORECASE)
_THING = re.compile(
    r"(?:^|\s)(?:it|they|there|which|who|that|this|these|agreement|contract|register|record|report|plan|notice|policy|procedure|process|"
    r"data|information|assessment|notification|communication|request|document|documentation|regulation|article|paragraph|rulebook|"
    r"guideline|section|measure|system|period|time|value|level|amount|access|consent|decision|training|processing|review|test|promotion|offer|service|mark|diligence)(?:e?s)?$",
    re.IGNORECASE,
)
_MOST_WORDS = 5


def party_of(statement: Statement) -> str:
    """The party a duty or prohibition binds ("institution", "compliance officer"), without its article; "" where the
    subject is no party: a passive, a pronoun, a document."""
    text = statement.full_text
    if modality_of(text) not in (Modality.REQUIRED, Modality.PROHIBITED) or _PASSIVE.search(text):
        return ""
    subject = re.split(
        r"(?:\s(?:that|which|who|whose|in|under|and|or|to|with)|(?<!member)(?<!head)\sof)\s",
        f"{bound_party(text)} ",
        maxsplit=1,
    )[0]
    party = _ARTICLE.sub("", subject.strip())
    is_party = 0 < len(party.split()) <= _MOST_WORDS and party[0].isalpha() and not _THING.search(party)
    return party if is_party else ""


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
