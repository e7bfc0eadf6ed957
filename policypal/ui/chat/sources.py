"""The sources panel: every citation of an answer as a card, the open one with its page; pinned ones of the whole
conversation on top (C3, U7)."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from policypal.application import conversations, pins, reading
from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.conversations import Message
from policypal.domain.users import User
from policypal.domain.web import safe_url
from policypal.ui import errors, state, style
from policypal.ui.chat import citations as citation_widgets
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.markup import beginning, plain, text
from policypal.ui.places import Place
from policypal.ui.shared import clicks

_DOCUMENTS, _WEB, _UNVERIFIED = "Documents", "Web", "Not verified"
_PIN = re.compile("pin:(on|off):(.+)")


@dataclass(frozen=True)
class Source:
    """A citation with the answer that cites it."""

    message: Message
    citation: Citation
    is_pinned: bool
    is_open: bool
    is_gone: bool

    @property
    def name(self) -> str:
        """How a click names it."""
        return f"{self.message.id}:{self.citation.id}"


def take_click(app: Container, user: User) -> None:
    """A click on a marker or a card opens the source; one on a pin pins it, or takes the pin out."""
    clicked = clicks.clicked()
    if clicked is None:
        return
    name, citation = clicked
    pin = _PIN.fullmatch(name)
    if pin is None:
        clicks.open_source(name, citation)
        return
    with errors.toasted():
        pins.set_pin(app, user, pin[2], citation, pinned=pin[1] == "on")
        st.toast("Pinned for this conversation." if pin[1] == "on" else "No longer pinned.")


def panel(app: Container, user: User, messages: Sequence[Message]) -> None:
    """The panel at the right, if a source is open and its message is part of this conversation."""
    opened = state.mapping(state.OPEN_SOURCE)
    message = next((m for m in messages if m.id == opened.get("message")), None)
    if message is None or not any(c.id == opened.get("citation") for c in _cited(message)):
        return
    gone = missing(app, user, messages)
    own = _sources(message, opened, gone)
    pinned = [s for m in messages for s in _sources(m, opened, gone) if s.is_pinned]
    style.make_room_for_panel()
    with st.container(key="sources_panel"):
        _head(len(own))
        fits = _filter([*own, *pinned])
        _group(app, user, "Pinned in this conversation", [s for s in pinned if s not in own and s.name in fits])
        _group(app, user, "Sources of this answer", [s for s in own if s.name in fits])
        if not fits:
            st.caption("No source fits this filter.")


def missing(app: Container, user: User, messages: Iterable[Message]) -> set[str]:
    """The ids of the documents that a conversation cites and the library does not hold any more (D10)."""
    return reading.missing(app, user, {c.document_id for m in messages for c in _cited(m) if c.document_id})


def _cited(message: Message) -> list[Citation]:
    """None where they cannot be read: the message itself says that where it stands (U2e)."""
    try:
        return message.citations
    except (TypeError, ValueError):
        return []


def _sources(message: Message, opened: dict[str, object], gone: Collection[str]) -> list[Source]:
    pinned = message.payload.get("pinned", [])
    is_opened = message.id == opened.get("message")
    return [
        Source(
            message, c, is_pinned=str(c.id) in pinned, is_open=is_opened and c.id == opened.get("citation"),
            is_gone=c.document_id in gone,
        )
        for c in _cited(message)
    ]  # fmt: skip


def _head(count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f'<h2 class="pp-panel-title">Sources · {count}</h2>', width="content")
        st.button("Close", key="close_sources", icon=":material/close:", type="tertiary", on_click=_close)


def _close() -> None:
    state.forget(state.OPEN_SOURCE)


def _filter(sources: Sequence[Source]) -> set[str]:
    """The names of the sources that fit; the one that is open always does. Two sources need no filter."""
    if len(sources) < 3:
        return {s.name for s in sources}
    kinds = st.pills(
        "Kind", _kinds(sources), selection_mode="multi", key=state.SOURCE_KINDS, label_visibility="collapsed"
    )
    wanted = st.text_input(
        "Search in sources", key=state.SOURCE_SEARCH, placeholder="Search in sources", label_visibility="collapsed",
        icon=":material/search:",
    )  # fmt: skip
    return {s.name for s in sources if s.is_open or fits(s.citation, kinds, wanted or "")}


def _kinds(sources: Iterable[Source]) -> list[str]:
    """Only what tells some from others."""
    shown = [s.citation for s in sources]
    return [k for k in (_DOCUMENTS, _WEB, _UNVERIFIED) if 0 < sum(_is_of(c, k) for c in shown) < len(shown)]


def _is_of(citation: Citation, kind: str) -> bool:
    return {
        _DOCUMENTS: citation.source_type == "document", _WEB: citation.source_type == "web", _UNVERIFIED: not citation.verified,
    }[kind]  # fmt: skip


def fits(citation: Citation, kinds: Collection[str], wanted: str) -> bool:
    """Whether a source is of one of the kinds, if any are chosen, and has all the words in its title, place or quote."""
    told = f"{citation.title} {citation.version} {citation_widgets.place(citation)} {citation.quote}".casefold()
    of_kind = not kinds or any(_is_of(citation, kind) for kind in kinds)
    return of_kind and all(word in told for word in wanted.casefold().split())


def _group(app: Container, user: User, title: str, sources: Sequence[Source]) -> None:
    if not sources:
        return
    st.html(f'<h3 class="pp-group">{title}</h3>')
    for source in sources:
        html(card_html(source))
        if source.is_open:
            _opened(app, user, source)


def _opened(app: Container, user: User, source: Source) -> None:
    citation = source.citation
    if citation.url is not None:
        web_link(citation.url)
    if source.is_gone:
        st.warning(page_view.no_longer_there(citation.title))
    elif citation.document_id is not None and citation.page is not None:
        page_view.show(app, user, place_of(citation.document_id, citation.page, citation))


def place_of(document_id: str, page: int, citation: Citation) -> Place:
    """Where the reader opens a citation."""
    return Place(document_id, page, citation.quote, citation.start, citation.end)


def web_link(url: str) -> None:
    """Opens in a new tab; an address that a browser should not open is only shown."""
    href = safe_url(url)
    if href is None:
        st.text(url)
    else:
        st.link_button("Open the web page", href, icon=":material/open_in_new:", help=plain(href))


def card_html(source: Source) -> str:
    """Title, place and date, whether the quote was checked, the quote, and what the answer uses it for."""
    citation = source.citation
    css, reveal = ("pp-card pp-open", f' data-pp-reveal="source:{source.name}"') if source.is_open else ("pp-card", "")
    return (
        f'<div class="{css}"{reveal}><div class="pp-card-head">'
        f'<button type="button" class="pp-card-title" data-pp-open="{text(source.name)}" aria-expanded="{str(source.is_open).lower()}">'
        f"{citation.marker} {text(citation.display_title)}</button>{_pin_button(source)}</div>"
        f'<div class="pp-muted">{text(_facts(source))}</div>'
        f'<div class="pp-quote">{citation_widgets.quoted(citation)}</div>{_why(source)}</div>'
    )


def _pin_button(source: Source) -> str:
    turn, label = ("off", "Take the pin out") if source.is_pinned else ("on", "Pin for this conversation")
    return (
        f'<button type="button" class="pp-pin" data-pp-open="pin:{turn}:{text(source.name)}" title="{label}"'
        f' aria-label="{label}: source {source.citation.id}" aria-pressed="{str(source.is_pinned).lower()}">'
        '<span class="pp-icon" aria-hidden="true" translate="no">keep</span></button>'
    )


def _facts(source: Source) -> str:
    citation = source.citation
    place = "document" if citation.url is None else "page as it was found"
    checked = f"quote checked against the {place}" if citation.verified else f"not verified in the {place}"
    facts = [citation_widgets.place(citation), checked, *(["no longer in your library"] if source.is_gone else [])]
    return " · ".join(facts)


def _why(source: Source) -> str:
    """The statements of the answer that rest on the source, and whether it is quoted there."""
    said = conversations.cited_statements(source.message.content, source.citation.marker)
    quote = _letters(source.citation.quote)
    told = [s for s in said if quote not in _letters(s) and _letters(s) not in quote]
    if not told:
        return '<div class="pp-why"><b>Used for</b> a quotation in the answer</div>' if said else ""
    shown = "; ".join(f"“{text(beginning(s, 160))}”" for s in told[:2])
    return f'<div class="pp-why"><b>Used for</b> {shown}</div>'


def _letters(words: str) -> str:
    return "".join(c for c in words.casefold() if c.isalnum())
