"""Temporary folders that carry the number of their process, so that those of a killed one can be told and removed (D5)."""

import contextlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from policypal.domain.private import is_running

_NAME = re.compile(r"policypal-(\d+)-.+")
_log = logging.getLogger(__name__)


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A folder for one piece of work, removed at its end."""
    with tempfile.TemporaryDirectory(prefix=f"policypal-{os.getpid()}-") as folder:
        yield Path(folder)


def remove_abandoned(*, older_than_seconds: float) -> int:
    """Remove the folders of processes that are no more; how many there were. Young ones are left alone: a container that
    shares the folder has process numbers of its own."""
    latest = time.time() - older_than_seconds
    abandoned = [f for f in Path(tempfile.gettempdir()).glob("policypal-*-*") if _is_abandoned(f, latest)]
    for folder in abandoned:
        shutil.rmtree(folder, ignore_errors=True)  # somebody else's folder is theirs to remove
    if abandoned:
        _log.info("removed %s temporary folders of processes that were killed", len(abandoned))
    return len(abandoned)


def _is_abandoned(folder: Path, latest: float) -> bool:
    match = _NAME.fullmatch(folder.name)
    if match is None or is_running(int(match[1])):
        return False
    with contextlib.suppress(FileNotFoundError):  # another process was faster
        return folder.stat().st_mtime <= latest
    return False
