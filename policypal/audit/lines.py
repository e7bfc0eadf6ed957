"""The numbered sentences an audit is judged by: every sentence of the source, and of the targets in batches of obligations (A0, A4).

A model is shown numbers and answers with numbers; the words are put beside them here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from policypal.audit.units import Unit, rules_of, speaks_of, without_authorities
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import RegisterEntry

BATCH_OBLIGATIONS = 15
"""Obligations judged in one call."""
BATCH_CHARACTERS = 12_000
"""Characters of a target in one call, where its obligations are few and far between."""
SOURCE, RULE = "S", "R"
_UNNAMED = frozenset({Kind.RECITAL, Kind.REFERENCE})
"""What is neither an obligation nor needed to understand one."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence with its number: "S12" of the source, "R7" of the targets. ``place`` is where it stands in the outline; ``asked`` says
    that it is to be judged, ``in_focus`` that the audit's limits let it be."""

    id: str
    unit: Unit
    place: str = ""
    asked: bool = False
    in_focus: bool = True


@dataclass(frozen=True, slots=True)
class Scope:
    """What an audit is limited to: a subject in the analyst's words, whom the obligations bind, what they are; empty for all (A4)."""

    focus: str = ""
    party: str = ""
    kind: str = ""

    def holds(self, line: Line) -> bool:
        """Whether an obligation is in scope."""
        return (
            speaks_of(self.focus, line.unit, line.place)
            and self.party in ("", line.unit.party)
            and self.kind in ("", line.unit.kind.value)
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


@dataclass(frozen=True, slots=True)
class Target:
    """A target as it was read, with its register as the analyst left it."""

    document: str
    provisions: Sequence[Provision]
    entries: Sequence[RegisterEntry]


def source_lines(document: str, provisions: Iterable[Provision]) -> list[Line]:
    """Every sentence of the source. ``document`` is its id, "" for a text."""
    read = ((p, s) for p in provisions for s in p.sentences)
    return [Line(f"{SOURCE}{n}", _unit(document, p, s), _place(p)) for n, (p, s) in enumerate(read, 1)]


def rule_lines(targets: Sequence[Target], scope: Scope) -> list[Line]:
    """Every sentence of the targets that can oblige or explains what does. Asked are the obligations of the registers that a source can
    meet; what analysts added comes last."""
    lines = (line for target in targets for line in _of_target(target))
    numbered = (replace(line, id=f"{RULE}{n}") for n, line in enumerate(lines, 1))
    return [replace(line, in_focus=scope.holds(line)) if line.asked else line for line in numbered]


def _of_target(target: Target) -> Iterator[Line]:
    asked = {
        _spot(rule): rule for rule in without_authorities(rules_of(target.document, target.entries)) if _is_asked(rule)
    }
    for provision in target.provisions:
        for sentence in provision.sentences:
            if sentence.kind not in _UNNAMED:
                read = _unit(target.document, provision, sentence)
                rule = asked.pop(_spot(read), None)
                yield Line("", rule or read, _place(provision), asked=rule is not None)
    yield from (Line("", rule, asked=True) for rule in asked.values())


def _is_asked(rule: Unit) -> bool:
    """What is only recommended is judged, too, but is no obligation."""
    return rule.kind.binds or rule.kind is Kind.RECOMMENDATION


def _spot(unit: Unit) -> tuple[int, int, str]:
    return unit.page, unit.start, unit.text


def _unit(document: str, provision: Provision, s: ProvisionSentence) -> Unit:
    heading = provision.headings[-1] if provision.headings else ""
    return Unit(document, s.text, s.kind, s.page, s.start, s.end, s.introduction, heading, provision.label, s.party)


def _place(provision: Provision) -> str:
    return " › ".join(provision.headings)


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
        if part and ((counts and asked == each) or characters + len(line.unit.text) > BATCH_CHARACTERS):
            yield part
            part, asked, characters = [], 0, 0
        part.append(replace(line, asked=counts))
        asked += counts
        characters += len(line.unit.text)
    if part:
        yield part


def _is_worth(batch: Batch, limited: bool) -> bool:
    """Whether there is something to judge: an obligation, or where nothing limits the audit, a sentence that may be one."""
    if batch.asked:
        return True
    may = (Kind.RECOMMENDATION, Kind.STATEMENT, Kind.PERMISSION, Kind.TABLE)
    return not limited and any(line.unit.kind in may for line in batch.lines)


def by_id(*several: Iterable[Line]) -> Mapping[str, Line]:
    """The lines by their numbers."""
    return {line.id: line for lines in several for line in lines}
