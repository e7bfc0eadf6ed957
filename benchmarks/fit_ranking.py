"""Fits the ranking of the search to labelled questions and says what it is worth on questions it was not fitted on.

    python benchmarks/fit_ranking.py --passages passages.jsonl --questions dev.jsonl [--output FILE]

Two tables are fitted, through the product's own storage and search:

- the factors of the words of asking: terms seen in at least 15 questions, not as names, that are rarer in the passages
  that answer than a question's terms are on average ("elaborate", "specific"). A factor is that ratio, pulled towards 1;
- the weights of the features (`policypal/search/reranking.py`): the softmax of the linear score over a
  question's shortlist is fitted to its relevant passages (maximum likelihood with a small quadratic penalty, Newton steps).

Cross-validated by question: five parts, each ranked with factors and weights from the other four; the weights also see
only features computed with factors from other parts. Prints one JSON line: {"questions", "in_shortlist", "cv_recall_at_10",
"cv_map_at_10"}; ``--output`` writes the tables fitted to all questions as `policypal/search/fitted.py`.
"""

from __future__ import annotations

import json
import statistics
import sys
import textwrap
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import retrieval as benchmark
from policypal.search.hybrid import Search
from policypal.search.question import weigh
from policypal.search.reranking import FEATURES, features
from policypal.search.terms import terms

PARTS = 5
LEAST_SEEN = 15
HIGHEST_FACTOR = 0.75
PRIOR_SEEN = 20
PENALTY = 2.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with its relevant passages; ``part`` is the fifth it belongs to."""

    text: str
    relevant: frozenset[benchmark.Key]
    part: int


@dataclass(frozen=True, slots=True)
class Shortlisted:
    """The shortlist of a question: one row of features per passage, and which passages are relevant."""

    question: Labelled
    table: Floats
    relevant: NDArray[np.bool_]


def main() -> None:
    parser = benchmark.parser(__doc__)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    passages = benchmark.lines(given.passages)
    texts = {(p["document"], p["passage"]): p["text"] for p in passages}
    questions = _labelled(benchmark.lines(given.questions)[: given.limit], texts)
    with benchmark.library(passages) as (search, keys):
        shortlists = _shortlists(search, keys, questions, texts)
    print(json.dumps(cross_validated(shortlists)))
    if given.output is not None:
        given.output.write_text(module_text(asking_factors(questions, texts), fit(shortlists)), encoding="utf-8")


def _labelled(questions: list[dict[str, Any]], texts: Mapping[benchmark.Key, str]) -> list[Labelled]:
    labelled = [
        Labelled(
            text=q["question"],
            relevant=frozenset((d, p) for d, p in q["relevant"]) & texts.keys(),
            part=zlib.crc32(q["question"].encode()) % PARTS,
        )
        for q in questions
    ]
    return [q for q in labelled if q.relevant]


def asking_factors(questions: Sequence[Labelled], texts: Mapping[benchmark.Key, str]) -> dict[str, float]:
    """Stemmed term → factor in (0, 1): how much rarer than usual it is in the passages that answer its questions."""
    seen: Counter[str] = Counter()
    named: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for question in questions:
        asked = weigh(question.text, 0, {}, {})
        held = {t for key in question.relevant for t in terms(texts[key])}
        seen.update(asked.weights.keys())
        named.update(asked.names)
        answered.update(asked.weights.keys() & held)
    usual = sum(answered.values()) / max(seen.total(), 1)
    factors = {
        term: (answered[term] / usual + PRIOR_SEEN) / (n + PRIOR_SEEN)
        for term, n in seen.items()
        if n >= LEAST_SEEN and named[term] <= n / 2
    }
    return {t: round(f, 2) for t, f in sorted(factors.items()) if f < HIGHEST_FACTOR}


def _shortlists(
    search: Search, keys: Mapping[str, benchmark.Key], questions: Sequence[Labelled], texts: Mapping[benchmark.Key, str]
) -> list[Shortlisted]:
    """Every question's shortlist, with factors that were fitted without its part."""
    found = []
    for part in range(PARTS):
        asking = asking_factors([q for q in questions if q.part != part], texts)
        for question in (q for q in questions if q.part == part):
            weighed, hits = search.shortlist(benchmark.USER, question.text, asking=asking)
            relevant = np.array([keys[h.passage.id] in question.relevant for h in hits])
            found.append(Shortlisted(question, features(weighed, hits), relevant))
    return found


