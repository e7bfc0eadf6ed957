"""What a cited sentence claims beyond its quotes: numbers, dates, amounts, negations, modal verbs (C2).

The checks are lexical and conservative. What they flag may be a paraphrase a person accepts at a glance; what they do not
flag has its figures, its "not" and its "must" in a quote, the latter two about the same verb where both name it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policypal.search.terms import STOP_WORDS, terms
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities, number_value, without_quantities


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something a cited sentence says that none of its quotes says. ``kind``: number, date, negation or modal."""

    kind: str
    text: str


def check_sentence(sentence: str, quotes: Sequence[str]) -> list[Unsupported]:
    """What ``sentence`` says in numbers, dates, percentages, amounts, negations and modal verbs that none of ``quotes``
    says (C2). "thirty" and "30", "must" and "shall" are the same; "must" is not supported by "must not", nor "at least" by
    "at most". A negation of the quotes that the sentence drops is missing, too."""
    sentence = " ".join(_MARKER.sub(" ", sentence).split())
    evidence = " \n ".join(" ".join(q.split()) for q in quotes)
    missing = [*_missing_quantities(sentence, evidence), *_missing_months(sentence, evidence)]
    modals = [*_missing_modals(sentence, evidence)]
    return [*missing, *modals, *(() if modals else _missing_negations(sentence, evidence))]


_MARKER = re.compile(r"[📄🌐]\s*\d+|\[\d+\]")
_BOUNDING = re.compile(
    r"\b(?:no|not|nor)\s+(?:be\s+)?(?:later|less|fewer|more|longer|greater|higher|lower|larger|smaller|earlier|shorter)\s+than\b|"
    r"\bnot\s+(?:to\s+)?exceed(?:ing)?\b|\bnot\s+only\b|\bbut\s+not\s+limited\s+to\b|\bwhether\s+or\s+not\b|\bwithout\s+(?:undue|unreasonable)\s+delay\b",
    re.IGNORECASE,
)

# Modal verbs

_PROHIBITION = r"(?:(?:must|shall|may|can|should|will)\s*(?:not|never|no longer)\b(?! (?:later|less|fewer|more) than)|mustn['’]t|can['’]t|cannot|shan['’]t|\b(?:is|are|be) (?:strictly )?(?:prohibited|forbidden|not (?:allowed|permitted))\b|\b(?:prohibits?|forbids?)\b|\bno \w+(?: \w+){0,2} (?:may|shall|must|can)\b)"
_FORCES: dict[str, re.Pattern[str]] = {
    "prohibition": re.compile(_PROHIBITION, re.I),
    "obligation": re.compile(
        r"\b(?:(?:must|shall)\b(?!\s*(?:not|never)\b(?! (?:later|less|fewer|more) than))|(?:is|are|be) (?:required|obliged|obligated) to\b|ha(?:s|ve) to\b|needs? to\b|(?:is|are) mandatory)",
        re.I,
    ),
    "recommendation": re.compile(r"\b(?:(?:should|ought to)\b(?!\s*(?:not|never)\b)|(?:is|are) recommended)", re.I),
    "permission": re.compile(r"\b(?:(?-i:may|can|might|could)\b(?!\s*not\b)|(?:is|are) (?:allowed|permitted|entitled) to\b)", re.I),
}  # fmt: skip
_SKIPPED = frozenset(
    "be been to from of the a an also only always either both then first not at in any by all it have has been".split()
)
_NEXT_WORD = re.compile(r"[^\W\d_]+")


def _missing_modals(sentence: str, evidence: str) -> Iterator[Unsupported]:
    """Modal verbs no quote has; and those that a quote has about another verb, but not about this one."""
    ours, theirs = list(_forces(sentence)), list(_forces(evidence))
    held = {force for force, _, _ in theirs}
    for force, verb, text in ours:
        about = {f for f, v, _ in theirs if v == verb and verb}
        if force not in held or (about and force not in about):
            yield Unsupported("modal", text)


def _forces(text: str) -> Iterator[tuple[str, str, str]]:
    """Each modal verb as its force, the stem of the verb it governs ("" where none follows), and its own words."""
    rest = text
    for force, pattern in _FORCES.items():
        for match in pattern.finditer(rest):
            yield force, _content_stem(rest, match.end()), match.group()
        if force == "prohibition":
            rest = pattern.sub(lambda m: " " * len(m.group()), rest)


