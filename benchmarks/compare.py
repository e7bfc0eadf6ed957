"""How long a keyless comparison of two long documents takes (A3).

    python benchmarks/compare.py --pdfs FOLDER [--pages 100] [--pair one.pdf other.pdf]... [--profile]

The first pages of PDFs from the folder go through the product: ingested, compared by message, answered. Without --pair the
longest four PDFs are compared in turn. A PDF shorter than asked for is repeated until it is long enough. Prints one JSON
line per pair: {"pair", "pages", "seconds", "cpu_seconds", "rows", "changes", "citations", "quotes"}; ``seconds`` runs from the
message to the answer, ``cpu_seconds`` is what this process computed meanwhile.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pypdfium2 as pdfium

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.profiling import print_profiles, profiled_threads
from policypal.application import ask, conversations, intake
from policypal.application.ask import Request
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--pair", nargs=2, action="append", metavar="PDF")
    parser.add_argument("--profile", action="store_true", help="print where the time of the run's thread goes")
    given = parser.parse_args()
    pairs = [tuple(p) for p in given.pair or pairwise(_longest(given.pdfs, 4))]
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        app = build_container(Settings(data_dir=Path(folder)), run_worker=True)
        try:
            _compare_all(app, given.pdfs, pairs, given.pages, given.profile)
        finally:
            app.close()


def _compare_all(app: Container, folder: Path, pairs: Sequence[tuple[str, ...]], pages: int, profile: bool) -> None:
    user = local_analyst(app)
    documents = {n: _ingested(app, user, folder / n, pages) for n in dict.fromkeys(n for p in pairs for n in p)}
    app.jobs.stop()
    for pair in pairs:
        profiler = profiled_threads() if profile else []
        print(
            json.dumps({"pair": pair, "pages": pages, **_compared(app, user, [documents[n] for n in pair])}), flush=True
        )
        print_profiles(profiler)


def _compared(app: Container, user: User, documents: Sequence[Document]) -> dict[str, object]:
    thread = ask.new_thread_id()
    started, cpu = time.perf_counter(), time.process_time()
    request = Request(message="Please compare", action=Action.COMPARE, document_ids=tuple(d.id for d in documents))
    ask.send(app, user, thread, request)
    event = list(ask.events(app, user, thread, timeout_seconds=600))[-1]
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if not isinstance(event, ResponseEvent):
        raise SystemExit(f"no answer: {event}")
    traces = [e for entries in conversations.history(app, user, thread).traces.values() for e in entries]
    quotes = next((e.detail["quotes"] for e in traces if "quotes" in e.detail), "")
    return {
        "seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "rows": event.response.count("\n| "),
        "changes": len(event.changes.changes) if event.changes else None, "citations": len(event.citations), "quotes": quotes,
    }  # fmt: skip


def _ingested(app: Container, user: User, path: Path, pages: int) -> Document:
    upload = intake.Upload(path.name, _first_pages(path, pages), DocumentType.REGULATORY, title=path.stem)
    queued = intake.add_document(app, user, upload)
    (document,) = intake.wait_until_final(app, user, [queued.id], timeout_seconds=600)
    return document


def _first_pages(path: Path, pages: int) -> bytes:
    source, target = pdfium.PdfDocument(path), pdfium.PdfDocument.new()
    while len(target) < pages:
        target.import_pages(source, list(range(min(len(source), pages - len(target)))))
    buffer = io.BytesIO()
    target.save(buffer)
    return buffer.getvalue()


def _longest(folder: Path, count: int) -> list[str]:
    lengths: dict[str, int] = {}
    for path in sorted(folder.glob("*.pdf")):
        try:
            lengths[path.name] = len(pdfium.PdfDocument(path))
        except pdfium.PdfiumError:  # encrypted and damaged files are there on purpose
            continue
    return sorted(lengths, key=lambda name: -lengths[name])[:count]


if __name__ == "__main__":
    main()
