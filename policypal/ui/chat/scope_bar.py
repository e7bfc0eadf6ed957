"""Above the composer: which documents a question reads that names none (U11)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.requests import Scope
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.domain.versions import in_force
from policypal.ui import errors, state
from policypal.ui.labels import search_field
from policypal.ui.markup import beginning, plain

_IN_FORCE, _ALL = "In force", "All editions"
_MOST_SHOWN = 30
_SEARCHED_FROM = 12
_MOST_LETTERS = 60
_EVERYTHING = "all"
_ID_BEGINNING = re.compile(r"\b[0-9a-f]{8}\b")
_MOST_KEPT = 100
"""Documents that an address can hold; a choice of more is forgotten when the page is loaded anew."""


@dataclass(frozen=True)
class _Shelf:
    """The documents that can be read, and the ids of those in force: which they are is reckoned once a drawing."""

    ready: Sequence[Document]
    newest: frozenset[str]

    @classmethod
    def of(cls, app: Container, user: User) -> Self:
        ready = [d for d in library.list_documents(app, user) if d.status is DocumentStatus.READY]
        return cls(ready, in_force(ready))

    def ticked(self) -> tuple[str, ...]:
        """The ticked documents in the library's order; those in force where nothing was chosen, or nothing of it is left."""
        held = _held()
        if held.get("kind") == "all":
            return tuple(d.id for d in self.ready)
        chosen = tuple(d.id for d in self.ready if d.id.startswith(tuple(held.get("ids", ()))))
        return chosen or tuple(d.id for d in self.ready if d.id in self.newest)

    def groups(self) -> dict[str, list[str]]:
        """The ids of what one click ticks, by its name."""
        found = {_IN_FORCE: [d.id for d in self.ready if d.id in self.newest], _ALL: [d.id for d in self.ready]}
        for d in self.ready:
            if d.set_name:
                found.setdefault(d.set_name, []).append(d.id)
        return found

    def label(self, ids: Sequence[str]) -> str:
        """ "In force · 4 documents", "Data protection · 2 documents", "3 of 5 documents", or the one document's title."""
        ticked = [d for d in self.ready if d.id in ids]
        if len(ticked) == 1 < len(self.ready):
            return beginning(ticked[0].display_title, _MOST_LETTERS)
        named = next((name for name, of in self.groups().items() if set(of) == set(ids)), "")
        total = counted(len(self.ready), "document")
        return f"{named} · {counted(len(ids), 'document')}" if named else f"{len(ids)} of {total}"


def current(app: Container, user: User) -> Scope | None:
    """What the bar says, for the next message; None where that is the whole library."""
    shelf = _Shelf.of(app, user)
    ids = shelf.ticked()
    return None if len(ids) == len(shelf.ready) else Scope(label=shelf.label(ids), ids=ids)


@st.fragment
def show(app: Container, user: User) -> None:
    """The bar; ticking redraws nothing else. There is none before a document can be read."""
    with errors.shown():
        shelf = _Shelf.of(app, user)
        if not shelf.ready:
            return
        ids = shelf.ticked()
        with (
            st.container(key="scope_bar"),
            st.popover(plain(shelf.label(ids)), icon=":material/filter_list:", type="tertiary"),
        ):
            st.caption("What the next question reads. A document that you name or tag is read whatever is ticked.")
            _presets(shelf)
            _ticks(shelf, ids)


def _presets(shelf: _Shelf) -> None:
    with st.container(horizontal=True, gap="xsmall", key="scope_presets"):
        for number, (name, ids) in enumerate(shelf.groups().items()):
            kind = {_IN_FORCE: "in_force", _ALL: "all"}.get(name, "chosen")
            st.button(plain(name), key=f"scope_preset_{number}", on_click=_choose, args=(kind, ids))


def _ticks(shelf: _Shelf, ids: Sequence[str]) -> None:
    wanted = search_field("Search documents", "scope_search") if len(shelf.ready) > _SEARCHED_FROM else ""
    fitting = [d for d in shelf.ready if wanted.casefold() in d.display_title.casefold()]
    is_long = len(fitting) > _MOST_SHOWN  # then what is ticked comes first, at the price of moving
    for d in sorted(fitting, key=lambda d: (is_long and d.id not in ids, d.id not in shelf.newest))[:_MOST_SHOWN]:
        key = f"scope_tick_{d.id}"
        st.session_state[key] = d.id in ids
        mark = "" if d.id in shelf.newest else " · :gray[superseded]"
        st.checkbox(f"{plain(d.display_title)}{mark}", key=key, on_change=_tick, args=(list(ids), d.id, key))
    if len(fitting) > _MOST_SHOWN:
        st.caption(f"{len(fitting) - _MOST_SHOWN} more; search for them.")


def _held() -> dict[str, Any]:
    """What was chosen; the address keeps it while the page is loaded anew, as the first letters of the documents' ids."""
    told = st.query_params.get(state.PARAM_SCOPE, "")
    if state.SCOPE not in st.session_state and told:
        _choose("all" if told == _EVERYTHING else "chosen", _ID_BEGINNING.findall(told))
    held = state.mapping(state.SCOPE)
    ids = [i[:8] for i in held.get("ids", ())]
    kept = _EVERYTHING if held.get("kind") == "all" else ".".join(ids) if len(ids) <= _MOST_KEPT else ""
    if kept and kept != told:
        st.query_params[state.PARAM_SCOPE] = kept
    elif told and not kept:
        del st.query_params[state.PARAM_SCOPE]
    return held


def _choose(kind: str, ids: Sequence[str]) -> None:
    st.session_state[state.SCOPE] = {"kind": kind, "ids": list(ids) if kind == "chosen" else []}


def _tick(ids: Sequence[str], document_id: str, key: str) -> None:
    rest = [i for i in ids if i != document_id]
    _choose("chosen", [*rest, document_id] if st.session_state.get(key) else rest)
