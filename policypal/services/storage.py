"""Raw files: stored first, read later, deleted with their document (R5, D5)."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Protocol

from policypal.errors import NotFound, StorageError

_KEY = re.compile(r"^[0-9a-f-]{36}/[0-9a-f-]{36}/[A-Za-z0-9._-]{1,100}$")


class FileStore(Protocol):
    """Bytes by key. A key is "user id/document id/name", so that paths never cross users (X1)."""

    def put(self, key: str, data: bytes) -> None:
        """Store durably; replaces what was there.

        Raises:
            StorageError: it could not be stored; nothing half-written remains.
        """
        ...

    def get(self, key: str) -> bytes:
        """Raises:
        NotFound: there is no such file.
        StorageError: the store cannot be reached.
        """
        ...

    def delete(self, key: str) -> None:
        """Delete; a missing file is fine.

        Raises:
            StorageError: the store cannot be reached.
        """
        ...


def file_key(user_id: str, document_id: str, name: str) -> str:
    """The key of a document's file. ``name`` is chosen by PolicyPal, never by an uploader."""
    return f"{user_id}/{document_id}/{name}"


class LocalFileStore:
    """Files in a folder. A write goes to a temporary file first and is renamed, so a kill leaves old or new, never half."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError as error:
            raise StorageError(f"The file could not be stored ({error.strerror}). Nothing was changed.") from error

    def get(self, key: str) -> bytes:
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            raise NotFound("The original file is no longer in the store.") from None
        except OSError as error:
            raise StorageError from error

    def delete(self, key: str) -> None:
        path = self._path(key)
        try:
            path.unlink(missing_ok=True)
            if path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()
        except OSError as error:
            raise StorageError from error

    def _path(self, key: str) -> Path:
        if not _KEY.match(key):
            raise NotFound
        return self._folder / key