def _content_stem(text: str, at: int) -> str:
    """The stem of the next word after ``at`` that says something, within its clause."""
    clause = re.split(r"[.;:()\n]", text[at : at + 80], maxsplit=1)[0]
    for word in _NEXT_WORD.findall(clause)[:6]:
        if word.lower() not in _SKIPPED and not word.lower().endswith("ly"):
            return "".join(terms(word)[:1]) or word.lower()
    return ""


# Negations

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|nobody|nothing|except|unless|exempt(?:ed)?|"
    r"prohibit(?:s|ed)?|forbid(?:s|den)?)\b|\w+n['’]t\b",
    re.I,
)
_NO_ONE_MAY = re.compile(r"\bno\s+(?:\w+\s+){1,3}?(?:may|shall|must|can|is|are)\b", re.I)


def _missing_negations(sentence: str, evidence: str) -> Iterator[Unsupported]:
    ours, theirs = _BOUNDING.sub(" ", sentence), _BOUNDING.sub(" ", evidence)
    found = _NEGATION.findall(ours)
    # "not exceeding" may be said as "no more than", or with a "not" of another kind
    spare = max(0, len(_BOUNDING.findall(evidence)) - len(_BOUNDING.findall(sentence)))
    if len(found) > len(_NEGATION.findall(theirs)) + spare:
        yield Unsupported("negation", found[-1])
        return
    denied, denied_there = _negated(ours), _negated(theirs)
    said, said_there = set(terms(ours)) - denied.keys(), set(terms(theirs)) - denied_there.keys()
    for stem, text in denied.items():
        if stem in said_there and stem not in denied_there:
            yield Unsupported("negation", text)
    for stem, text in denied_there.items():
        if stem in said and stem not in said_there and stem not in denied:
            yield Unsupported("negation", text)


def _negated(text: str) -> dict[str, str]:
    """The stems of the words that stand under a negation, with the negation's own words."""
    found: dict[str, str] = {}
    shared = _NO_ONE_MAY.sub(lambda m: " " * (len(m.group()) - 4) + " not", text)
    for match in _NEGATION.finditer(shared):
        if stem := _content_stem(shared, match.end()):
            found.setdefault(stem, match.group())
    return found


def forces(text: str) -> list[str]:
    """What the modal verbs of a text do, one word each: prohibition, obligation, recommendation, permission, announcement."""
    return [force for force, _, _ in _forces(text)] + ["announcement"] * len(_ANNOUNCES.findall(text))


_ANNOUNCES = re.compile(r"\b(?:will|would)\b(?!\s*(?:not|never)\b)", re.I)


def negations(text: str) -> tuple[int, int]:
    """How many words deny something, and how many comparisons ("no later than") are bounded by denying."""
    return len(_NEGATION.findall(_BOUNDING.sub(" ", text))), len(_BOUNDING.findall(text))


def negates(text: str) -> bool:
    """Whether a text denies, forbids or excepts something; "no later than" and the like bound a number instead."""
    return negations(text)[0] > 0


# Numbers, dates, amounts

_WITH_SIGN = (QuantityKind.PERCENT, QuantityKind.MONEY)
_OPPOSED = ({Bound.AT_LEAST, Bound.ABOVE}, {Bound.AT_MOST, Bound.BELOW})
_COMPARISON = re.compile(
    r"\b((?:no|not|nor)\s+(?:be\s+)?)?(?:later|less|fewer|more|longer|greater|higher|lower|earlier|shorter)\s+than\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_TIME_UNIT = re.compile(r"\s+[a-z]+\s+(minute|hour|day|week|month|quarter|year)s?\b", re.IGNORECASE)
_MONTH = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)(?=,? +(?:1[89]|20)\d\d\b)"
)


def _missing_quantities(sentence: str, evidence: str) -> list[Unsupported]:
    said, known = find_quantities(sentence), find_quantities(evidence)
    missing = []
    for quantity in said:
        if not any(_same(quantity, other) and _as_bounded(quantity, sentence, other, evidence) for other in known):
            missing.append(Unsupported("date" if quantity.kind is QuantityKind.DATE else "number", quantity.text))
    # other numbers, such as those of provisions; a percentage or an amount does not support a bare number
    numbers = _number_values(without_quantities(evidence, [q for q in known if q.kind in _WITH_SIGN]))
    for match in re.finditer(r"\d+(?:[.,]\d+)*", without_quantities(sentence, said)):
        value = number_value(match.group())
        if value is not None and value not in numbers:
            missing.append(Unsupported("number", match.group()))
    return missing


