"""The committed fits find what was planted (issue 4, C4)."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from policypal.search import fitted
from policypal.search.reranking import FEATURES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def benchmarks() -> dict[str, ModuleType]:
    return {name: _load(name) for name in ("fit_ranking", "confidence")}


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_benchmark", ROOT / "benchmarks" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_words_that_ask_get_small_factors(benchmarks: dict[str, ModuleType]) -> None:
    fit: Any = benchmarks["fit_ranking"]
    texts = {(1, str(n)): f"Topic{n} requires a register of records." for n in range(40)}
    questions = [
        fit.Labelled(f"Elaborate: which register does topic{n} require?", frozenset({(1, str(n))}), 0)
        for n in range(40)
    ]
    factors = fit.asking_factors(questions, texts)
    assert list(factors) == ["elabor"] and 0 < factors["elabor"] < 0.5
    assert fit.asking_factors(questions[:14], texts) == {}


def test_the_fit_finds_the_feature_that_decides(benchmarks: dict[str, ModuleType]) -> None:
    fit: Any = benchmarks["fit_ranking"]
    chance = np.random.default_rng(1)
    shortlists = []
    for n in range(200):
        table = chance.random((20, len(FEATURES)))
        # the right one is drawn by a softmax that looks at "pairs" alone
        share = np.exp(6 * table[:, FEATURES.index("pairs")])
        relevant = np.arange(20) == chance.choice(20, p=share / share.sum())
        shortlists.append(fit.Shortlisted(fit.Labelled(str(n), frozenset({(1, "1")}), n % 5), table, relevant))
    weights = fit.fit(shortlists)
    assert weights["pairs"] == pytest.approx(6, abs=1)
    assert all(abs(w) < 1 for name, w in weights.items() if name != "pairs")
    report = fit.cross_validated(shortlists)
    assert report["questions"] == 200 and report["cv_recall_at_10"] > 0.9


def test_the_written_module_holds_the_tables(benchmarks: dict[str, ModuleType]) -> None:
    text = benchmarks["fit_ranking"].module_text(fitted.ASKING, fitted.WEIGHTS)
    assert text == Path(fitted.__file__).read_text(encoding="utf-8")


def test_c4_the_fitted_calibration_keeps_its_promise_on_its_own_kind(benchmarks: dict[str, ModuleType]) -> None:
    confidence: Any = benchmarks["confidence"]
    chance = random.Random(1)
    judged = []
    for n in range(4000):
        coverage, similarity = chance.random(), chance.random()
        right = chance.random() < 1 / (1 + np.exp(-(8 * coverage + 4 * similarity - 6)))
        judged.append(confidence.Judged("low", 0.0, coverage, similarity, right, n % 3 > 0, n % 5))
    fit = confidence.fitted(judged)
    assert (fit["coverage_weight"], fit["similarity_weight"]) == (pytest.approx(8, abs=0.8), pytest.approx(4, abs=0.8))
    assert fit["held_out"]["levels"]["high"]["right"] >= 0.9
    assert fit["held_out"]["levels"]["low"]["right"] < fit["held_out"]["levels"]["medium"]["right"] < 0.9
