"""Obligation sentences of regulatory and policy prose (A6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Modality(StrEnum):
    """What a sentence does to its bound party. RECOMMENDED is "should", weaker than an obligation."""

    REQUIRED = "required"
    PROHIBITED = "prohibited"
    RECOMMENDED = "recommended"
    PERMITTED = "permitted"


@dataclass(frozen=True, slots=True)
class Parts:
    """The main clause of an obligation, when it applies, and what it leaves out; the last two may be ""."""

    main: str
    condition: str
    exception: str


_PROHIBITED = re.compile(
    r"\b(?:(?:must|shall|may|will)\s+(?:not|never|under no circumstances|in no case)\b(?! (?:later|less|fewer|more) than)|mustn't\b|"
    r"(?:is|are|be) (?:strictly |expressly )?(?:prohibited|forbidden|banned|not (?:allowed|permitted))\b|"
    r"(?:must|shall) (?:refrain|abstain|desist) from\b|prohibits?\b|"
    r"no (?:[\w-]+ ){1,5}(?:may|shall|must|can|is (?:allowed|permitted) to)\b|"
    r"(?:may|shall|must)(?: \w+)? (?:only )?in no (?:event|case)\b|under no circumstances\b|do not\b(?= permit| allow| tolerate))",
    re.I,
)
_NEVER_A_PROHIBITION = re.compile(
    r"\b(?:shall|must|may|will) not (?:apply|be (?:required|obliged|necessary|considered|deemed|regarded|understood|precluded|affected)|"
    r"affect|prejudice|preclude|prevent|have effect|constitute|include|be construed)\b",
    re.I,
)
_RECOMMENDS_RULE = re.compile(
    r"\bshould (?:not )?be (?:\w+ly )?(?:prohibited|forbidden|banned|required|obliged|permitted|allowed|responsible|mandatory)\b",
    re.I,
)
_REQUIRED = re.compile(
    r"\b(?:(?:must|shall|may only)\b|(?:is|are|be) (?:required|obliged|obligated|mandated) to\b|(?:is|are) responsible for\b|"
    r"ha(?:s|ve) (?:the|an?) (?:duty|obligation) to\b|ha(?:s|ve) to\b|(?:is|are) mandatory\b|needs? to\b|"
    r"(?:is|are) to (?:be )?(?:\w+ly )?[a-z]+(?:ed|d|t|n)\b|undertakes? to\b|agrees? to\b)",
    re.I,
)
_RECOMMENDED = re.compile(r"\b(?:should|ought to|(?:is|are) (?:recommended|encouraged|advised|expected))\b", re.I)
_PERMITTED = re.compile(r"\b(?:(?-i:may|can)|(?:is|are) (?:permitted|allowed|entitled) to)\b", re.I)
_ANY_MODAL = re.compile(
    r"\b(?:must|shall|may|can|cannot|will|should|ought|need|needs|undertakes?|agrees?|prohibit\w*|forbid\w*|forbidden|banned|required|"
    r"obliged|obligated|obligation|duty|mandated|mandatory|mustn't|responsible|expected|encouraged|recommended|advised|permitted|"
    r"allowed|entitled|(?:has|have|is|are) to|no|do not|under no)\b",
    re.I,
)
_MARKER = re.compile(
    r"^\s*(?:\(?[a-z]{1,4}\)|\(?\d{1,3}\)|\d+(?:\.\d+)*\.?(?=\s)|[•▪‣◦●–—]|-(?=\s)|(?:Article|Section|Rule) \d+[.:]?)\s*"
)
_PARTY = re.compile(
    r"\b(?:must|shall|should|may|can|cannot|will|is|are|has|have|needs?|undertakes?|agrees?|prohibits?)\b", re.I
)
_LEADIN = re.compile(r"^(?:where|when|if|in|for|upon|before|after|on|at|within|unless|to|as|during|prior|following|subject|without|except)\b[^,]{0,200},\s*", re.I)  # fmt: skip


def modality_of(text: str) -> Modality | None:
    """The strongest modality the text states; prohibitions first."""
    if not _ANY_MODAL.search(text):
        return None
    plain = _RECOMMENDS_RULE.sub("should", _NEVER_A_PROHIBITION.sub(" ", " ".join(text.split())))
    for modality, pattern in (
        (Modality.PROHIBITED, _PROHIBITED),
        (Modality.REQUIRED, _REQUIRED),
        (Modality.RECOMMENDED, _RECOMMENDED),
        (Modality.PERMITTED, _PERMITTED),
    ):
        if pattern.search(plain):
            return modality
    return None


def bound_party(text: str) -> str:
    """The grammatical subject of the first modal verb, at most eight words; "" where none is recognised."""
    plain = _MARKER.sub("", " ".join(text.split()))
    while (shorter := _LEADIN.sub("", plain, count=1)) != plain:
        plain = shorter
    match = _PARTY.search(plain)
    if not match:
        return ""
    words = re.split(r"[,;:(]", plain[: match.start()])[0].split()
    return " ".join(words[:8])


_LEADING = re.compile(
    r"^(?:where|when|if|in case|in the event|upon|on|at|after|before|should|once|prior to|unless|except)\b[^,]{0,250}?,\s*"
    r"(?=(?:the|each|every|any|all|an?|it|they|we|no|this|such)\s|\w+ (?:shall|must|will|may)\b)",
    re.I,
)
_TRAILING = re.compile(
    r",?\s+(?:where|if|unless|except|in case|provided that|when|insofar as|to the extent)\b.*$", re.I
)
_EXCEPTION = re.compile(r"\W*(?:unless|except)\b", re.I)
_SHORTEST_MAIN = 20


def split_condition(text: str) -> Parts:
    """The main clause apart from what it depends on: "If …," before it, "where …" or "unless …" after it."""
    lead = match[0] if (match := _LEADING.match(text)) else ""
    main = text[len(lead) :]
    found = _TRAILING.search(main)
    trail = found[0] if found and found.start() > _SHORTEST_MAIN else ""
    pieces = [lead.strip(" ,"), trail.strip(" ,")]
    exceptions = [p for p in pieces if _EXCEPTION.match(p)]
    conditions = [p for p in pieces if p and p not in exceptions]
    return Parts(main[: len(main) - len(trail)], " ".join(conditions), " ".join(exceptions))
