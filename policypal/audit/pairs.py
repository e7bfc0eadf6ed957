"""A claim beside a rule, and what the detectors report about the two (A4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from policypal.audit.matching import Weights
from policypal.audit.reading import Statement
from policypal.gate.vocabulary import GENERIC


class Nature(StrEnum):
    """In what way a claim conflicts with a rule; decides severity and wording."""

    DEADLINE = "deadline"
    RETENTION = "retention"
    FREQUENCY = "frequency"
    LIMIT = "limit"
    UNBOUNDED = "unbounded"
    PROHIBITED = "prohibited"
    DENIED = "denied"
    ORDER = "order"
    CONTRAST = "contrast"
    SCOPE = "scope"
    WEAKENED = "weakened"
    VAGUE = "vague"
    INCOMPLETE = "incomplete"
    PROMISE = "promise"
    UNDISCLOSED = "undisclosed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Pair:
    """A source claim and a target rule with the concepts of both and how strongly they relate ([0, 1]).
    ``mutual``: in this target no rule is closer to the claim, and in the source no claim closer to the rule."""

    claim: Statement
    rule: Statement
    claim_concepts: frozenset[str]
    rule_concepts: frozenset[str]
    relation: float
    of_source: float
    of_rule: float
    weights: Weights
    mutual: bool = False

    @property
    def shared(self) -> frozenset[str]:
        """The concepts both name that say something about the subject."""
        return (self.claim_concepts & self.rule_concepts) - GENERIC


@dataclass(frozen=True, slots=True)
class Conflict:
    """``said`` and ``ruled`` are the decisive words of claim and rule; ``strength`` is in [0, 1]."""

    nature: Nature
    said: str
    ruled: str
    strength: float
