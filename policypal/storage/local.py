"""Files in a folder of this machine (R5)."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from policypal.errors import DiskFull, NotFound, StorageError, is_no_space
from policypal.storage import StoredFile, checked_key, is_key


class LocalFileStore:
    """Files in a folder. A write goes to a temporary file first and is renamed, so a kill leaves old or new, never half."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, data)
        except OSError as error:
            with suppress(OSError):  # it holds other files
                path.parent.rmdir()
            if is_no_space(error):
                raise DiskFull from error
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
        except OSError as error:
            raise StorageError from error
        for folder in (path.parent, path.parent.parent):
            with suppress(OSError):  # it holds other files, or is gone already
                folder.rmdir()

    def files(self) -> Iterator[StoredFile]:
        for path in self._folder.glob("*/*/*"):
            key = path.relative_to(self._folder).as_posix()
            with suppress(FileNotFoundError):  # deleted since it was listed
                if is_key(key):
                    yield StoredFile(key, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def _path(self, key: str) -> Path:
        return self._folder / checked_key(key)


def _replace(path: Path, data: bytes) -> None:
    """``path`` holds ``data`` on the disk when this returns, and what it held before if this raises."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """A new name in a folder outlives a power cut only once the folder itself was written."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
