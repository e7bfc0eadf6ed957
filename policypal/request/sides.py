"""Which documents a request to audit names as the rules, and which as what is held against them (G0)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from policypal.domain.conversations import Action
from policypal.request.document_names import KnownDocument
from policypal.request.resolver import resolve_references

_AGAINST = re.compile(r"\bagainst\b", re.IGNORECASE)
_MEETS = re.compile(
    r"\b(?:compl(?:y|ies|iant|iance)|conform\w*|consistent|in line|accordance|compatible|conflicts?|ok(?:ay)?|fine|allowed|permitted|lawful)\s+"
    r"(?:with|to|w/|by|under)|\b(?:meets?|satisf(?:y|ies)|fulfils?|follows?|violat\w*|breach(?:es)?|infring\w*|contradicts?|under)\b"
    r"|\bw/",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sides:
    """Ids of the documents named before and after the word that sets them against each other; both empty without one."""

    source: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()


def sides_of(request: str, documents: Sequence[KnownDocument], today: date) -> Sides:
    """Read "our policy against the Rulebook", "is the e-mail in line with our policy". ``documents`` are those the message was
    found to mean; no other can be on a side."""
    found = next((match for p in (_AGAINST, _MEETS) for match in list(p.finditer(request))[-1:]), None)
    if found is None:
        return Sides()
    before, after = (_named(part, documents, today) for part in (request[: found.start()], request[found.end() :]))
    return Sides(before - after, after)


def _named(words: str, documents: Sequence[KnownDocument], today: date) -> frozenset[str]:
    outcome = resolve_references(words, Action.INQUIRE, (), documents, (), today)
    return frozenset(d.id for d in (*outcome.certain, *outcome.candidates))
