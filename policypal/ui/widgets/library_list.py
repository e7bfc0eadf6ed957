"""The library: grouped by set, searchable, filterable, sortable, page by page (D3, D4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.labels import Labels
from policypal.ui.markup import text
from policypal.ui.widgets import badges, pager
from policypal.ui.widgets.document_form import TYPE_LABELS

PAGE_SIZE = 25
_NO_SET = "No set (global)"
_SORTS: dict[str, tuple[Callable[[Document], Any], bool]] = {
    "Title": (lambda d: (d.title.casefold(), d.version), False),
    "Newest first": (lambda d: d.created_at, True),
    "Version": (lambda d: (d.version, d.title.casefold()), True),
    "Pages": (lambda d: d.pages, True),
}


def show(app: Container, user: User, documents: Sequence[Document]) -> None:
    """Rows with an "Open" button; failed ones with what helps."""
    search, type_column, sort_column = st.columns([3, 2, 1], vertical_alignment="bottom")
    wanted = search.text_input(
        "Search", key="library_search", placeholder="Search titles, aliases, tags and sets",
        label_visibility="collapsed", icon=":material/search:",
    )  # fmt: skip
    kinds = type_column.pills(
        "Type", list(DocumentType), selection_mode="multi", format_func=Labels(TYPE_LABELS), key="library_type",
        label_visibility="collapsed",
    )  # fmt: skip
    order = sort_column.selectbox("Sort by", list(_SORTS), key="library_sort", label_visibility="collapsed")
    found = arranged(documents, wanted or "", kinds, str(order))
    st.caption(
        f"{len(found)} of {len(documents)} documents" if len(found) != len(documents) else f"{len(found)} documents"
    )
    for (name, colour), members in groupby(
        pager.page_of(found, PAGE_SIZE, key=state.LIBRARY_PAGE), key=lambda d: (d.set_name, d.set_colour)
    ):
        _set_head(name, colour)
        for document in members:
            _row(app, user, document)


def arranged(documents: Sequence[Document], wanted: str, kinds: Sequence[DocumentType], order: str) -> list[Document]:
    """The documents that fit, by set name (no set last), then in the chosen order."""
    words = wanted.casefold().split()
    fitting = [
        d for d in documents
        if (not kinds or d.type in kinds) and all(w in _searchable(d) for w in words)
    ]  # fmt: skip
    key, reverse = _SORTS[order]
    fitting.sort(key=key, reverse=reverse)
    return sorted(fitting, key=lambda d: (d.set_name is None, (d.set_name or "").casefold()))


def _searchable(d: Document) -> str:
    return " ".join((d.display_title, d.filename, d.set_name or "", *d.aliases, *d.tags)).casefold()


def _set_head(name: str | None, colour: str | None) -> None:
    dot = f' style="--pp-dot:{text(colour)}"' if colour else ""
    st.html(f'<div class="pp-set"><span class="pp-dot"{dot}></span>{text(name or _NO_SET)}</div>')


def _row(app: Container, user: User, document: Document) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"row_{document.id}"):
        st.html(row_html(document), width="stretch")
        st.button(
            "Open", key=f"open_{document.id}", on_click=open_document, args=(document.id,),
            disabled=not document.status.is_final,
        )  # fmt: skip
    if document.status is DocumentStatus.FAILED:
        failed_help(app, user, document)


def row_html(document: Document) -> str:
    """Title, type accent and facts of a document."""
    title = f'<div class="pp-doc-title">{text(document.display_title)}</div>'
    return f'<div class="pp-doc pp-{document.type.value}">{title}{facts_html(document)}{progress_html(document)}</div>'


def facts_html(document: Document) -> str:
    """Type, state, pages and tags of a document in one line."""
    facts = [badges.document_type(document.type)]
    if document.status is not DocumentStatus.READY:
        facts.append(badges.document_status(document))
    facts += [f'<span class="pp-muted">{text(fact)}</span>' for fact in _facts(document)]
    return f'<div class="pp-meta">{"".join(facts)}</div>'


def _facts(d: Document) -> list[str]:
    facts = []
    if d.status is DocumentStatus.READY:
        facts += [f"{d.pages} {'page' if d.pages == 1 else 'pages'}", f"{d.chunks} passages"]
    if d.pages_without_text:
        facts.append(f"⚠️ {d.pages_without_text} without text")
    return [*facts, *(f"#{t}" for t in d.tags)]


def progress_html(document: Document) -> str:
    """The progress bar of a document that is being read; nothing for the others."""
    if document.status.is_final:
        return ""
    share = min(1.0, max(0.02, document.progress))
    return (
        f'<div class="pp-progress" role="progressbar" aria-valuenow="{share * 100:.0f}" aria-valuemin="0"'
        f' aria-valuemax="100"><span style="width:{share * 100:.0f}%"></span></div>'
    )


@st.fragment(run_every=0.7)
def follow_progress(app: Container, user: User, before: Sequence[str]) -> None:
    """Live bars of the documents ``before`` that are being read; the page runs anew when one of them is done (D4)."""
    with errors.shown():
        waiting = [d for d in library.list_documents(app, user) if not d.status.is_final]
        if {d.id for d in waiting} != set(before):
            st.rerun(scope="app")
        st.html("".join(row_html(d) for d in waiting))


def failed_help(app: Container, user: User, document: Document) -> None:
    """Why a document failed, and what can be done about it (D7)."""
    errors.show("This document could not be read", document.reason or "")
    if document.reason_code == "password_required":
        _password(app, user, document)
    else:
        _retry(app, user, document)


def _retry(app: Container, user: User, document: Document) -> None:
    if st.button("Try again", key=f"retry_{document.id}", icon=":material/refresh:"):
        with errors.shown():
            library.retry(app, user, document.id)
            st.rerun()


def _password(app: Container, user: User, document: Document) -> None:
    with st.form(f"unlock_{document.id}", border=False, width=420):
        password = st.text_input("Password of this document", type="password", autocomplete="off")
        if st.form_submit_button("Unlock", icon=":material/lock_open:"):
            with errors.shown():
                library.unlock(app, user, document.id, password or "")
                st.rerun()


def open_document(document_id: str, page: int = 1) -> None:
    """Show a document instead of the list."""
    st.query_params[state.PARAM_DOCUMENT] = document_id
    st.query_params[state.PARAM_PAGE] = str(page)
