"""Whether a policy meets each obligation of a regulation, and what shows it (A6). Described in docs/coverage.md."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policypal.audit import figures, negation
from policypal.audit.concepts import (
    ACTIONS,
    FORMAL,
    KNOWN,
    LIGHT,
    PARTIES,
    SILENT,
    SOFT_ACTIONS,
    concepts_of,
    read_words,
    related,
)
from policypal.audit.units import Unit
from policypal.domain.audits import CoverageStatus
from policypal.domain.provisions import Kind
from policypal.search.embeddings import Embedder, cosine
from policypal.text.modality import main_clause

Matrix = NDArray[np.float32]

COSINE_SHARE, MARGIN_WEIGHT, ENOUGH, QUANTILE = 0.3, 0.5, 0.75, 0.7
"""Fitted, see ``benchmarks/coverage.py``: the share of the cosine; how much a better fit to another obligation counts against one; a passage
is enough at ENOUGH times the fit the policy reaches for the better part of the list (QUANTILE), so that a policy which follows the
regulation's words is held to them, and one in its own words is not."""
_THRESHOLDS = (0.4, 0.7)
_TOUCHED, _UNTOUCHED, _LEAST_OF_STRANGERS = 0.4, 0.2, 0.55
"""Between these fits of the better part of the list the lower threshold grows to the last one: of a rulebook on another subject, single
words in common show nothing."""
_MARGINS = (-0.3, 0.15)
_CONDITION, _ALTERNATIVE = 0.35, 0.5
_LIGHT, _FORMAL, _COMMON_PARTY, _UNKNOWN = 0.12, 0.5, 0.5, 0.6
_CONTINUED, _NEAR = 0.8, 0.25
_NO_ACTION, _NO_GOVERNED_ACTION, _AGAINST = 0.55, 0.7, 0.25
_RELATED = 0.6
"""From this share of enough on, the nearest passage is related."""

