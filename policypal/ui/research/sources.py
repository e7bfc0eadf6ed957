"""The sources of a report: cards with title, host or version, date, excerpt and why they were used, to filter, pin and open (U7)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from policypal.application import pins
from policypal.application.container import Container
from policypal.domain.citations import Citation
from policypal.domain.research import Report, Source
from policypal.domain.users import User
from policypal.domain.web import host_of
from policypal.ui import errors, labels, state
from policypal.ui.chat import badges, citations
from policypal.ui.chat.sources import card as card_of
from policypal.ui.chat.sources import choose_kinds, head, opened, pin_button
from policypal.ui.html import html
from policypal.ui.labels import search_field
from policypal.ui.markup import beginning, plain, text
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
            _open(thread_id, source_of(report, citation), number)
    elif name == NAME and number < len(report.sources):
        key = report.sources[number].key
        _open(thread_id, "" if state.mapping(state.RESEARCH_SOURCE).get("source") == key else key, 0)
    elif name.startswith(f"{PIN}-") and number < len(report.sources):
        _pin(app, user, thread_id, report, number, pinned=name.endswith("-on"))


def panel(app: Container, user: User, thread_id: str, report: Report, gone: Collection[str]) -> None:
    """The panel at the right, while it is open."""
    shown = state.mapping(state.RESEARCH_SOURCE)
    if shown.get("thread") != thread_id:
        return
    with st.container(key="sources_panel"):
        head(len(report.sources), state.RESEARCH_SOURCE)
        _, pinned = pins.of_latest_answer(app, user, thread_id)
        fitting = chosen_by_filter(thread_id, cards(report, shown, gone, pinned))
        if not fitting:
            st.caption("No source fits this filter.")
        for card in labels.page_of(fitting, _PAGE_SIZE, key=f"sources_{thread_id}"):
            html(card_html(card))
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
    cited = [c.id for c in report.citations if source_of(report, c) == key]
    answer, held = pins.of_latest_answer(app, user, thread_id)
    with errors.toasted():
        for citation in cited[:1] if pinned else held.intersection(cited):
            pins.set_pin(app, user, answer, citation, pinned=pinned)
        st.toast("Pinned to the top." if pinned else "No longer pinned.")


NAME = "source"
"""How a click names a card; its number in the report follows."""
PIN = "pin"
"""How a click names the pin of a card, with "-on" or "-off"."""
_MOST_EXCERPTS = 3
_MOST_MARKERS = 6


@dataclass(frozen=True)
class Card:
    """A source with what the report cites of it. ``citation`` is the number of the marker that was clicked, or 0."""

    number: int
    source: Source
    cited: tuple[Citation, ...]
    citation: int
    is_open: bool
    is_gone: bool
    is_pinned: bool

    @property
    def shown_citation(self) -> Citation | None:
        """What the page is opened at."""
        clicked = next((c for c in self.cited if c.id == self.citation), None)
        return clicked or next(iter(self.cited), None)

    @property
    def short_title(self) -> str:
        """Tells one card's checkbox and pin from the others where only labels are read out."""
        return beginning(self.source.title, 48)


def cards(report: Report, opened: Mapping[str, Any], gone: Collection[str], pinned: Collection[int]) -> list[Card]:
    """The pinned sources, then the cited ones, then what was only read. ``pinned`` are numbers of citations."""
    cited: dict[str, list[Citation]] = {}
    for citation in report.citations:
        cited.setdefault(source_of(report, citation), []).append(citation)
    made = [
        Card(
            number, source, tuple(cited.get(source.key, ())), int(opened.get("citation") or 0),
            is_open=source.key == opened.get("source"), is_gone=source.document_id in gone,
            is_pinned=any(c.id in pinned for c in cited.get(source.key, ())),
        )
        for number, source in enumerate(report.sources)
    ]  # fmt: skip
    return sorted(made, key=lambda card: (not card.is_pinned, not card.cited))


def source_of(report: Report, citation: Citation) -> str:
    """The key of the source a citation quotes; empty if the report does not list it."""
    return next((s.key for s in report.sources if _is_of(citation, s)), "")


def _is_of(citation: Citation, source: Source) -> bool:
    if citation.source_type == "document":
        return source.document_id is not None and citation.document_id == source.document_id
    return citation.url is not None and citation.url in (source.url, source.key)


