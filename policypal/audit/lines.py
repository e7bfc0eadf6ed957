"""The numbered sentences an audit is judged by: every sentence of the source, and of the targets in batches of obligations (A0, A4).

A model is shown numbers and answers with numbers; the words are put beside them here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import RegisterEntry
from policypal.request.focus import concerns

BATCH_OBLIGATIONS = 10
"""Obligations judged in one call."""
BATCH_CHARACTERS = 12_000
"""Characters of a target in one call, where its obligations are few and far between."""
SOURCE, RULE = "S", "R"
_UNNAMED = frozenset({Kind.RECITAL, Kind.REFERENCE})
"""What is neither an obligation nor needed to understand one."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence with its number: "S12" of the source, "R7" of the targets. ``text`` is as it stands on ``page`` from ``start`` to
    ``end`` (page 0: added by an analyst); ``asked`` says that it is to be judged, ``in_focus`` that the audit's limit lets it
    be."""

    id: str
    document_id: str
    text: str
    kind: Kind
    page: int
    start: int
    end: int
    introduction: str = ""
    headings: tuple[str, ...] = ()
    label: str = ""
    party: str = ""
    asked: bool = False
    in_focus: bool = True

    @property
    def full(self) -> str:
        """The sentence with the introduction that governs it."""
        return f"{self.introduction} {self.text}".strip()

    @property
    def in_context(self) -> str:
        """The sentence with its introduction and nearest heading: what it is about."""
        return f"{self.headings[-1] if self.headings else ''} {self.full}".strip()


@dataclass(frozen=True, slots=True)
class Scope:
    """What an audit is limited to: a subject in the analyst's words, whom the obligations bind, what they are; empty for all (A4)."""

    focus: str = ""
    party: str = ""
    kind: str = ""

    def holds(self, line: Line) -> bool:
        """Whether an obligation is in scope."""
        return (
            concerns(self.focus, line.full, *line.headings)
            and self.party in ("", line.party)
            and self.kind in ("", line.kind.value)
        )


UNLIMITED = Scope()


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of the targets that are judged together."""

    lines: tuple[Line, ...]

    @property
    def asked(self) -> tuple[Line, ...]:
        """Its obligations."""
        return tuple(line for line in self.lines if line.asked)


def source_lines(document_id: str, provisions: Iterable[Provision]) -> list[Line]:
    """Every sentence of the source. ``document_id`` is "" for a text."""
    read = ((p, s) for p in provisions for s in p.sentences)
    return [_line(f"{SOURCE}{n}", document_id, p, s) for n, (p, s) in enumerate(read, 1)]


def rule_lines(targets: Sequence[tuple[str, Sequence[Provision], Sequence[RegisterEntry]]], scope: Scope) -> list[Line]:
    """Every sentence of the targets that can oblige or explains what does. The obligations are those of the registers, as analysts left
    them; what these added comes last. ``targets``: (document id, provisions, entries of its register)."""
    lines = [line for target in targets for line in _of_target(*target)]
    numbered = (replace(line, id=f"{RULE}{n}") for n, line in enumerate(lines, 1))
    return [replace(line, in_focus=scope.holds(line)) if line.asked else line for line in numbered]


def _of_target(document_id: str, provisions: Iterable[Provision], entries: Iterable[RegisterEntry]) -> Iterator[Line]:
    listed = {(e.page, e.start): e for e in entries if e.page}
    for provision in provisions:
        for sentence in provision.sentences:
            if sentence.kind not in _UNNAMED:
                entry = listed.get((sentence.page, sentence.start))
                yield _as_registered(_line("", document_id, provision, sentence), entry)
    for entry in entries:
        if not entry.page and entry.counts:
            yield Line("", document_id, entry.text, entry.kind, 0, 0, 0, party=entry.party, asked=True)


def _as_registered(line: Line, entry: RegisterEntry | None) -> Line:
    """With what the register makes of it. What is only recommended is judged, too, but is no obligation."""
    if entry is None:
        return line
    stands = not entry.is_struck and not entry.merged_into
    asked = stands and (entry.kind.binds or entry.kind is Kind.RECOMMENDATION)
    return replace(line, kind=entry.kind, party=entry.party, asked=asked)


def _line(number: str, document_id: str, provision: Provision, sentence: ProvisionSentence) -> Line:
    return Line(
        number, document_id, sentence.text, sentence.kind, sentence.page, sentence.start, sentence.end,
        sentence.introduction, provision.headings, provision.label, sentence.party,
    )  # fmt: skip


def batches(lines: Sequence[Line]) -> list[Batch]:
    """The lines in reading order, as few and as even batches as possible: whatever may oblige stands in exactly one. Stretches without
    an obligation in focus are left out where the audit is limited."""
    asked = sum(line.asked and line.in_focus for line in lines)
    limited = any(line.asked and not line.in_focus for line in lines)
    each = -(-asked // max(1, -(-asked // BATCH_OBLIGATIONS))) or 1
    found = [Batch(tuple(part)) for part in _parts(lines, each)]
    return [b for b in found if _is_worth(b, limited)]


def _parts(lines: Sequence[Line], each: int) -> Iterator[list[Line]]:
    part: list[Line] = []
    asked = characters = 0
    for line in lines:
        counts = line.asked and line.in_focus
        if part and ((counts and asked == each) or characters + len(line.text) > BATCH_CHARACTERS):
            yield part
            part, asked, characters = [], 0, 0
        part.append(replace(line, asked=counts))
        asked += counts
        characters += len(line.text)
    if part:
        yield part


def _is_worth(batch: Batch, limited: bool) -> bool:
    """Whether there is something to judge: an obligation, or where nothing limits the audit, a sentence that may be one."""
    if batch.asked:
        return True
    may = (Kind.RECOMMENDATION, Kind.STATEMENT, Kind.PERMISSION, Kind.TABLE)
    return not limited and any(line.kind in may for line in batch.lines)


def by_id(*several: Iterable[Line]) -> Mapping[str, Line]:
    """The lines by their numbers."""
    return {line.id: line for lines in several for line in lines}
