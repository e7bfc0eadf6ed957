"""What an obligation consists of, for the rows of a coverage table (A6)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from policypal.domain.provisions import Kind
from policypal.text.modality import norm_of
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities

_TIMES = frozenset({QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE})


_MODALITIES = {
    Kind.OBLIGATION: "required", Kind.PROHIBITION: "prohibited", Kind.RECOMMENDATION: "recommended", Kind.PERMISSION: "permitted",
}  # fmt: skip
_MARKER = re.compile(
    r"^\s*(?:\(?[a-z]{1,4}\)|\(?\d{1,3}\)|\d+(?:\.\d+)*\.?(?=\s)|[•▪‣◦●–—]|-(?=\s)|(?:Article|Section|Rule) \d+[.:]?)\s*"
)
_PARTY = re.compile(
    r"\b(?:must|shall|should|may|can|cannot|will|is|are|has|have|needs?|undertakes?|agrees?|prohibits?)\b", re.I
)
_LEADIN = re.compile(r"^(?:where|when|if|in|for|upon|before|after|on|at|within|unless|to|as|during|prior|following|subject|without|except)\b[^,]{0,200},\s*", re.I)  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class ObligationParts:
    """Words of the obligation itself, each "" where it has none. ``deadline`` is a time limit, a date or a frequency,
    ``threshold`` any other quantity it limits."""

    bound_party: str
    modality: str
    condition: str
    deadline: str
    threshold: str
    exception: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """The main clause of an obligation, when it applies, and what it leaves out; the last two may be ""."""

    main: str
    condition: str
    exception: str


def obligation_parts(text: str) -> ObligationParts:
    """Take an obligation sentence apart, by rules."""
    parts = _split_condition(" ".join(text.split()))
    quantities = find_quantities(parts.main)
    return ObligationParts(
        bound_party=bound_party(text),
        modality=_MODALITIES.get(norm_of(text) or Kind.STATEMENT, ""),
        condition=parts.condition,
        deadline=_words(q for q in quantities if q.kind in _TIMES),
        threshold=_words(q for q in quantities if q.kind not in _TIMES and q.bound is not Bound.UNSTATED),
        exception=parts.exception,
    )


def _words(quantities: Iterable[Quantity]) -> str:
    return "; ".join(dict.fromkeys(q.text for q in quantities))


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


def _split_condition(text: str) -> _Parts:
    """The main clause apart from what it depends on: "If …," before it, "where …" or "unless …" after it."""
    lead = match[0] if (match := _LEADING.match(text)) else ""
    main = text[len(lead) :]
    found = _TRAILING.search(main)
    trail = found[0] if found and found.start() > _SHORTEST_MAIN else ""
    pieces = [lead.strip(" ,"), trail.strip(" ,")]
    exceptions = [p for p in pieces if _EXCEPTION.match(p)]
    conditions = [p for p in pieces if p and p not in exceptions]
    return _Parts(main[: len(main) - len(trail)], " ".join(conditions), " ".join(exceptions))
