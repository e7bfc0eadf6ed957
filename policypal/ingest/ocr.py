"""Text recognition for the pages of a PDF that have none, with ``ocrmypdf`` and the tesseract it drives (D7), or else with ``rapidocr``,
which pip installs (D13).

The program works on a few pages at a time: progress can be told, a page that takes for ever costs only its neighbours,
and a document that is cancelled stops soon.
"""

import importlib.util
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from policypal.errors import DocumentRejected, ExtractionLimit, NoReadableText
from policypal.ingest.document import ExtractedDocument, ExtractionLimits
from policypal.ingest.sandbox import NICENESS, ROOT, Obstacle, Supervisor, clean_environment, converse, no_obstacle

if sys.platform != "win32":
    import resource

PROGRAM, RAPID = "ocrmypdf", "rapidocr"
PAGES_AT_ONCE = 8
START_SECONDS = 30.0
SECONDS_PER_PAGE = 60.0
"""A page takes two to five seconds on one core, five to twenty with rapidocr; the limit is for those that take for ever."""
_RAPID_MEMORY_MB = 3072
"""Of address space; it uses about 900 MB."""

HOW_TO_GET_IT = (
    "No page of this document contains text. It looks like a scan. To have such pages read, ask whoever runs PolicyPal for"
    " text recognition (OCR), which the command “make ocr” adds, and try again; or run the file through it elsewhere and"
    " upload the result."
)
SWITCHED_OFF = (
    "No page of this document contains text. It looks like a scan, and text recognition (OCR) is switched off here."
    " Please run the file through text recognition elsewhere and upload the result."
)
NOT_A_SCAN = (
    "No page of this document holds readable text, nor a picture of any. The file may be damaged, or its text drawn as"
    " shapes. Please open it: where its pages are blank, obtain it again from its source; where they are not, print it to"
    " a new PDF."
)
FOUND_NOTHING = "Text recognition (OCR) found no legible words on the pages of this document."
FAILED = (
    "No page of this document contains text, and text recognition (OCR) failed on it. The log says why; a missing"
    " language is the usual reason (POLICYPAL_OCR_LANGUAGES)."
)
TOO_SLOW = "Text recognition (OCR) took longer than allowed, so it was stopped."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recognition:
    """The ``pages`` that went through recognition (text was not found on all of them), and the last ``trouble``."""

    pages: tuple[int, ...]
    trouble: DocumentRejected | None = None


def program() -> str:
    """What recognises scanned pages on this machine: "ocrmypdf", "rapidocr", or "" for nothing; ``make ocr`` adds the second."""
    if shutil.which(PROGRAM) is not None:
        return PROGRAM
    return RAPID if importlib.util.find_spec(RAPID) is not None else ""


def recognise(
    path: Path,
    document: ExtractedDocument,
    target: Path,
    *,
    languages: str,
    limits: ExtractionLimits,
    on_progress: Callable[[int, int], None],
    obstacle: Obstacle = no_obstacle,
) -> Recognition:
    """Write to ``target`` the PDF at ``path`` with a text layer on the pages of ``document`` that could not be read.

    ``on_progress`` is called with (pages done, pages in all). Nothing is written where no page could be recognised.
    Raises Exception: the ``obstacle``, if there came to be one."""
    copies: list[tuple[list[int], str]] = []
    trouble: DocumentRejected | None = None
    done = 0
    for number, (pages, mode) in enumerate(_batches(document)):
        on_progress(done, len(document.unread))
        source, copy = target.with_suffix(f".{number}.in.pdf"), target.with_suffix(f".{number}.out.pdf")
        try:
            list(converse("pick", {"path": str(path), "pages": pages, "target": str(source)}, limits, obstacle))
            _run(_command(mode, languages, source, copy), len(pages), limits, target.parent, obstacle)
            copies.append((pages, str(copy)))
        except DocumentRejected as failure:
            trouble = failure
            if isinstance(failure, ExtractionLimit):
                break  # what is slow once is slow again, and others wait
        done += len(pages)
    if copies:
        list(converse("replace", {"path": str(path), "copies": copies, "target": str(target)}, limits, obstacle))
    return Recognition(tuple(sorted(page for pages, _ in copies for page in pages)), trouble)


def _batches(document: ExtractedDocument) -> Iterator[tuple[list[int], str]]:
    """Pages to work on at once. Pictures keep their quality; text that cannot be made out has to be drawn to be read."""
    for pages, mode in ((document.pictures, "--skip-text"), (document.illegible, "--force-ocr")):
        for start in range(0, len(pages), PAGES_AT_ONCE):
            yield list(pages[start : start + PAGES_AT_ONCE]), mode


def _command(mode: str, languages: str, source: Path, target: Path) -> list[str]:
    if program() == RAPID:
        return [sys.executable, "-m", "policypal.ingest.rapid", mode, str(source), str(target)]
    jobs = str(max(1, (os.cpu_count() or 1) // 2))
    return [
        PROGRAM, "--quiet", mode, "--language", languages.replace(",", "+"), "--output-type", "pdf", "--optimize", "0",
        "--jobs", jobs, str(source), str(target),
    ]  # fmt: skip


def _run(command: Sequence[str], pages: int, limits: ExtractionLimits, folder: Path, obstacle: Obstacle) -> None:
    """Raises NoReadableText: the program failed, the log says why; ExtractionLimit: it took longer than allowed."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                env={**clean_environment(), "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
            )  # fmt: skip
        except OSError as error:
            _log.warning("%s could not be started: %s", command[0], error)
            raise NoReadableText(FAILED) from error
        _restrain(process.pid, limits)
        supervisor = Supervisor(lambda: _kill(process), START_SECONDS + SECONDS_PER_PAGE * pages, obstacle)
        try:
            returncode = process.wait()
        finally:
            supervisor.stop()
            _kill(process)
        if supervisor.intervened:
            raise supervisor.obstacle or ExtractionLimit(TOO_SLOW)
        if returncode != 0:
            output.seek(0)
            _log.warning("%s ended with %s: %s", program(), returncode, output.read()[-500:].decode(errors="replace"))
            raise NoReadableText(FAILED)


def _restrain(pid: int, limits: ExtractionLimits) -> None:
    """Lower the priority of the program and what it starts, and limit its memory, where the system lets us."""
    try:
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PGRP, pid, NICENESS)
        if sys.platform == "linux":
            most = (max(limits.memory_mb, _RAPID_MEMORY_MB) if program() == RAPID else limits.memory_mb) << 20
            resource.prlimit(pid, resource.RLIMIT_AS, (most, most))
    except OSError as error:  # it may have ended already, which its return code tells
        _log.info("text recognition could not be restrained: %s", error)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it has started."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # all of them have ended
