"""What the library is filtered by; it stands in the address, so that it survives a reload and can be shared (D3)."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import streamlit as st

from policypal.application.catalogue import NO_SET, Filter, Order, State
from policypal.domain.documents import Document, DocumentSet, DocumentType
from policypal.ui import state
from policypal.ui.chat import badges
from policypal.ui.documents.document_form import TYPE_LABELS
from policypal.ui.labels import Labels

_TEXT, _SETS, _TYPES, _STATES, _TAGS, _LATEST, _ORDER = (
    "library_search", "library_sets", "library_types", "library_states", "library_tags", "library_latest",
    "library_order",
)  # fmt: skip
_PARAMS = {"q": _TEXT, "set": _SETS, "type": _TYPES, "state": _STATES, "tag": _TAGS, "latest": _LATEST, "sort": _ORDER}
_STATE_LABELS = {s: s.label for s in State}
_ORDER_LABELS = {o: o.label for o in Order}


def search_and_sort(documents: Sequence[Document], sets: Sequence[DocumentSet]) -> Filter:
    """The search field, the filters in their panel, and the order."""
    names, tags = _set_names(documents, sets), sorted({t for d in documents for t in d.tags}, key=str.casefold)
    _restore(names, tags)
    text = st.text_input(
        "Search", key=_TEXT, type="search", live="200ms", placeholder="Search titles, tags and the text of the pages",
        label_visibility="collapsed",
    )  # fmt: skip
    with st.popover(_panel_label(), icon=":material/filter_list:", key="library_filters"):
        chosen_sets = st.multiselect("Set", list(names), format_func=Labels(names), key=_SETS, placeholder="All sets")
        types = st.pills(
            "Type", list(DocumentType), selection_mode="multi", format_func=Labels(TYPE_LABELS), key=_TYPES
        )
        states = st.pills("State", list(State), selection_mode="multi", format_func=Labels(_STATE_LABELS), key=_STATES)
        chosen_tags = st.multiselect("Tags", tags, key=_TAGS, placeholder="All tags")
        latest_only = st.toggle("Latest versions only", key=_LATEST)
    order = st.selectbox(
        "Sort by", list(Order), format_func=Labels(_ORDER_LABELS), key=_ORDER, label_visibility="collapsed", width=150
    )
    _remember()
    return Filter(
        (text or "").strip(),
        tuple(chosen_sets),
        tuple(types),
        tuple(states),
        tuple(chosen_tags),
        latest_only,
        order or Order.TITLE,
    )


def describe(wanted: Filter, sets: Sequence[DocumentSet]) -> str:
    """The filters in use, as HTML marks."""
    names = {s.id: s.name for s in sets} | {NO_SET: "No set"}
    words = [
        *(names.get(i, "") for i in wanted.set_ids), *(t.label for t in wanted.types),
        *(s.label for s in wanted.states), *(f"#{t}" for t in wanted.tags),
        *(["Latest versions only"] if wanted.latest_only else []),
    ]  # fmt: skip
    return "".join(badges.badge(w) for w in words)


def clear() -> None:
    """Let everything pass again; the order stays."""
    for key in (_TEXT, _SETS, _TYPES, _STATES, _TAGS, _LATEST):
        st.session_state[key] = _DEFAULTS[key]


_DEFAULTS: dict[str, Any] = {
    _TEXT: "", _SETS: [], _TYPES: [], _STATES: [], _TAGS: [], _LATEST: False, _ORDER: Order.TITLE,
}  # fmt: skip


def _set_names(documents: Sequence[Document], sets: Sequence[DocumentSet]) -> dict[str, str]:
    """The sets that have documents, by id; and the documents without one."""
    used = {d.set_id for d in documents}
    names = {s.id: s.name for s in sets if s.id in used}
    return names | ({NO_SET: "No set (global)"} if None in used else {})


def _restore(names: Mapping[str, str], tags: Sequence[str]) -> None:
    """Give the fields what the address says, or else what was chosen before a visit to another page; and take out what
    does not exist any more."""
    if _TEXT not in st.session_state:
        asked = {p: st.query_params.get_all(p) for p in _PARAMS if p in st.query_params}
        for param, values in (asked or state.mapping(state.LIBRARY_FILTER)).items():
            st.session_state[_PARAMS[param]] = _value(_PARAMS[param], values)
    for key, default in _DEFAULTS.items():
        st.session_state.setdefault(key, default)
    if _keep(_SETS, names):
        st.toast("A set you filtered by does not exist any more, or is empty. That filter was removed.")
    _keep(_TAGS, tags)


def _keep(key: str, known: Iterable[str]) -> bool:
    """Whether anything chosen had to be taken out because it is not ``known``."""
    chosen = list(st.session_state[key])
    st.session_state[key] = [c for c in chosen if c in known]
    return len(st.session_state[key]) < len(chosen)


def _value(key: str, values: Sequence[str]) -> Any:
    """What a parameter of the address means; anything that means nothing is left out."""
    if key == _TEXT:
        return " ".join(values)[:200]
    if key == _LATEST:
        return values == ["1"]
    if key == _ORDER:
        return next((Order(v) for v in values if v in list(Order)), Order.TITLE)
    if key in (_TYPES, _STATES):
        options: list[StrEnum] = list(DocumentType) if key == _TYPES else list(State)
        return [o for o in options if o.value in values]
    return list(values)


def _remember() -> None:
    """Put what is chosen into the address and into the session."""
    chosen = {}
    for param, key in _PARAMS.items():
        value = st.session_state[key]
        if value != _DEFAULTS[key]:
            chosen[param] = (
                [str(v) for v in value] if isinstance(value, list) else ["1" if value is True else str(value)]
            )
        if st.query_params.get_all(param) != chosen.get(param, []):
            if param in chosen:
                st.query_params[param] = chosen[param]
            else:
                st.query_params.pop(param, None)
    st.session_state[state.LIBRARY_FILTER] = chosen


def _panel_label() -> str:
    active = sum(len(st.session_state[k]) for k in (_SETS, _TYPES, _STATES, _TAGS)) + int(st.session_state[_LATEST])
    return f"Filter ({active})" if active else "Filter"
