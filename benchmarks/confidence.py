"""How often each confidence level is right (C4), through the product's own search.

    python benchmarks/confidence.py --passages passages.jsonl --questions dev.jsonl [--limit N]

Every question is asked three times: of the whole library, of a document that holds its answer, and of one that does not.
"Right" means that one of the three best passages is relevant; of a document without the answer nothing can be right.
Prints one JSON line: {"model", "thresholds", "levels": {level: {"answers", "right"}}, "high_without_answer", "bins"}.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import retrieval as benchmark

from policypal.config import Settings
from policypal.db import users
from policypal.db.connect import connect
from policypal.db.migrate import migrate
from policypal.services.embeddings import WordLlamaEmbedder
from policypal.services.retrieval.confidence import calibration, retrieval_confidence
from policypal.services.retrieval.hybrid import Search

Judged = tuple[str, float, bool, bool]  # level, score, right, answerable


def main() -> None:
    arguments = benchmark.arguments(__doc__)
    passages = benchmark.lines(arguments.passages)
    questions = benchmark.lines(arguments.questions)[: arguments.limit]
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        embedded, db = connect(Settings(data_dir=Path(folder)))
        migrate(db.direct_conninfo)
        db.open()
        users.ensure_user(db, benchmark.LOCAL_ANALYST)
        search = Search(db, WordLlamaEmbedder())
        keys = benchmark.load(db, search, passages)
        print(json.dumps(_report(search.embedder.model, _judge(search, questions, keys))))
        db.close()
        if embedded is not None:
            embedded.stop()


def _judge(search: Search, questions: list[dict[str, Any]], keys: dict[str, benchmark.Key]) -> list[Judged]:
    chooser = random.Random(1)
    names = sorted({name for name, _ in keys.values()})
    judged: list[Judged] = []
    for question in questions:
        relevant = {tuple(r) for r in question["relevant"]} & set(keys.values())
        if not relevant:
            continue
        home = sorted({name for name, _ in relevant})
        away = chooser.choice([n for n in names if n not in home])
        for scope, answerable in ((None, True), (chooser.choice(home), True), (away, False)):
            ids = None if scope is None else [benchmark.document_id(scope)]
            hits = search.find(benchmark.USER, question["question"], document_ids=ids, limit=10)
            level, score = retrieval_confidence(hits, search.embedder.model)
            right = any(keys[h.passage.id] in relevant for h in hits[:3])
            judged.append((level, score, right, answerable))
    return judged


def _report(model: str, judged: list[Judged]) -> dict[str, Any]:
    levels: dict[str, list[bool]] = defaultdict(list)
    bins: dict[int, list[bool]] = defaultdict(list)
    for level, score, right, _ in judged:
        levels[level].append(right)
        bins[min(9, int(score * 10))].append(right)
    without = [level for level, _, _, answerable in judged if not answerable]
    c = calibration(model)
    return {
        "model": model,
        "thresholds": {"high": c.high, "medium": c.medium},
        "levels": {k: _share(levels[k]) for k in ("high", "medium", "low") if levels[k]},
        "high_without_answer": round(without.count("high") / len(without), 4),
        "bins": {f"{b / 10:.1f}": _share(bins[b]) for b in sorted(bins)},
    }


def _share(right: list[bool]) -> dict[str, Any]:
    return {"answers": len(right), "right": round(sum(right) / len(right), 4)}


if __name__ == "__main__":
    main()
