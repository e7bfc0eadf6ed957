"""What a sentence sets: its deadlines, frequencies, amounts and bounded figures, and what each of them measures (D11, D12)."""

import re
from collections.abc import Iterator

from policypal.domain.provisions import Limit
from policypal.text.lexicon import is_action
from policypal.text.markers import read_markers
from policypal.text.modality import after_modal, without_condition
from policypal.text.quantities import Bound, Quantity, QuantityKind, bound_start, find_quantities

_ALWAYS = frozenset({
    QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE, QuantityKind.MONEY, QuantityKind.PERCENT,
})  # fmt: skip
_NO_UNITS = ("", *"or and of per to in on for by is are the from with as".split())
"""What stands behind a number without being counted by it."""
_ENDS = re.compile(r"[;:.](?=\s)|\s[–—]\s")
_PASSIVE = re.compile(r"\s*(?:not |also |only |\w+ly )*be\s", re.IGNORECASE)
_HANGS = re.compile(
    r"(?:^|[\s,(]+)(?:for|of|in|at|by|within|to|than|is|are|be|an?|the|and|or|with|on|after|from|not|no|every|each|once|period|any event|more|least|later|if|it|longer|exceed)$",
    re.IGNORECASE,
)
_MARKS = " ,;:(|"
_MOST_WORDS = 14


def limits_of(text: str) -> tuple[Limit, ...]:
    """The limits of a sentence in reading order, each once. A plain number is one only where the text bounds it ("at least two members")."""
    found = dict.fromkeys(_found(" ".join(text.split())))
    return tuple(found)


_CALLED = {
    QuantityKind.DURATION: "period", QuantityKind.DATE: "date", QuantityKind.FREQUENCY: "frequency interval", QuantityKind.MONEY: "amount",
    QuantityKind.PERCENT: "percentage threshold", QuantityKind.NUMBER: "number",
}  # fmt: skip


def limits_by_name(text: str) -> str:
    """What the limits of a sentence are called, by those who look for "deadlines" in words that only say "within 4 hours"."""
    found = limits_of(text)
    until = any(f.bound == Bound.AT_MOST and f.kind in (QuantityKind.DURATION, QuantityKind.DATE) for f in found)
    return " ".join(["limit"] * bool(found) + ["deadline"] * until + [_CALLED[QuantityKind(f.kind)] for f in found])


def _found(text: str) -> Iterator[Limit]:
    for quantity in find_quantities(text):
        if quantity.kind in _ALWAYS or _bounds_what_is_counted(quantity):
            end = _end(text, quantity)
            bound = "" if quantity.bound is Bound.UNSTATED else quantity.bound.value
            said = text[quantity.start : end]
            yield Limit(said, quantity.kind.value, quantity.value, quantity.unit, bound, _measured(text, quantity, end))


def _bounds_what_is_counted(quantity: Quantity) -> bool:
    return quantity.bound in (Bound.AT_LEAST, Bound.AT_MOST) and quantity.unit not in _NO_UNITS


def _end(text: str, quantity: Quantity) -> int:
    """The end of the quantity, with what a plain number counts: "two members"."""
    if quantity.kind is not QuantityKind.NUMBER:
        return quantity.end
    counted = re.compile(rf"[\s-]*{re.escape(quantity.unit)}", re.IGNORECASE).match(text, quantity.end)
    return counted.end() if counted else quantity.end


def _measured(text: str, quantity: Quantity, end: int) -> str:
    """The words of the clause that the figure belongs to: what is done, or what is held; of a passive its subject, too. Where nothing
    stands before the figure, what follows it."""
    begin = max((m.end() for m in _ENDS.finditer(text, 0, quantity.start)), default=0)
    marks = read_markers(text) if begin == 0 else []
    begin = marks[-1].end if marks else begin
    before = without_condition(text[begin : bound_start(text, quantity.start)])
    verb = after_modal(before)
    said = _trimmed(before if verb is None or _PASSIVE.match(verb) else verb)
    if len(said.split()) == 1:  # "The board must meet"
        return _trimmed(before)
    if said and (verb is None or _tells(said)):
        return said
    stop = _ENDS.search(text, end)
    return _trimmed(text[end : stop.start() if stop else None].strip(" .,;:)|"))


def _tells(said: str) -> bool:
    """Whether the words hold a verb: "without undue delay and, where feasible" has its own behind the figure."""
    return any(is_action(word) or word == "be" for word in said.lower().split())


def _trimmed(words: str) -> str:
    held = words.split()
    cut = len(held) > _MOST_WORDS
    words = (" ".join(held[:_MOST_WORDS]) if cut else words).strip(_MARKS)
    while (shorter := _HANGS.sub("", words)) != words:
        words = shorter.rstrip(_MARKS)
    return f"{words} …" if cut else words
