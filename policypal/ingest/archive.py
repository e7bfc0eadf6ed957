"""Files inside what was handed in: archives are opened, but as parcels from a stranger (D1, D7).

A zip is read from its file, one member at a time. What it claims about itself is believed only where a lie cannot hurt: a
member is unpacked in blocks, never further than its directory entry says, so the sizes in the directory are what is bounded.
"""

import contextlib
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from policypal.domain.documents import FoundFile, refused
from policypal.domain.text import storable
from policypal.errors import (
    ArchiveRefused,
    DamagedDocument,
    DocumentRejected,
    DocumentTooLarge,
    PasswordRequired,
    StorageError,
)
from policypal.ingest.sniff import is_packed_document, zip_names

_HARMLESS_BYTES = 10 << 20
"""A member that unpacks to less is no bomb, however well it is packed."""
_CLUTTER = frozenset(("__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "icon\r"))
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_BLOCK = 1 << 20
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How a member may be packed: Python unpacks the other methods without a bound on what one block grows to."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError)
_LOCKED = (
    "This file is protected by a password inside the archive. Please unpack the archive and upload the file itself."
)
_DAMAGED_MEMBER = "This file is damaged inside the archive. Please pack the archive again, or upload the file itself."
_DAMAGED_ARCHIVE = "This archive is damaged or incomplete. Please pack or transfer it again."
_UNKNOWN_PACKING = (
    "This file is packed in a way that is not supported. Please pack the archive again as an ordinary ZIP."
)
_NO_ROOM = "This archive could not be unpacked ({reason}). Nothing of it was stored; please try again."
_TOO_DEEP = (
    "Archives inside archives are opened {depth} levels deep. Please unpack this one and upload the files in it."
)
_BOMB = "This file would grow to more than {ratio} times its packed size, as only files made to do harm do. It was left out."


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What is taken from one archive, with everything inside it. ``depth`` 2: an archive inside an archive is opened, one
    inside that is not. ``ratio`` is unpacked to packed size of one file."""

    member_mb: int = 100
    total_mb: int = 2000
    members: int = 2000
    ratio: int = 200
    depth: int = 2


def files_in(name: str, file: BinaryIO, limits: ArchiveLimits) -> Iterator[FoundFile]:
    """The file itself or, if it is an archive, the files in it. ``name`` may hold the folders it was found in.

    Directories and what operating systems leave behind are passed over; what cannot be unpacked comes with its ``problem``,
    so that one bad file never holds up the others.
    """
    *folder, base = path_parts(name) or ["file"]
    if is_archive(base, file):
        yield from _opened("/".join((*folder, base)), tuple(folder), file, _Budget(limits), 1)
    else:
        yield _whole("/".join((*folder, base)), tuple(folder), file, limits)


def is_archive(name: str, file: BinaryIO) -> bool:
    """Whether a file is a zip of files. Word documents are zips too, but documents. Of a damaged one its name tells."""
    try:
        names = zip_names(file)
    except DocumentRejected:
        return True
    return name.lower().endswith(".zip") if names is None else not is_packed_document(names)


def path_parts(path: str) -> list[str]:
    """The folders and the name in a path from somewhere else. One that tries to leave its folder is reduced to its name."""
    parts = [p for p in storable(path).replace("\\", "/").split("/") if p.strip() and p != "."]
    parts = ["".join(c for c in part if c.isprintable() or c in "\u200c\u200d") for part in parts]
    if path.startswith(("/", "\\")) or ".." in parts or (parts and parts[0].endswith(":")):
        parts = [p for p in parts[-1:] if p != ".."]
    return parts


def is_clutter(parts: Sequence[str]) -> bool:
    """Whether a path is hidden or left behind by a system or an office program, and nobody's document."""
    return any(p.startswith(".") or p.lower() in _CLUTTER for p in parts) or parts[-1].startswith("~$")


def size_problem(size: int, limit_mb: int) -> DocumentTooLarge | None:
    """What is said about a file of so many bytes, if it is too large."""
    if size <= limit_mb << 20:
        return None
    return DocumentTooLarge(f"This file has {size / 1048576:,.0f} MB; the limit is {limit_mb} MB.")


@dataclass(slots=True)
class _Budget:
    """What may still be taken from one archive and those inside it."""

    limits: ArchiveLimits
    members: int = 0
    bytes: int = 0

    def take(self, infos: Sequence[zipfile.ZipInfo]) -> ArchiveRefused | None:
        members, size = len(infos), sum(info.file_size for info in infos)
        if self.members + members > self.limits.members:
            return ArchiveRefused(
                f"An archive can hold at most {self.limits.members:,} files. Please upload it in parts."
            )
        if self.bytes + size > self.limits.total_mb << 20:
            return ArchiveRefused(
                f"An archive can unpack to at most {self.limits.total_mb:,} MB. Please upload it in parts."
            )
        self.members += members
        self.bytes += size
        return None


def _whole(path: str, folder: tuple[str, ...], file: BinaryIO, limits: ArchiveLimits) -> FoundFile:
    problem = size_problem(file.seek(0, 2), limits.member_mb)

    def read() -> bytes:
        file.seek(0)
        return file.read()

    return refused(path, folder, problem) if problem else FoundFile(path, folder, read)


def _opened(path: str, folder: tuple[str, ...], file: BinaryIO, budget: _Budget, depth: int) -> Iterator[FoundFile]:
    """The files in an archive, or the archive itself with what is wrong with it."""
    try:
        if zip_names(file) is None:
            raise DamagedDocument(_DAMAGED_ARCHIVE)
        if depth > budget.limits.depth:
            raise ArchiveRefused(_TOO_DEEP.format(depth=budget.limits.depth))
    except DocumentRejected as problem:
        yield refused(path, folder, problem)
        return
    with zipfile.ZipFile(file) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if refusal := budget.take(infos):
            yield refused(path, folder, refusal)
            return
        for info in infos:
            yield from _member(path, folder, archive, info, budget, depth)


def _member(
    path: str, folder: tuple[str, ...], archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: _Budget, depth: int
) -> Iterator[FoundFile]:
    parts = path_parts(_member_name(info))
    if not parts or is_clutter(parts):
        return
    path, folder = "/".join((path, *parts)), (*folder, *parts[:-1])
    if problem := _problem(info, budget.limits):
        yield refused(path, folder, problem)
    elif not _may_be_archive(archive, info, parts[-1]):
        yield FoundFile(path, folder, partial(_unpacked, archive, info))
    else:
        yield from _inner(path, folder, archive, info, budget, depth)


def _inner(
    path: str, folder: tuple[str, ...], archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: _Budget, depth: int
) -> Iterator[FoundFile]:
    """The files in an archive inside an archive. It is unpacked to a file, so that it never fills the memory."""
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(tempfile.TemporaryFile(prefix="policypal-"))
            with archive.open(info) as member:
                shutil.copyfileobj(member, copy, _BLOCK)
        except OSError as error:
            yield refused(path, folder, StorageError(_NO_ROOM.format(reason=error.strerror)))
            return
        except _UNREADABLE:
            yield refused(path, folder, DamagedDocument(_DAMAGED_MEMBER))
            return
        if is_archive(path, copy):
            yield from _opened(path, folder, copy, budget, depth + 1)
        else:
            yield _whole(path, folder, copy, budget.limits)


def _problem(info: zipfile.ZipInfo, limits: ArchiveLimits) -> DocumentRejected | None:
    if info.flag_bits & _ENCRYPTED:
        return PasswordRequired(_LOCKED)
    if info.compress_type not in _BOUNDED:
        return ArchiveRefused(_UNKNOWN_PACKING)
    if info.file_size > _HARMLESS_BYTES and info.file_size > limits.ratio * max(1, info.compress_size):
        return ArchiveRefused(_BOMB.format(ratio=limits.ratio))
    return size_problem(info.file_size, limits.member_mb)


def _may_be_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bool:
    """Whether a member has to be unpacked to see if it is an archive. What is damaged says so when it is read."""
    if name.lower().endswith((".docx", ".xlsx", ".pptx")):
        return False
    try:
        with archive.open(info) as member:
            return member.read(2) == b"PK" or (name.lower().endswith(".zip") and info.file_size > 0)
    except _UNREADABLE:
        return False


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as member:
            return b"".join(iter(partial(member.read, _BLOCK), b""))
    except _UNREADABLE:
        raise DamagedDocument(_DAMAGED_MEMBER) from None


def _member_name(info: zipfile.ZipInfo) -> str:
    """A name not marked as UTF-8 is read as code page 437, as the format has it, unless it is UTF-8 all the same."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename
