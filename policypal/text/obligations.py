"""Obligation sentences of regulatory and policy prose (A6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from policypal.text.quantities import Bound, Quantity, find_quantities
from policypal.text.sentences import split_sentences


class Modality(StrEnum):
    """What a sentence does to its bound party. RECOMMENDED is "should", weaker than an obligation."""

    REQUIRED = "required"
    PROHIBITED = "prohibited"
    RECOMMENDED = "recommended"
    PERMITTED = "permitted"


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or list item; ``text == source[start:end]``. ``stem`` is the introduction of the list it belongs
    to ("Personal data shall be:"), empty outside lists."""

    text: str
    start: int
    end: int
    stem: str = ""

    @property
    def full(self) -> str:
        return f"{self.stem} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Obligation:
    """A clause that requires, prohibits, recommends or permits. ``party`` is the grammatical subject, a heuristic;
    ``quantities`` have offsets into ``clause.text``."""

    clause: Clause
    modality: Modality
    party: str
    quantities: tuple[Quantity, ...]

    @property
    def text(self) -> str:
        return self.clause.text

    @property
    def start(self) -> int:
        return self.clause.start

    @property
    def end(self) -> int:
        return self.clause.end

    @property
    def binding(self) -> bool:
        """Whether it must be obeyed, rather than considered."""
        return self.modality in (Modality.REQUIRED, Modality.PROHIBITED)

    @property
    def limit(self) -> Quantity | None:
        """The deadline ("within 72 hours") or threshold ("at least 8 %") it sets, the first if several."""
        return next((q for q in self.quantities if q.bound is not Bound.UNSTATED), None)


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
_DEFINITION = re.compile(
    r"^\W*(?:\(?\w{1,4}[.)]\s*)?(?:[“\"‘'][^”\"’']{2,80}[”\"’']\s+(?:shall )?(?:means?|has the meaning|refers? to|includes?)\b|"
    r"(?:the terms?|for the purposes? of (?:this|these|the)\b.{0,60}\bmeans?\b|in this (?:document|regulation|rulebook|policy|act)\b.{0,60}\bmeans?\b))",
    re.I | re.S,
)
_RECITAL = re.compile(r"^\s*\(\d{1,3}\)\s+(?=[A-Z])")
_HOUSEKEEPING = re.compile(
    r"\b(?:shall|must|will) (?:enter into force|come into (?:force|effect|operation)|take effect|apply (?:from|as of)|be (?:cited|known|referred to) as|"
    r"be binding in its entirety|be published|have the (?:same )?meaning|be interpreted|be read (?:with|together)|"
    r"mean\b)|\b(?:this|these) (?:document|rulebook|rules?|guidelines?|regulation|handbook|act)s? (?:shall|must|may|does|do|is|are|appl)",
    re.I,
)
_ITEM = re.compile(
    r"(?:(?<=[;:,.])|(?<=; and)|(?<=; or)|(?<=, and)|(?<=, or)|(?<=\n)|^)\s*(?=(?:\([a-z]{1,4}\)|\(\d{1,2}\)|[•▪‣◦●–—]|-\s|[a-z]\)|\d{1,2}\))\s*\S)"
)
_IS_ITEM = re.compile(r"\(?[a-z0-9]{1,4}\)|[•▪‣◦●–—]|-\s")
_LABEL = re.compile(r"\(?[a-z0-9]{1,4}\)")
_FIRST_LABEL = re.compile(r"\(?(?:a|i|1)\)")
_MARKER = re.compile(
    r"^\s*(?:\(?[a-z]{1,4}\)|\(?\d{1,3}\)|\d+(?:\.\d+)*\.?(?=\s)|[•▪‣◦●–—]|-(?=\s)|(?:Article|Section|Rule) \d+[.:]?)\s*"
)
_ENUM_LEAD = re.compile(r"(?:^|\s)(?:\(?[a-z0-9]{1,3}[.)])\s*$")
_PARTY = re.compile(
    r"\b(?:must|shall|should|may|can|cannot|will|is|are|has|have|needs?|undertakes?|agrees?|prohibits?)\b", re.I
)
_LEADIN = re.compile(r"^(?:where|when|if|in|for|upon|before|after|on|at|within|unless|to|as|during|prior|following|subject|without|except)\b[^,]{0,200},\s*", re.I)  # fmt: skip


def split_clauses(text: str, stem: str = "") -> list[Clause]:
    """Sentences, and the items of lists with the introduction that governs them. Headings stand alone.
    ``stem`` is the introduction of a list that began on the page before (see :func:`open_stem`)."""
    clauses: list[Clause] = []
    inherited = bool(stem)
    for sentence in split_sentences(text):
        for start, end in _items(sentence.text):
            piece = sentence.text[start:end]
            is_item = bool(_IS_ITEM.match(piece))
            if inherited and (_FIRST_LABEL.match(piece) or (not is_item and _ends_list(piece))):
                stem, inherited = "", False
            if not is_item and start == 0 and _ends_list(piece):
                stem = ""
            clauses.append(Clause(piece, sentence.start + start, sentence.start + end, stem if is_item else ""))
            if piece.rstrip().endswith(":") and not (is_item and stem):
                stem, inherited = " ".join(_MARKER.sub("", piece).split()), False
            elif is_item and piece.rstrip().endswith("."):
                stem = ""
    return clauses


def open_stem(clauses: list[Clause]) -> str:
    """The introduction of the last list of ``clauses``, or "" where other sentences follow it. A list continues on
    the next page only with an item that is not its first, so a footnote in between does no harm."""
    for clause in reversed(clauses):
        text = clause.text.rstrip()
        if text.endswith(":"):
            return clause.stem or " ".join(_MARKER.sub("", text).split())
        if clause.stem:
            return "" if text.endswith(".") and not _LABEL.match(text) else clause.stem
        if len(text.split()) > 3 and _ends_list(text):
            return ""
    return ""


def _ends_list(text: str) -> bool:
    """Running headers and stray lines inside a list do not end it; sentences do."""
    return text.rstrip()[-1:] in ".:;" or len(text.split()) > 14


def read_obligation(clause: Clause) -> Obligation | None:
    """The obligation in one clause, or None where it states none."""
    if _is_excluded(clause):
        return None
    modality = modality_of(clause.full)
    if modality is None:
        return None
    return Obligation(clause, modality, bound_party(clause.full), tuple(find_quantities(clause.text)))


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


def _items(text: str) -> list[tuple[int, int]]:
    starts = [0, *(m.end() for m in _ITEM.finditer(text) if m.end() > 0)]
    starts = sorted(set(starts))
    spans = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            begin = start + len(piece) - len(piece.lstrip())
            spans.append((begin, begin + len(stripped)))
    return spans


def is_definition(text: str) -> bool:
    """Whether the clause defines a term."""
    return bool(_DEFINITION.search(text))


def _is_excluded(clause: Clause) -> bool:
    text = clause.text
    if text.rstrip().endswith(":") or len(_MARKER.sub("", text).split()) < 4 or not _ANY_MODAL.search(clause.full):
        return True
    if is_definition(text) or _HOUSEKEEPING.search(text):
        return True
    return bool(_RECITAL.match(text)) and not clause.stem and "should" in text
