"""The command line as a process of its own, as somebody's script would call it."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Every line of stdout, each of which has to be one JSON object."""
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        return self.lines[-1]


class _Forks:
    """One process that has loaded the libraries, and divides for every command."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.cli_forks"], cwd=PROJECT, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._process.kill)

    def run(self, **wanted: Any) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@cache
def _forks() -> _Forks:
    return _Forks()


@dataclass(frozen=True)
class Cli:
    """Runs ``python -m policypal`` on one data folder, away from any ``.env``."""

    data_dir: Path
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *args: str | Path, **env: str) -> Outcome:
        """Until its end. The process is divided off one that has loaded the libraries; see :mod:`tests.support.cli_forks`."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "stdout"), Path(folder, "stderr")
            out.touch()
            err.touch()
            code = _forks().run(
                args=[str(a) for a in args], env=self._environment(env), cwd=str(self.data_dir), stdout=str(out),
                stderr=str(err),
            )  # fmt: skip
            return Outcome(code, out.read_bytes(), err.read_text(encoding="utf-8"))

    def run_cold(self, *args: str | Path, timeout_seconds: float = 120.0, **env: str) -> Outcome:
        """The same as a shell would start it."""
        done = subprocess.run(
            self.command(*args),
            env=self._environment(env),
            cwd=self.data_dir,
            capture_output=True,
            timeout=timeout_seconds,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8"))

    def start(self, *args: str | Path, **env: str) -> subprocess.Popen[str]:
        """Without waiting for its end."""
        return subprocess.Popen(
            self.command(*args),
            env=self._environment(env),
            cwd=self.data_dir,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def command(*args: str | Path) -> list[str]:
        return [sys.executable, "-m", "policypal", *map(str, args)]

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        own = {"PYTHONPATH": str(PROJECT), "POLICYPAL_DATA_DIR": str(self.data_dir)}
        return {**os.environ, **own, **self.env, **more}
