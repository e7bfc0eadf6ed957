"""From overlapping passages to clauses that still know which passage their words stand in (A4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from policypal.gate.verify import clip_quote, is_heading_only
from policypal.text.obligations import (
    Clause,
    Modality,
    Obligation,
    bound_party,
    open_stem,
    read_obligation,
    split_clauses,
)
from policypal.text.quantities import Quantity, find_quantities
from policypal.text.sentences import MAX_SENTENCE_CHARACTERS

_QUOTE_LIMIT = 300


@dataclass(frozen=True, slots=True)
class AuditPassage:
    """Part of a document. ``document`` is "" for what is audited; ``page`` is None for text out of a message."""

    number: int
    document: str
    page: int | None
    text: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A clause of a document: ``quote`` is verbatim in the passage ``passage``, at most 300 characters.
    It shows the whole sentence where that fits. ``text`` is the clause in single spaces, ``full`` with the introduction of its list."""

    document: str
    passage: int
    page: int | None
    quote: str
    text: str
    full: str
    heading: str | None
    quantities: tuple[Quantity, ...]
    obligation: Obligation | None = None


def read_statements(passages: Iterable[AuditPassage], split: bool = False) -> list[Statement]:
    """The distinct clauses of ``passages`` in reading order. Overlaps between neighbouring passages of a page are
    joined first, so no clause is read twice or cut by a passage's end. ``split``, for what is audited, divides coordinated
    clauses and reads the quantities of all; in targets only obligations have theirs read."""
    statements: list[Statement] = []
    seen: set[tuple[str, str]] = set()
    for document, run in groupby(passages, key=lambda p: p.document):
        for statement in _document_statements(list(run), split):
            key = (document, statement.full.lower())
            if key not in seen:
                seen.add(key)
                statements.append(statement)
    return statements


def _document_statements(passages: list[AuditPassage], split: bool) -> Iterator[Statement]:
    stem = ""
    waiting: Statement | None = None
    for _, page in groupby(passages, key=lambda p: p.page):
        clauses, placed = _page_clauses(list(page), stem)
        stem = open_stem(clauses)
        for statement in _page_statements(clauses, placed, split):
            if waiting is not None and _continues(waiting, statement):
                statement = _across_pages(waiting, statement)
            elif waiting is not None:
                yield waiting
            waiting = statement
    if waiting is not None:
        yield waiting


def _continues(first: Statement, second: Statement) -> bool:
    """Whether a sentence cut by the end of a page goes on in ``second``."""
    if len(first.text) >= MAX_SENTENCE_CHARACTERS:
        return False
    return first.page != second.page and first.text[-1:] not in ".;:!?”" and second.text[:1].islower()


def _across_pages(first: Statement, second: Statement) -> Statement:
    """The whole sentence, quoted from the page that holds more of it."""
    text = f"{first.text} {second.text}"
    home = first if len(first.text) >= len(second.text) else second
    stem = first.full[: len(first.full) - len(first.text)].strip()
    obligation = _read_obligation(Clause(text, 0, len(text), stem))
    quantities = obligation.quantities if obligation else tuple(find_quantities(text))
    return replace(home, text=text, full=f"{stem} {text}".strip(), quantities=quantities, obligation=obligation)


@dataclass(frozen=True, slots=True)
class _Placed:
    passage: AuditPassage
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.passage.text)


def _page_clauses(passages: list[AuditPassage], stem: str) -> tuple[list[Clause], list[_Placed]]:
    text, placed = _joined(passages)
    return split_clauses(text, stem), placed


def _page_statements(clauses: list[Clause], placed: list[_Placed], split: bool) -> Iterator[Statement]:
    for clause in map(_without_heading, clauses):
        for part in _coordinated(clause) if split else [clause]:
            if len(part.text.split()) >= 3 and not is_heading_only(part.text):
                yield _statement(part, clause, placed, every=split)


def _joined(passages: list[AuditPassage]) -> tuple[str, list[_Placed]]:
    text, placed = "", []
    for passage in passages:
        overlap = _overlap(text, passage.text)
        if text and not overlap:
            text += "\n\n" if text.rstrip()[-1:] in ".!?:;" else "\n"
        placed.append(_Placed(passage, len(text) - overlap))
        text += passage.text[overlap:]
    return text, placed


