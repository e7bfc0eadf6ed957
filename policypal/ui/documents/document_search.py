"""Searching inside the open document (D9)."""

import streamlit as st

from policypal.application import reading
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.reading import Hit, Hits
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, labels
from policypal.ui.markup import text
from policypal.ui.places import Place

CLICKS = "hit"
_SIZE = 50


def show(app: Container, user: User, document: Document, place: Place) -> None:
    """The field, and what it finds; a click on a hit is told by ``clicks`` and read by :func:`clicked_place`."""
    key = f"reader_search_{document.id}"
    words = st.text_input(
        "Search in this document", key=key, placeholder="Search in this document", label_visibility="collapsed",
        icon=":material/search:", max_chars=reading.MAX_SEARCHED_CHARACTERS,
    )  # fmt: skip
    if not (words or "").strip():
        return
    with errors.shown():
        count = reading.search(app, user, document.id, words or "", size=0)
        st.html(f'<div class="pp-muted" role="status">{_summary(count)}</div>')
        if count.total:
            window = labels.page_of(range(count.total), _SIZE, key=f"{key}_{words}")
            _list(reading.search(app, user, document.id, words or "", first=window[0], size=len(window)), place)


def clicked_place(name: str, number: int, document_id: str) -> Place | None:
    """Where a click on a hit leads; None if it was a click on something else."""
    kind, *told = name.split(":")
    if kind != CLICKS or len(told) != 2 or not all(part.isdecimal() for part in told):
        return None
    return Place(document_id, int(told[0]), start=int(told[1]), end=number)


def _summary(found: Hits) -> str:
    if not found.total:
        return "Nothing found. Case and spacing do not matter; try fewer words."
    return f"{counted(found.total, 'place')} on {counted(found.pages, 'page')}"


def _list(found: Hits, place: Place) -> None:
    rows = "".join(_row(hit, is_open=_is_open(hit, place)) for hit in found.shown)
    with st.container(height=190 if len(found.shown) > 4 else "content", border=True, key="reader_hits"):
        st.html(f'<ol class="pp-hits">{rows}</ol>')


def _is_open(hit: Hit, place: Place) -> bool:
    return (hit.page, hit.start, hit.end) == (place.page, place.start, place.end)


def _row(hit: Hit, *, is_open: bool) -> str:
    here = ' aria-current="true"' if is_open else ""
    return (
        f'<li><button type="button" data-pp-open="{CLICKS}:{hit.page}:{hit.start}:{hit.end}"{here}><b>Page {hit.page}</b>'
        f"<span>… {text(hit.before)}<mark>{text(hit.words)}</mark>{text(hit.after)} …</span></button></li>"
    )
