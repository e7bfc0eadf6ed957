"""How fast stored files become searchable documents, against bare text extraction of the same pages (D6).

    python benchmarks/ingest.py --pdfs DIR [--runs N]

The whole pipeline: read the stored file, extract in the child process, normalise, chunk, BM25 weights, embeddings, publish
in PostgreSQL. Prints one JSON line: pages, pages per second of the pipeline, ratio of its time to the bare pypdfium2
loop's, peak memory of this process plus that of its largest child, in MB. Files that the pipeline refuses (damaged,
encrypted, scanned) are left out of both sides.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import pypdfium2 as pdfium

from policypal.config import Settings
from policypal.db import documents, users
from policypal.db.embedded import connect
from policypal.db.migrate import migrate
from policypal.db.pool import Database
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.errors import DocumentRejected
from policypal.ingest.pipeline import Ingestion
from policypal.ingest.sniff import PDF
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.storage import file_key
from policypal.storage.local import LocalFileStore

Work = Callable[[Path], int]


class Pipeline:
    """The product's ingestion; every pass has a user of its own, so that nothing counts as a duplicate."""

    def __init__(self, db: Database, folder: Path) -> None:
        self._db = db
        self._ingestion = Ingestion(
            db, LocalFileStore(folder / "files"), WordLlamaEmbedder(), Settings(data_dir=folder)
        )
        self.begin_pass()

    def begin_pass(self) -> None:
        self._user = User(str(uuid.uuid4()), "benchmark@localhost")
        users.ensure_user(self._db, self._user)

    def __call__(self, pdf: Path) -> int:
        """Ingest one file; the number of its pages.

        Raises:
            DocumentRejected: the file did not become ready.
        """
        document = self._stored(pdf)
        self._ingestion.ingest(self._user.id, document.id)
        done = documents.find_document(self._db, self._user.id, document.id)
        if done is None or done.status is not DocumentStatus.READY:
            raise DocumentRejected(done.reason if done else None)
        return done.pages

    def _stored(self, pdf: Path) -> Document:
        data, identity = pdf.read_bytes(), str(uuid.uuid4())
        document = Document(
            id=identity, title=pdf.stem, version="", type=DocumentType.REGULATORY, filename=pdf.name, media_type=PDF,
            sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data),
            storage_key=file_key(self._user.id, identity, "original"), status=DocumentStatus.QUEUED,
            created_at=datetime.now(UTC),
        )  # fmt: skip
        self._ingestion.files.put(document.storage_key, data)
        documents.insert_document(self._db, self._user.id, document)
        return document


def bare_extraction(pdf: Path) -> int:
    """What no pipeline can do without: the text of every page, in this process."""
    document = pdfium.PdfDocument(pdf)
    for page in document:
        page.get_textpage().get_text_range()
    count = len(document)
    document.close()
    return count


def readable(pdfs: Sequence[Path], pipeline: Pipeline) -> list[Path]:
    """The files that the pipeline accepts; also warms up everything that is loaded once."""
    good = []
    for pdf in pdfs:
        try:
            pipeline(pdf)
        except DocumentRejected as rejection:
            print(f"{pdf.name}: {rejection.message}", file=sys.stderr)
        else:
            good.append(pdf)
    return good


def timed(work: Work, pdfs: Sequence[Path]) -> tuple[float, int]:
    """Seconds and pages of one pass over all files."""
    started = time.perf_counter()
    pages = sum(work(pdf) for pdf in pdfs)
    return time.perf_counter() - started, pages


def peak_mb() -> float:
    """The highest memory of this process plus that of its largest child, in MB (2^20 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    used = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return used * unit / 2**20


def measure(folder: Path, pdfs: Sequence[Path], runs: int) -> dict[str, float]:
    embedded, db = connect(Settings(data_dir=folder), "benchmark")
    migrate(db.direct_conninfo)
    db.open()
    pipeline = Pipeline(db, folder)
    good = readable(pdfs, pipeline)
    bare_extraction(good[0])
    bare, full, pages = float("inf"), float("inf"), 0
    for _ in range(runs):
        bare = min(bare, timed(bare_extraction, good)[0])
        pipeline.begin_pass()
        seconds, pages = timed(pipeline, good)
        full = min(full, seconds)
    db.close()
    if embedded is not None:
        embedded.stop()
    return {
        "pages": pages,
        "pages_per_second": round(pages / full, 1),
        "ratio": round(full / bare, 2),
        "peak_mb": round(peak_mb(), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pdfs", type=Path, required=True, help="folder with PDF files")
    parser.add_argument("--runs", type=int, default=3, help="passes over the folder; the fastest of each side counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        print(json.dumps(measure(Path(folder), sorted(options.pdfs.glob("*.pdf")), options.runs)))


if __name__ == "__main__":
    main()