def _overlap(before: str, after: str, longest: int = 400, shortest: int = 12) -> int:
    """How many characters at the end of ``before`` are the beginning of ``after``."""
    head = after[:shortest]
    at = before.find(head, max(0, len(before) - longest)) if len(head) == shortest else -1
    while at >= 0:
        if after.startswith(before[at:]):
            return len(before) - at
        at = before.find(head, at + 1)
    return 0


def _without_heading(clause: Clause) -> Clause:
    """Heading lines stand above a clause without a full stop; they are not part of it."""
    text, start = clause.text, clause.start
    while "\n" in text:
        first, rest = text.split("\n", 1)
        body = rest.lstrip()
        if (
            not body
            or not (body[0].isupper() or body[0].isdigit() or body[0] in "(•")
            or not is_heading_only(first.strip())
        ):
            break
        start += len(text) - len(body)
        text = body
    return Clause(text, start, clause.end, clause.stem)


def _statement(clause: Clause, sentence: Clause, placed: list[_Placed], every: bool) -> Statement:
    home = max(placed, key=lambda p: min(p.end, clause.end) - max(p.start, clause.start))
    quoted = sentence if sentence.end - sentence.start <= _QUOTE_LIMIT else clause
    start, end = max(quoted.start, home.start), min(quoted.end, home.end)
    raw = home.passage.text[start - home.start : end - home.start].strip()
    text = " ".join(clause.text.split())
    tidy = Clause(text, 0, len(text), clause.stem)
    obligation = _read_obligation(tidy)
    quantities = obligation.quantities if obligation else tuple(find_quantities(text)) if every else ()
    return Statement(
        document=home.passage.document,
        passage=home.passage.number,
        page=home.passage.page,
        quote=_quote(raw, quantities),
        text=text,
        full=tidy.full,
        heading=home.passage.heading,
        quantities=quantities,
        obligation=obligation,
    )


_LIMITED = re.compile(
    r"\bonly\b|\bsolely\b|\bexclusively\b|\b(?:up to|at most|(?:not|no) more than|not (?:to )?exceed\w*|a maximum of|no longer than)\b",
    re.I,
)
_RULED_OUT = re.compile(
    r"\b(?:is|are) (?:unlawful|illegal|an offence|inadmissible|impermissible|unacceptable|not (?:acceptable|admissible|lawful)|barred from|out of bounds)\b|"
    r"^\W*no (?:[\w-]+ ){1,6}without\b|\bforbids?\b",
    re.I,
)
_CALLED_FOR = re.compile(
    r"\b(?:is|are) (?:compulsory|obligatory|required|needed)\b(?! by\b)|^(?!.{0,60}\b(?:that|which|who|if|where|when|this|not)\b)[^,;:]{3,100}?\brequires?\b",
    re.I,
)


_PUBLISHED = re.compile(r"\b(?:shall|must) (?:also )?be published\b", re.I)
_THE_ACT_ITSELF = re.compile(
    r"\W*(?:this|these|the|that) (?:regulations?|directive|decision|act|law|rules?|guidelines?|order|document)\b", re.I
)


def _read_obligation(clause: Clause) -> Obligation | None:
    """As :func:`read_obligation`, and what states a duty without a modal verb of duty: "changes require approval", "may be
    used only for …", "it is unlawful to …"."""
    found = read_obligation(clause)
    if found is not None and found.modality is not Modality.PERMITTED:
        return found
    modality = _implied_modality(clause, permitted=found is not None)
    if modality is None or len(clause.text.split()) < 4 or clause.text.rstrip().endswith((":", "?")):
        return found
    return Obligation(clause, modality, bound_party(clause.full), tuple(find_quantities(clause.text)))


def _implied_modality(clause: Clause, permitted: bool) -> Modality | None:
    if permitted:
        return Modality.REQUIRED if _LIMITED.search(clause.text) else None
    if _PUBLISHED.search(clause.text) and not _THE_ACT_ITSELF.match(clause.text):
        return Modality.REQUIRED
    if _RULED_OUT.search(clause.text):
        return Modality.PROHIBITED
    return Modality.REQUIRED if _CALLED_FOR.search(clause.text) else None


