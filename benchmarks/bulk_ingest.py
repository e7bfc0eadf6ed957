"""Two hundred PDFs handed in at once, and whether the library page stays usable meanwhile (D5, D6, U1).

    python benchmarks/bulk_ingest.py [--pdfs DIR] [--files 200] [--pages 12]

The files are made first: of the pages of the PDFs in DIR, or, without it, of pages of invented rules. A real app is started
on an empty data folder, its library page is opened, and it is given all of them; while it reads, the script of that page runs
again and again in a session of its own inside the app's process, as a click makes it do. Prints one JSON line:

- files, pages, failed (files that did not become ready);
- pages_per_second, and ratio: that over the pages per second of pypdfium2 alone, which reads the same files one after the
  other before and again afterwards; all in wall-clock time, so the machine has to be quiet;
- cpu_ms_per_page of the app with its page, of the reading processes and of the database, and bare_cpu_ms_per_page of
  pypdfium2 alone;
- click_ms_median, click_ms_95, click_ms_worst: how long the page took; clicks: how often;
- app_peak_mb: the app's process (proportional memory, sampled), children_peak_mb: its reading processes together.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import psutil
import pypdfium2 as pdfium
from streamlit.testing.v1 import AppTest

from policypal.application import intake, library, profile
from policypal.application.container import Container, local_analyst
from policypal.domain.documents import DocumentStatus, DocumentType
from policypal.domain.users import Profile, User
from policypal.ingest.pdf import is_readable, open_pdf
from policypal.ui import deps

SEED = 11
CLICK_PAUSE_SECONDS = 0.5
_LOOK_SECONDS = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pdfs", type=Path, help="folder with PDF files to take pages from")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--without-clicks", action="store_true", help="only read")
    parser.add_argument("--pages", type=int, default=12, help="pages of an average file")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        os.chmod(folder, 0o755)  # the embedded database runs as a user of its own where this runs as root
        made = Path(folder) / "files"
        made.mkdir()
        make_files(made, options.pdfs, options.files, options.pages)
        print(
            json.dumps(measure(Path(folder) / "data", sorted(made.iterdir()), with_clicks=not options.without_clicks))
        )


def make_files(folder: Path, source: Path | None, count: int, pages: int) -> None:
    """``count`` different PDFs of ``pages`` pages on average, between a third and three times as many."""
    chance = random.Random(SEED)
    supply = [d for p in sorted(source.glob("*.pdf")) if (d := _opened(p))] if source else [_invented(chance)]
    for number in range(count):
        document = chance.choice(supply)
        wanted = min(len(document), round(pages * chance.choice([1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 4 / 3, 3])) or 1)
        first = chance.randrange(len(document) - wanted + 1)
        made = pdfium.PdfDocument.new()
        made.import_pages(document, list(range(first, first + wanted)))
        made.save(folder / f"{number:03}.pdf")
        made.close()


def _opened(path: Path) -> pdfium.PdfDocument | None:
    """Files with text; encrypted, damaged and scanned ones are another matter."""
    try:
        document = open_pdf(path, None)
        legible = all(is_readable(page.get_textpage().get_text_range()) for page in document)
    except Exception:  # noqa: BLE001 - a benchmark's own selection; what cannot be opened is left out
        return None
    return document if legible else None


def _invented(chance: random.Random) -> pdfium.PdfDocument:
    """Sixty pages of rules about as full as real ones."""
    import io

    from reportlab.pdfgen.canvas import Canvas

    words = (
        "the bank shall keep report review every record incident customer officer board register within days".split()
    )
    held = io.BytesIO()
    canvas = Canvas(held)
    for page in range(60):
        for line in range(48):
            canvas.drawString(60, 790 - 15 * line, f"{page}.{line} " + " ".join(chance.choices(words, k=13)))
        canvas.showPage()
    canvas.save()
    return pdfium.PdfDocument(held.getvalue())


def measure(data: Path, files: Sequence[Path], *, with_clicks: bool) -> dict[str, object]:
    seconds_before, cpu_before, pages = bare(files)
    os.environ["POLICYPAL_DATA_DIR"] = str(data)
    os.chdir(data.parent)  # no developer's .env
    app = deps.container()
    try:
        user = local_analyst(app)
        profile.save(app, user, Profile(asked=True))
        clicks = Clicks() if with_clicks else None
        watch = Watch(data)
        started = time.perf_counter()
        ids = [
            intake.add_document(app, user, intake.Upload(f.name, f.read_bytes(), DocumentType.REGULATORY)).id for f in files
        ]  # fmt: skip
        if clicks:
            clicks.start()
        until_done(app, user)
        seconds = time.perf_counter() - started
        if clicks:
            clicks.stop()
        used = watch.stop()
        failed = [d for d in library.list_documents(app, user, ids=ids) if d.status is not DocumentStatus.READY]
        for document in failed:
            print(document.filename, document.reason, file=sys.stderr)
    finally:
        app.close()
    seconds_after, cpu_after, _ = bare(files)
    bare_seconds, bare_cpu = (seconds_before + seconds_after) / 2, (cpu_before + cpu_after) / 2
    return {
        "files": len(files), "pages": pages, "failed": len(failed),
        "pages_per_second": round(pages / seconds, 1), "ratio": round(bare_seconds / seconds, 2),
        "cpu_ms_per_page": {kind: round(1000 * s / pages, 1) for kind, s in used.items()}, "bare_cpu_ms_per_page": round(1000 * bare_cpu / pages, 1),
        **(clicks.summary() if clicks else {}), "app_peak_mb": round(watch.app_mb), "children_peak_mb": round(watch.children_mb),
    }  # fmt: skip


def bare(files: Sequence[Path]) -> tuple[float, float, int]:
    """(wall-clock seconds, CPU seconds, pages) of reading all text with pypdfium2 in this process."""
    started, cpu, pages = time.perf_counter(), time.process_time(), 0
    for file in files:
        document = pdfium.PdfDocument(file)
        for page in document:
            page.get_textpage().get_text_range()
        pages += len(document)
        document.close()
    return time.perf_counter() - started, time.process_time() - cpu, pages


def until_done(app: Container, user: User) -> None:
    while any(not d.status.is_final for d in library.list_documents(app, user)):
        time.sleep(0.5)


class Watch:
    """Memory and CPU time of this process (the app), of its reading processes and of the database, sampled."""

    def __init__(self, data: Path) -> None:
        self._data = str(data)
        self.app_mb = self.children_mb = 0.0
        self._own = psutil.Process()
        self._server: psutil.Process | None = None
        self._seconds: dict[tuple[str, int], float] = {}
        self._over = threading.Event()
        self._look()
        self._before = self._by_kind()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """CPU seconds since the beginning, by kind of process."""
        self._look()
        self._over.set()
        self._thread.join()
        return {kind: seconds - self._before.get(kind, 0.0) for kind, seconds in self._by_kind().items()}

    def _by_kind(self) -> dict[str, float]:
        kinds = {kind for kind, _ in self._seconds}
        return {kind: sum(s for (k, _), s in self._seconds.items() if k == kind) for kind in kinds}

    def _run(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        readers = [p for p in self._own.children(recursive=True) if p.name() != "postgres"]
        self._measure("app", [self._own])
        self._measure("readers", readers)
        self._measure("database", self._database())
        self.app_mb = max(self.app_mb, _megabytes([self._own]))
        self.children_mb = max(self.children_mb, _megabytes(readers))

    def _measure(self, kind: str, processes: Sequence[psutil.Process]) -> None:
        for process in processes:
            with contextlib.suppress(psutil.Error):  # it has ended
                times = process.cpu_times()
                self._seconds[kind, process.pid] = times.user + times.system

    def _database(self) -> list[psutil.Process]:
        """It is started as a service of its own, not as a child; looked for once, because looking takes long."""
        if self._server is None:
            self._server = next((p for p in psutil.process_iter() if self._is_server(p)), None)
        return [self._server, *self._server.children(recursive=True)] if self._server else []

    def _is_server(self, process: psutil.Process) -> bool:
        with contextlib.suppress(psutil.Error):
            return process.name() == "postgres" and self._data in " ".join(process.cmdline())
        return False


def _megabytes(processes: Sequence[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().pss / 2**20
    return total


class Clicks:
    """Somebody who has the library page open and clicks in it, again and again."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        app = Path(__file__).resolve().parents[1] / "app.py"
        self._page = AppTest.from_file(str(app), default_timeout=60).run()
        self._page.switch_page("pages/documents.py").run()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def summary(self) -> dict[str, object]:
        if not self.seconds:
            return {"clicks": 0}
        ordered = sorted(self.seconds)
        return {
            "clicks": len(ordered), "click_ms_median": round(1000 * statistics.median(ordered)),
            "click_ms_95": round(1000 * ordered[int(0.95 * (len(ordered) - 1))]), "click_ms_worst": round(1000 * ordered[-1]),
        }  # fmt: skip

    def _run(self) -> None:
        while not self._over.wait(CLICK_PAUSE_SECONDS):
            started = time.perf_counter()
            self._page.run()
            self.seconds.append(time.perf_counter() - started)


if __name__ == "__main__":
    main()
