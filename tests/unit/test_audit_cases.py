"""The keyless audit on labelled cases: what it must find and what it must leave alone (A4).

The held-out cases were written before the rules were last worked on and only their totals were looked at while doing so.
``benchmarks/audit.py`` measures the same and says how a finding is judged.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder

ROOT = Path(__file__).parents[2]
FILES = {name: ROOT / "tests" / "data" / f"audit_cases_{name}.json" for name in ("tuning", "heldout")}
CONTEXT = TaskContext(WordLlamaEmbedder())
KINDS = {"number", "deadline", "negation", "modality", "scope", "omission"}


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit_benchmark", ROOT / "benchmarks" / "audit.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()


@lru_cache
def _cases(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(FILES[name].read_text(encoding="utf-8"))
    return cases


@pytest.mark.parametrize("name", FILES)
def test_a4_recall_precision_and_clean_twins(name: str) -> None:
    measured = BENCHMARK.measure_cases(_cases(name), CONTEXT)
    print(name, measured)
    assert measured["recall"] >= 0.85
    assert measured["precision"] >= 0.85
    assert measured["clean_twins_with_finding"] <= 0.05


@pytest.mark.parametrize("name", FILES)
def test_a4_the_cases_are_many_and_of_every_kind(name: str) -> None:
    kinds = Counter(p["kind"] for case in _cases(name) for p in case["planted"])
    assert len(_cases(name)) >= 40
    assert set(kinds) == KINDS and min(kinds.values()) >= 5


@pytest.mark.parametrize("name", FILES)
def test_a4_planted_sentences_stand_in_the_case(name: str) -> None:
    for case in _cases(name):
        assert case["clean"] != case["source"]
        for planted in case["planted"]:
            assert any(planted["rule"] in " ".join(p.split()) for p in case["rules"]), case["id"]
            assert planted["source"] is None or planted["source"] in " ".join(case["source"].split()), case["id"]


def test_a4_a_finding_elsewhere_counts_as_wrong() -> None:
    """The measure itself can fail: the planted sentences of another case are not pointed at."""
    first, second = _cases("tuning")[:2]
    swapped = [{**first, "planted": second["planted"]}]
    assert BENCHMARK.measure_cases(swapped, CONTEXT)["recall"] == 0


@pytest.mark.parametrize("name", FILES)
def test_a4_quotes_are_verbatim_and_short(name: str) -> None:
    for case in _cases(name):
        for finding in BENCHMARK.audit_case(case, CONTEXT):
            assert finding.source_quote in case["source"]
            assert finding.target_quote in case["rules"][finding.passage]
            assert max(len(finding.source_quote), len(finding.target_quote)) <= 300
