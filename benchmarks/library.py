"""How fast the library page is with 500 documents: first paint, filter, search, next page, in a real browser (D3).

    python benchmarks/library.py [--documents 500] [--keep FOLDER]

Fills an empty installation with small documents, starts the app, and drives it with the machine's Chromium, the headless
shell where there is one. Prints the median and the slowest of several tries in milliseconds. Targets on a quiet machine:
first paint 1500, everything else 300.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import NAMESPACE_OID, uuid4, uuid5

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from playwright.sync_api import Page as Tab
from playwright.sync_api import expect, sync_playwright

from policypal.application import profile
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import documents as documents_db
from policypal.db import index
from policypal.domain.documents import SET_COLOURS, Document, DocumentStatus, DocumentType, Page
from policypal.domain.users import Profile, User
from policypal.search.bm25 import document_weights

ROOT = Path(__file__).resolve().parents[1]
_TOPICS = (
    "outsourcing", "incident reporting", "record retention", "customer complaints", "capital buffers", "data protection",
    "market conduct", "anti-money laundering", "liquidity", "remuneration", "model risk", "cyber resilience",
)  # fmt: skip
_KINDS = ("Rulebook", "Guideline", "Circular", "Policy", "Standard", "Manual")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
_TRIES = 8


def fill(app: Container, user: User, count: int) -> None:
    """``count`` documents of six short passages in eleven sets and in none, some with an earlier version."""
    profile.save(app, user, Profile(asked=True))
    chance = random.Random(5)
    made = [documents_db.ensure_set(app.db, user.id, f"Authority {n:02}", SET_COLOURS[n % 8]).id for n in range(11)]
    previous: str | None = None
    topic, kind, member = "", "", None
    for n in range(count):
        is_next = n % 10 == 1
        if not is_next:
            topic, kind, member = chance.choice(_TOPICS), chance.choice(_KINDS), chance.choice([*made, None])
        document_id = str(uuid4())
        digest = sha256(document_id.encode()).hexdigest()
        document = Document(
            id=document_id, title=f"{kind} on {topic} {n - is_next:03}", version=str(2015 + n % 5 + 5 * is_next),
            type=list(DocumentType)[n % 2], filename=f"{n}.pdf", media_type="application/pdf", sha256=digest,
            size_bytes=1000, storage_key=f"{user.id}/{document_id}/original", status=DocumentStatus.QUEUED,
            created_at=datetime.now(UTC) - timedelta(days=n), set_id=member, tags=(topic, "in force"),
            previous_version_id=previous if is_next else None,
        )  # fmt: skip
        documents_db.insert_document(app.db, user.id, document)
        _publish(app, user, document, [_text(chance, topic, page) for page in range(6)])
        previous = document_id


def _text(chance: random.Random, topic: str, page: int) -> str:
    other = chance.choice(_TOPICS)
    return " ".join(
        f"A firm must review its arrangements for {topic} and {other} every {page + n} months." for n in range(9)
    )


def _publish(app: Container, user: User, document: Document, texts: list[str]) -> None:
    chunks = []
    for n, text in enumerate(texts):
        weights, terms = document_weights(text)
        chunk_id = str(uuid5(NAMESPACE_OID, f"{document.id}{n}"))
        chunks.append(index.IndexedChunk(chunk_id, n, n + 1, 0, len(text), None, text, terms, weights))
    pages = [Page(n + 1, text) for n, text in enumerate(texts)]
    index.publish_document(
        app.db, user.id, document.id, pages=pages, pages_without_text=0, chunks=chunks, model=app.embedder.model,
        vectors=app.embedder.embed(texts),
    )  # fmt: skip


def measure(tab: Tab, url: str) -> None:
    """Print every time."""
    rows = tab.locator('[class*="st-key-docrow_"]')
    count = tab.locator(".st-key-library_summary .pp-meta")

    def first_paint() -> None:
        tab.goto(f"{url}/documents")
        expect(rows.nth(20)).to_be_visible()

    _report("first paint", tab, first_paint)
    tab.get_by_role("button", name="Filter").click()
    company = tab.get_by_role("button", name="Company Policy")
    whole = count.inner_text()

    def toggled(control: Callable[[], None]) -> Callable[[], None]:
        def click() -> None:
            before = count.inner_text()
            control()
            tab.wait_for_function("([s, t]) => document.querySelector(s).innerText !== t", arg=[_COUNT, before])

        return click

    _report("filter by type", tab, toggled(company.click), pause=0.6)
    tab.keyboard.press("Escape")
    search = tab.get_by_role("searchbox", name="Search")
    words = iter(["liquidity", "model risk", "cyber", "remuneration", "circular", "capital", "complaints", "manual"])
    _report("search (after the 200 ms of waiting)", tab, toggled(lambda: search.fill(next(words))), pause=0.6)
    search.fill("")
    expect(count).to_have_text(whole)
    tab.wait_for_timeout(600)  # the rows and the page numbers follow
    numbers = iter(range(2, 20))

    def turn() -> None:
        first = rows.first.inner_text()
        tab.get_by_role("button", name=f"Page {next(numbers)}", exact=False).first.click()
        tab.wait_for_function("([s, t]) => document.querySelector(s).innerText !== t", arg=[_ROW, first])

    _report("next page", tab, turn, pause=0.6)

    tab.get_by_role("button", name="Select", exact=True).click()

    def pick() -> None:
        tab.locator('[class*="st-key-pick_"] label').first.click()
        expect(tab.locator(".st-key-bulk_bar")).to_be_visible()

    _report("select a document", tab, pick, tries=1)


_COUNT = ".st-key-library_summary .pp-meta"
_ROW = '[class*="st-key-docrow_"]'


def _report(what: str, tab: Tab, action: Callable[[], None], *, tries: int = _TRIES, pause: float = 0.0) -> None:
    taken = []
    for _ in range(tries):
        started = time.perf_counter()
        action()
        taken.append((time.perf_counter() - started) * 1000)
        tab.wait_for_timeout(int(pause * 1000))
    print(f"{what:40} median {statistics.median(taken):6.0f}   slowest {max(taken):6.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--keep", type=Path, help="a data folder to use again and not to delete")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="policypal-library-"))
    try:
        _prepare(folder, arguments.documents)
        _run(folder)
    finally:
        if arguments.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path, count: int) -> None:
    app = build_container(Settings(data_dir=folder), run_worker=False)
    try:
        user = local_analyst(app)
        if not documents_db.list_documents(app.db, user.id):
            fill(app, user, count)
    finally:
        app.close()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of the app, served from a folder in a process of its own, without keys."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "app.py"),
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    keyless = dict.fromkeys(("OPENAI_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "DATABASE_URL", "SUPABASE_URL"), "")
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **keyless, "POLICYPAL_DATA_DIR": str(folder)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        url = f"http://localhost:{port}"
        _wait(url)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _run(folder: Path) -> None:
    with serving(folder) as url, sync_playwright() as playwright:
        browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=browser, args=_FLAGS)
        tab = chromium.new_context(viewport={"width": 1280, "height": 720}).new_page()
        tab.goto(f"{url}/documents")  # the first visit starts the database and fills the browser's cache
        expect(tab.locator(_ROW).first).to_be_visible(timeout=60_000)
        measure(tab, url)
        chromium.close()


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the app did not start")


if __name__ == "__main__":
    main()
