"""How well each passage of a policy fits each obligation of a list (A6)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policypal.audit.duties import OUTSIDERS, SOFT_ACTIONS, Duty, Figure, other_party
from policypal.audit.evidence import Evidence
from policypal.audit.thesaurus import QUALIFIERS, SCAFFOLD, is_known, is_light

Matrix = NDArray[np.float32]

LIGHT, UNKNOWN, COMMON_PARTY, FORMAL = 0.12, 0.6, 0.5, 0.5
"""What words of little meaning, words outside the thesaurus (paraphrases of them are not seen), parties that most of
the list names, and qualifiers weigh beside concepts that tell."""
_POLICY_RARITY = 0.5
_KEYS = 2

_NO_ACTION, _NO_GOVERNED_ACTION, _NO_KEY = 0.55, 0.7, 0.7
_AGAINST, _OTHER_PARTY = 0.25, 0.7
"""What is left of a fit without the verb, the verb it governs, the telling concepts; where the passage speaks
against the duty; where it binds somebody else."""

COSINE_SHARE = 0.3
MARGIN_WEIGHT = 0.5
FIGURE_BONUS = 0.1
_MARGINS = (-0.3, 0.15)
_RIVALS = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """Passages (rows) against obligations (columns). ``base`` is the fit in concepts, in [0, 1]; ``similarity`` the
    cosine; ``figures`` marks equal figures. ``weights`` of a duty's concepts add up to 1."""

    base: Matrix
    similarity: Matrix
    figures: Matrix
    weights: list[dict[str, float]]

    def scores(
        self,
        cosine_share: float = COSINE_SHARE,
        margin_weight: float = MARGIN_WEIGHT,
        figure_bonus: float = FIGURE_BONUS,
    ) -> Matrix:
        """The fit, less where a passage fits another obligation of the list better: it is evidence for that one."""
        fit = (1 - cosine_share) * self.base + cosine_share * self.similarity + figure_bonus * self.figures
        margin = np.clip(fit - best_other(fit, self._subjects()), *_MARGINS)
        return np.asarray(fit + margin_weight * margin, dtype=np.float32)

    def _subjects(self) -> list[frozenset[str]]:
        return [frozenset(c for c, w in told.items() if w >= _TELLING) for told in self.weights]


_TELLING = 0.06


def compare(evidence: Sequence[Evidence], duties: Sequence[Duty], similarity: Matrix) -> Comparison:
    """Every passage against every duty of one list."""
    mentions = Mentions(evidence, duties)
    weights = [mentions.weights(duty) for duty in duties]
    similarity = similarity.copy()
    base = np.empty((len(evidence), len(duties)), dtype=np.float32)
    for column, (duty, told) in enumerate(zip(duties, weights, strict=True)):
        standing = mentions.standing(duty)
        base[:, column] = mentions.recall(told) * mentions.complete(duty, told) * standing
        similarity[:, column] *= standing
    return Comparison(base, similarity, _equal_figures(evidence, duties), weights)


def _equal_figures(evidence: Sequence[Evidence], duties: Sequence[Duty]) -> Matrix:
    """1 where a passage states a figure of the duty ("within 72 hours", "80 %")."""
    equal = np.zeros((len(evidence), len(duties)), dtype=np.float32)
    stating: dict[Figure, list[int]] = {}
    for row, passage in enumerate(evidence):
        for figure in passage.figures:
            stating.setdefault(figure, []).append(row)
    for column, duty in enumerate(duties):
        for figure in duty.figures:
            equal[stating.get(figure, []), column] = 1
    return equal


def best_other(fit: Matrix, subjects: Sequence[frozenset[str]]) -> Matrix:
    """For each passage and obligation, the passage's best fit to another obligation with another subject; 0 without."""
    if fit.shape[1] < 2:
        return np.zeros_like(fit)
    kinds = {subject: kind for kind, subject in enumerate(dict.fromkeys(subjects))}
    kind_of = np.array([kinds[s] for s in subjects])
    count = min(_RIVALS, fit.shape[1])
    top = np.argpartition(-fit, count - 1, axis=1)[:, :count]
    top = np.take_along_axis(top, np.argsort(-np.take_along_axis(fit, top, axis=1), axis=1), axis=1)
    other = np.zeros_like(fit)
    for place in reversed(range(count)):
        rival = top[:, place]
        free = kind_of[rival][:, None] != kind_of[None, :]
        other = np.where(free, fit[np.arange(len(fit)), rival][:, None], other)
    return other


