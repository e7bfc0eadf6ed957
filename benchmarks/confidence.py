"""How often each confidence level is right (C4), per embedding model, through the product's own search.

    python benchmarks/confidence.py --passages passages.jsonl --questions dev.jsonl [--limit N] [--model NAME] [--fit]

Every question is asked three times: of the whole library, of a document that holds its answer, and of one that does not.
"Right" means that one of the three best passages is relevant; of a document without the answer nothing can be right.
``--model`` is ``wordllama-256`` (the default) or ``text-embedding-3-small``, which needs OPENAI_API_KEY and costs a few cents.

Prints the reliability table (to stderr) and one JSON line: {"model", "thresholds", "levels": {level: {"answers", "right"}},
"high_without_answer", "bins"}. ``--fit`` also fits the calibration to the questions and prints it as {"fitted"}, with the
levels it gives to questions it was not fitted on (five parts): that is where
`policypal/search/confidence.py` has its numbers from.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

import retrieval as benchmark

from policypal.config import Settings
from policypal.llm.openai_embedder import OpenAIEmbedder
from policypal.search.confidence import Calibration, calibration, level_of, retrieval_confidence
from policypal.search.embeddings import Embedder, WordLlamaEmbedder
from policypal.search.hybrid import Search

MODELS = ("wordllama-256", "text-embedding-3-small")
PARTS = 5
HIGH_RIGHT = 0.92
"""What "high" is fitted to; C4 promises 0.90, the difference is for questions of another kind."""
MEDIUM_SCORE = 0.25


@dataclass(frozen=True, slots=True)
class Judged:
    """One search: what the product said, what the calibration sees, and whether it was right."""

    level: str
    score: float
    coverage: float
    similarity: float
    right: bool
    answerable: bool
    part: int


def main() -> None:
    parser = benchmark.parser(__doc__)
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    questions = benchmark.lines(given.questions)[: given.limit]
    embedder: Embedder = WordLlamaEmbedder() if given.model == MODELS[0] else OpenAIEmbedder(Settings())
    with benchmark.library(benchmark.lines(given.passages), embedder) as (search, keys):
        judged = _judge(search, questions, keys)
    report = _report(given.model, judged)
    print(_table(report), file=sys.stderr)
    print(json.dumps(report))
    if given.fit:
        print(json.dumps({"fitted": fitted(judged)}))


def _judge(search: Search, questions: list[dict[str, Any]], keys: dict[str, benchmark.Key]) -> list[Judged]:
    chooser = random.Random(1)
    names = sorted({name for name, _ in keys.values()})
    stored = set(keys.values())
    judged: list[Judged] = []
    for question in questions:
        relevant = {tuple(r) for r in question["relevant"]} & stored
        if not relevant:
            continue
        home = sorted({name for name, _ in relevant})
        away = chooser.choice([n for n in names if n not in home])
        for scope, answerable in ((None, True), (chooser.choice(home), True), (away, False)):
            ids = None if scope is None else [benchmark.document_id(scope)]
            hits = search.find(benchmark.USER, question["question"], document_ids=ids, limit=10)
            level, score = retrieval_confidence(hits, search.embedder.model)
            right = any(keys[h.passage.id] in relevant for h in hits[:3])
            part = zlib.crc32(question["question"].encode()) % PARTS
            coverage, similarity = (hits[0].coverage, hits[0].similarity) if hits else (0.0, 0.0)
            judged.append(Judged(level, score, coverage, similarity, right, answerable, part))
    return judged


def _report(model: str, judged: Sequence[Judged]) -> dict[str, Any]:
    bins: dict[int, list[bool]] = defaultdict(list)
    for j in judged:
        bins[min(9, int(j.score * 10))].append(j.right)
    c = calibration(model)
    return {
        "model": model,
        "thresholds": {"high": c.high, "medium": c.medium},
        **_levels([(j.level, j) for j in judged]),
        "bins": {f"{b / 10:.1f}": _share(bins[b]) for b in sorted(bins)},
    }


def _levels(levelled: Sequence[tuple[str, Judged]]) -> dict[str, Any]:
    levels: dict[str, list[bool]] = defaultdict(list)
    for level, j in levelled:
        levels[level].append(j.right)
    without = [level for level, j in levelled if not j.answerable]
    return {
        "levels": {k: _share(levels[k]) for k in ("high", "medium", "low") if levels[k]},
        "high_without_answer": round(without.count("high") / max(len(without), 1), 4),
    }


def _share(right: Sequence[bool]) -> dict[str, Any]:
    return {"answers": len(right), "right": round(sum(right) / len(right), 4)}


def _table(report: dict[str, Any]) -> str:
    """The reliability table: of the answers with a score in each tenth, the share that was right."""
    rows = [f"{'score from':>10} {'answers':>8} {'right':>7}   {report['model']}"]
    rows += [f"{start:>10} {b['answers']:>8} {b['right']:>7.1%}" for start, b in report["bins"].items()]
    rows += [f"{level:>10} {b['answers']:>8} {b['right']:>7.1%}" for level, b in report["levels"].items()]
    return "\n".join([*rows, f"{'high, though the document has no answer':>40}: {report['high_without_answer']:.1%}"])


def fitted(judged: Sequence[Judged]) -> dict[str, Any]:
    held_out: list[tuple[str, Judged]] = []
    for part in range(PARTS):
        c = _calibrate([j for j in judged if j.part != part])
        held_out += [(level_of(c.probability(j.coverage, j.similarity), c), j) for j in judged if j.part == part]
    c = _calibrate(judged)
    return {
        "coverage_weight": c.coverage_weight, "similarity_weight": c.similarity_weight, "bias": c.bias,
        "high": c.high, "medium": c.medium, "held_out": _levels(held_out),
    }  # fmt: skip


def _calibrate(judged: Sequence[Judged]) -> Calibration:
    """A logistic regression on the best passage, and the lowest score from which "high" is right often enough."""
    seen = np.array([[j.coverage, j.similarity, 1.0] for j in judged])
    right = np.array([j.right for j in judged], dtype=np.float64)
    coverage, similarity, bias = (round(float(w), 2) for w in _logistic(seen, right))
    fitted = Calibration(1.0, MEDIUM_SCORE, 0.0, coverage, similarity, bias)
    scores = np.array([fitted.probability(j.coverage, j.similarity) for j in judged])
    order = np.argsort(-scores)
    kept_right = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(kept_right >= HIGH_RIGHT)
    high = float(np.ceil(scores[order[enough[-1]]] * 100) / 100) if len(enough) else 1.0
    return Calibration(high, MEDIUM_SCORE, 0.0, coverage, similarity, bias)


def _logistic(seen: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(seen.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-seen @ weights))
        curvature = (seen * (p * (1 - p))[:, None]).T @ seen + 1e-6 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, seen.T @ (right - p))
    return weights


if __name__ == "__main__":
    main()