def fit(shortlists: Sequence[Shortlisted]) -> dict[str, float]:
    """Feature → weight, by Newton's method with a halved step where a full one overshoots."""
    usable = [s for s in shortlists if s.relevant.any()]
    rows = np.concatenate([s.table for s in usable])
    spread = rows.std(axis=0) + 1e-9
    examples = [(s.table / spread, s.relevant / s.relevant.sum()) for s in usable]
    weights = np.zeros(len(FEATURES))
    loss, gradient, curvature = _likelihood(weights, examples)
    for _ in range(50):
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while (tried := _likelihood(weights - size * step, examples))[0] > loss and size > 1e-6:
            size /= 2
        gained = loss - tried[0]
        weights, (loss, gradient, curvature) = weights - size * step, tried
        if gained < 1e-4:
            break
    return {name: round(float(w), 3) for name, w in zip(FEATURES, weights / spread, strict=True)}


def _likelihood(weights: Floats, examples: Sequence[tuple[Floats, Floats]]) -> tuple[float, Floats, Floats]:
    """Negative log-likelihood with its penalty, its gradient and its second derivative."""
    loss = PENALTY / 2 * float(weights @ weights)
    gradient = PENALTY * weights
    curvature = PENALTY * np.eye(len(weights))
    for table, target in examples:
        linear = table @ weights
        linear -= linear.max()
        total = np.log(np.exp(linear).sum())
        share = np.exp(linear - total)
        mean = share @ table
        loss += float(total - target @ linear)
        gradient = gradient + mean - target @ table
        curvature += (table * share[:, None]).T @ table - np.outer(mean, mean)
    return loss, gradient, curvature


def cross_validated(shortlists: Sequence[Shortlisted]) -> dict[str, Any]:
    judged = [j for part in range(PARTS) for j in _judged(shortlists, part)]
    reached = [s.relevant.sum() / len(s.question.relevant) for s in shortlists]
    return {
        "questions": len(judged),
        "in_shortlist": round(float(statistics.mean(reached)), 4),
        "cv_recall_at_10": round(statistics.mean(recall for recall, _ in judged), 4),
        "cv_map_at_10": round(statistics.mean(precision for _, precision in judged), 4),
    }


def _judged(shortlists: Sequence[Shortlisted], part: int) -> Iterator[tuple[float, float]]:
    """Recall@10 and average precision of one part's questions, with weights fitted to the other parts."""
    fitted = fit([s for s in shortlists if s.question.part != part])
    weights = np.array([fitted[name] for name in FEATURES])
    for s in (s for s in shortlists if s.question.part == part):
        best = np.argsort(-(s.table @ weights), kind="stable")[:10]
        yield benchmark.recall_and_precision(s.relevant[best].tolist(), len(s.question.relevant))


def module_text(asking: Mapping[str, float], weights: Mapping[str, float]) -> str:
    """The text of `policypal/search/fitted.py`."""
    pairs = " ".join(f"{term}:{factor}" for term, factor in asking.items())
    return "\n".join(
        [
            '"""Fitted tables of the ranking (docs/decisions/0009). Do not edit; written by',
            "",
            "    python benchmarks/fit_ranking.py --passages passages.jsonl --questions dev.jsonl --output FILE",
            "",
            "from the ObliQA development questions, which name the passages that answer them.",
            '"""',
            "",
            "WEIGHTS: dict[str, float] = {",
            *(f'    "{name}": {weight},' for name, weight in weights.items()),
            "}",
            '"""Feature (:mod:`policypal.search.reranking`) → its weight in the linear score."""',
            "",
            "ASKING: dict[str, float] = {",
            "    term: float(factor)",
            "    for term, factor in (",
            '        pair.split(":")',
            '        for pair in """',
            *textwrap.wrap(pairs, 116, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False),
            '        """.split()',
            "    )",
            "}",
            '"""Stemmed word of asking → how much less than other terms it says about the passage that answers, in (0, 1)."""',
            "",
        ]
    )


if __name__ == "__main__":
    main()
