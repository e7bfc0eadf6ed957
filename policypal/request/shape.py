"""What an action still needs and the conversation can give: "and against the GDPR", "now compare" (G4, G6)."""

from __future__ import annotations

import re

from policypal.domain.conversations import Action
from policypal.request.document_names import KnownDocument
from policypal.request.library import Documents, Library, document_years
from policypal.request.outcome import MAX_CHOICES, Outcome
from policypal.request.words import Word, years

_ELLIPTIC = re.compile(
    r"^\W*(?:and|also|now|then|again|same|plus|ok(?:ay)?|what about|how about|and what|do (?:it|that|the same)|repeat|this time)\b",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(r"^\W*(?:and|what about|how about|also)\b", re.IGNORECASE)
_PROVISION = re.compile(
    r"\b(?:articles?|art\.?|sections?|chapters?|annex|recitals?|clauses?|paragraphs?)\s+[\dIVX]", re.IGNORECASE
)
_SAME = re.compile(
    r"\b(?:same|too|also|as well|similar|differ\w*|consistent|contradict\w*|agree\w*|stricter|than|instead|again|with|to)\b",
    re.IGNORECASE,
)
_SOURCE_TEXT = re.compile(
    r"\b(?:draft|attached|attachment|following|below|pasted|this (?:text|clause|e-?mail|ad|post))\b", re.I
)
_BARE = frozenset(
    [
        "now", "please", "again", "then", "and", "also", "the", "a", "an", "of", "me", "give", "it", "run", "do", "an",
        "make", "just", "ok", "summary", "summarize", "summarise", "compare", "comparison", "audit", "check",
        "compliance", "report", "overview", "short", "shorter", "brief", "longer", "detailed", "differences", "can",
        "you", "could", "i", "want", "would", "like", "create", "produce", "start",
    ]
)  # fmt: skip


def complete(
    found: Outcome, action: Action, message: str, words: list[Word], tagged: Documents, library: Library
) -> None:
    """Fill what the message leaves out from the last turn where that is certain; else offer candidates."""
    if found.unknown or found.candidates:
        return
    said = [*tagged, *found.certain]
    if not said:
        _without_reference(found, action, message, words, library)
    elif action is Action.COMPARE and len(said) == 1:
        _second_of_comparison(found, message, said[0], library)
    elif action is Action.AUDIT:
        _other_side(found, message, said, library)


def _without_reference(found: Outcome, action: Action, message: str, words: list[Word], library: Library) -> None:
    recent = library.last_turn()
    if action is Action.INQUIRE:
        if recent and (_FOLLOW_UP.search(message) or _PROVISION.search(message)):
            found.use(recent, "a follow-up on the last turn's documents", implicit=True)
    elif action is Action.COMPARE and len(recent) > 1:
        found.use(recent, "the documents compared last", implicit=True)
    elif recent and _goes_on(message, words) and _fits(action, recent):
        found.use(recent, "the documents of the last turn", implicit=True)
    elif not _SOURCE_TEXT.search(message):
        _propose(found, action, library)


def _goes_on(message: str, words: list[Word]) -> bool:
    return bool(_ELLIPTIC.search(message)) or all(w.lower in _BARE for w in words)


def _fits(action: Action, documents: Documents) -> bool:
    if action is Action.AUDIT:
        return {d.type for d in documents} == {"company", "regulatory"}
    return action is Action.SUMMARIZE or len(documents) > 1


def _propose(found: Outcome, action: Action, library: Library) -> None:
    """The library holds just what the action needs: offered, never used silently."""
    documents = library.documents
    companies = sum(d.type == "company" for d in documents)
    enough = {
        Action.SUMMARIZE: len(documents) == 1,
        Action.COMPARE: len(documents) == 2,
        Action.AUDIT: companies == 1 and 2 <= len(documents) <= 5,
    }
    if enough.get(action):
        found.offer(documents, "no document is named; the library holds what is needed", name="")


def _second_of_comparison(found: Outcome, message: str, said: KnownDocument, library: Library) -> None:
    recent = library.last_turn()
    others = [d for d in recent if d != said]
    dated = [d for d in library.family(said) if d != said and document_years(d) & years(message)]
    if len(dated) == 1:
        found.use(dated, "the version of the other year in the message", implicit=True)
    elif not others:
        _offer_others(found, said, library)
    elif said in recent or len(others) == 1 or _SAME.search(message):
        found.use(others, "compared with the last turn's documents", implicit=True)
    else:
        found.offer(others, "the second document is not named", name="")


def _offer_others(found: Outcome, said: KnownDocument, library: Library) -> None:
    family = [d for d in library.family(said) if d != said]
    others = family or [d for d in library.documents if d != said]
    if 0 < len(others) <= MAX_CHOICES:
        found.offer(others, "the second document is not named", name="")


def _other_side(found: Outcome, message: str, said: Documents, library: Library) -> None:
    """An audit needs a source (the company's) and targets (regulatory)."""
    types = {d.type for d in said}
    going_on = bool(_ELLIPTIC.search(message) or re.search(r"\bsame\b", message, re.IGNORECASE))
    if len(types) == 2 or ("company" in types and len(said) > 1):
        return
    missing = "regulatory" if "company" in types else "company"
    recent = [d for d in library.last_turn() if d.type == missing]
    if going_on and recent:
        found.use(recent, "the other side of the last audit", implicit=True)
    elif missing == "regulatory":
        used = [d for d in library.conversation if d.type == missing]
        options = used or [d for d in library.documents if d.type == missing]
        if 0 < len(options) <= MAX_CHOICES:
            found.offer(options, "what to audit against is not named", name="")
