"""Which statements answer a question, and how well (A2)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from policypal.answer.questions import (
    CONTENTS_TERMS,
    GENERIC_TERMS,
    MEASURE_TERMS,
    PROHIBITION_TERMS,
    Expectation,
    Question,
    is_generic,
)
from policypal.answer.statements import Statement, has_verb
from policypal.search.embeddings import Embedder
from policypal.search.lists import leads_in
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms

_GENERIC_WEIGHT = 0.3
_LONG_STATEMENT = 45
_NEAR = 2
_AFTER_MODAL = re.compile(
    r"\b(?:shall|must|may|should|can|cannot|will|right to|required to)\s+((?:\S+\s+){0,4}\S+)", re.IGNORECASE
)
_EXCEPTIONAL = re.compile(
    r"^(?:(?:where|when|if|in the event)\b[^,]*\b(?:not|no|cannot)\b|unless\b|for example\b|for instance\b|eg\b)",
    re.IGNORECASE,
)
"""How a sentence begins that says what holds where the rule is not met, rather than the rule."""


_TIME = re.compile(r"\b(?:minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
_MONEY = re.compile(r"[€$£¥]|\b(?:EUR|USD|GBP|CHF|thousands?|millions?|billions?)\b", re.IGNORECASE)
_UNITS_OF = {Expectation.DURATION: _TIME, Expectation.FREQUENCY: _TIME, Expectation.MONEY: _MONEY}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A statement's ``score`` and ``coverage``: the idf-weighted share of the question's terms it accounts for, [0, 1].
    ``fits``: it holds what the question expects (a number with that unit, a date, …)."""

    statement: Statement
    score: float
    coverage: float
    fits: bool


class Weights:
    """Inverse document frequencies over the statements at hand; a term none of them holds weighs most.

    ``asked`` are the question's terms: words such as "require" weigh less where the question has others.
    """

    def __init__(self, statements: Sequence[Statement], asked: Sequence[str] = ()) -> None:
        self._count = max(len(statements), 1)
        self._frequency = Counter(term for s in statements for term in set(s.terms))
        self._around = {term for s in statements for term in (*s.intro_terms, *terms(s.heading))}
        self._prohibits = any(_PROHIBITS.search(s.text) for s in statements)
        subject = [term for term in asked if term not in GENERIC_TERMS]
        self._discounts = len(subject) > 1 or not asked

    def of(self, term: str) -> float:
        weight = math.log(1 + self._count / (self._frequency[term] + 0.5))
        return weight * (_GENERIC_WEIGHT if self._discounts and term in GENERIC_TERMS else 1.0)

    def known(self, term: str) -> bool:
        """Whether any statement, its heading or its introduction holds the term or a synonym of it."""
        if term in PROHIBITION_TERMS and self._prohibits:
            return True
        return any(self._frequency[t] or t in self._around for t in (term, *SYNONYMS.get(term, ())))


def share(wanted: Iterable[str], held: Collection[str], weights: Weights) -> float:
    """The weighted share of ``wanted`` terms that ``held`` has, synonyms counting 0.8; 0 without terms."""
    total = got = 0.0
    for term in wanted:
        weight = weights.of(term)
        total += weight
        got += weight * _match(term, held)
    return got / total if total else 0.0


def _match(term: str, held: Collection[str]) -> float:
    if term in held:
        return 1.0
    return 0.8 if not SYNONYMS.get(term, frozenset()).isdisjoint(held) else 0.0


def rank(question: Question, statements: Sequence[Statement], embedder: Embedder) -> list[Ranked]:
    """The statements, best answer first. Deterministic: ties keep the order of the evidence."""
    if not statements:
        return []
    weights = Weights(statements, question.terms)
    vectors = embedder.embed([question.text, *(s.full_text for s in statements)])
    similarity = (vectors[1:] @ vectors[0]).tolist()
    best_passage = max((s.evidence.score for s in statements), default=0.0) or 1.0
    prefers_shall = _operative_by_document(statements)
    around = _passage_terms(statements)
    ranked = []
    for position, statement in enumerate(statements):
        fits = question.is_met_by(statement.full_text) or _row_fits(question, statement)
        coverage = _coverage(question, statement, around[statement.source], weights, fits)
        relevance = (
            0.5 * coverage
            + 0.2 * max(similarity[position], 0.0)
            + 0.15 * statement.evidence.score / best_passage
            + 0.1 * _phrases(question, statement)
            + 0.08 * _governed(question, statement, weights)
            + 0.06 * share(question.terms, set(terms(statement.heading)), weights)
            + _type_bonus(question, statement, fits)
        )
        ranked.append(Ranked(statement, relevance * _quality(statement, prefers_shall), coverage, fits))
    return sorted(ranked, key=lambda r: -r.score)


