"""The app as somebody meets it: `streamlit run` on an empty data folder, in the system's Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.architecture.source_files import ROOT
from tests.e2e import composer_page
from tests.e2e.chat_page import House, add_samples, house_on
from tests.e2e.server import Server
from tests.e2e.settled import wait_for_single_elements
from tests.support.timeouts import LONGEST_WAIT_SECONDS

# The shell is the same browser without a user interface of its own: a page takes half the computing.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage", "--process-per-site",
]  # fmt: skip
_DESK: ViewportSize = {"width": 1280, "height": 720}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test that fails is run again, twice at most: browser, page and server share the cores with everything else, and one
    hiccup of thousands must not decide. The summary lists what was run again."""
    for item in items:
        if item.get_closest_marker("e2e"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if executable is None:
        reason = "no Chromium is installed (apt install chromium)"
        if os.environ.get("POLICYPAL_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    wait_for_single_elements()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        yield chromium
        chromium.close()


def new_window(browser: Browser, **options: Any) -> BrowserContext:
    """A window of its own, by default on a desk. Nothing in it moves that need not: drawing it again and again is most of
    what a slow machine does."""
    return browser.new_context(**{"viewport": _DESK, "reduced_motion": "reduce", **options})


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window that many tests open their tabs in: it loads and compiles the interface's scripts once, which takes longer
    than most tests. Tests of sign-in have windows of their own."""
    context = new_window(browser, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """One app per module, on an empty data folder; asked for after the browser, so that it is not started in vain."""
    running = Server(tmp_path_factory.mktemp("e2e") / "data")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    """A library with the samples, for tests that add to it and take nothing away: it is shared."""
    with house_on(tmp_path_factory.mktemp("sampled") / "data", add_samples) as house:
        yield house


@pytest.fixture
def tab(window: BrowserContext, server: Server) -> Iterator[Page]:
    """A browser tab on the app's first page."""
    page = window.new_page()
    page.set_default_timeout(90_000)
    page.goto(server.url)
    yield page
    close(page)


def close(page: Page) -> None:
    """Close a tab; the next one of its window finds nothing that it has left in the browser."""
    page.evaluate("localStorage.clear()")
    page.close()
    page.context.clear_cookies()


@pytest.fixture(scope="session")
def composer_url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page with nothing but the message field, served; asked for after the browser, so that it is not started in vain."""
    log = tmp_path_factory.mktemp("composer") / "log"
    app = str(ROOT / "tests/e2e/apps/composer_app.py")
    command = [sys.executable, "-m", "streamlit", "run", app, "--server.port", "0", "--server.headless", "true"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=output, stderr=output
        )
    try:
        yield _address(log, process)
    finally:
        process.terminate()
        process.wait(20)
    # a traceback of the page names its script; Streamlit's own, about a tab that closed while it was told something, does not
    assert "composer_app.py" not in log.read_text(encoding="utf-8", errors="replace")


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://localhost:[1-9]\d*", log.read_text(encoding="utf-8", errors="replace")):
            with urllib.request.urlopen(f"{found[0]}/_stcore/health", timeout=10):
                return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"the page did not start:\n{log.read_text(errors='replace')[-3000:]}")


def _with_field(window: BrowserContext, url: str) -> Iterator[Page]:
    """A tab on the message field; whatever the test did, no script failed in it."""
    page = window.new_page()
    page.set_default_timeout(composer_page.WAIT)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(url)
    expect(composer_page.field(page)).to_be_visible(timeout=composer_page.WAIT)
    yield page
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert failures == []
    close(page)


@pytest.fixture
def page(window: BrowserContext, composer_url: str) -> Iterator[Page]:
    """The message field on a desk."""
    yield from _with_field(window, composer_url)


@pytest.fixture
def phone(browser: Browser, composer_url: str) -> Iterator[Page]:
    """The message field on a phone, in the dark."""
    context = new_window(browser, viewport={"width": 390, "height": 780}, has_touch=True, color_scheme="dark")
    yield from _with_field(context, composer_url)
    context.close()
