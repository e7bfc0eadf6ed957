"""The app as somebody meets it: `streamlit run` on an empty data folder, in the system's Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.architecture.source_files import ROOT

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
_NO_KEYS = dict.fromkeys(("OPENAI_API_KEY", "DATABASE_URL", "DIRECT_URL", "TAVILY_API_KEY", "EXA_API_KEY", "SUPABASE_URL"), "")  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if executable is None:
        reason = "no Chromium is installed (apt install chromium)"
        if os.environ.get("POLICYPAL_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        yield chromium
        chromium.close()


class Server:
    """A running app. ``restart`` ends the process and starts another one on the same data."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._log = data_dir.with_suffix(".log")
        self.port = _free_port()
        self._process = self._start()

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def restart(self) -> None:
        self.stop()
        self._process = self._start()

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _start(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(self.port),
            "--server.headless", "true",
        ]  # fmt: skip
        environment = {**os.environ, **_NO_KEYS, "POLICYPAL_DATA_DIR": str(self._data_dir)}
        with self._log.open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self._wait_until_healthy(process)
        return process

    def _wait_until_healthy(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError(f"the app did not start:\n{self.log()[-3000:]}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """One app per module, on an empty data folder; asked for after the browser, so that it is not started in vain."""
    running = Server(tmp_path_factory.mktemp("e2e") / "data")
    yield running
    running.stop()


@pytest.fixture
def tab(browser: Browser, server: Server) -> Iterator[Page]:
    """A browser tab on the app's first page."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(server.url)
    yield page
    context.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
