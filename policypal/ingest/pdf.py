"""Reading PDFs inside the child process: pdfium first, pypdf where it finds nothing (D6, D7)."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from policypal.errors import DamagedDocument, DocumentTooLarge, EmptyDocument, PasswordRequired
from policypal.ingest.beside import has_core_for_it, work_beside
from policypal.ingest.document import ExtractionLimits
from policypal.ingest.normalise import normalise_pages
from policypal.ingest.rows import rows_together
from policypal.ingest.titles import first_heading, prominent_title, sensible_title

if TYPE_CHECKING:
    from policypal.ingest.second_reader import SecondReader

Emit = Callable[[dict[str, Any]], None]

MAX_OUTLINE_ENTRIES = 2000
MAX_PAGE_CHARACTERS = 500_000
_LONG = 24
"""Pages from which on a second process gains more than opening the document once more costs."""
MAX_SECOND_FAILURES = 3
"""A document's fonts fail together: after this many pages that neither reader can read, the slow one is not asked again."""
# Control characters and private-use code points: a font without a usable character map prints these.
_GIBBERISH = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uefff\uf100-\uf8ff\ufffd]+")
# What pypdf prints for such fonts: "/g4/g5".
_GLYPH_NAMES = re.compile(r"/(?:[gGcC]|cid|uni|glyph)\d+")
_BLANKS = " \r\n\t\x00\xa0\ufffe"


def read_pdf(path: Path, password: str | None, limits: ExtractionLimits, emit: Emit) -> None:
    """Read a whole PDF and emit its progress, pages and summary. Raises PasswordRequired, DamagedDocument,
    EmptyDocument, DocumentTooLarge."""
    raw, summary = _read(path, password, limits, emit)
    pages = [page.text for page in normalise_pages(raw, [title for title, _ in summary["outline"]])]
    for number, text in enumerate(pages, 1):
        emit({"page": number, "text": text})
    emit({**summary, "title": summary["title"] or first_heading(pages)})


def _read(path: Path, password: str | None, limits: ExtractionLimits, emit: Emit) -> tuple[list[str], dict[str, Any]]:
    try:
        document = open_pdf(path, password)
    except DamagedDocument:
        from policypal.ingest.second_reader import SecondReader

        rescued = SecondReader(path, password)
        check_page_count(rescued.page_count, limits)
        texts = list(_progress(rescued.texts(), rescued.page_count, limits, emit))
        return texts, {"title": rescued.title, "outline": [], "pictures": [], "illegible": []}
    check_page_count(len(document), limits)
    first = open_text(document, 0)
    title = sensible_title(document.get_metadata_value("Title")) or prominent_title(first)
    unread: dict[int, bool] = {}
    raw = list(_progress(_texts(document, first, path, password, unread), len(document), limits, emit))
    pictures = [n for n, illegible in unread.items() if not illegible]
    illegible = [n for n, illegible in unread.items() if illegible]
    images = any(_holds(document, number - 1, pdfium_c.FPDF_PAGEOBJ_IMAGE) for number in pictures)
    return raw, {
        "title": title, "outline": _outline(document), "pictures": pictures, "illegible": illegible, "has_images": images,
    }  # fmt: skip


def open_pdf(source: Path | bytes, password: str | None) -> pdfium.PdfDocument:
    """Open a PDF with pdfium; the empty password is always tried.

    Raises:
        PasswordRequired: it needs a password, or another one than given.
        DamagedDocument: it cannot be opened.
    """
    try:
        return pdfium.PdfDocument(source, password=password)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise password_needed(password) from None
        raise DamagedDocument() from None


def decrypted(path: Path, password: str) -> dict[str, str]:
    """The same PDF without encryption, in base 64. Raises PasswordRequired, DamagedDocument."""
    copy = io.BytesIO()
    open_pdf(path, password).save(copy, flags=pdfium_c.FPDF_REMOVE_SECURITY)
    return {"pdf": base64.b64encode(copy.getvalue()).decode()}


def pick(path: Path, pages: Sequence[int], target: str) -> None:
    """Write a PDF of just these pages (numbers from 1), in this order. Raises PasswordRequired, DamagedDocument."""
    copy = pdfium.PdfDocument.new()
    copy.import_pages(open_pdf(path, None), [page - 1 for page in pages])
    copy.save(target)


def replace(path: Path, copies: Sequence[tuple[Sequence[int], str]], target: str) -> None:
    """Write the PDF with pages replaced; each of ``copies`` names page numbers and the PDF that holds just those.
    Raises PasswordRequired, DamagedDocument."""
    document = open_pdf(path, None)
    for pages, copy in copies:
        source = open_pdf(Path(copy), None)
        for place, page in enumerate(pages):
            document.import_pages(source, [place], page - 1)
            document.del_page(page)
    document.save(target, flags=pdfium_c.FPDF_REMOVE_SECURITY)


def password_needed(given: str | None) -> PasswordRequired:
    """The question for a password, saying so when one was given that did not fit."""
    if not given:
        return PasswordRequired()
    return PasswordRequired("That password does not open this PDF. Please check it and try again.")


def check_page_count(count: int, limits: ExtractionLimits) -> None:
    """Raises EmptyDocument or DocumentTooLarge, with the numbers."""
    if count == 0:
        raise EmptyDocument("This PDF has no pages. Please check that the file is complete.")
    if count > limits.max_pages:
        raise DocumentTooLarge(
            f"This document has {count:,} pages; the limit is {limits.max_pages:,}. Please split it."
        )


