"""A page of a document with the cited passage marked (C3, D9)."""

from __future__ import annotations

import re

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.services.pages import PageImage
from policypal.ui import errors
from policypal.ui.markup import text


def show(app: Container, user: User, document_id: str, page: int, quote: str | None = None) -> None:
    """The page as a picture; the text of the page where its format has no pages to draw."""
    with errors.shown(), st.container(key="page_view"):
        document = library.get_document(app, user, document_id)
        try:
            image = _image(app, user, document.id, document.sha256, page, quote)
        except NotFound:
            show_text(app, user, document_id, page, quote)
            return
        st.image(image.png, width="stretch", alt=f"Page {page} of {document.display_title}")
        if quote and not image.boxes:
            st.caption("The passage could not be located on the picture of this page; its text is quoted above.")


def show_text(app: Container, user: User, document_id: str, page: int, quote: str | None = None) -> None:
    """The stored text of a page, with the quote marked."""
    st.html(f'<div class="pp-page-text">{marked(library.page_text(app, user, document_id, page), quote)}</div>')


def marked(page_text: str, quote: str | None) -> str:
    """Escaped text with ``quote`` in a ``<mark>``; spacing and line ends may differ."""
    words = (quote or "").strip(" “”\"'…").split()
    found = re.search(r"\s+".join(map(re.escape, words)), page_text, re.IGNORECASE) if words else None
    if found is None:
        return text(page_text)
    before, passage, after = page_text[: found.start()], found[0], page_text[found.end() :]
    return f"{text(before)}<mark>{text(passage)}</mark>{text(after)}"


@st.cache_data(show_spinner="Drawing the page …", max_entries=64)
def _image(_app: Container, _user: User, document_id: str, sha256: str, page: int, quote: str | None) -> PageImage:
    """Drawing takes a child process; document ids belong to one user and the caller has checked that it is this one."""
    return library.page_image(_app, _user, document_id, page, quote)
