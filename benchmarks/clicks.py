"""How long a person waits in the browser: pages, own words, answers, reports, filters, tabs (U2b, U10).

    python benchmarks/clicks.py [--rounds 8] [--url http://localhost:8502]

Starts the app on an empty folder with the sample documents and one audit, keyless, and drives it with the machine's Chromium,
the headless shell where there is one. Prints one JSON line: for every flow {"median", "p95"} in seconds, and "load", the machine's load
average of the last minute. Aims on two quiet cores (medians): a change of page 1.0, a click until the page reacts 0.4, the
own words 0.3, a keyless answer 1.0. Each flow is timed from the key or click until what it is about is on the screen. With --url an app
that runs already is driven; it needs the samples and an audit report.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# not the folder of the benchmarks, whose requests.py would hide the library of that name
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from playwright.sync_api import Locator, expect, sync_playwright
from playwright.sync_api import Page as Tab

from benchmarks.library import serving
from policypal.application import ask, intake, profile, sample_documents
from policypal.application.container import local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.users import Profile

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook 2025."
_QUESTIONS = (
    "How soon must a major incident be reported to the Authority under the Rulebook 2025?",
    "How long must customer records be kept according to the Rulebook 2025?",
    "What must an outsourcing agreement contain?",
    "Who approves financial promotions?",
)
_PATIENCE_MS = 60_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--url", default="", help="an app that runs already")
    given = parser.parse_args()
    with _app(given.url) as url, sync_playwright() as playwright:
        browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=browser, args=_FLAGS)
        tab = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
        tab.set_default_timeout(_PATIENCE_MS)
        expect.set_options(timeout=_PATIENCE_MS)
        took = Walk(tab, url).rounds(given.rounds)
        chromium.close()
    figures = {name: {"median": round(statistics.median(s), 2), "p95": round(_p95(s), 2)} for name, s in took.items()}
    print(json.dumps({**figures, "rounds": given.rounds, "load": round(os.getloadavg()[0], 1)}))


@contextmanager
def _app(url: str) -> Iterator[str]:
    """The address of an app with the samples and an audit."""
    if url:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="policypal-bench-") as folder:
        app = build_container(Settings(data_dir=Path(folder)), run_worker=True)
        user = local_analyst(app)
        profile.save(app, user, Profile(asked=True))
        added = sample_documents.add_samples(app, user)
        intake.wait_until_final(app, user, [d.id for d in added], timeout_seconds=300)
        thread = ask.new_thread_id()
        ask.send(app, user, thread, ask.Request(message=_AUDIT))
        ask.wait(app, user, thread, 300)
        with serving(Path(folder)) as address:
            yield address
        app.close()


class Walk:
    """One tab, the flows of a morning, again and again."""

    def __init__(self, tab: Tab, url: str) -> None:
        self._tab, self._url = tab, url
        self._took: dict[str, list[float]] = defaultdict(list)

    def rounds(self, count: int) -> dict[str, list[float]]:
        self._once(timed=False, number=0)  # the first visit loads and compiles the interface
        for number in range(count):
            self._once(timed=True, number=number)
        return self._took

    def _once(self, *, timed: bool, number: int) -> None:
        self._timed = timed
        self._tab.goto(self._url)
        expect(self._field).to_be_editable()
        self._rest()
        self._chat(number)
        self._pages()
        self._report()

    def _chat(self, number: int) -> None:
        tab, question = self._tab, _QUESTIONS[number % len(_QUESTIONS)]
        self._field.click()
        tab.keyboard.insert_text(question)
        answers, said = tab.get_by_label("Chat message from assistant"), tab.locator("[data-pp-said], .pp-echo")
        began = time.perf_counter()
        tab.keyboard.press("Enter")
        expect(said.first).to_be_visible()
        own = time.perf_counter() - began
        expect(answers).to_have_count(1)
        self._note("own words", own)
        self._note("answer", time.perf_counter() - began)
        self._rest()
        chip = tab.locator(".pp-cite").first
        self._time("citation", chip.click, tab.locator(".st-key-sources_panel"))
        self._rest()
        self._time("palette", lambda: tab.keyboard.press("Control+k"), tab.locator(".st-key-palette_choice input"))
        self._rest()
        tab.keyboard.press("Escape")
        expect(tab.get_by_role("dialog")).to_have_count(0)
        self._rest()
        self._time(
            "new chat", lambda: tab.keyboard.press("Alt+n"), tab.get_by_role("heading", name="Start", exact=True)
        )
        self._rest()

    def _pages(self) -> None:
        for name, heading in (("Documents", "Documents"), ("Settings", "Settings"), ("Audit reports", "Audit reports")):
            link = self._tab.get_by_role("link", name=name, exact=True).first
            self._time("page", link.click, self._tab.get_by_role("heading", name=heading, exact=True, level=1))
            self._rest()

    def _report(self) -> None:
        tab = self._tab
        self._time(
            "report",
            tab.get_by_role("button", name="Open", exact=True).first.click,
            tab.get_by_role("tab", name="Findings"),
        )
        self._rest()
        severity = (
            tab.get_by_role("button", name="Critical", exact=True).or_(tab.get_by_role("radio", name="Critical")).first
        )
        shown = tab.get_by_text(re.compile(r"^\d+ of \d+ findings\.")).first
        before = shown.inner_text()
        began = time.perf_counter()
        severity.click()
        expect(shown).not_to_have_text(before)
        self._note("filter", time.perf_counter() - began)
        self._rest()
        self._time("tab", tab.get_by_role("tab", name="Coverage").click, tab.locator(".pp-heat").first)

    def _time(self, name: str, act: Callable[[], object], shown: Locator) -> None:
        began = time.perf_counter()
        act()
        expect(shown).to_be_visible()
        self._note(name, time.perf_counter() - began)

    def _note(self, name: str, seconds: float) -> None:
        if self._timed:
            self._took[name].append(seconds)

    @property
    def _field(self) -> Locator:
        return self._tab.get_by_role("combobox", name="Message")

    def _rest(self) -> None:
        """The script has run, and what it replaces is gone."""
        expect(self._tab.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(self._tab.locator("[data-stale='true']")).to_have_count(0)
        self._tab.wait_for_timeout(300)


def _p95(seconds: list[float]) -> float:
    return sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]


if __name__ == "__main__":
    main()