def is_readable(text: str) -> bool:
    """Whether a page's text is words rather than the raw codes of a font without a character map."""
    visible = len(text) - sum(text.count(blank) for blank in _BLANKS)
    codes = _GIBBERISH.findall(text) + (_GLYPH_NAMES.findall(text) if "/" in text else [])
    return visible > 0 and sum(len(code) for code in codes) <= 0.3 * visible


def _progress(texts: Iterator[str], count: int, limits: ExtractionLimits, emit: Emit) -> Iterator[str]:
    characters = 0
    step = max(1, count // 50)
    for done, text in enumerate(texts, 1):
        characters += len(text)
        if len(text) > MAX_PAGE_CHARACTERS:
            raise DocumentTooLarge(f"Page {done} holds {len(text):,} characters, more than any page that can be read.")
        if characters > limits.max_characters:
            raise DocumentTooLarge(
                f"This document holds more than {limits.max_characters:,} characters. Please split it."
            )
        yield text
        if done % step == 0 or done == count:
            emit({"done_pages": done, "pages": count})


def _texts(
    document: pdfium.PdfDocument, first: pdfium.PdfTextPage | None, path: Path, password: str | None,
    unread: dict[int, bool],
) -> Iterator[str]:  # fmt: skip
    """The raw text of every page, of which the ``first`` is open already; empty where neither reader finds legible text. The
    numbers of such pages that are not simply blank go into ``unread``, with whether they hold text that cannot be made out."""
    second = None
    failures = 0
    for index, (text, is_legible, has_text, _) in enumerate(_raw_texts(document, first, path, password)):
        if not is_legible:
            text = ""
            if has_text and failures < MAX_SECOND_FAILURES:
                second = second or _second_reader(path, password)
                text = second.text(index) if second else ""
                text = text if is_readable(text) else ""
                failures = 0 if text else failures + 1
            if not text and (has_text or _holds(document, index)):
                unread[index + 1] = has_text
        yield text


def _raw_texts(
    document: pdfium.PdfDocument, first: pdfium.PdfTextPage | None, path: Path, password: str | None
) -> Iterator[RawText]:
    """What pdfium reads on every page. Of a long document every second page is read beside this process."""
    odd: Iterator[Any] = iter(())
    if len(document) >= _LONG and has_core_for_it():
        odd = work_beside(lambda: _odd_pages(path, password))
    for index in range(len(document)):
        found = next(odd, None) if index % 2 else None
        yield RawText(*found) if found else _read_and_close(open_text(document, index) if index else first)


def _odd_pages(path: Path, password: str | None) -> Iterator[RawText]:
    document = open_pdf(path, password)  # a file is read at one place at a time
    return (page_text(document, index) for index in range(1, len(document), 2))


def _holds(document: pdfium.PdfDocument, index: int, kind: int | None = None) -> bool:
    """Whether anything is drawn on a page, or anything of a ``kind``."""
    page = document[index]
    found = any(True for _ in page.get_objects([kind] if kind else None, max_depth=3 if kind else 1))
    page.close()
    return found


def _second_reader(path: Path, password: str | None) -> SecondReader | None:
    """pypdf's reader; None for a file that only pdfium can open: there is no second opinion then."""
    from policypal.ingest.second_reader import SecondReader

    try:
        return SecondReader(path, password)
    except (DamagedDocument, PasswordRequired):
        return None


class RawText(NamedTuple):
    """What pdfium reads on a page, the rows of a torn table put together: then ``places`` are the indexes of its characters in pdfium's text.
    Where it is not legible, ``has_more`` says that there may be text that pdfium did not find."""

    text: str
    is_legible: bool
    has_more: bool
    places: list[int] | None = None


def page_text(document: pdfium.PdfDocument, index: int) -> RawText:
    """The raw text of a page."""
    return _read_and_close(open_text(document, index))


def _read_and_close(textpage: pdfium.PdfTextPage | None) -> RawText:
    """The raw text of a page that is not needed any more."""
    if textpage is None:
        return RawText("", False, True)
    page, text = textpage.page, str(textpage.get_text_range())
    is_legible = is_readable(text)
    has_more = not is_legible and any(True for _ in page.get_objects([pdfium_c.FPDF_PAGEOBJ_TEXT], max_depth=3))
    text, places = rows_together(text, lambda start: _box(textpage, start)) or (text, None)
    textpage.close()
    page.close()
    return RawText(text, is_legible, has_more, places)


def open_text(document: pdfium.PdfDocument, index: int) -> pdfium.PdfTextPage | None:
    """The text of a page as pdfium holds it; None for a page that it cannot open."""
    try:
        return document[index].get_textpage()
    except pdfium.PdfiumError:
        return None


def _outline(document: pdfium.PdfDocument) -> list[tuple[str, int | None]]:
    entries: list[tuple[str, int | None]] = []
    for bookmark in document.get_toc(max_depth=6):
        if len(entries) >= MAX_OUTLINE_ENTRIES:
            break
        destination = bookmark.get_dest()
        index = destination.get_index() if destination else None
        entries.append((_one_line(bookmark.get_title()), None if index is None else index + 1))
    return [entry for entry in entries if entry[0]]


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def heights(textpage: pdfium.PdfTextPage, starts: Sequence[int]) -> list[float]:
    """The height, in points, of the characters at ``starts`` (text indexes) on a page."""
    return [found[2] if (found := _box(textpage, start)) else 0.0 for start in starts]


def _box(textpage: pdfium.PdfTextPage, start: int) -> tuple[float, float, float] | None:
    """The left edge, the top and the height, in points, of the character at ``start`` (a text index); None where it is not drawn."""
    try:
        left, bottom, _, top = textpage.get_charbox(
            pdfium_c.FPDFText_GetCharIndexFromTextIndex(textpage, start), loose=True
        )
    except pdfium.PdfiumError:
        return None
    return left, top, top - bottom
