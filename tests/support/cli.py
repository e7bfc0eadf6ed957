"""The command line as a real subprocess, as somebody's script would call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Cli:
    """Runs ``python -m policypal`` on one data folder, away from any ``.env``."""

    data_dir: Path
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *args: str | Path, timeout_seconds: float = 120.0, **env: str) -> Outcome:
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
