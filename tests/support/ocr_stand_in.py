"""A program in place of ``ocrmypdf``, which is not a dependency: it takes and returns what that one does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import pdf_factory

ABSENT = "ocrmypdf-that-is-not-installed"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, texts: Sequence[str] = (), body: str = "") -> None:
    """Put the program on the path. It runs ``body`` and then answers with a PDF that has a page per one of ``texts``."""
    programs = folder / "bin"
    programs.mkdir()
    result = folder / "result.pdf"
    result.write_bytes(pdf_factory.text_pdf([[text] for text in texts] or [[]]))
    script = programs / "ocrmypdf"
    answer = f"shutil.copy({str(result)!r}, sys.argv[-1])" if texts else ""
    script.write_text(f"#!{sys.executable}\nimport sys, shutil, time\n{body}\n{answer}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