def _quote(raw: str, quantities: tuple[Quantity, ...]) -> str:
    """At most 300 characters of ``raw`` that keep its first quantity in sight."""
    if len(raw) <= _QUOTE_LIMIT or not quantities:
        return clip_quote(raw)
    at = raw.find(quantities[0].text)
    clipped = clip_quote(raw)
    if at < 0 or at + len(quantities[0].text) <= len(clipped):
        return clipped
    begin = raw.rfind(" ", 0, max(0, at - 150)) + 1
    return clip_quote(raw[begin:])


_CONJUNCTION = re.compile(r"(?:[;,]\s+(?:and|but|while|whereas)\s+|\s+(?:and|but|whereas)\s+|;\s+|\s+[–—]\s+)", re.I)
_VERBS = (
    "accept allow answer apply approve archive ask assess assign charge check collect complete conduct contact create delete destroy disclose do "
    "encrypt erase escalate file follow give grant handle hold ignore include inform install keep maintain make monitor notify "
    "obtain offer open pay perform permit process promise provide publish receive record reject remove reply report require "
    "respond retain return review send sell share sign store submit take tell test train transfer update use verify wait waive"
)
_STARTS_VERB = re.compile(
    rf"^(?:also |then |never |always |only |promptly |immediately |do not |does not |don't )*(?:{'|'.join(_VERBS.split())})(?:s|es)?\b",
    re.I,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|must|shall|should|may|can|cannot|will|do|does|don't|needs?|takes?|we|they|it)\b",
    re.I,
)
_HAS_VERB = re.compile(
    rf"\b(?:{'|'.join(_VERBS.split())})(?:s|es|d|ed)?\b|\b(?:kept|held|sent|made|given|told|sold|taken|stored)\b", re.I
)


_EXCLUDES = re.compile(
    r"(?:(?:only )?then|afterwards|subsequently)\b|[^,;.]{3,80}\b(?:later|afterwards|subsequently)\s*[.,;]|(?:[\w-]+ ){1,5}(?:(?:do|does|did|are|is|need|will) not(?: (?:have|need) to| need| required| included| covered| in scope)?\s*(?:[.;]|$)|"
    r"(?:is|are|remain) (?:exempt\w*|excluded|excused|out of scope|left out|not (?:covered|included|affected|subject|eligible|entitled|considered))\b|(?:is|are) not (?:[\w-]+)\s*(?:[.;]|$))",
    re.I,
)
"""The rest of a sentence that says only to whom it does not apply, or what comes next, is read together with what it restricts."""


def _coordinated(clause: Clause) -> list[Clause]:
    """The clause divided at conjunctions that join two statements, each with a verb of its own."""
    parts: list[Clause] = []
    start = 0
    for match in _CONJUNCTION.finditer(clause.text):
        left, right = clause.text[start : match.start()], clause.text[match.end() :]
        if _starts_statement(right) and _is_statement(left) and not _EXCLUDES.match(right):
            parts.append(_part(clause, start, match.start()))
            start = match.end()
    parts.append(_part(clause, start, len(clause.text)))
    return parts


def _is_statement(text: str) -> bool:
    return len(text.split(maxsplit=2)) == 3 and bool(_FINITE.search(text) or _HAS_VERB.search(text))


def _starts_statement(text: str) -> bool:
    words = text.split(maxsplit=8)[:8]
    if len(words) < 3 or re.match(
        r"(?:that|which|who|whose|where|when|why|how|what|whether|if|to|for|by|in|any|in particular)\b", text, re.I
    ):
        return False
    if _STARTS_VERB.match(text):
        return True
    subject = re.split(r"\b(?:that|which|who|to|if|when|where)\b", " ".join(words))[0]
    return bool(_FINITE.search(subject))


def _part(clause: Clause, start: int, end: int) -> Clause:
    raw = clause.text[start:end]
    stripped = raw.strip()
    begin = start + len(raw) - len(raw.lstrip())
    return Clause(stripped, clause.start + begin, clause.start + begin + len(stripped), clause.stem)
