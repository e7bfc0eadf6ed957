"""Which of a report's sources are shown: by kind, domain, date and words (U7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from policypal.domain.research import Source
from policypal.ui import state
from policypal.ui.markup import plain
from policypal.ui.research.source_card import Card

_DOCUMENTS, _WEB, _CITED = "Documents", "Web", "Cited"
_ANY_DATE = "Any date"


def chosen_by_filter(thread_id: str, cards: Sequence[Card]) -> list[Card]:
    """The cards that fit; the one that is open always does. Two sources need no filter."""
    if len(cards) < 3:
        return list(cards)
    kinds = st.pills(
        "Kind", _kinds(cards), selection_mode="multi", key=state.own(state.RESEARCH_KINDS, thread_id),
        label_visibility="collapsed",
    )  # fmt: skip
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
    wanted = st.text_input(
        "Search in sources", key=state.own(state.RESEARCH_FIND, thread_id), placeholder="Search in sources",
        label_visibility="collapsed", icon=":material/search:",
    )  # fmt: skip
    earliest = (since or _ANY_DATE).removeprefix("Since ") if since != _ANY_DATE else ""
    return [c for c in cards if c.is_open or fits(c, kinds, domains, earliest, wanted or "")]


def fits(card: Card, kinds: Collection[str], hosts: Collection[str], earliest: str, wanted: str) -> bool:
    """Whether a source is of one of the kinds and domains, if any are chosen, not older than ``earliest`` (the beginning
    of an ISO date), and has all the words. One without a date is not shown where a date is asked for."""
    source = card.source
    told = " ".join(
        [source.title, source.host, source.snippet, source.why_used, *(c.quote for c in card.cited)]
    ).casefold()
    return (
        (not kinds or any(_is_of(card, kind) for kind in kinds))
        and (not hosts or source.host in hosts)
        and (not earliest or source.published >= earliest)
        and all(word in told for word in wanted.casefold().split())
    )


def _kinds(cards: Sequence[Card]) -> list[str]:
    """Only what tells some from others."""
    return [k for k in (_DOCUMENTS, _WEB, _CITED) if 0 < sum(_is_of(c, k) for c in cards) < len(cards)]


def _is_of(card: Card, kind: str) -> bool:
    source: Source = card.source
    return {
        _DOCUMENTS: source.source_type == "document", _WEB: source.source_type == "web", _CITED: bool(card.cited),
    }[kind]  # fmt: skip
