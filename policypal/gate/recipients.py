"""Who is told: a deadline towards customers says nothing about the one towards an authority (A4)."""

import re
from functools import lru_cache

from policypal.gate.words import stem_of, words_of

_RECIPIENTS = {
    "authority": "authority regulator supervisor commission fca fiu ombudsman agency",
    "customer": "customer client consumer subject policyholder investor borrower",
    "board": "board director",
    "employee": "employee staff personnel worker",
}
_WHO = {stem_of(word): who for who, words in _RECIPIENTS.items() for word in words.split()}
_TELLS = re.compile(
    r"\b(?:notif(?:y|ies|ying)|inform(?:s|ing)?|tell(?:s|ing)?|alert(?:s|ing)?"
    r"|(?:report|submit|send|communicat|announc|disclos)\w*\b[^.;:]{0,80}?\bto)\s",
    re.I,
)
_IS_TOLD = re.compile(
    r"\s(?:(?:must|shall|should|will|may|has to|have to|is to|are to)\s+(?:\w+\s+)?be|is|are)\s+(?:notified|informed|told|alerted)\b",
    re.I,
)
_PHRASE_ENDS = re.compile(
    r"[,.;:()]|\b(?:of|within|about|at|in|on|for|that|when|if|by|after|before|without|no|not)\b", re.I
)


def different_recipients(one: str, other: str) -> bool:
    """Whether both texts say who is to be told, and nobody is told by both."""
    ours, theirs = _told(one), _told(other)
    return bool(ours and theirs) and not ours & theirs


@lru_cache(maxsize=8_192)
def _told(text: str) -> frozenset[str]:
    phrases = [_PHRASE_ENDS.split(text[m.end() :], 1)[0] for m in _TELLS.finditer(text)]
    phrases += [_PHRASE_ENDS.split(text[: m.start()])[-1] for m in _IS_TOLD.finditer(text)]
    return frozenset(_WHO[stem] for phrase in phrases for word in words_of(phrase) if (stem := stem_of(word)) in _WHO)
