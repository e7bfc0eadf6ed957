"""Raw files: stored first, read later, deleted with their document (R5, D5)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from policypal.errors import NotFound

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_KEY = re.compile(rf"{_UUID}/{_UUID}/[A-Za-z0-9][A-Za-z0-9._-]{{0,99}}")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as the store lists it; ``modified`` has a time zone."""

    key: str
    modified: datetime


class FileStore(Protocol):
    """Bytes by key. A key is "user id/document id/name", so that paths never cross users (X1)."""

    def put(self, key: str, data: bytes) -> None:
        """Store durably; replaces what was there. A reader sees the old bytes or the new ones, never a part. Raises
        DocumentTooLarge: the store takes no file of this size; StorageError, DiskFull: it could not be stored; nothing
        half-written remains."""
        ...

    def get(self, key: str) -> bytes:
        """Raises NotFound: there is no such file; StorageError: the store cannot be reached."""
        ...

    def delete(self, key: str) -> None:
        """Delete; a missing file is fine. Raises StorageError: the store cannot be reached."""
        ...

    def files(self) -> Iterator[StoredFile]:
        """Every file of every user, for housekeeping. What does not look like a file of PolicyPal's is left out.
        Raises StorageError: the store cannot be reached."""
        ...


def file_key(user_id: str, document_id: str, name: str) -> str:
    """The key of a document's file. ``name`` is chosen by PolicyPal, never by an uploader."""
    return f"{user_id}/{document_id}/{name}"


def is_key(key: str) -> bool:
    """Whether this can be a file of PolicyPal's; nothing else is ever part of a path or an address."""
    return _KEY.fullmatch(key) is not None


def checked_key(key: str) -> str:
    """Raises NotFound: the key is none of PolicyPal's."""
    if not is_key(key):
        raise NotFound
    return key