def card_html(card: Card) -> str:
    """The card. Its title opens and closes it."""
    source, revealed = card.source, f"{card.number}:{card.citation}" if card.is_open else ""
    title = f"{badges.icon('description' if source.source_type == 'document' else 'public')} {text(source.title)}"
    # only what is cited can be pinned: the pin is kept with the citation
    turn = f"{PIN}-{{turn}}:{card.number}"
    pin = pin_button(turn, card.short_title, "Pin to the top", is_pinned=card.is_pinned) if card.cited else ""
    why = f'<div class="pp-why"><b>Why used</b> {text(source.why_used)}</div>' if source.why_used else ""
    return card_of(f"{NAME}:{card.number}", title, pin, _facts(card), _excerpts(card) + why, revealed=revealed)


def _facts(card: Card) -> str:
    source = card.source
    is_web = source.source_type == "web"
    where = (source.host or host_of(source.url or "")) if is_web else f"version {source.host}" if source.host else ""
    published = source.published or ("date not given" if is_web else "")
    numbers = [c.marker for c in card.cited[:_MOST_MARKERS]]
    more = f" and {len(card.cited) - _MOST_MARKERS} more" if len(card.cited) > _MOST_MARKERS else ""
    cited = f"cited as {', '.join(numbers)}{more}" if numbers else "read, not cited"
    facts = [where, published, cited, "no longer in your library" if card.is_gone else ""]
    return " · ".join(f for f in facts if f)


def _excerpts(card: Card) -> str:
    """The passages the report rests on; what the search showed of it where nothing is cited."""
    if not card.cited:
        return f'<div class="pp-quote">{text(card.source.snippet)}</div>' if card.source.snippet else ""
    shown = card.shown_citation
    first = [shown] if shown is not None else []
    others = [c for c in card.cited if c is not shown][: _MOST_EXCERPTS - 1] if card.is_open else []
    return "".join(f'<div class="pp-quote">{c.marker} {citations.quoted(c)}</div>' for c in [*first, *others])


_KINDS: dict[str, Callable[[Card], bool]] = {
    "Documents": lambda c: c.source.source_type == "document", "Web": lambda c: c.source.source_type == "web",
    "Cited": lambda c: bool(c.cited),
}  # fmt: skip
_ANY_DATE = "Any date"


def chosen_by_filter(thread_id: str, cards: Sequence[Card]) -> list[Card]:
    """The cards that fit; the one that is open always does. Two sources need no filter."""
    if len(cards) < 3:
        return list(cards)
    kinds = choose_kinds(_KINDS, cards, state.own(state.RESEARCH_KINDS, thread_id))
    hosts = sorted({c.source.host for c in cards if c.source.source_type == "web" and c.source.host})
    years = sorted({c.source.published[:4] for c in cards if c.source.published}, reverse=True)
    with st.container(horizontal=True, gap="small", key="source_filters"):
        domains = st.multiselect(
            "Domain", hosts, key=state.own(state.RESEARCH_HOSTS, thread_id), placeholder="All domains",
            format_func=plain, label_visibility="collapsed",
        ) if len(hosts) > 1 else []  # fmt: skip
        since = st.selectbox(
            "Date", [_ANY_DATE, *(f"Since {y}" for y in years)],
            key=state.own(state.RESEARCH_SINCE, thread_id), label_visibility="collapsed", width=150,
        ) if len(years) > 1 else _ANY_DATE  # fmt: skip
    wanted = search_field("Search in sources", state.own(state.RESEARCH_FIND, thread_id))
    earliest = (since or _ANY_DATE).removeprefix("Since ") if since != _ANY_DATE else ""
    return [c for c in cards if c.is_open or fits(c, kinds, domains, earliest, wanted)]


def fits(card: Card, kinds: Collection[str], hosts: Collection[str], earliest: str, wanted: str) -> bool:
    """Whether a source is of one of the kinds and domains, if any are chosen, not older than ``earliest`` (the beginning
    of an ISO date), and has all the words. One without a date is not shown where a date is asked for."""
    source = card.source
    words = [source.title, source.host, source.published, source.snippet, source.why_used]
    told = " ".join([*words, *(c.quote for c in card.cited)]).casefold()
    return (
        (not kinds or any(_KINDS[kind](card) for kind in kinds))
        and (not hosts or source.host in hosts)
        and (not earliest or source.published >= earliest)
        and all(word in told for word in wanted.casefold().split())
    )
