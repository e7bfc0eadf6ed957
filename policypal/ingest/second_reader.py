"""pypdf as the second extractor, and as the judge of files that pdfium does not open (D6)."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pypdf

from policypal.errors import DamagedDocument, PasswordRequired
from policypal.ingest.pdf import password_needed
from policypal.ingest.titles import sensible_title


class SecondReader:
    """A PDF opened with pypdf.

    Raises:
        PasswordRequired: it needs a password, or another one than given.
        DamagedDocument: it cannot be opened, or its list of pages is incomplete.
    """

    def __init__(self, path: Path, password: str | None) -> None:
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        try:
            self._reader = pypdf.PdfReader(path, strict=False)
            if self._reader.is_encrypted and not self._reader.decrypt(password or ""):
                raise password_needed(password)
            self.page_count = len(self._reader.pages)
        except (PasswordRequired, MemoryError):
            raise
        except Exception as error:  # pypdf fails on damaged files with many classes besides its own
            raise DamagedDocument() from error

    @property
    def title(self) -> str | None:
        """The title in the file's metadata, where it is sensible."""
        try:
            return sensible_title((self._reader.metadata and self._reader.metadata.title) or "")
        except Exception:  # noqa: BLE001 - a damaged metadata object must not cost the readable pages
            return None

    def text(self, index: int) -> str:
        """The raw text of a page; empty where it cannot be read, which the caller counts."""
        try:
            return self._reader.pages[index].extract_text()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - one unreadable page is reported as such, the others are kept
            return ""

    def texts(self) -> Iterator[str]:
        """The raw text of every page in order. Raises DamagedDocument: a page itself is missing, so page numbers
        could not be trusted."""
        for index in range(self.page_count):
            try:
                page = self._reader.pages[index]
            except Exception as error:
                raise DamagedDocument() from error
            if page.get("/Type") != "/Page":
                raise DamagedDocument()
            yield self.text(index)
