"""The sources panel: every citation of an answer as a card, the open one with its page; pinned ones of the whole
conversation on top (C3, U7)."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from policypal.application import conversations, pins, reading
from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.conversations import Message
from policypal.domain.users import User
from policypal.domain.web import safe_url
from policypal.ui import errors, state
from policypal.ui.chat import citations as citation_widgets
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.labels import search_field
from policypal.ui.markup import beginning, plain, text
from policypal.ui.places import Place
from policypal.ui.shared import clicks

_KINDS: dict[str, Callable[[Citation], bool]] = {
    "Documents": lambda c: c.source_type == "document", "Web": lambda c: c.source_type == "web", "Not verified": lambda c: not c.verified,
}  # fmt: skip
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
    with st.container(key="sources_panel"):
        head(len(own), state.OPEN_SOURCE)
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


def head(count: int, panel: str) -> None:
    """The title of the panel that a key of the session keeps open, and its Close."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(f'<h2 class="pp-panel-title">Sources · {count}</h2>', width="content")
        st.button("Close", key="close_sources", icon=":material/close:", type="tertiary", on_click=state.forget, args=(panel,))  # fmt: skip


def _filter(sources: Sequence[Source]) -> set[str]:
    """The names of the sources that fit; the one that is open always does. Two sources need no filter."""
    if len(sources) < 3:
        return {s.name for s in sources}
    kinds = choose_kinds(_KINDS, [s.citation for s in sources], state.SOURCE_KINDS)
    wanted = search_field("Search in sources", state.SOURCE_SEARCH)
    return {s.name for s in sources if s.is_open or fits(s.citation, kinds, wanted)}


def choose_kinds(kinds: Mapping[str, Callable[[Any], bool]], shown: Sequence[Any], key: str) -> list[str]:
    """The kinds that were picked; only what tells some of what is shown from the rest is offered."""
    telling = [kind for kind, is_of in kinds.items() if 0 < sum(map(is_of, shown)) < len(shown)]
    return st.pills("Kind", telling, selection_mode="multi", key=key, label_visibility="collapsed")


def fits(citation: Citation, kinds: Collection[str], wanted: str) -> bool:
    """Whether a source is of one of the kinds, if any are chosen, and has all the words in its title, place or quote."""
    told = f"{citation.title} {citation.version} {citation_widgets.place(citation)} {citation.quote}".casefold()
    of_kind = not kinds or any(_KINDS[kind](citation) for kind in kinds)
    return of_kind and all(word in told for word in wanted.casefold().split())


def _group(app: Container, user: User, title: str, sources: Sequence[Source]) -> None:
    if not sources:
        return
    st.html(f'<h3 class="pp-group">{title}</h3>')
    for source in sources:
        html(card_html(source))
        if source.is_open:
            c = source.citation
            opened(app, user, c, title=c.title, url=c.url, document_id=c.document_id, is_gone=source.is_gone)


def opened(
    app: Container, user: User, citation: Citation | None, *, title: str, url: str | None, document_id: str | None, is_gone: bool
) -> None:  # fmt: skip
    """The page of a document with the passage marked; the address of a web page, for a new tab."""
    if url is not None:
        _web_link(url)
    if is_gone:
        st.warning(page_view.no_longer_there(title))
    elif document_id is not None and citation is not None and citation.page is not None:
        page_view.show(app, user, Place(document_id, citation.page, citation.quote, citation.start, citation.end))


def _web_link(url: str) -> None:
    """Opens in a new tab; an address that a browser should not open is only shown."""
    href = safe_url(url)
    if href is None:
        st.text(url)
    else:
        st.link_button("Open the web page", href, icon=":material/open_in_new:", help=plain(href))


def card_html(source: Source) -> str:
    """Title, place and date, whether the quote was checked, the quote, and what the answer uses it for."""
    citation = source.citation
    pin = pin_button(
        "pin:{turn}:" + source.name, f"source {citation.id}", "Pin for this conversation", is_pinned=source.is_pinned
    )
    body = f'<div class="pp-quote">{citation_widgets.quoted(citation)}</div>{_why(source)}'
    title = f"{citation.marker} {text(citation.display_title)}"
    return card(source.name, title, pin, _facts(source), body, revealed=source.name if source.is_open else "")


def card(name: str, title: str, pin: str, facts: str, body: str, *, revealed: str) -> str:
    """A source as a card; a click on its title opens or closes it. The one that is open is ``revealed`` under that name."""
    css, reveal = ("pp-card pp-open", f' data-pp-reveal="source:{revealed}"') if revealed else ("pp-card", "")
    return (
        f'<div class="{css}"{reveal}><div class="pp-card-head">'
        f'<button type="button" class="pp-card-title" data-pp-open="{text(name)}" aria-expanded="{str(bool(revealed)).lower()}">'
        f'{title}</button>{pin}</div><div class="pp-muted">{text(facts)}</div>{body}</div>'
    )


def pin_button(opens: str, what: str, to_pin: str, *, is_pinned: bool) -> str:
    """Pins ``what``, or takes the pin out: the click is called as ``opens`` says, with "on" or "off" for its "{turn}"."""
    turn, label = ("off", "Take the pin out") if is_pinned else ("on", to_pin)
    return (
        f'<button type="button" class="pp-pin" data-pp-open="{text(opens.format(turn=turn))}" title="{label}"'
        f' aria-label="{label}: {text(what)}" aria-pressed="{str(is_pinned).lower()}">'
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
