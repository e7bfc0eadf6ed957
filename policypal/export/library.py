"""The library list as a file (D10)."""

from collections.abc import Iterable
from datetime import UTC

from policypal.domain.documents import Document
from policypal.export.reports import csv_file

LIBRARY_COLUMNS = (
    "title", "version", "type", "set", "status", "reason", "pages", "pages_without_text", "passages", "aliases", "tags",
    "superseded_by", "file", "size_bytes", "added_utc", "sha256",
)  # fmt: skip


def library_csv(documents: Iterable[tuple[Document, str]]) -> bytes:
    """CSV as spreadsheets open it safely, a line per document in the given order; each comes with the title of the version
    that replaces it, or with an empty one."""
    return csv_file(LIBRARY_COLUMNS, (_row(d, superseded_by) for d, superseded_by in documents))


def _row(d: Document, superseded_by: str) -> tuple[object, ...]:
    return (
        d.title, d.version, d.type.label, d.set_name, d.status, d.reason, d.pages, d.pages_without_text, d.chunks,
        "; ".join(d.aliases), "; ".join(d.tags), superseded_by, d.filename, d.size_bytes,
        d.created_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"), d.sha256,
    )  # fmt: skip