def _row_fits(question: Question, statement: Statement) -> bool:
    """A row's figures are in the unit its table's head names: "Retention (years)"."""
    unit = _UNITS_OF.get(question.expected) if question.expected and statement.is_row else None
    return unit is not None and unit.search(statement.full_text) is not None


def _coverage(question: Question, statement: Statement, around: frozenset[str], weights: Weights, fits: bool) -> float:
    """Own words count in full, the introducing line's 0.9, the heading's 0.6, the rest of the passage's 0.35. Words that
    only name the quantity asked for ("deadline") count in full where the statement ``fits``."""
    own, intro = set(statement.terms), set(statement.intro_terms)
    heading = set(terms(statement.heading)) if statement.heading else set()
    named = set(terms(question.provision)) if is_of(statement, question.provision) else set()
    if fits and question.measures:
        named |= MEASURE_TERMS
    if _PROHIBITS.search(statement.full_text):
        named |= PROHIBITION_TERMS

    def held(term: str) -> float:
        return max(
            float(term in named),
            _match(term, own),
            0.9 * _match(term, intro),
            0.6 * _match(term, heading),
            0.35 * _match(term, around),
        )

    listed = _unnamed(question, statement)
    subject = [t for t in question.terms if t not in listed and not is_generic(t)]
    if listed and _held_share(subject, held, weights) >= _SAME_SUBJECT:
        named |= listed
    return _held_share(question.terms, held, weights)


_SAME_SUBJECT = 0.6


def _held_share(wanted: Sequence[str], held: Callable[[str], float], weights: Weights) -> float:
    total = sum(weights.of(t) for t in wanted)
    return sum(weights.of(t) * held(t) for t in wanted) / total if total else 0.0


def _unnamed(question: Question, statement: Statement) -> frozenset[str]:
    """What a list need not call itself: grounds, conditions, contents; nor a rule on what something contains: "the agreement
    must give …"."""
    tells = bool(statement.items) or _BINDS.search(statement.text) is not None
    found = CONTENTS_TERMS if question.contents and tells else frozenset[str]()
    return found | {question.category} if _lists(statement, question) else found


_PROHIBITS = re.compile(
    r"\b(?:shall|must|may|can)\s+(?:not\b|never\b|only\b)|\bcannot\b|\bprohibit|\bforbid", re.IGNORECASE
)


def _lists(statement: Statement, question: Question) -> bool:
    return bool(question.category) and len(statement.items) > 1 and leads_in(statement.text, question.category)


def is_of(statement: Statement, provision: str) -> bool:
    """Whether the statement stands under the provision: its heading says "Article 33"."""
    return bool(provision) and re.search(rf"\b{re.escape(provision)}\b", statement.heading, re.IGNORECASE) is not None


def _passage_terms(statements: Sequence[Statement]) -> dict[int, frozenset[str]]:
    held: dict[int, set[str]] = {}
    for statement in statements:
        held.setdefault(statement.source, set()).update(statement.terms)
    return {source: frozenset(found) for source, found in held.items()}


def _phrases(question: Question, statement: Statement) -> float:
    """The share of the question's neighbouring subject terms that stand close together in the statement too, in either
    order, as themselves or as synonyms: "customers be told", "inform the customers"."""
    pairs = set(pairwise(t for t in terms(question.text) if not is_generic(t) or t in SYNONYMS))
    if not pairs:
        return 0.0
    places: dict[str, list[int]] = {}
    for place, term in enumerate(statement.terms):
        places.setdefault(term, []).append(place)
    return sum(_adjacent(left, right, places) for left, right in pairs) / len(pairs)


