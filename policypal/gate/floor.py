"""The floor of the gate: whether cited sentences carry a statement, without a model (C2b).

A figure that stands nowhere, or with the opposite bound, decides by itself. Everything else is weighed with the fitted weights of
``weights.toml``; the measure that weighed most is the reason given.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from policypal.gate.evidence import Cited
from policypal.gate.figures import missing_figures
from policypal.gate.grammar import drops_exception
from policypal.gate.measures import Comparison, measure
from policypal.text.logic import exception_in, read_logic

BIAS = "bias"
DECIDES = ("missing", "turned", "forced")
"""Measures that leave nothing to weigh."""
_TOO_LITTLE = "Too little of it stands in what it cites"


@cache
def weights() -> Mapping[str, float]:
    """The fitted weight of each measure."""
    return {name: held["weight"] for name, held in _data()["measures"].items()}


def priors() -> tuple[Mapping[str, float], float]:
    """The weights before fitting, and how firmly they hold."""
    return {name: held["prior"] for name, held in _data()["measures"].items()}, _data()["strength"]


@cache
def _reasons() -> Mapping[str, str]:
    """What each measure that has a reason of its own says against a statement."""
    return {name: held["says"] for name, held in _data()["measures"].items() if "says" in held}


def threshold() -> float:
    """The probability from which a statement passes."""
    return float(_data()["passes"])


def probability(values: Mapping[str, float], weighed: Mapping[str, float]) -> float:
    """The probability, in [0, 1], that a statement of these measures is carried."""
    if any(values.get(name) for name in DECIDES):
        return 0.0
    return 1 / (1 + math.exp(-weighed[BIAS] - sum(weighed[name] * value for name, value in values.items())))


def verdict(statement: str, cited: Cited) -> str:
    """Why cited sentences do not carry a statement; "" where they do."""
    values = measure(statement, cited)
    if probability(values, weights()) >= threshold():
        return ""
    comparison = Comparison(statement, cited)
    if comparison.figures.missing:
        return f"“{comparison.figures.missing[0]}” does not stand in what it cites."
    worst = min(values, key=lambda name: weights()[name] * values[name])
    if worst in _reasons():
        return _reasons()[worst]
    words = ", ".join(comparison.uncovered[:4])
    return f"{_TOO_LITTLE}: {words}." if words else f"{_TOO_LITTLE}."


def objection(statement: str, cited: Cited, *, of_sides: bool = False) -> str:
    """What speaks against a conclusion from cited sentences: a figure that none of them has, or a party or name; with ``of_sides``, where the first
    quotation is the source and the second the rule, also what it restates of one of them and is not said there; "" where nothing does."""
    missing = missing_figures(statement, [*(t.text for t in cited.texts), cited.named])
    if missing:
        return f"“{missing[0]}” does not stand in what it cites."
    values = measure(statement, cited)
    against = next((_reasons()[name] for name in ("name", "party") if values.get(name)), "")
    restated = _restated(statement) if of_sides and not against else ()
    return against or next((reason for side, said in restated if (reason := _misread(said, cited, side))), "")


_SIDES = (
    re.compile(r"\W*(?:under )?(?:the|this|our|your) (?:\w+ )?(?:policy|source|procedure|text|draft)\b", re.I),
    re.compile(r"\W*(?:under )?(?:the|this) (?:\w+ )?(?:rule|regulation|requirement|law|standard|act)\b", re.I),
)
_CLAUSE = re.compile(r";|[,:]? (?:while|whereas|although|though|but|where|instead of)\b|, (?=(?:under )?the )")


_MISREADS = ("actor", "opposite", "denied")


def _restated(statement: str) -> Iterator[tuple[int, str]]:
    """What a conclusion restates of the source (0) and of the rule (1): "the policy allows …", "Policy: 24 h → Rule 4: 72 h"."""
    arrow = statement.split("→")
    if len(arrow) == len(_SIDES):
        yield from enumerate(arrow)
        return
    for clause in _CLAUSE.split(statement):
        yield from ((side, clause) for side, named in enumerate(_SIDES) if named.match(clause))


def _misread(said: str, cited: Cited, side: int) -> str:
    """What in the restatement of one side is not said there; of a note without a verb only its figures are compared."""
    held = Cited(tuple(text for text in cited.texts if text.quote == side), cited.named)
    missing = missing_figures(said, [*(t.text for t in held.texts), held.named]) if held.texts else []
    if missing:
        return f"“{missing[0]}” does not stand in what it says it of."
    if not held.texts or not any(named.match(said) for named in _SIDES):
        return ""
    values = measure(said, held)
    denied = [read_logic(text.text).is_negative for text in Comparison(said, held).main]
    turned = not any(denied) and not values.get("far") if read_logic(said).is_negative else all(denied)
    names = [name for name in _MISREADS if values.get(name)]
    return _reasons()[names[0]] if names else _reasons()["forced"] if values.get("forced") and turned else ""


def lacking_exception(statement: str, cited: Cited) -> str:
    """The exception of the one cited sentence, in its words, where the statement has none; "" where several sentences are cited, so that nobody can
    tell which part of the statement it limits."""
    comparison = Comparison(statement, cited)
    if len(cited.texts) != 1 or "exception" in comparison.said.roles or comparison.is_foreign:
        return ""
    return exception_in(cited.texts[0].text) if drops_exception(comparison.said, cited.texts[0]) else ""


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("policypal.gate").joinpath("weights.toml").read_text(encoding="utf-8"))
