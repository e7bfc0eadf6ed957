"""The sources of a report: cards to filter, pin and open (U7)."""

from collections.abc import Collection

import streamlit as st

from policypal.application import pins
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.ui import errors, labels, state, style
from policypal.ui.chat.sources import head, opened
from policypal.ui.html import html
from policypal.ui.research import source_card as research_source_card
from policypal.ui.research.source_card import chosen_by_filter
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
    shown = state.mapping(state.RESEARCH_SOURCE)
    if shown.get("thread") != thread_id:
        return
    style.make_room_for_panel()
    with st.container(key="sources_panel"):
        head(len(report.sources), state.RESEARCH_SOURCE)
        _, pinned = pins.of_latest_answer(app, user, thread_id)
        cards = research_source_card.cards(report, shown, gone, pinned)
        fitting = chosen_by_filter(thread_id, cards)
        if not fitting:
            st.caption("No source fits this filter.")
        for card in labels.page_of(fitting, _PAGE_SIZE, key=f"sources_{thread_id}"):
            html(research_source_card.html(card))
            if card.is_open:
                s = card.source
                opened(
                    app, user, card.shown_citation, title=s.title, url=s.url, document_id=s.document_id, is_gone=card.is_gone
                )  # fmt: skip


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
