"""Documents of the library and the passages they are read as (section D)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from policypal.domain.provisions import Kind
from policypal.errors import PolicyPalError


class DocumentType(StrEnum):
    """Who speaks in the document (D1)."""

    REGULATORY = "regulatory"
    COMPANY = "company"

    @property
    def label(self) -> str:
        return "Regulatory Source" if self is DocumentType.REGULATORY else "Company Policy"


class DocumentStatus(StrEnum):
    """Where a document stands on its way into the library (D4)."""

    QUEUED = "queued"
    EXTRACTING = "extracting"
    RECOGNISING = "recognising"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    READY = "ready"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        return self in (DocumentStatus.READY, DocumentStatus.FAILED)


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """A named, coloured group of documents (D2). ``colour`` is one of :data:`SET_COLOURS`."""

    id: str
    name: str
    colour: str


SET_COLOURS: tuple[str, ...] = (
    "#3B82F6", "#8B5CF6", "#EC4899", "#EF4444", "#F59E0B", "#10B981", "#14B8A6", "#64748B",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """One document of one user. ``progress`` is in [0, 1]; ``sha256`` is of the raw file's bytes. ``is_titled`` says that
    somebody gave the title; otherwise it is the file's name until the document's own title is read (D1). ``ocr_pages`` are
    the numbers of the pages whose text was recognised on their picture (D7), ``embedding_models`` the models whose vectors it has in
    full (R3), ``reader_version`` that of the reader that made its provisions (D11). ``unlocked_key`` is the storage key of a copy
    that opens without a password or has a recognised text layer. ``guessed_encoding`` names the encoding of a text that does not
    tell its own: its special characters may be wrong (D14)."""

    id: str
    title: str
    version: str
    type: DocumentType
    filename: str
    media_type: str
    sha256: str
    size_bytes: int
    storage_key: str
    status: DocumentStatus
    created_at: datetime
    set_id: str | None = None
    set_name: str | None = None
    set_colour: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    reason: str | None = None
    reason_code: str | None = None
    progress: float = 0.0
    pages: int = 0
    pages_without_text: int = 0
    chunks: int = 0
    embedding_models: tuple[str, ...] = ()
    previous_version_id: str | None = None
    is_sample: bool = False
    is_titled: bool = True
    ocr_pages: tuple[int, ...] = ()
    queued_at: datetime | None = None
    finished_at: datetime | None = None
    unlocked_key: str | None = None
    reader_version: int = 0
    guessed_encoding: str = ""

    @property
    def readable_key(self) -> str:
        """The storage key of the file that can be read."""
        return self.unlocked_key or self.storage_key

    @property
    def display_title(self) -> str:
        """ "Title (Version)", as the library and citations show it (D3)."""
        return f"{self.title} ({self.version})" if self.version else self.title


@dataclass(frozen=True, slots=True)
class DeletedDocument:
    """A document that can still be taken back (D10). ``files`` are the storage keys of all its files."""

    document: Document
    deleted_at: datetime
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextMatch:
    """Where a document says what was searched for: its best passage and that passage's page. Higher ``score`` is better."""

    passage_id: str
    page: int
    score: float


@dataclass(frozen=True, slots=True)
class Page:
    """The stored, normalised text of one page; ``number`` starts at 1. Offsets everywhere are code points into ``text``."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of one page, or a part of a provision: ``text == page.text[start:end]`` (D6). ``ordinal`` counts chunks in reading order
    from 0, provisions from 1. Of a provision's part, ``label`` is how one cites it, ``introduction`` the words that govern a list it begins
    in, ``scope`` whom a line above it limits it to, ``kinds`` what its sentences are, and ``heading`` the two innermost headings, a line each."""

    id: str
    document_id: str
    document_title: str
    document_version: str
    document_type: DocumentType
    ordinal: int
    page: int
    start: int
    end: int
    heading: str | None
    text: str
    label: str = ""
    introduction: str = ""
    scope: str = ""
    kinds: frozenset[Kind] = frozenset()

    @property
    def document_label(self) -> str:
        return f"{self.document_title} ({self.document_version})" if self.document_version else self.document_title


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage that answers a search: ``score`` is the hybrid score in [0, 1] relative to the best hit,
    ``similarity`` the cosine in [−1, 1], ``coverage`` the idf-weighted share of the query's terms in it, [0, 1]."""

    passage: Passage
    score: float
    similarity: float
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, or one found in an archive. ``path`` is how people know it ("rules.zip/2024/a.pdf"), ``folder`` where it lay in
    what was handed in. ``read`` works until the next one is asked for and raises ``problem`` where there is one."""

    path: str
    folder: tuple[str, ...]
    read: Callable[[], bytes] = field(repr=False)
    problem: PolicyPalError | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def refused(path: str, folder: tuple[str, ...], problem: PolicyPalError) -> FoundFile:
    """A file that cannot be read, for the reason given."""

    def read() -> bytes:
        raise problem

    return FoundFile(path, folder, read, problem)
