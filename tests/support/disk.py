"""A disk on which nothing of any size can be written."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(bytes_left: int = 200_000) -> Iterator[None]:
    """The system refuses to write beyond ``bytes_left`` into any file of this process, as a full disk or a quota does; the
    database, a process of its own, goes on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
