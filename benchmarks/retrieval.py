"""Retrieval quality and speed on labelled questions, through the product's own storage and search.

    python benchmarks/retrieval.py --passages passages.jsonl --questions dev.jsonl [--limit N]

``passages.jsonl``: {"document", "passage", "text"} a line; ``questions``: {"question", "relevant": [[document, passage], …]}.
Prints one JSON line: {"questions", "recall_at_10", "map_at_10", "p50_ms", "p95_ms"}.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from policypal.config import Settings
from policypal.db import documents, index, users
from policypal.db.embedded import connect
from policypal.db.migrate import migrate
from policypal.db.pool import Database
from policypal.domain.documents import Document, DocumentStatus, DocumentType, Page
from policypal.domain.users import LOCAL_ANALYST
from policypal.search.bm25 import document_weights
from policypal.search.embeddings import Embedder, WordLlamaEmbedder
from policypal.search.hybrid import Search
from policypal.storage import file_key

USER = LOCAL_ANALYST.id
Key = tuple[Any, str]


def main() -> None:
    given = parser(__doc__).parse_args()
    passages = lines(given.passages)
    questions = lines(given.questions)[: given.limit]
    with library(passages) as (search, keys):
        print(json.dumps(_measure(search, questions, keys)))


@contextmanager
def library(
    passages: list[dict[str, Any]], embedder: Embedder | None = None
) -> Iterator[tuple[Search, dict[str, Key]]]:
    """A library of its own that holds ``passages``: the search over it, and chunk id → (document, passage)."""
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        embedded, db = connect(Settings(data_dir=Path(folder)), "benchmark")
        migrate(db.direct_conninfo)
        db.open()
        users.ensure_user(db, LOCAL_ANALYST)
        search = Search(db, embedder or WordLlamaEmbedder())
        yield search, _load(db, search, passages)
        db.close()
        if embedded is not None:
            embedded.stop()


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments every benchmark on labelled questions takes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=None)
    return parser


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _load(db: Database, search: Search, passages: list[dict[str, Any]]) -> dict[str, Key]:
    """Publish every document; chunk id → (document, passage)."""
    by_document: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for passage in passages:
        by_document[passage["document"]].append(passage)
    keys: dict[str, Key] = {}
    for name, members in by_document.items():
        identity = document_id(name)
        documents.insert_document(db, USER, _document(identity, str(name)))
        chunks = [_chunk(identity, n, m["text"]) for n, m in enumerate(members)]
        keys.update({c.id: (name, m["passage"]) for c, m in zip(chunks, members, strict=True)})
        index.publish_document(
            db, USER, identity, pages=[Page(n + 1, m["text"]) for n, m in enumerate(members)], pages_without_text=0,
            chunks=chunks, model=search.embedder.model, vectors=search.embedder.embed([c.text for c in chunks]),
        )  # fmt: skip
    return keys


def document_id(name: Any) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"benchmark/{name}"))


def _document(identity: str, name: str) -> Document:
    return Document(
        id=identity, title=f"Document {name}", version="", type=DocumentType.REGULATORY, filename=name,
        media_type="text/plain", sha256=hashlib.sha256(name.encode()).hexdigest(), size_bytes=0,
        storage_key=file_key(USER, identity, "original"),
        status=DocumentStatus.QUEUED, created_at=datetime.now(UTC),
    )  # fmt: skip


def _chunk(identity: str, ordinal: int, text: str) -> index.IndexedChunk:
    text = text.replace("\0", "")
    weights, count = document_weights(text)
    return index.IndexedChunk(
        id=str(uuid.uuid5(uuid.UUID(identity), str(ordinal))), ordinal=ordinal, page=ordinal + 1, start=0,
        end=len(text), heading=None, text=text, term_count=count, lexical=weights,
    )  # fmt: skip


def _measure(search: Search, questions: list[dict[str, Any]], keys: dict[str, Key]) -> dict[str, Any]:
    recalls, precisions, times = [], [], []
    stored = set(keys.values())
    for question in questions:
        relevant = {tuple(r) for r in question["relevant"]} & stored
        if not relevant:
            continue
        started = time.perf_counter()
        hits = search.find(USER, question["question"], limit=10)
        times.append((time.perf_counter() - started) * 1000)
        recall, precision = recall_and_precision([keys[h.passage.id] in relevant for h in hits], len(relevant))
        recalls.append(recall)
        precisions.append(precision)
    times.sort()
    return {
        "questions": len(recalls),
        "recall_at_10": round(statistics.mean(recalls), 4),
        "map_at_10": round(statistics.mean(precisions), 4),
        "p50_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
    }


def recall_and_precision(found: Sequence[bool], relevant: int) -> tuple[float, float]:
    """Recall and average precision of at most ten results, best first; ``relevant`` passages exist."""
    ranks = [n for n, is_relevant in enumerate(found, 1) if is_relevant]
    return len(ranks) / relevant, sum(k / n for k, n in enumerate(ranks, 1)) / min(relevant, 10)


if __name__ == "__main__":
    main()
