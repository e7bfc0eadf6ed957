"""How often the gate lets a false statement pass and refuses a true one (C2b).

    python benchmarks/support.py --probes dev.json [--engine floor|model] [--fit] [--show] [--recordings FOLDER] [--requests FOLDER]

``--probes`` is {"pages": {id: {"title", "text"}}, "probes": [{"id", "page", "statement", "quotes", "supported", "class"}]}: quotes are
words of the page, null where the model cited words that are not there. ``supported`` is true, false or "partly", which must not pass.
Probes marked ``doubtful`` are left out. ``--engine model`` adds the second reading of a model, a request for up to twenty statements of a
page: of the one at OPENAI_BASE_URL where OPENAI_API_KEY is set, else of a played one (benchmarks/played.py); then ``played`` and ``stale`` are
the requests with and without a recorded answer, and probes of the latter are not scored.
``--fit`` fits the weights of ``policypal/gate/weights.toml``, prints them, and the figures of pages that they were not fitted on.

Prints, last, one JSON line: {"probes", "false_passed", "true_refused", "by_class", …}, shares of the false and of the true.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.played import PlayedEngine, Recordings, Unplayed, recordings_of
from policypal.config import Settings
from policypal.gate import floor
from policypal.gate.evidence import Cited, cited_texts, surroundings
from policypal.gate.measures import measure
from policypal.gate.supported import Supported, judge, second_reading
from policypal.gate.verbatim import Span, page_text
from policypal.ingest.formats import unwrapped
from policypal.llm.judge_support import JUDGE_SUPPORT, StatementGiven, SupportInput
from policypal.llm.openai_engine import OpenAIEngine
from policypal.llm.task import TaskContext
from policypal.search.embeddings import built_in_embedder

PARTS_OF_A_LARGE_PAGE = 4
LARGE_PAGE = 40
STEPS = 4_000
STATEMENTS_AT_ONCE = 20
"""Of one answer, at the most."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A labelled statement beside what it cites."""

    id: str
    kind: str
    statement: str
    cited: Cited
    carried: bool
    part: str
    page: str
    text: str
    spans: tuple[Span, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probes", type=Path, required=True)
    parser.add_argument("--engine", choices=("floor", "model"), default="floor")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--show", action="store_true", help="list the wrong decisions with their reasons")
    parser.add_argument("--recordings", type=Path, default=recordings_of("support"), metavar="FOLDER")
    parser.add_argument("--requests", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    probes = load(json.loads(given.probes.read_text(encoding="utf-8")))
    if given.fit:
        fit(probes)
        return
    judged = [judge(p.statement, p.cited) for p in probes]
    told: dict[str, Any] = {"engine": given.engine}
    if given.engine == "model":
        reader = _reader(Recordings(given.recordings, given.requests))
        again, counts = read_again(probes, judged, reader)
        told |= counts
        probes, judged = [probes[n] for n in again], list(again.values())
    print(json.dumps({**told, **figures(probes, judged, show=given.show)}))


def _reader(recordings: Recordings) -> OpenAIEngine:
    """The model at the endpoint, where there is one; else a played one."""
    settings = Settings()
    return OpenAIEngine(settings) if settings.has_model_key else PlayedEngine(recordings)


def read_again(
    probes: Sequence[Probe], first: Sequence[Supported], engine: OpenAIEngine
) -> tuple[dict[int, Supported], dict[str, int]]:
    """The statements, by their place, after a model has read them page by page as answers would cite them; without those whose answer is
    missing. And what it took."""
    context = TaskContext(built_in_embedder())
    judged, counts = dict(enumerate(first)), {"played": 0, "stale": 0, "tokens": 0}
    for page in dict.fromkeys(p.page for p in probes):
        rows = [n for n, p in enumerate(probes) if p.page == page and p.cited.texts]
        for start in range(0, len(rows), STATEMENTS_AT_ONCE):
            batch = rows[start : start + STATEMENTS_AT_ONCE]
            given = _request([probes[n] for n in batch], [first[n] for n in batch])
            try:
                result = engine.run(JUDGE_SUPPORT, given, context)
            except Unplayed:
                counts["stale"] += 1
                judged = {n: s for n, s in judged.items() if n not in batch}
                continue
            counts["played"] += 1
            counts["tokens"] += result.usage.tokens
            for verdict in result.output.verdicts:
                row = batch[verdict.number - 1]
                judged[row] = second_reading(first[row], verdict.verdict == "supported", verdict.lacks)
    return judged, counts


def _request(probes: Sequence[Probe], first: Sequence[Supported]) -> SupportInput:
    statements = [
        StatementGiven(
            number=n, statement=p.statement, cited=[t.text for t in p.cited.texts], passages=[1], doubt=s.reason
        )
        for n, (p, s) in enumerate(zip(probes, first, strict=True), 1)
    ]
    spans = [span for p in probes for span in p.spans]
    return SupportInput(
        statements=statements, passages=[f"{probes[0].cited.named}\n{surroundings(probes[0].text, spans)}"]
    )


def load(held: Mapping[str, Any]) -> list[Probe]:
    """The probes that are not doubtful, with the sentences they cite."""
    pages = {name: _as_stored(page["text"]) for name, page in held["pages"].items()}
    kept = [p for p in held["probes"] if not p.get("doubtful")]
    return [
        _probe(p, pages[p["page"]], held["pages"][p["page"]]["title"], _part(p, n, kept)) for n, p in enumerate(kept)
    ]


def _probe(held: Mapping[str, Any], page: str, title: str, part: str) -> Probe:
    places = (_place(quote, page) for quote in held["quotes"] if quote)
    spans = tuple(place for place in places if place)
    cited = Cited(tuple(cited_texts(page, spans)), title)
    return Probe(
        held["id"], held["class"], held["statement"], cited, held["supported"] is True, part, held["page"], page, spans
    )


def _as_stored(text: str) -> str:
    """The page as an upload stores it: lines of one width are put together."""
    return unwrapped(text)


def _place(quote: str, page: str) -> Span | None:
    text = page_text(page)
    return next((span for find in (text.exact, text.same_letters, text.same_words) for span in find(quote)), None)


def _part(probe: Mapping[str, Any], number: int, probes: Sequence[Mapping[str, Any]]) -> str:
    """What is left out together when the weights are checked: a page, or a part of a page that has many probes."""
    page = probe["page"]
    large = sum(p["page"] == page for p in probes) > LARGE_PAGE
    return f"{page}/{number % PARTS_OF_A_LARGE_PAGE}" if large else page


def figures(probes: Sequence[Probe], judged: Sequence[Supported], *, show: bool = False) -> dict[str, Any]:
    """The shares of false statements that pass and of true ones that do not, also by class."""
    passed = [s.passes for s in judged]
    if show:
        for probe, statement in zip(probes, judged, strict=True):
            if statement.passes != probe.carried:
                print(
                    f"{probe.id} {probe.kind} {statement.degree}: {probe.statement} [{statement.reason}]",
                    file=sys.stderr,
                )
    return _shares(probes, passed)


def _shares(probes: Sequence[Probe], passed: Sequence[bool]) -> dict[str, Any]:
    by_class: dict[str, dict[str, int]] = defaultdict(
        lambda: {"false": 0, "false_passed": 0, "true": 0, "true_refused": 0}
    )
    for probe, passes in zip(probes, passed, strict=True):
        counts = by_class[probe.kind]
        counts["true" if probe.carried else "false"] += 1
        counts["true_refused" if probe.carried else "false_passed"] += passes != probe.carried
    total = {
        name: sum(c[name] for c in by_class.values()) for name in ("false", "false_passed", "true", "true_refused")
    }
    return {
        "probes": len(probes),
        "false_passed": round(total["false_passed"] / max(1, total["false"]), 4),
        "true_refused": round(total["true_refused"] / max(1, total["true"]), 4),
        "counts": total,
        "by_class": {name: {k: v for k, v in counts.items() if v} for name, counts in sorted(by_class.items())},
    }


def fit(probes: Sequence[Probe]) -> None:
    """Fit the weights to the probes; print them, and what they do on parts they were not fitted on."""
    prior, strength = floor.priors()
    names = list(prior)
    measured = [measure(p.statement, p.cited) if p.cited.texts else {} for p in probes]
    rows = np.array([[1.0, *(m.get(n, 0.0) for n in names[1:])] for m in measured])
    carried = np.array([p.carried for p in probes], dtype=float)
    parts = np.array([p.part for p in probes])

    def passes(row: int, weights: NDArray[np.float64]) -> bool:
        held = dict(zip(names, weights, strict=True))
        return bool(probes[row].cited.texts) and floor.probability(measured[row], held) >= floor.threshold()

    out_of_fold = [False] * len(probes)
    for part in sorted(set(parts)):
        others = parts != part
        weights = _fitted(rows[others], carried[others], names, prior, strength)
        for row in np.flatnonzero(~others):
            out_of_fold[row] = passes(int(row), weights)
    weights = _fitted(rows, carried, names, prior, strength)
    for name, weight in zip(names, weights, strict=True):
        print(f"{name}: weight = {weight:.2f}")
    print(
        json.dumps(
            {
                "out_of_fold": _shares(probes, out_of_fold),
                "fitted": _shares(probes, [passes(n, weights) for n in range(len(probes))]),
            }
        )
    )


def _fitted(
    rows: NDArray[np.float64],
    carried: NDArray[np.float64],
    names: Sequence[str],
    prior: Mapping[str, float],
    strength: float,
) -> NDArray[np.float64]:
    """Logistic regression towards the priors; a contradiction never speaks for a statement."""
    held = np.array([prior[name] for name in names])
    free = np.array([name == floor.BIAS for name in names])
    weights = held.copy()
    for _ in range(STEPS):
        slope = rows.T @ (1 / (1 + np.exp(-rows @ weights)) - carried) + strength * (weights - held)
        weights -= slope / len(rows)
        weights = np.where(free, weights, np.minimum(weights, 0.0))
    return weights


if __name__ == "__main__":
    main()
