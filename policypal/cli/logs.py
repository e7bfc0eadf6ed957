"""Where messages about the program go: sentences to stderr, tracebacks to the data folder, secrets nowhere (X3, X4)."""

import logging
import logging.handlers
import os
from io import TextIOWrapper
from pathlib import Path
from urllib.parse import unquote, urlsplit

from policypal.domain.private import close

FILENAME = "policypal.log"
_MAX_BYTES = 2_000_000
_FILE_ONLY = ("py.warnings", "psycopg", "procrastinate", "policypal.cli")


class _Sentence(logging.Formatter):
    """One line without a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname.lower()}: {record.getMessage()}"


class _Redacted(logging.Formatter):
    """The full record, with every secret replaced."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(process)d] %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """Readable for its owner only (X6)."""

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_APPEND, 0o600))
        return super()._open()


def log_to_stderr() -> None:
    """Warnings for the person at the terminal, without tracebacks."""
    logging.raiseExceptions = False  # a full disk under the log must not print a traceback of its own
    logging.captureWarnings(True)
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Sentence())
    # deprecations and repeated connection attempts are for the file; what they lead to is told as a typed error
    handler.addFilter(lambda record: not record.name.startswith(_FILE_ONLY))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


def log_to_file(data_dir: Path, secrets: tuple[str, ...]) -> None:
    """Everything worth knowing afterwards, in ``data_dir``, rotated at 2 MB. ``secrets`` are replaced."""
    path = data_dir / FILENAME
    handler = _PrivateFile(path, maxBytes=_MAX_BYTES, backupCount=2, encoding="utf-8", delay=True)
    for written in data_dir.glob(f"{FILENAME}*"):
        close(written)
    handler.setFormatter(_Redacted(_with_passwords(secrets)))
    logging.getLogger().addHandler(handler)


def log_file() -> Path | None:
    """Where the details stand, once :func:`log_to_file` was called."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.handlers.RotatingFileHandler):
            return Path(handler.baseFilename)
    return None


def _with_passwords(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """The secrets and the passwords inside those that are addresses, longest first."""
    found = set(secrets)
    for secret in secrets:
        try:
            password = urlsplit(secret).password
        except ValueError:
            continue
        if password:
            found |= {password, unquote(password)}
    return tuple(sorted(found, key=len, reverse=True))
