"""What a document calls itself: metadata where it is sensible, else its most prominent line (D1)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policypal.ingest.sniff import PDF
from policypal.text.headings import is_heading

MAX_TITLE_CHARACTERS = 300
_LONG_TITLE = 120
_CAPITALISED = r"(?:[A-Z][\w’'-]*|of|and|the|on|for|in)"
_SHORT_NAME = re.compile(rf"\(([A-Z][\w’'-]*(?: {_CAPITALISED})+)\)(?:\s*\([^()]{{0,60}}\))?\W*$")
_NUMBERED = re.compile(r"[^\d,;.]{0,60}\d+/\d+(?:/[A-Z]{2,3})?")
_EDITION = re.compile(
    r"\b(?:version|edition|revision)(?: no\.?| number)?[ \t]*:?[ \t]+v?(\d{1,4}(?:\.\d{1,3}){0,3})(?![\w/-])",
    re.IGNORECASE,
)
_EDITION_WITHIN = 2_000
"""Characters; further on a text speaks of other documents' versions."""
_JOINERS = "\u200c\u200d"
"""Invisible, but part of words in Persian and Hindi, and of many emoji."""
_OFFICE_PREFIX = re.compile(r"^(?:Microsoft (?:Word|PowerPoint|Excel)|Word|PowerPoint|Slide)\s*-\s*", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"\.(?:docx?|dotx?|pdf|rtf|odt|indd|qxd|pptx?|xlsx?|txt|tex|dvi|html?|pmd|fm|wpd)\b", re.IGNORECASE
)
_JUNK = re.compile(
    r"(?:untitled|document|dokument|no title|title|slide|presentation|powerpoint presentation|layout|template|scan|"
    r"scanned document|scanned image|print|output|(?:new|blank|untitled|unnamed) document|full page photo|none|null|test|"
    r"(?:new )?(?:microsoft |ms |google )?(?:office )?(?:word|excel|powerpoint|docs?|sheets?|slides?|acrobat|pdf|text)"
    r"(?: (?:document|file|template|workbook|presentation))?)[\s\d()_.-]*",
    re.IGNORECASE,
)


def sensible_title(metadata: str) -> str | None:
    """A title from a file's metadata, unless it is a file name, a placeholder or what a converter left there."""
    title = " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in metadata).split())
    if _OFFICE_PREFIX.match(title) or _FILE_NAME.search(title) or _JUNK.fullmatch(title):
        return None
    letters = sum(c.isalpha() for c in title)
    if letters < 4 or letters < 0.3 * len(title.replace(" ", "")) or _is_code(title):
        return None
    return shortened(_by_short_name(re.sub(r"(?<=\d)/ (?=\d)", "/", title)))


def _by_short_name(title: str) -> str:
    """An act whose title is a sentence with its short name in brackets at the end, as the European Union drafts them, is called by that
    name and its number: "General Data Protection Regulation – Regulation (EU) 2016/679"."""
    named = _SHORT_NAME.search(title) if len(title) > _LONG_TITLE else None
    if named is None:
        return title
    numbered = _NUMBERED.match(title)
    number = re.sub(r"[A-Z]{4,}", lambda word: word[0].capitalize(), numbered[0]) if numbered else ""
    return " – ".join(filter(None, (named[1], number)))


def _is_code(title: str) -> bool:
    """One word with digits, as an office gives its files; scripts without spaces between words are no codes."""
    return title.isascii() and " " not in title and bool(re.search(r"[\d_]", title))


def shortened(title: str) -> str:
    """What can be kept of a title, cut between words."""
    if len(title) <= MAX_TITLE_CHARACTERS:
        return title
    return title[:MAX_TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(" ,;:–-") + "…"


@dataclass(frozen=True, slots=True)
class OwnName:
    """What a file calls itself: its title, None where it has none, and the edition its first page names, "" where it names none."""

    title: str | None
    edition: str


def own_name(path: Path, media_type: str) -> dict[str, str | None]:
    """What a file calls itself (:class:`OwnName`), told from its metadata and first pages alone: the metadata's title, else the lines
    set in the largest type on the first page, else the first heading. For the child process. Raises
    PasswordRequired, DamagedDocument: it cannot be opened."""
    if media_type != PDF:
        from policypal.ingest.formats import opening_of

        told, opening = opening_of(path, media_type)
        return {"title": sensible_title(told) or first_heading([opening]), "edition": edition_in(opening)}
    from policypal.ingest.pdf import open_pdf, open_text, page_text

    document = open_pdf(path, None)
    title = (
        sensible_title(document.get_metadata_value("Title"))
        or prominent_title(open_text(document, 0))
        or first_heading([page_text(document, n).text.replace("\r\n", "\n") for n in range(min(3, len(document)))])
    )
    return {"title": title, "edition": edition_in(page_text(document, 0).text if len(document) else "")}


def edition_in(page: str) -> str:
    """The version or year that a first page gives the document: "Version 5.0", "Edition 2024"; the first one it names."""
    found = _EDITION.search(page[:_EDITION_WITHIN])
    return found[1] if found else ""


def first_heading(pages: Sequence[str]) -> str | None:
    """The first heading on the first three pages that reads like a title."""
    for page in pages[:3]:
        lines = [line for line in page.split("\n") if line.strip()][:40]
        for line, following in zip(lines, [*lines[1:], None], strict=False):
            if is_heading(line, following) and (title := sensible_title(line)):
                return title
    return None


def prominent_title(textpage: Any) -> str | None:
    """What the lines in the largest type say on an open first page of pdfium's; None if it is None, or all are of one size."""
    return sensible_title(" ".join(_prominent_lines(textpage)))


def _prominent_lines(textpage: Any) -> list[str]:
    from policypal.ingest.lines import split_lines
    from policypal.ingest.pdf import heights, is_readable

    raw = str(textpage.get_text_range()) if textpage else ""
    if not is_readable(raw):
        return []
    lines = [line for line in split_lines(raw[:8000]) if line.text][:80]
    sizes = heights(textpage, [line.pieces[0][1] for line in lines])
    if len(lines) < 3 or max(sizes) < 1.2 * sorted(sizes)[len(sizes) // 2]:
        return []
    return _largest_run([line.text for line in lines], sizes)


def _largest_run(lines: Sequence[str], sizes: Sequence[float]) -> list[str]:
    """The first run of up to four neighbouring lines of (nearly) the largest size that reads like a title."""
    worthy = [size for line, size in zip(lines, sizes, strict=True) if sum(c.isalpha() for c in line) >= 6]
    if not worthy:
        return []
    first = next(i for i, size in enumerate(sizes) if size >= 0.95 * max(worthy) and len(lines[i]) >= 6)
    last = first
    while last + 1 < len(lines) and last - first < 3 and abs(sizes[last + 1] - sizes[first]) <= 0.05 * sizes[first]:
        last += 1
    return list(lines[first : last + 1])