class Mentions:
    """What every passage mentions, by concept, and how rare each concept is on either side."""

    def __init__(self, evidence: Sequence[Evidence], duties: Sequence[Duty]) -> None:
        self._passages, self._duties = len(evidence), len(duties)
        wanted = {c for d in duties for c in d.concepts} | {v for d in duties for verbs in d.actions for v in verbs}
        self._in_duties = Counter(c for d in duties for c in d.concepts)
        self._in_policy = Counter(c for e in evidence for c, credit in e.stated.items() if credit == 1)
        self._rarities = {concept: self._rarity(concept) for concept in wanted}
        self._mentioned = _board([e.mentions for e in evidence], wanted)
        self._stated = _board([e.stated for e in evidence], wanted)
        self._empty = np.array([not e.asserts for e in evidence])
        self._waiving = np.array([e.waives for e in evidence])
        self._unapproved = np.array(["approve" in e.unguarded for e in evidence])
        self._affirms = np.array([not e.negated for e in evidence])
        self._subjects = list(dict.fromkeys(e.subject for e in evidence))
        kinds = {subject: kind for kind, subject in enumerate(self._subjects)}
        self._subject_of = np.array([kinds[e.subject] for e in evidence])

    def weights(self, duty: Duty) -> dict[str, float]:
        """How much each concept tells about which duty of the list it is."""
        raw = {concept: weight * self._rarities[concept] for concept, weight in duty.concepts.items()}
        total = sum(raw.values()) or 1.0
        return {concept: weight / total for concept, weight in raw.items()}

    def recall(self, weights: dict[str, float]) -> Matrix:
        """The weighted share of a duty's concepts that each passage mentions."""
        found = np.zeros(self._passages, dtype=np.float32)
        for concept, weight in weights.items():
            found += weight * self._mentioned[concept]
        return found

    def complete(self, duty: Duty, weights: dict[str, float]) -> Matrix:
        """What is left of each passage's recall for the verbs and telling concepts it lacks."""
        left = np.ones(self._passages, dtype=np.float32)
        for level, verbs in enumerate(duty.actions):
            left *= _lacking(self._done(verbs), _NO_GOVERNED_ACTION if level else _NO_ACTION)
        if keys := self._keys(duty, weights):
            left *= _lacking(np.mean([self._mentioned[c] for c in keys], axis=0), _NO_KEY)
        return left

    def standing(self, duty: Duty) -> Matrix:
        """What each passage counts as evidence for the duty, whatever it mentions."""
        left = np.ones(self._passages, dtype=np.float32)
        left[self.against(duty)] = _AGAINST
        left[self.binds_another(duty)] *= _OTHER_PARTY
        left[self._empty] = 0
        return left

    def against(self, duty: Duty) -> NDArray[np.bool_]:
        """Where a passage waives a duty, allows without permission what needs one, or affirms what is forbidden."""
        against: NDArray[np.bool_] = self._waiving.copy()
        if duty.guarded:
            against |= self._unapproved
        elif duty.prohibits:
            against |= self._affirms
        return against

    def binds_another(self, duty: Duty) -> NDArray[np.bool_]:
        """Where a passage binds another party. What one must allow, the policy may state as the other's right."""
        if any("allow" in verbs for verbs in duty.actions):
            return np.zeros(self._passages, dtype=bool)
        another = np.array([other_party(duty.parties, s) for s in self._subjects], dtype=bool)
        return np.asarray(another[self._subject_of])

    def _done(self, verbs: frozenset[str]) -> Matrix:
        found = np.max([self._stated[v] for v in verbs], axis=0)
        return np.asarray(0.5 + 0.5 * found if verbs <= SOFT_ACTIONS else found, dtype=np.float32)

    def _rarity(self, concept: str) -> float:
        rarity = math.log(1 + self._duties / max(1, self._in_duties[concept]))
        rarity += _POLICY_RARITY * math.log(1 + self._passages / (self._in_policy[concept] + 0.5))
        if is_light(concept):
            return rarity * LIGHT
        if concept in SCAFFOLD or concept in QUALIFIERS:
            return rarity * FORMAL
        if concept in OUTSIDERS and self._in_duties[concept] > self._duties / 2:
            return rarity * COMMON_PARTY
        return rarity if is_known(concept) else rarity * UNKNOWN

    def _keys(self, duty: Duty, weights: dict[str, float]) -> list[str]:
        """The concepts that set the duty's subject apart most: of its main clause, else of its condition."""
        passed = SOFT_ACTIONS.union(QUALIFIERS, *duty.actions)
        rare = max(1, self._duties / 4)
        able = [
            c for c in weights if c not in passed and is_known(c) and not is_light(c) and self._in_duties[c] <= rare
        ]
        main = [c for c in able if duty.concepts[c] == 1]
        return sorted(main or able, key=lambda c: -weights[c])[:_KEYS]


def _board(mentions: Sequence[dict[str, float]], wanted: set[str]) -> dict[str, Matrix]:
    """For each wanted concept, how much each passage mentions it."""
    board = {concept: np.zeros(len(mentions), dtype=np.float32) for concept in wanted}
    for row, mentioned in enumerate(mentions):
        for concept in wanted & mentioned.keys():
            board[concept][row] = mentioned[concept]
    return board


def _lacking(found: Matrix, least: float) -> Matrix:
    return np.asarray(least + (1 - least) * found, dtype=np.float32)
