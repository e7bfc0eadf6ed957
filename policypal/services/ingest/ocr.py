"""Text recognition for scanned PDFs with ``ocrmypdf`` (and the tesseract it drives), where it is installed (D7)."""

from __future__ import annotations

import contextlib
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from policypal.errors import ExtractionLimit, NoReadableText
from policypal.services.ingest.document import ExtractionLimits

PROGRAM = "ocrmypdf"
TIME_FACTOR = 5
"""Recognising a page takes far longer than reading one; the limit for reading is multiplied by this."""

_log = logging.getLogger(__name__)


def is_available() -> bool:
    """Whether scanned pages can be recognised on this machine; ``doctor`` tells how to enable it."""
    return shutil.which(PROGRAM) is not None


@contextlib.contextmanager
def recognised(path: Path, password: str | None, limits: ExtractionLimits) -> Iterator[Path]:
    """A temporary copy of a scanned PDF with a text layer.

    Raises:
        NoReadableText: recognition failed; the log says why.
        ExtractionLimit: it took longer than five times the limit for reading.
    """
    from policypal.services.ingest.extract import decrypt

    with tempfile.TemporaryDirectory(prefix="policypal-ocr-") as folder:
        source, target = Path(folder) / "scan.pdf", Path(folder) / "text.pdf"
        source.write_bytes(decrypt(path, password, limits=limits) if password else path.read_bytes())
        _run([PROGRAM, "--quiet", "--skip-text", "--output-type", "pdf", str(source), str(target)], limits)
        if not target.exists():
            raise NoReadableText()
        yield target


def _run(command: list[str], limits: ExtractionLimits) -> None:
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limits.seconds * TIME_FACTOR, check=False
        )
    except subprocess.TimeoutExpired:
        raise ExtractionLimit("Text recognition (OCR) took longer than allowed, so it was stopped.") from None
    except OSError as error:
        _log.warning("%s could not be started: %s", PROGRAM, error)
        raise NoReadableText() from error
    if result.returncode != 0:
        _log.warning("%s ended with %s: %s", PROGRAM, result.returncode, result.stderr[-500:])
        raise NoReadableText()
