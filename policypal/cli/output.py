"""What leaves the program: JSON lines or readable text on stdout, remarks on stderr (section K)."""

import json as json_format
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from policypal.errors import InvalidInput, PolicyPalError, StorageError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Output:
    """Writes to one stream, either JSON (one object per line) or text."""

    def __init__(self, stream: TextIO, *, json: bool) -> None:
        self._stream = stream
        self.json = json
        for s in (stream, sys.stderr):
            reconfigure = getattr(s, "reconfigure", None)
            if reconfigure is not None:  # a terminal without UTF-8 must not turn an answer into an error
                reconfigure(encoding="utf-8", errors="backslashreplace")

    def show(self, record: Mapping[str, Any], text: str) -> None:
        """One result, in the form that was asked for. ASCII only in JSON: some readers break lines at U+2028."""
        self._write(json_format.dumps(record) if self.json else printable(text))

    def line(self, record: Mapping[str, Any]) -> None:
        """One JSON object, whatever form was asked for in general."""
        self._write(json_format.dumps(record))

    def check_screen(self, extension: str, path: Path | None) -> None:
        """Raises InvalidInput: a file that is no text would go to a terminal."""
        if path is None and extension in ("xlsx", "docx") and self._stream.isatty():
            article = "An" if extension == "xlsx" else "A"
            raise InvalidInput(f"{article} {extension} file is not for the screen. Please name a file with -o.")

    def file(self, data: bytes, path: Path | None, told: str) -> None:
        """A file to where it was asked for, else to stdout; ``told`` says what it holds. Raises StorageError: it cannot be written."""
        if path is None:
            self._stream.buffer.write(data)
            self._stream.flush()
            return
        try:
            path.write_bytes(data)
        except OSError as error:
            raise StorageError(f"{path} cannot be written ({error.strerror}).", retryable=False) from error
        self.remark(f"Wrote {told} to {path}.")

    def text(self, text: str) -> None:
        """A line only a person needs."""
        if not self.json:
            self._write(printable(text))

    def remark(self, text: str) -> None:
        """Something about the work, not its result; goes to stderr."""
        sys.stderr.write(printable(text) + "\n")
        sys.stderr.flush()

    def error(self, error: PolicyPalError, **also: str) -> None:
        """The typed error (X4): the last line with JSON, plain text on stderr otherwise."""
        if self.json:
            self._write(json_format.dumps({**error.as_dict(), **also}))
        else:
            self.remark(f"{error.title}: {error.message}")

    def abandon(self) -> None:
        """Nobody reads stdout any more; keep the interpreter from complaining when it flushes at exit."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


def printable(text: str) -> str:
    """``text`` without the control characters with which a document could steer a terminal (X2)."""
    return _CONTROL.sub("", text)


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows in columns, the last one as wide as it likes."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)
