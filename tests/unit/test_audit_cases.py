"""The keyless audit on labelled cases: what it must find and what it must leave alone (A4)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from policypal.services.embeddings import WordLlamaEmbedder
from policypal.services.llm.task import TaskContext
from policypal.services.llm.tasks.audit import (
    AUDIT,
    AuditInput,
    AuditOutput,
    FindingDraft,
    SourcePassage,
    TargetPassage,
)

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "audit_cases.json").read_text("utf-8"))
CONTEXT = TaskContext(WordLlamaEmbedder())


def _audit(case: dict[str, Any]) -> AuditOutput:
    rules = [TargetPassage(number=i, target="r", page=i + 1, text=rule) for i, rule in enumerate(case["rules"])]
    given = AuditInput(
        mode=case["mode"],
        source_title="the text",
        source=[SourcePassage(number=0, page=None, text=case["source"])],
        targets=["r"],
        titles=["Rulebook"],
        passages=rules,
        complete=True,
    )
    return AUDIT.extractive(given, CONTEXT)


def _matches(finding: FindingDraft, expected: dict[str, Any]) -> bool:
    return finding.passage == expected["rule"] and expected["quote"] in finding.source_quote


def _tally(cases: list[dict[str, Any]]) -> Counter[str]:
    tally: Counter[str] = Counter()
    for case in cases:
        open_expectations = list(case["expected"])
        for finding in _audit(case).findings:
            hit = next((e for e in open_expectations if _matches(finding, e)), None)
            tally["right" if hit else "wrong"] += 1
            if hit:
                open_expectations.remove(hit)
        tally["missed"] += len(open_expectations)
    return tally


@pytest.mark.parametrize("split", ["tuned", "unseen"])
def test_a4_recall_and_precision_on_labelled_cases(split: str) -> None:
    """Half of the cases ("unseen") were kept aside while thresholds and rules were tuned on the other half."""
    tally = _tally([c for c in CASES if c["split"] == split])
    recall = tally["right"] / (tally["right"] + tally["missed"])
    precision = tally["right"] / (tally["right"] + tally["wrong"])
    print(f"{split}: recall {recall:.2f}, precision {precision:.2f}")
    assert recall >= 0.85
    assert precision >= 0.85


def test_a4_every_case_has_a_clean_twin() -> None:
    kinds = Counter(case["kind"] == "clean" for case in CASES)
    assert kinds[True] == kinds[False] >= 60


def test_a4_clean_texts_are_left_alone() -> None:
    wrong = {c["id"]: n for c in CASES if c["kind"] == "clean" and (n := len(_audit(c).findings))}
    assert len(wrong) <= 2, wrong


def test_a4_quotes_are_verbatim_and_short() -> None:
    for case in CASES:
        for finding in _audit(case).findings:
            assert finding.source_quote in case["source"]
            assert finding.target_quote in case["rules"][finding.passage]
            assert max(len(finding.source_quote), len(finding.target_quote)) <= 300