def _adjacent(left: str, right: str, places: Mapping[str, Sequence[int]]) -> bool:
    ours = [p for t in (left, *SYNONYMS.get(left, ())) for p in places.get(t, ())]
    theirs = [p for t in (right, *SYNONYMS.get(right, ())) for p in places.get(t, ())]
    return any(0 < abs(a - b) <= _NEAR for a in ours for b in theirs)


def _governed(question: Question, statement: Statement, weights: Weights) -> float:
    """The share of the question's terms a modal verb governs: "shall designate an officer" against "the officer"."""
    governed = {term for words in _AFTER_MODAL.findall(statement.full_text) for term in terms(words)}
    return share(question.terms, governed, weights)


def _type_bonus(question: Question, statement: Statement, fits: bool) -> float:
    bonus = 0.0
    if question.expected is not None:
        bonus += 0.12 if fits else -0.15
    if question.measured_in(statement.full_text):
        bonus += 0.08
    if question.binds:
        bonus += 0.1 * bool(_BINDS.search(statement.full_text)) - 0.1 * bool(_ALLOWS.search(statement.text))
    if question.provision and is_of(statement, question.provision):
        bonus += 0.3
    if question.counts(statement.full_text):
        bonus += 0.25
    if question.definiendum and defines(statement, question.definiendum):
        bonus += 0.45
    if question.enumerates and statement.items:
        bonus += 0.15 if question.contents or _lists(statement, question) else 0.06
    if question.expected and _EXCEPTIONAL.match(statement.text):
        bonus -= 0.08
    return bonus


_BINDS = re.compile(r"\b(?:shall|must|is required to|are required to)\b", re.IGNORECASE)
_ALLOWS = re.compile(r"\bmay\b(?! not)")


def defines(statement: Statement, term: str) -> bool:
    """Whether the statement is a definition of ``term``."""
    name = re.escape(term).replace(r"\ ", r"\s+")
    quoted = rf"[‘“\"']{name}s?[’”\"']\s*(?:\([^)]*\)\s*)?(?:means?|refers? to|is|are|shall mean)\b"
    if re.search(quoted, statement.text, re.IGNORECASE):
        return True
    pattern = rf"^(?:the (?:term|expression)\s+)?(?:an?\s+)?[‘'“\"]?{name}s?(?:\s+\([^)]*\))?[’'”\"]?,?\s*(?::|[–—-]\s|(?:shall\s+|should\s+)?(?:means?|refers? to|is defined as|denotes?|is an?|are)\b)"
    return re.search(pattern, statement.text, re.IGNORECASE) is not None


def _operative_by_document(statements: Sequence[Statement]) -> set[str]:
    """Documents that bind with "shall" or "must", in which "should" marks a recital or advice."""
    binding = Counter(s.evidence.document for s in statements if re.search(r"\b(?:shall|must)\b", s.text))
    return {document for document, count in binding.items() if count >= 2}


def _quality(statement: Statement, prefers_shall: set[str]) -> float:
    text = statement.text
    quality = 1.0 if statement.complete else 0.8
    if text[0].islower() and not statement.intro:
        quality *= 0.85
    if not has_verb(statement.full_text) and not statement.is_row:
        quality *= 0.8
    if len(statement.terms) > _LONG_STATEMENT:
        quality *= 0.95
    advises = re.search(r"\bshould\b", text) and not re.search(r"\b(?:shall|must)\b", text)
    if advises and statement.evidence.document in prefers_shall:
        quality *= 0.8
    if text.endswith("?"):
        quality *= 0.5
    if len(statement.terms) < 4 and not statement.intro and not statement.is_row:
        quality *= 0.75
    if re.match(r"(?:for example|for instance|illustration|eg\b|see\b|note\b)", text, re.IGNORECASE):
        quality *= 0.85
    return quality


def near_duplicate(left: Statement, right: Statement) -> bool:
    """Whether one repeats the other, as overlapping passages and quoted provisions do. Other numbers, or another
    document, make it another statement."""
    a, b = set(left.terms), set(right.terms)
    if not a or not b or left.evidence.document != right.evidence.document:
        return (left.evidence.document, left.text) == (right.evidence.document, right.text)
    if any(term[0].isdigit() for term in a ^ b):
        return False
    return len(a & b) / min(len(a), len(b)) >= 0.9 and len(a & b) / max(len(a), len(b)) >= 0.55
