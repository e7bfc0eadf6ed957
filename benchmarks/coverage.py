"""How well the coverage matrix tells which obligations a policy misses, on labelled documents (A6).

    python benchmarks/coverage.py --data FILE [FILE …] [--details]

``FILE`` is JSON: {"requirements": [{"id", "text"}], "agreements": [{"id", "sentences": [str], "missing": [id]}]}. Every
requirement is an obligation, every agreement a policy; they go through the functions the audit uses. An obligation counts
as met when its status is Covered, and as missing when it is Gap or Partial: neither shows that it is met.
Prints one JSON line for "missing" over all pairs: {"precision", "recall", "f1", "accuracy", "left_one_out_f1", "fitted"}; the fifth judges
every agreement with the four numbers of the decision chosen on the others, the last are those chosen on all. With --details each
wrong pair on stderr.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.audit.coverage import Comparison, Met, assess, compare, enough
from policypal.audit.units import Unit, claims_of, read_text
from policypal.domain.audits import CoverageStatus
from policypal.domain.provisions import Kind
from policypal.search.embeddings import Embedder, WordLlamaEmbedder
from policypal.text.modality import norm_of

GRID = list(itertools.product((0.2, 0.3, 0.4), (0.25, 0.5, 0.75), (0.6, 0.65, 0.7, 0.75), (0.6, 0.7, 0.75)))
"""Cosine's share, the margin's weight, how near a policy's usual fit is enough, which quantile is usual."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A policy beside a list of duties; ``missing`` marks those labelled as not met."""

    name: str
    duties: list[str]
    missing: NDArray[np.bool_]
    met: list[Met]
    comparison: Comparison

    def found_missing(self, choice: tuple[float, float, float, float]) -> NDArray[np.bool_]:
        cosine_share, margin_weight, share, quantile = choice
        scores = self.comparison.scores(cosine_share, margin_weight).max(axis=0)
        return np.asarray(scores < enough(scores, share, quantile))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args()
    agreements = [a for file in given.data for a in read_agreements(file, WordLlamaEmbedder())]
    shipped = [np.array([m.status is not CoverageStatus.COVERED for m in a.met]) for a in agreements]
    if given.details:
        for line in _wrong(agreements, shipped):
            print(line, file=sys.stderr)
    labels = [a.missing for a in agreements]
    found = {choice: [a.found_missing(choice) for a in agreements] for choice in GRID}
    every = range(len(agreements))
    left_out = [found[_best(found, labels, [o for o in every if o != n])][n] for n in every]
    told = {"left_one_out_f1": measures(labels, left_out)["f1"], "fitted": _best(found, labels, every)}
    print(json.dumps({**measures(labels, shipped), **told}))


def read_agreements(file: Path, embedder: Embedder) -> Iterator[Agreement]:
    data = json.loads(file.read_text(encoding="utf-8"))
    requirements = data["requirements"]
    rules = [Unit("requirements", r["text"], norm_of(r["text"]) or Kind.OBLIGATION) for r in requirements]
    for agreement in data["agreements"]:
        claims = claims_of("", read_text("\n\n".join(agreement["sentences"])))
        missing = np.array([r["id"] in agreement["missing"] for r in requirements])
        met, comparison = assess(claims, rules, embedder), compare(claims, rules, embedder)
        yield Agreement(agreement["id"], [r["id"] for r in requirements], missing, met, comparison)


def _best(
    found: dict[tuple[float, float, float, float], list[NDArray[np.bool_]]],
    labels: Sequence[NDArray[np.bool_]],
    of: Iterable[int],
) -> tuple[float, float, float, float]:
    some = list(of)
    return max(found, key=lambda choice: measures([labels[n] for n in some], [found[choice][n] for n in some])["f1"])


def measures(labels: Sequence[NDArray[np.bool_]], found: Sequence[NDArray[np.bool_]]) -> dict[str, float]:
    """Of "missing", over all pairs."""
    label, said = np.concatenate(labels), np.concatenate(found)
    both = int((label & said).sum())
    precision, recall = both / max(1, int(said.sum())), both / max(1, int(label.sum()))
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    told = {"precision": precision, "recall": recall, "f1": f1, "accuracy": float((label == said).mean())}
    return {name: round(value, 4) for name, value in told.items()}


def _wrong(agreements: Sequence[Agreement], found: Sequence[NDArray[np.bool_]]) -> Iterator[str]:
    for a, said in zip(agreements, found, strict=True):
        for n in np.flatnonzero(a.missing != said):
            label = "missing" if a.missing[n] else "satisfied"
            yield f"{a.name} {a.duties[n]}: labelled {label}, {a.met[n].status}. {a.met[n].reason}"


if __name__ == "__main__":
    main()
