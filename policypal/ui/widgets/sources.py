"""The sources panel: every citation of an answer as a card, the open one with its page (C3, U7)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.conversations import Message
from policypal.domain.users import User
from policypal.services.transcript import citations_of
from policypal.services.web.search import safe_url
from policypal.ui import state, style
from policypal.ui.markup import plain, text
from policypal.ui.widgets import citations as citation_widgets
from policypal.ui.widgets import page_view
from policypal.ui.widgets.clicks import open_source


def panel(app: Container, user: User, messages: Sequence[Message]) -> None:
    """The panel at the right, if a source is open and its message is part of this conversation."""
    opened = state.mapping(state.OPEN_SOURCE)
    message = next((m for m in messages if m.id == opened.get("message")), None)
    cited = citations_of(message) if message else []
    current = next((c for c in cited if c.id == opened.get("citation")), None)
    if message is None or current is None:
        return
    style.make_room_for_panel()
    with st.container(key="sources_panel"):
        _head(len(cited))
        _opened_card(app, user, current)
        others = [c for c in cited if c.id != current.id]
        if others:
            st.html('<div class="pp-group">Other sources of this answer</div>')
        for citation in others:
            _card(message.id, citation)


def _head(count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**Sources** · {count}", width="content")
        st.button("Close", key="close_sources", icon=":material/close:", type="tertiary", on_click=_close)


def _close() -> None:
    state.forget(state.OPEN_SOURCE)


def _opened_card(app: Container, user: User, citation: Citation) -> None:
    st.html(f'<div class="pp-card pp-open">{_facts(citation)}</div>')
    if citation.url is not None:
        _web_link(citation.url)
    if citation.document_id is None or citation.page is None:
        return
    page_view.show(app, user, citation.document_id, citation.page, citation.quote)
    target = {state.PARAM_DOCUMENT: citation.document_id, state.PARAM_PAGE: str(citation.page)}
    st.page_link("pages/documents.py", label="Open the document here", icon=":material/menu_book:", query_params=target)


def _card(message_id: str, citation: Citation) -> None:
    st.html(f'<div class="pp-card">{_facts(citation)}</div>')
    st.button(
        f"Show {citation.marker}",
        key=f"source_{message_id}_{citation.id}",
        type="tertiary",
        on_click=open_source,
        args=(message_id, citation.id),
    )


def _web_link(url: str) -> None:
    """Opens in a new tab; an address that a browser should not open is only shown."""
    href = safe_url(url)
    if href is None:
        st.text(url)
    else:
        st.link_button("Open the web page", href, icon=":material/open_in_new:", help=plain(href))


def _facts(citation: Citation) -> str:
    source = "document" if citation.url is None else "page as it was found"
    state_of_quote = f"Quote checked against the {source}" if citation.verified else f"Not verified in the {source}"
    return (
        f'<div class="pp-finding-head">{citation.marker} {text(citation_widgets.display_title(citation))}</div>'
        f'<div class="pp-muted">{text(citation_widgets.place(citation))} · {state_of_quote}</div>'
        f'<div class="pp-quote">{citation_widgets.quoted(citation)}</div>'
    )