_MULTIPLES = re.compile(
    r"\b(?:twice|thrice|doubl\w+|tripl\w+|quadrupl\w+|half|halv\w+|third of|quarter of|(?:two|three)[- ]thirds|dozens?|hundreds?|"
    r"thousands?|millions?|billions?|\w+fold)\b",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"\b(?=[CLXVI]{2,}\b)C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")


def missing_figures(sentence: str, sources: Sequence[str]) -> list[str]:
    """The numbers, amounts, dates and durations of ``sentence``, in digits or words, that none of ``sources`` has. 72 hours
    and three days are one figure, "five" is five years where no noun follows; twice as much is a figure of its own."""
    text, evidence = (
        unicodedata.normalize("NFKC", t) for t in (sentence, " \n ".join(" ".join(s.split()) for s in sources))
    )
    elliptic = {q.text for q in find_quantities(text) if q.kind is QuantityKind.NUMBER and q.unit in STOP_WORDS}
    missing = [u.text for u in (*_missing_quantities(text, evidence), *_missing_months(text, evidence))]
    missing = [m for m in missing if m not in elliptic or number_value(m) not in _number_values(evidence)]
    named = [m.group() for pattern in (_MULTIPLES, _ROMAN) for m in pattern.finditer(text)]
    new = [w for w in named if w.casefold() not in evidence.casefold() and not any(w in m for m in missing)]
    return [m for m in missing if not any(m != other and m in other for other in missing)] + new


def _missing_months(sentence: str, evidence: str) -> Iterator[Unsupported]:
    """ "May 2025" has no day, so it is no date, but it is not "March 2025" either."""
    for match in _MONTH.finditer(sentence):
        if match.group(1).lower() not in evidence.lower():
            yield Unsupported("date", match.group(1))


def _number_values(text: str) -> set[float]:
    words = re.findall(r"\d+(?:[.,]\d+)*|[A-Za-z]+(?:-[A-Za-z]+)?", text)
    return {v for w in words if (v := number_value(w)) is not None}


def _as_bounded(a: Quantity, sentence: str, b: Quantity, evidence: str) -> bool:
    """Whether two equal quantities are bounded and counted alike: "at least five years" is not "at most five years", "no
    later than" not "later than", and "five preceding years" not "five preceding months"."""
    opposed = any(a.bound in left and b.bound in right for left, right in (_OPPOSED, _OPPOSED[::-1]))
    ours, theirs = _comparison(sentence[: a.start]), _comparison(evidence[: b.start])
    units = {u.group(1).lower() for text, q in ((sentence, a), (evidence, b)) if (u := _TIME_UNIT.match(text, q.end))}
    return not opposed and (ours is None or theirs is None or ours == theirs) and len(units) < 2


def _comparison(before: str) -> bool | None:
    """Whether the comparison right before a quantity is negated ("not later than"); None where there is none."""
    match = _COMPARISON.search(before)
    return None if match is None else bool(match.group(1))


def _same(a: Quantity, b: Quantity) -> bool:
    if a.kind is QuantityKind.NUMBER:
        return a.value == b.value and (b.kind is QuantityKind.NUMBER or not a.unit)
    if a.kind is not b.kind:
        return False
    if a.kind is QuantityKind.DURATION:
        return (a.unit == b.unit and a.value == b.value) or _equal_units(a, b)
    if a.kind is QuantityKind.FREQUENCY:
        return abs(a.value - b.value) < 0.02 * b.value
    return a.value == b.value and a.unit == b.unit


_CONVERTIBLE = ({"hours", "days", "minutes", "weeks"}, {"months", "years", "quarters"})


def _equal_units(a: Quantity, b: Quantity) -> bool:
    """72 hours is three days and twelve months is one year; one month is not 30 days in law."""
    if not any({a.unit, b.unit} <= group for group in _CONVERTIBLE):
        return False
    return abs(a.value - b.value) <= 0.003 * max(a.value, b.value)
