"""Choose the four numbers of the coverage decision on labelled documents, leaving one agreement out at a time (A6).

    python benchmarks/fit_coverage.py --data FILE [FILE …]

Files as for benchmarks/coverage.py. The numbers are general (the share of cosine, the weight of the margin over other
obligations, how near a policy's usual fit is enough, and which quantile is usual); none belongs to a requirement.
Prints one JSON line: {"fitted": {…}, "fitted_f1", "left_one_out_f1", "shipped_f1"}; the second figure judges every
agreement with numbers chosen on the others.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.coverage import measures, policy, rule
from policypal.audit.coverage import ENOUGH, LITERALNESS_QUANTILE, compare_list, enough
from policypal.audit.evidence import read_evidence
from policypal.audit.fit import COSINE_SHARE, MARGIN_WEIGHT, Comparison
from policypal.search.embeddings import Embedder, WordLlamaEmbedder, cosine


@dataclass(frozen=True, slots=True)
class Choice:
    cosine_share: float
    margin_weight: float
    enough: float
    quantile: float


SHIPPED = Choice(COSINE_SHARE, MARGIN_WEIGHT, ENOUGH, LITERALNESS_QUANTILE)
GRID = [Choice(*numbers) for numbers in itertools.product((0.2, 0.3, 0.4), (0.25, 0.5, 0.75), (0.6, 0.65, 0.7, 0.75), (0.6, 0.7, 0.75))]  # fmt: skip

Agreement = tuple[Comparison, NDArray[np.bool_]]
"""An agreement against the requirements, and which of them are labelled missing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    files = parser.parse_args().data
    agreements = [a for file in files for a in read_agreements(file, WordLlamaEmbedder())]
    found = {choice: [missing(comparison, choice) for comparison, _ in agreements] for choice in (*GRID, SHIPPED)}
    labels = [labelled for _, labelled in agreements]
    everything = range(len(agreements))
    fitted = best(found, labels, everything)
    left_out = [found[best(found, labels, [o for o in everything if o != i])][i] for i in everything]
    report = {
        "fitted": {name: getattr(fitted, name) for name in Choice.__dataclass_fields__},
        "fitted_f1": f1(found[fitted], labels),
        "left_one_out_f1": f1(left_out, labels),
        "shipped_f1": f1(found[SHIPPED], labels),
    }
    print(json.dumps(report))


def read_agreements(file: Path, embedder: Embedder) -> Iterator[Agreement]:
    data = json.loads(file.read_text(encoding="utf-8"))
    rules = [rule(number, requirement["text"]) for number, requirement in enumerate(data["requirements"])]
    for agreement in data["agreements"]:
        evidence = read_evidence(policy(agreement["sentences"]))
        similarity = cosine(embedder.embed([e.text for e in evidence]), embedder.embed([r.full for r in rules]))
        labels = np.array([r["id"] in agreement["missing"] for r in data["requirements"]])
        yield compare_list(evidence, rules, similarity), labels


def missing(comparison: Comparison, choice: Choice) -> NDArray[np.bool_]:
    scores = comparison.scores(choice.cosine_share, choice.margin_weight).max(axis=0)
    return np.asarray(scores < enough(scores, choice.enough, choice.quantile))


def best(
    found: dict[Choice, list[NDArray[np.bool_]]], labels: Sequence[NDArray[np.bool_]], of: Sequence[int]
) -> Choice:
    return max(GRID, key=lambda choice: f1([found[choice][i] for i in of], [labels[i] for i in of]))


def f1(found: Sequence[NDArray[np.bool_]], labels: Sequence[NDArray[np.bool_]]) -> float:
    pairs = zip(np.concatenate(labels).tolist(), np.concatenate(found).tolist(), strict=True)
    return measures(list(pairs))["f1"]


if __name__ == "__main__":
    main()
