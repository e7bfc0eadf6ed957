"""The sources of a report: cards to filter, pin and open (U7)."""

from collections.abc import Collection

import streamlit as st

from policypal.application import pins
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.ui import errors, labels, state, style
from policypal.ui.chat.sources import place_of, web_link
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.research import source_card as research_source_card
from policypal.ui.research.source_card import Card, chosen_by_filter
from policypal.ui.shared import clicks

_PAGE_SIZE = 20


def take_click(app: Container, user: User, thread_id: str, report: Report) -> None:
    """A marker opens its source at its passage, the title of a card opens or closes it."""
    clicked = clicks.clicked()
    if clicked is None:
        return
    name, number = clicked
    if name == thread_id:
        citation = next((c for c in report.citations if c.id == number), None)
        if citation is not None:
            _open(thread_id, research_source_card.source_of(report, citation), number)
    elif name == research_source_card.NAME and number < len(report.sources):
        key = report.sources[number].key
        _open(thread_id, "" if state.mapping(state.RESEARCH_SOURCE).get("source") == key else key, 0)
    elif name.startswith(f"{research_source_card.PIN}-") and number < len(report.sources):
        _pin(app, user, thread_id, report, number, pinned=name.endswith("-on"))


def panel(app: Container, user: User, thread_id: str, report: Report, gone: Collection[str]) -> None:
    """The panel at the right, while it is open."""
    opened = state.mapping(state.RESEARCH_SOURCE)
    if opened.get("thread") != thread_id:
        return
    style.make_room_for_panel()
    with st.container(key="sources_panel"):
        _head(len(report.sources))
        _, pinned = pins.of_latest_answer(app, user, thread_id)
        cards = research_source_card.cards(report, opened, gone, pinned)
        shown = chosen_by_filter(thread_id, cards)
        if not shown:
            st.caption("No source fits this filter.")
        for card in labels.page_of(shown, _PAGE_SIZE, key=f"sources_{thread_id}"):
            _card(app, user, card)


def _open(thread_id: str, source: str, citation: int) -> None:
    st.session_state[state.RESEARCH_SOURCE] = {"thread": thread_id, "source": source, "citation": citation}


def _pin(app: Container, user: User, thread_id: str, report: Report, number: int, *, pinned: bool) -> None:
    """Pin the first citation of a source, or take the pins of all of them out."""
    key = report.sources[number].key
    cited = [c.id for c in report.citations if research_source_card.source_of(report, c) == key]
    answer, held = pins.of_latest_answer(app, user, thread_id)
    with errors.toasted():
        for citation in cited[:1] if pinned else held.intersection(cited):
            pins.set_pin(app, user, answer, citation, pinned=pinned)
        st.toast("Pinned to the top." if pinned else "No longer pinned.")


def _head(count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f'<h2 class="pp-panel-title">Sources · {count}</h2>', width="content")
        st.button(
            "Close", key="close_sources", icon=":material/close:", type="tertiary", on_click=state.forget,
            args=(state.RESEARCH_SOURCE,),
        )  # fmt: skip


def _card(app: Container, user: User, card: Card) -> None:
    html(research_source_card.html(card))
    if card.is_open:
        _opened(app, user, card)


def _opened(app: Container, user: User, card: Card) -> None:
    """The page of a document with the passage marked; the address of a web page, for a new tab."""
    source = card.source
    if source.url is not None:
        web_link(source.url)
    citation = card.shown_citation
    if card.is_gone:
        st.warning(page_view.no_longer_there(source.title))
    elif source.document_id is not None and citation is not None and citation.page is not None:
        page_view.show(app, user, place_of(source.document_id, citation.page, citation))
