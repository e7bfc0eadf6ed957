"""How fast documents become passages, against bare text extraction of the same pages (D6).

    python benchmarks/ingest.py --pdfs DIR [--runs N] [--stages]

Prints one JSON line: pages, pages per second of the pipeline, ratio of its time to the bare loop's, peak memory in MB.
Files that the pipeline refuses (damaged, encrypted, scanned) are left out of both sides.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pypdfium2 as pdfium

from policypal.errors import DocumentRejected
from policypal.services.ingest.chunk import chunk_pages
from policypal.services.ingest.extract import ExtractionLimits, extract
from policypal.services.ingest.sniff import PDF

Pipeline = Callable[[Path], int]


def run_pipeline(pdf: Path) -> int:
    """Extract, normalise and chunk one file; the number of its pages."""
    started = time.perf_counter()
    document = extract(pdf, PDF, limits=ExtractionLimits())
    extracted = time.perf_counter()
    chunk_pages(document.pages, [entry.title for entry in document.outline])
    STAGES["extract and normalise"] += extracted - started
    STAGES["chunk"] += time.perf_counter() - extracted
    return len(document.pages)


STAGES = {"extract and normalise": 0.0, "chunk": 0.0}


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
            print(f"{pdf.name}: {rejection.title}", file=sys.stderr)
        else:
            good.append(pdf)
    return good


def timed(work: Pipeline, pdfs: Sequence[Path]) -> tuple[float, int]:
    """Seconds and pages of one pass over all files."""
    started = time.perf_counter()
    pages = sum(work(pdf) for pdf in pdfs)
    return time.perf_counter() - started, pages


def peak_mb() -> float:
    """The highest memory of this process plus that of its largest child, in MB (2^20 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    used = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return used * unit / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pdfs", type=Path, required=True, help="folder with PDF files")
    parser.add_argument("--runs", type=int, default=3, help="passes over the folder; the fastest of each side counts")
    parser.add_argument("--stages", action="store_true", help="also print the time of each stage, on standard error")
    options = parser.parse_args()
    pdfs = readable(sorted(options.pdfs.glob("*.pdf")), run_pipeline)
    bare_extraction(pdfs[0])
    STAGES.update(dict.fromkeys(STAGES, 0.0))
    passes = [(timed(bare_extraction, pdfs), timed(run_pipeline, pdfs)) for _ in range(options.runs)]
    bare = min(seconds for (seconds, _), _ in passes)
    full, pages = min(pipeline for _, pipeline in passes)
    result = {
        "pages": pages,
        "pages_per_second": round(pages / full, 1),
        "ratio": round(full / bare, 2),
        "peak_mb": round(peak_mb(), 1),
    }
    print(json.dumps(result))
    if options.stages:
        stages = {name: round(seconds / options.runs, 3) for name, seconds in STAGES.items()}
        print(json.dumps({"bare": round(bare, 3), "pipeline": round(full, 3), **stages}), file=sys.stderr)


if __name__ == "__main__":
    main()
