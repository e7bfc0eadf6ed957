"""The floor of the gate: whether cited sentences carry a statement, without a model (C2b).

A figure that stands nowhere, or with the opposite bound, decides by itself. Everything else is weighed with the fitted weights of
``weights.toml``; the measure that weighed most is the reason given.
"""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from policypal.gate.claims import missing_figures
from policypal.gate.evidence import Cited
from policypal.gate.grammar import drops_exception
from policypal.gate.measures import Comparison, measure
from policypal.text.logic import exception_in

BIAS = "bias"
DECIDES = ("missing", "turned", "forced")
"""Measures that leave nothing to weigh."""
_REASONS = {
    "present": "A figure of this kind stands in what it cites.",
    "altered": "It changes a word of what it cites that decides what it says.",
    "forced": "What it cites obliges, recommends, permits or forbids otherwise.",
    "flip": "What it cites obliges, permits or forbids otherwise.",
    "denied": "What it cites denies this.",
    "denies": "What it denies does not stand in what it cites.",
    "universal": "It is said of everybody or of every case, which what it cites is not.",
    "sweeping": "It leaves out the condition under which this holds.",
    "widened": "It says of every case what it cites says of some.",
    "exempt": "It leaves out who is exempt.",
    "unlimited": "It leaves out “only”.",
    "exception": "It leaves out the exception in the sentence it cites.",
    "condition": "It leaves out the condition in the sentence it cites.",
    "time": "What it cites puts before and after the other way.",
    "either": "It mixes up “and” and “or”.",
    "kind": "It cites an example, a recital, a definition or a remark, which binds nobody.",
    "reported": "It cites what is repealed, untrue or somebody else's view.",
    "past": "It cites what held until some day.",
    "turned": "It turns round a limit that it cites.",
    "elsewhere": "Its figure belongs to another sentence or row than the rest of it.",
    "fragment": "It puts together pieces of several sentences.",
    "opposite": "What it cites says the opposite.",
    "actor": "Somebody else is bound by what it cites.",
    "party": "Somebody else is bound by what it cites.",
    "recipient": "Somebody else is told or given it by what it cites.",
    "replaced": "A word of what it cites is replaced by another.",
    "scatter": "No single sentence that it cites says this.",
    "agent": "Somebody it names does not stand in what it cites.",
    "complement": "Something it names does not stand in what it cites.",
    "name": "It names somebody or something that does not stand in what it cites.",
    "verb": "What is done does not stand in what it cites.",
    "nothing": "What it says of its subject does not stand in what it cites.",
}
_TOO_LITTLE = "Too little of it stands in what it cites"


@cache
def weights() -> Mapping[str, float]:
    """The fitted weight of each measure."""
    held: Mapping[str, float] = _data()["fitted"]
    return held


def priors() -> tuple[Mapping[str, float], float]:
    """The weights before fitting, and how firmly they hold."""
    return _data()["prior"], _data()["strength"]


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
    if worst in _REASONS:
        return _REASONS[worst]
    words = ", ".join(comparison.uncovered[:4])
    return f"{_TOO_LITTLE}: {words}." if words else f"{_TOO_LITTLE}."


def objection(statement: str, cited: Cited) -> str:
    """What speaks against a conclusion from cited sentences: a figure that none of them has, or a party or name; "" where nothing does."""
    missing = missing_figures(statement, [*(t.text for t in cited.texts), cited.named])
    if missing:
        return f"“{missing[0]}” does not stand in what it cites."
    values = measure(statement, cited)
    return next((_REASONS[name] for name in ("name", "party") if values.get(name)), "")


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
