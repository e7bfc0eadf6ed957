"""The app in a process of its own, as `streamlit run` starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.architecture.source_files import ROOT
from tests.support.timeouts import LONGEST_WAIT_SECONDS

_NO_KEYS = dict.fromkeys(("OPENAI_API_KEY", "DATABASE_URL", "DIRECT_URL", "TAVILY_API_KEY", "EXA_API_KEY", "SUPABASE_URL"), "")  # fmt: skip


class Server:
    """A running app, keyless but for what ``environment`` says. ``restart`` ends the process and starts another one on the
    same data."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self._data_dir = data_dir
        self._environment = environment
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

    def kill_and_restart(self) -> None:
        """Without any chance to end in order."""
        self._process.kill()
        self._process.wait()
        self._process = self._start()

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _start(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(self.port),
            "--server.headless", "true",
        ]  # fmt: skip
        environment = {**os.environ, **_NO_KEYS, "POLICYPAL_DATA_DIR": str(self._data_dir), **self._environment}
        with self._log.open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self._wait_until_healthy(process)
        return process

    def _wait_until_healthy(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError(f"the app did not start:\n{self.log()[-3000:]}")


def _free_port() -> int:
    """Never that of a server before: a tab that was left open would come back to it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
