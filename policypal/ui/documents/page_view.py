"""A page of a document with the cited passage marked, as picture and as text (C3, D9)."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import streamlit as st

from policypal.application import library, reading
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.notes import PageProvision
from policypal.domain.provisions import Provision
from policypal.domain.reading import OpenPage, OutlineEntry, PageEntry, PageImage
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.html import html
from policypal.ui.markup import plain, text
from policypal.ui.places import Place

_LARGE = 1460
"""Pixels; wider pictures are made smaller by Streamlit, at every draw."""
_TEXT_HEIGHT, _PART_HEIGHT = 380, 230
_HOW_TO_READ_A_SCAN = (
    " A scan is read when it is added where text recognition (OCR) is; the command “make ocr” adds that."
)
_NOT_HERE = "The passage does not stand on this page as it was quoted."


def show(app: Container, user: User, place: Place, *, key: str = "page_view", around: bool = False) -> None:
    """The page as a picture, or with ``around`` the part around the passage, and the way to the whole document; the text of the page
    where its format has no pages to draw."""
    with errors.shown(), st.container(key=key):
        document = library.get_document(app, user, place.document_id)
        page = open_page(app, user, place)
        st.page_link(
            "pages/documents.py",
            label="Open the document here",
            icon=":material/menu_book:",
            query_params=place.query(),
        )
        if reading.has_pictures(document):
            picture(app, user, document, page, quote=place.quote, around=around)
        else:
            with st.container(height=_PART_HEIGHT if around else _TEXT_HEIGHT):
                show_text(document, page)


def open_page(app: Container, user: User, place: Place) -> OpenPage:
    """Raises NotFound: no such document or page."""
    return reading.open_page(
        app, user, place.document_id, place.page, quote=place.quote, start=place.start, end=place.end
    )


def picture(
    app: Container,
    user: User,
    document: Document,
    page: OpenPage,
    *,
    quote: str = "",
    is_large: bool = False,
    around: bool = False,
) -> None:
    """Draw the page of a document that has pictures; ``around``: the part around the passage."""
    wanted = page.passage or quote
    image = _image(
        app, user, user.id, document.id, (document.sha256, document.ocr_pages), page.number, wanted,
        round(page.depth, 3), _LARGE if is_large else reading.PAGE_WIDTH, around,
    )  # fmt: skip
    marked = ", with the passage highlighted" if image.boxes else ""
    alt = f"Page {page.number} of {document.display_title}{marked}"
    st.image(
        image.png, width="stretch", output_format="PNG", alt=alt
    )  # as it is: "auto" makes a JPEG of it at every draw
    if wanted and not image.boxes:
        st.caption(
            "The passage is marked in the text only: it cannot be located on the picture." if page.span else _NOT_HERE
        )


def show_text(
    document: Document, page: OpenPage, provisions: Sequence[PageProvision] = (), chosen: Collection[int] = ()
) -> None:
    """The stored text of a page with the passage marked, and what is to be known about it. The ``provisions`` get a handle each,
    which tells "provision" and its number; the ``chosen`` ones and those with notes are marked."""
    if page.number in document.ocr_pages:
        st.caption(
            ":material/document_scanner: Recognised on the picture of the page (OCR). Check it against the page."
        )
    if not page.text.strip():
        hint = "" if document.ocr_pages else _HOW_TO_READ_A_SCAN
        st.caption(f"PolicyPal found no text on this page, so nothing on it can be searched or cited.{hint}")
        return
    st.html(
        f'<div class="pp-page-text" lang="" role="region" tabindex="0" aria-label="Text of page {page.number}">{marked(page, provisions, chosen)}</div>'
    )


def marked(page: OpenPage, provisions: Sequence[PageProvision] = (), chosen: Collection[int] = ()) -> str:
    """Escaped text with the passage in a ``<mark>``, which comes into view by itself; provisions with their handles."""
    handles = {p.start: _handle(p.provision, is_chosen=p.provision.ordinal in chosen) for p in provisions}
    edges = {0, len(page.text), *(page.span or ()), *(edge for p in provisions for edge in (p.start, p.end))}
    pieces = (handles.get(a, "") + _piece(page, a, b, provisions, chosen) for a, b in pairwise(sorted(edges)))
    return "".join(pieces)


def _piece(page: OpenPage, start: int, end: int, provisions: Sequence[PageProvision], chosen: Collection[int]) -> str:
    """A part of the text that no border cuts."""
    words = text(page.text[start:end])
    if page.span and page.span[0] <= start < page.span[1]:
        reveal = (
            f' data-pp-reveal="passage:{page.number}:{page.span[0]}:{page.span[1]}"' if start == page.span[0] else ""
        )
        words = f"<mark{reveal}>{words}</mark>"
    of = next((p for p in provisions if p.start <= start < p.end), None)
    kind = "pp-chosen" if of and of.provision.ordinal in chosen else "pp-noted" if of and of.notes else ""
    return f'<span class="{kind}">{words}</span>' if kind else words


def _handle(provision: Provision, *, is_chosen: bool) -> str:
    name = text(f"Choose {provision.label or 'this provision'} for a note or a question")
    return (
        f'<button type="button" class="pp-handle" data-pp-open="provision:{provision.ordinal}" aria-label="{name}"'
        f' aria-pressed="{str(is_chosen).lower()}"></button>'
    )


def no_longer_there(title: str) -> str:
    """Why a citation cannot be opened (D10)."""
    return f"**{plain(title)}** is no longer in your library. The quote was kept; its page cannot be opened."


@st.cache_data(show_spinner="Drawing the page …", max_entries=64)
def _image(
    _app: Container, _user: User, user_id: str, document_id: str, version: tuple[object, ...], page: int, quote: str,
    depth: float, width: int, around: bool,
) -> PageImage:  # fmt: skip
    """Drawing takes a child process. One copy per user, so that nobody can be handed what somebody else may see; ``version``
    changes with the file."""
    return reading.page_image(_app, _user, document_id, page, quote or None, depth=depth, width=width, around=around)


LIST_CLICKS, HIT_CLICKS = "page", "hit"
_OUTLINE, _PAGES = "Outline", "Pages"
_LEAST_OUTLINE = 4
_WINDOW = 200
"""Lines shown at once; the part of the list moves along with the page that is open."""


def show_list(
    entries: Sequence[PageEntry], outline: Sequence[OutlineEntry], number: int, recognised: Collection[int]
) -> None:
    """The outline, where there is one worth the name, or the list of the pages around page ``number``; a click is told by ``clicks`` as
    ("page", number)."""
    with st.sidebar:
        chosen = _OUTLINE if len(outline) >= _LEAST_OUTLINE else _PAGES
        if chosen == _OUTLINE:
            chosen = st.segmented_control(
                "What the list shows", [_OUTLINE, _PAGES], default=_OUTLINE, required=True, label_visibility="collapsed", key=state.READER_LIST
            )  # fmt: skip
        else:
            st.html('<div class="pp-group pp-pages-title">Pages</div>')
        with st.container(key="page_list"):
            html(outline_html(outline, number) if chosen == _OUTLINE else list_html(entries, number, recognised))


def outline_html(outline: Sequence[OutlineEntry], number: int) -> str:
    """The headings around page ``number`` as safe HTML; the first on the page, or the one it goes on with, is the current one."""
    here = next((n for n, e in enumerate(outline) if e.page >= number), len(outline) - 1)
    current = here if outline[here].page <= number else max(0, here - 1)

    def heading(place: int) -> str:
        entry = outline[place]
        told = counted(entry.duties, "obligation or prohibition", "obligations and prohibitions")
        duties = f' <i title="{told}" aria-label="{told}">{entry.duties}</i>' if entry.duties else ""
        reveal = f"outline:{place}" if place == current else ""
        return _line(entry.page, str(entry.page), entry.title, duties, reveal=reveal, depth=entry.depth)

    return _part("Outline of this document", "headings", [e.page for e in outline], current, heading)


def list_html(entries: Sequence[PageEntry], number: int, recognised: Collection[int]) -> str:
    """The part of the list of pages around page ``number`` as safe HTML."""

    def row(place: int) -> str:
        page = entries[place]
        sign = "" if page.has_text else " <i>no text</i>"
        sign += " <i>OCR</i>" if page.number in recognised else ""
        reveal = f"{LIST_CLICKS}:{number}" if page.number == number else ""
        return _line(page.number, str(page.number), page.opening, sign, reveal=reveal)

    return _part("Pages of this document", "pages", [e.number for e in entries], number - 1, row)


def _part(label: str, what: str, pages: Sequence[int], current: int, line: Callable[[int], str]) -> str:
    """The lines around the ``current`` one, and the ways to those before and after; ``pages`` are where the lines lead."""
    first = current // _WINDOW * _WINDOW
    last = min(len(pages), first + _WINDOW)
    rows = [line(place) for place in range(first, last)]
    if first:
        rows.insert(0, _line(pages[first - 1], "…", f"Earlier {what}"))
    if last < len(pages):
        rows.append(_line(pages[last], "…", f"Later {what}"))
    return f'<nav class="pp-pages" aria-label="{label}"><ol>{"".join(rows)}</ol></nav>'


def _line(page: int, sign: str, words: str, marks: str = "", *, reveal: str = "", depth: int = 0) -> str:
    """A line that leads to a page; the current one comes into view, and is revealed under that name."""
    here = f' aria-current="page" data-pp-reveal="{reveal}"' if reveal else ""
    return (
        f'<li style="padding-left:{depth * 0.7:.1f}rem"><button type="button" title="{text(words)}"'
        f' data-pp-open="{LIST_CLICKS}:{page}"{here}><b>{sign}</b> <span>{text(words)}</span>{marks}</button></li>'
    )