_OR = re.compile(r"\bor\b([^,;.]*)", re.I)
_MODAL = re.compile(
    r"\b(?:must|shall|may|will|should|(?:is|are) (?:required|obliged) to|has to|have to|needs? to)\b(?:\s+(?:not|only|also|never|be|have|\w+ly))*\s+",
    re.I,
)
_GERUND = re.compile(r"\b(?:in|by|for|with|of)\s+(?:\w+ly\s+)?(\w+ing)\b", re.I)
_GUARD = re.compile(r"\b(?:without|unless|only|prior|before)\b", re.I)
_PERMISSION = frozenset({"approve"})
_NEGATION = re.compile(
    r"\b(?:not|no|nor|never|nobody|none|neither|nothing|prohibited|forbidden|refrain\w*|only)\b", re.I
)
_WITHOUT = re.compile(r"\bwithout\b([^.;]{0,60})", re.I)
_RESTRAINED = re.compile(r"\b(?:not|no|nothing|nobody|never|only|neither)\b", re.I)
_GOES_ON = re.compile(
    r"(?:such|this|these|those|it|they|he|she|and|or|in (?:this|that|such) case|the (?:aforementioned|same)|also|then)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Met:
    """How a policy meets one obligation. ``nearest`` indexes the claims searched, ``strength`` is 1 where the passage is just enough,
    ``reason`` says for the reader what was searched and what the passage lacks."""

    status: CoverageStatus
    nearest: int
    strength: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Duty:
    """``concepts`` weigh 1 in the main clause, less in its condition and in alternatives. Each of ``actions`` is a set of verbs one of which
    is to be done. ``guarded``: what it forbids or asks is allowed with a permission."""

    concepts: dict[str, float]
    actions: tuple[frozenset[str], ...]
    guarded: bool
    prohibits: bool


@dataclass(frozen=True, slots=True)
class _Passage:
    """``stated`` are the concepts of a sentence with what they count for, ``mentions`` those of its neighbours too. ``unguarded``: it allows
    something without a permission; ``releases``: it says that something is not owed; ``asserts``: it is a sentence or a list's item, not a
    caption."""

    stated: dict[str, float]
    mentions: dict[str, float]
    negated: bool
    unguarded: bool
    releases: bool
    asserts: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Passages (rows) against obligations (columns): the fit in concepts, and the cosine, both in [0, 1]. ``weights`` of an
    obligation's concepts add up to 1."""

    fit: Matrix
    similarity: Matrix
    weights: list[dict[str, float]]
    passages: list[_Passage]

    def scores(self, cosine_share: float = COSINE_SHARE, margin_weight: float = MARGIN_WEIGHT) -> Matrix:
        """The fit, less where a passage fits another obligation of the list better: it is evidence for that one."""
        fit = (1 - cosine_share) * self.fit + cosine_share * self.similarity
        margin = np.clip(fit - _best_other(fit), *_MARGINS)
        return np.asarray(fit + margin_weight * margin, dtype=np.float32)


def assess(claims: Sequence[Unit], rules: Sequence[Unit], embedder: Embedder) -> list[Met]:
    """How the claims meet each rule of one target, in their order; never a conflict."""
    if not claims or not rules:
        return [Met(CoverageStatus.GAP, -1, 0.0, "The policy has no sentence to search.") for _ in rules]
    comparison = compare(claims, rules, embedder)
    asserts = np.array([c.asserts for c in claims])
    scores = np.where(asserts[:, None] | ~asserts.any(), comparison.scores(), -1)  # a caption is not shown as a passage
    nearest = scores.argmax(axis=0)
    best = scores[nearest, np.arange(len(rules))]
    strengths = best / enough(best)
    return [
        _met(comparison, claims, rule, column, int(row), float(strength))
        for column, (rule, row, strength) in enumerate(zip(rules, nearest, strengths, strict=True))
    ]


def compare(claims: Sequence[Unit], rules: Sequence[Unit], embedder: Embedder) -> Comparison:
    """Every claim against every rule of one list."""
    passages, duties = _passages(claims), [_duty(rule) for rule in rules]
    rarity = _rarities(passages, duties)
    weights = [_weights(duty, rarity) for duty in duties]
    similarity = np.clip(
        cosine(embedder.embed([c.full for c in claims]), embedder.embed([r.full for r in rules])), 0, None
    )
    fit = np.zeros_like(similarity)
    concepts = {concept: n for n, concept in enumerate(dict.fromkeys([*rarity, *ACTIONS]))}
    mentioned = _board([p.mentions for p in passages], concepts)
    stated = _board([p.stated for p in passages], concepts)
    asserts = np.array([p.asserts for p in passages], dtype=np.float32)
    for column, (duty, told) in enumerate(zip(duties, weights, strict=True)):
        standing = asserts * np.array([_AGAINST if _is_against(p, duty) else 1 for p in passages], dtype=np.float32)
        recall = mentioned[:, [concepts[c] for c in told]] @ np.array(list(told.values()), dtype=np.float32)
        similarity[:, column] *= standing
        fit[:, column] = standing * recall * _done(stated, concepts, duty)
    return Comparison(fit, similarity, weights, passages)


def enough(best: Matrix, share: float = ENOUGH, quantile: float = QUANTILE) -> float:
    """The score from which on a passage meets an obligation, from the best scores of all obligations of a list."""
    reached = float(np.quantile(best, quantile))
    least, most = _THRESHOLDS
    strange = float(np.clip((_TOUCHED - reached) / (_TOUCHED - _UNTOUCHED), 0, 1))
    return float(np.clip(share * reached, least + strange * (_LEAST_OF_STRANGERS - least), most))


def _best_other(fit: Matrix) -> Matrix:
    """For each passage and obligation, the passage's best fit to another obligation; 0 where there is no other."""
    if fit.shape[1] < 2:
        return np.zeros_like(fit)
    first, second = -np.sort(-fit, axis=1)[:, :2].T
    is_first = np.arange(fit.shape[1])[None, :] == fit.argmax(axis=1)[:, None]
    return np.asarray(np.where(is_first, second[:, None], first[:, None]), dtype=np.float32)


# What an obligation asks


def _duty(rule: Unit) -> _Duty:
    main = main_clause(rule.full)
    concepts = dict.fromkeys(_chief(rule.full), _CONDITION)
    concepts |= {concept: _ALTERNATIVE for m in _OR.finditer(main) for concept in _chief(m[1])}
    concepts |= dict.fromkeys(_chief(_OR.sub(" ", main)), 1.0)
    guarded = bool(_GUARD.search(rule.full)) and "approve" in concepts
    return _Duty(concepts, _actions(main) + ((_PERMISSION,) if guarded else ()), guarded, rule.kind is Kind.PROHIBITION)


def _chief(text: str) -> list[str]:
    return [concepts[0] for _, concepts in read_words(text) if concepts[0] not in SILENT]


def _actions(main: str) -> tuple[frozenset[str], ...]:
    """What is to be done, and what that governs ("assist … in notifying")."""
    modal = _MODAL.search(main)
    if modal is None:
        return ()
    rest = main[modal.end() :]
    words = re.findall(r"[\w'’-]+", rest)[:14]
    head = _head(words)
    for place, word in enumerate(words[:4]):
        if word in ("or", "and"):
            head |= set(_verbs(words[place + 1 : place + 3])[:1])
    governed = [frozenset(_verbs([m[1]])) - SOFT_ACTIONS for m in _GERUND.finditer(rest[:120])]
    return tuple(a for a in (frozenset(head), *governed) if a)


def _head(words: list[str]) -> set[str]:
    """The verb, or with "carry out an assessment" the noun that says what is done."""
    if first := set(_verbs(words[:1])):
        return first
    return next((set(found[:2]) for length in range(2, 9) if (found := _verbs(words[:length]))), set())


def _verbs(words: Iterable[str]) -> list[str]:
    return [c for _, group in read_words(" ".join(words)) for c in group if c in ACTIONS]


# What a passage shows


def _passages(claims: Sequence[Unit]) -> list[_Passage]:
    own = [_mentioned(claim.full) for claim in claims]
    found = []
    for n, claim in enumerate(claims):
        stated = dict(own[n])
        if n and _GOES_ON.match(claim.text):
            _add(stated, own[n - 1], _CONTINUED)
        mentions = dict(stated)
        for neighbour in (n - 1, n + 1):
            if 0 <= neighbour < len(claims):
                _add(mentions, own[neighbour], _NEAR)
        allows = any("approve" in concepts_of(m[1]) for m in _WITHOUT.finditer(claim.text))
        unguarded = allows and not _RESTRAINED.search(claim.text)
        negated, releases = bool(_NEGATION.search(claim.text)), bool(negation.releases(claim.text))
        found.append(_Passage(stated, mentions, negated, unguarded, releases, claim.asserts))
    return found


def _mentioned(text: str) -> dict[str, float]:
    """The concepts of a sentence, and those near them, with what they count for."""
    mentioned = dict.fromkeys(concepts_of(text), 1.0)
    for concept in tuple(mentioned):
        _add(mentioned, related(concept), 1.0)
    return mentioned


def _add(mentions: dict[str, float], concepts: dict[str, float], credit: float) -> None:
    for concept, share in concepts.items():
        mentions[concept] = max(mentions.get(concept, 0.0), credit * share)


def _rarities(passages: Sequence[_Passage], duties: Sequence[_Duty]) -> dict[str, float]:
    """How much each concept tells about which duty of the list it is."""
    asked = Counter(c for d in duties for c in d.concepts)
    said = Counter(c for p in passages for c, credit in p.stated.items() if credit == 1)
    return {
        concept: _importance(concept, count, len(duties))
        * (math.log(1 + len(duties) / count) + 0.5 * math.log(1 + len(passages) / (said[concept] + 0.5)))
        for concept, count in asked.items()
    }


def _importance(concept: str, duties_with_it: int, duties: int) -> float:
    if concept in LIGHT:
        return _LIGHT
    if concept in FORMAL:
        return _FORMAL
    if concept in PARTIES and duties_with_it > duties / 2:
        return _COMMON_PARTY
    return 1.0 if concept in KNOWN else _UNKNOWN


def _weights(duty: _Duty, rarity: dict[str, float]) -> dict[str, float]:
    raw = {concept: weight * rarity[concept] for concept, weight in duty.concepts.items()}
    total = sum(raw.values()) or 1.0
    return {concept: weight / total for concept, weight in raw.items()}


def _board(mentions: Sequence[dict[str, float]], concepts: dict[str, int]) -> Matrix:
    """How much each passage (row) mentions each concept (column)."""
    board = np.zeros((len(mentions), len(concepts)), dtype=np.float32)
    for row, mentioned in enumerate(mentions):
        for concept in mentioned.keys() & concepts.keys():
            board[row, concepts[concept]] = mentioned[concept]
    return board


def _done(stated: Matrix, concepts: dict[str, int], duty: _Duty) -> Matrix:
    """What is left of each passage's fit for the verbs it lacks."""
    left = np.ones(len(stated), dtype=np.float32)
    for level, verbs in enumerate(duty.actions):
        found = stated[:, [concepts[verb] for verb in verbs]].max(axis=1)
        found = 0.5 + 0.5 * found if verbs <= SOFT_ACTIONS else found
        least = _NO_GOVERNED_ACTION if level else _NO_ACTION
        left *= least + (1 - least) * found
    return left


def _is_against(passage: _Passage, duty: _Duty) -> bool:
    """Whether a passage waives a duty, allows without permission what needs one, or affirms what is forbidden."""
    if passage.releases:
        return True
    return passage.unguarded if duty.guarded else duty.prohibits and not passage.negated


# What is said of it


def _met(comparison: Comparison, claims: Sequence[Unit], rule: Unit, column: int, row: int, strength: float) -> Met:
    found, lacking = _found_and_lacking(rule, comparison.weights[column], comparison.passages[row])
    lacks = f"does not mention {lacking}" if lacking else "is about another duty"
    if strength < _RELATED:
        reason = f"None of the {len(claims)} sentences searched meets it; the nearest one {lacks}."
        return Met(CoverageStatus.GAP, row, strength, reason)
    if strength < 1:
        return Met(CoverageStatus.PARTIAL, row, strength, f"The related passage {lacks}.")
    if limit := _unstated_limit(rule, claims[max(0, row - 1) : row + 2]):
        return Met(CoverageStatus.PARTIAL, row, 0.99, f"The passage states the duty without its limit: “{limit}”.")
    return Met(CoverageStatus.COVERED, row, strength, f"The passage mentions {found or 'what is required'}.")


def _found_and_lacking(rule: Unit, weights: dict[str, float], passage: _Passage) -> tuple[str, str]:
    """The obligation's own words for what the passage mentions and lacks, the most telling first."""
    words: dict[str, str] = {}
    for word, concepts in read_words(rule.full):
        words.setdefault(concepts[0], word.strip())
    telling = sorted((c for c in words if weights.get(c, 0) >= 0.05 and c not in LIGHT), key=lambda c: -weights[c])
    stated = [c for c in telling if passage.stated.get(c, 0.0) >= 0.5]
    return _listed([words[c] for c in stated]), _listed([words[c] for c in telling if c not in stated])


def _listed(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:4])


def _unstated_limit(rule: Unit, passages: Sequence[Unit]) -> str:
    """The rule's deadline or threshold where the passages state none of its kind, else ""."""
    limit = next((f for f in figures.figures_of(rule) if f.side and f.is_bounded), None)
    if limit is None or any(f.role == limit.role for p in passages for f in figures.figures_of(p)):
        return ""
    return limit.text
