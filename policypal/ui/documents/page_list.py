"""The pages of the open document, in the sidebar: what each begins with, and which cannot be trusted blindly (D9)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from policypal.domain.reading import PageEntry
from policypal.ui.html import html
from policypal.ui.markup import text

CLICKS = "page"
_WINDOW = 200
"""Lines shown at once; the part of the list moves along with the page that is open."""


def show(entries: Sequence[PageEntry], number: int, recognised: Collection[int]) -> None:
    """The part of the list around page ``number``; a click is told by ``clicks`` as ("page", number)."""
    with st.sidebar:
        st.html('<div class="pp-group pp-pages-title">Pages</div>')
        with st.container(key="page_list"):
            html(markup(entries, number, recognised))


def markup(entries: Sequence[PageEntry], number: int, recognised: Collection[int]) -> str:
    """The list as safe HTML."""
    first = (number - 1) // _WINDOW * _WINDOW
    part = entries[first : first + _WINDOW]
    rows = [_row(e, is_open=e.number == number, is_recognised=e.number in recognised) for e in part]
    if first:
        rows.insert(0, _jump(first, "Earlier pages"))
    if first + _WINDOW < len(entries):
        rows.append(_jump(first + _WINDOW + 1, "Later pages"))
    return f'<nav class="pp-pages" aria-label="Pages of this document"><ol>{"".join(rows)}</ol></nav>'


def _row(entry: PageEntry, *, is_open: bool, is_recognised: bool) -> str:
    here = f' aria-current="page" data-pp-reveal="{CLICKS}:{entry.number}"' if is_open else ""
    sign = "" if entry.has_text else " <i>no text</i>"
    sign += " <i>OCR</i>" if is_recognised else ""
    return (
        f'<li><button type="button" data-pp-open="{CLICKS}:{entry.number}"{here}>'
        f"<b>{entry.number}</b> <span>{text(entry.opening)}</span>{sign}</button></li>"
    )


def _jump(number: int, label: str) -> str:
    return f'<li><button type="button" data-pp-open="{CLICKS}:{number}"><b>…</b> <span>{label}</span></button></li>'
