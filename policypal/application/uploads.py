"""Many files handed in at once: folders and archives opened, every file added on its own, whoever watches (D1, D5, D7).

An upload belongs to the process, not to the browser tab: clicking elsewhere, a second click on the button or a closed tab
neither stops nor repeats it. Each file is stored before the next one is looked at.
"""

import hashlib
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from policypal.application import intake, library
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.application.metadata import title_from_filename, version_in
from policypal.concurrency import started
from policypal.domain.documents import Document, FoundFile
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, PolicyPalError
from policypal.ingest.archive import ArchiveLimits, files_in
from policypal.ingest.archive import is_archive as is_archive
from policypal.ingest.archive import is_clutter as is_clutter
from policypal.ingest.extract import ExtractionLimits, own_name
from policypal.ingest.sniff import contradiction, detect_media_type
from policypal.ingest.titles import OwnName
from policypal.ingest.workspace import workspace

logger = logging.getLogger(__name__)

_TITLE_SECONDS = 5.0
_MOST_REMEMBERED = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: a document that was added, or the ``error`` why not. Of a duplicate, ``document`` is the
    existing one. ``sha256`` is None where the file could not be read. ``remark`` is worth knowing although nothing is wrong."""

    path: str
    sha256: str | None = None
    document: Document | None = None
    error: PolicyPalError | None = None
    remark: str = ""

    @property
    def is_added(self) -> bool:
        return self.error is None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an upload has come. ``total`` is the number of files that were seen when it began."""

    total: int
    outcomes: tuple[Outcome, ...]
    is_finished: bool
    current: str = ""


@dataclass(slots=True)
class _Upload:
    total: int
    outcomes: list[Outcome] = field(default_factory=list)
    current: str = ""
    finished: threading.Event = field(default_factory=threading.Event)


class Uploads:
    """What this process is taking in, and what it took in lately: by user and by the id its page gave it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str], _Upload] = {}

    def find(self, user: User, upload_id: str) -> _Upload | None:
        return self._held.get((user.id, upload_id))

    def begin(self, user: User, upload_id: str, total: int) -> _Upload | None:
        """The new upload; None if one with this id has begun already."""
        with self._lock:
            if (user.id, upload_id) in self._held:
                return None
            for old in [k for k, d in self._held.items() if d.finished.is_set()][:-_MOST_REMEMBERED]:
                del self._held[old]
            upload = self._held[user.id, upload_id] = _Upload(total)
            return upload


def found_in(app: Container, name: str, file: BinaryIO) -> Iterator[FoundFile]:
    """The file, or the files in the archive it is (:mod:`policypal.ingest.archive`), each as large as one handed in by itself can be."""
    return files_in(name, file, ArchiveLimits(member_mb=app.settings.max_upload_mb))


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file that was looked at before it is added: its path, the folder it lies in, what it calls itself, else its name, the ``edition`` on its
    first page, or why it cannot be added. ``existing_id`` is the document with the same bytes (D7)."""

    path: str
    folder: tuple[str, ...] = ()
    title: str = ""
    problem: str = ""
    existing_id: str = ""
    edition: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def version(self) -> str:
        """The year or version number in the file's name, else on its first page, if its title does not say it."""
        named = version_in(self.name, self.title) if self.title else ""
        return named or (self.edition if self.edition not in self.title else "")


def look(app: Container, user: User, file: FoundFile) -> SeenFile:
    """Look at a file for the one who hands it in (D1). What a first look cannot tell is told when the file is added."""
    try:
        data = file.read()
        media_type = detect_media_type(data, file.name)
        intake.check_is_new(app, user, data)
    except DuplicateDocument as duplicate:
        return SeenFile(file.path, file.folder, problem=duplicate.message, existing_id=duplicate.existing_id)
    except PolicyPalError as problem:
        return SeenFile(file.path, file.folder, problem=problem.message)
    own = _own_name(data, media_type)
    return SeenFile(file.path, file.folder, own.title or title_from_filename(file.name), edition=own.edition)


def _own_name(data: bytes, media_type: str) -> OwnName:
    try:
        with workspace() as folder:
            path = folder / "document"
            path.write_bytes(data)
            return own_name(path, media_type, limits=ExtractionLimits(seconds=_TITLE_SECONDS))
    except (PolicyPalError, OSError):  # damaged, locked or endless: the reading of the document says which
        return OwnName(None, "")


def add_file(app: Container, user: User, file: FoundFile, details: Upload) -> Outcome:
    """Add one file as ``details`` describe it; whatever is wrong with it is its own outcome and no exception."""
    sha256 = None
    try:
        data = file.read()
        sha256 = hashlib.sha256(data).hexdigest()
        document = intake.add_document(app, user, replace(details, filename=file.name, data=data))
        return Outcome(file.path, sha256, document, remark=contradiction(document.media_type, file.name))
    except DuplicateDocument as duplicate:
        return Outcome(file.path, sha256, library.get_document(app, user, duplicate.existing_id), duplicate)
    except PolicyPalError as error:
        return Outcome(file.path, sha256, error=error)
    except Exception:  # the other files must get their turn; the log says what it was
        logger.exception("a file could not be added")
        return Outcome(file.path, sha256, error=PolicyPalError())


def start(app: Container, user: User, upload_id: str, files: Iterable[FoundFile], details: Sequence[Upload]) -> bool:
    """Add files in the background, each as the entry of ``details`` at its place describes it; False if this upload has
    begun already. ``files`` are read one at a time."""
    upload = app.uploads.begin(user, upload_id, len(details))
    if upload is None:
        return False

    def take_in() -> None:
        try:
            for file, described in zip(files, details, strict=False):
                upload.current = file.path
                upload.outcomes.append(add_file(app, user, file, described))
        except Exception:  # the page tells how many files were not looked at
            logger.exception("an upload ended early")
        finally:
            upload.finished.set()

    started(take_in, "policypal-upload")
    return True


def follow(app: Container, user: User, upload_id: str, *, wait_seconds: float = 0.0) -> Progress | None:
    """How far an upload of this user has come, once it is finished or so long was waited; None if the process does not
    know it."""
    upload = app.uploads.find(user, upload_id)
    if upload is None:
        return None
    finished = upload.finished.wait(wait_seconds)  # asked first: whatever was appended before it is seen
    return Progress(upload.total, tuple(upload.outcomes), finished, upload.current)
