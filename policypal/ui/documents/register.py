"""The register of obligations of a document: filtered, struck, corrected, merged, added to, exported (D12)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from policypal.application import register as register_app
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.provisions import Kind
from policypal.domain.register import Register, RegisterEntry
from policypal.domain.text import counted, file_name
from policypal.domain.users import User
from policypal.ui import errors, places, state
from policypal.ui.labels import Labels
from policypal.ui.markup import plain
from policypal.ui.places import Place

_KINDS = {"Obligation": Kind.OBLIGATION, "Prohibition": Kind.PROHIBITION, "Recommendation": Kind.RECOMMENDATION, "Permission": Kind.PERMISSION}  # fmt: skip
_NAMES = {kind: name for name, kind in _KINDS.items()}
_MODEL = "Model"
_ALL, _COUNTING, _LEFT_OUT = "Everything read", "In the register", "Left out"
_FORMATS = (
    ("CSV", "csv", "text/csv", register_app.csv_of),
    ("Excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", register_app.xlsx_of),
)
_TABLE_HEIGHT = 560
_POLL_SECONDS = 1.0
_ROW_HEIGHT = 66
"""Pixels: two lines of an obligation; the table breaks lines only in rows of more than four rem."""


def show(app: Container, user: User, document: Document) -> None:
    """The register, or why there is none yet."""
    if document.status is not DocumentStatus.READY:
        st.caption("The register is made when the document has been read.")
        return
    with errors.shown():
        _register(app, user, document)


@st.fragment
def _register(app: Container, user: User, document: Document) -> None:
    """A fragment: a change of an entry draws the table again, and nothing else of the page."""
    register = register_app.load(app, user, document.id)
    if not register.is_current:
        st.info("This document is being read again in the background. Until then, the register of before is shown.")
    if not register.entries:
        st.caption(
            "No sentence of this document obliges, prohibits, recommends or permits anything, as far as it could be read."
            " If one does, add it here."
        )
        _add(app, user, document)
        return
    st.caption(_summary(register))
    chosen = _filtered(register, document)
    with st.container(horizontal=True, vertical_alignment="center", key="register_actions"):
        _add(app, user, document)
        _merge(app, user, document, register)
        _undo(app, user, document, register)
        _model(app, user, document, register)
        _exports(app, user, register, chosen)
    if (reading := register_app.reading_by_model(app, user, document.id)) and reading.is_under_way:
        _progress(app, user, document)
    _table(app, user, document, chosen)


def _summary(register: Register) -> str:
    left_out = sum(not e.counts and e.kind.binds for e in register.entries)
    parts = [
        f"{len(register.counting)} obligations and prohibitions in the register",
        *([f"{left_out} struck or merged"] if left_out else []),
        f"{sum(not e.kind.binds for e in register.entries)} recommendations and permissions beside them",
    ]
    return (
        f"{', '.join(parts)}. Kind and bound party are read from the words; correct what is wrong, your changes stay."
    )


def _filtered(register: Register, document: Document) -> list[RegisterEntry]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            "Find", key=f"register_find_{document.id}", placeholder="Words of an obligation", icon=":material/search:"
        )
        party = st.selectbox(
            "Binds", register.parties, index=None, key=f"register_party_{document.id}", placeholder="Anybody",
            format_func=Labels({p: p for p in register.parties}),
        )  # fmt: skip
        shown = st.selectbox("Show", (_COUNTING, _LEFT_OUT, _ALL), key=f"register_show_{document.id}")
    needles = (words or "").casefold().split()
    return [
        e for e in register.entries
        if (shown == _ALL or e.counts == (shown == _COUNTING))
        and (party is None or e.party == party)
        and all(n in f"{e.full} {e.label} {e.note} {e.party}".casefold() for n in needles)
    ]  # fmt: skip


def _table(app: Container, user: User, document: Document, entries: Sequence[RegisterEntry]) -> None:
    if not entries:
        st.caption("No entry fits. Change the words or the filters.")
        return
    key = f"register_{document.id}_{hash(tuple(e.entry for e in entries))}"
    st.data_editor(
        pd.DataFrame([_row(e, document) for e in entries]),
        column_order=[name for name in _columns() if name != _MODEL or any(e.model_says for e in entries)],
        key=key,
        hide_index=True,
        num_rows="fixed",
        height=min(_TABLE_HEIGHT, 40 + _ROW_HEIGHT * len(entries)),
        row_height=_ROW_HEIGHT,
        column_config=_columns(),
        on_change=_changed,
        args=(app, user, document, [e.entry for e in entries], key),
    )


def _row(e: RegisterEntry, document: Document) -> dict[str, Any]:
    place = Place(document.id, e.page, start=e.start, end=e.end)
    return {
        "In": not e.is_struck,
        "Provision": e.label,
        "Obligation": " ".join(e.full.split()),
        "Binds": e.party,
        "Kind": _NAMES[e.kind],
        "Limits": "; ".join(limit.words for limit in e.limits),
        "Note": e.note,
        _MODEL: e.model_says,
        "Page": places.address(place) if e.page else None,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        "In": column.CheckboxColumn("In", help="Untick what obliges nobody; it stays here, struck.", width=50),
        "Provision": column.TextColumn(disabled=True, width=90),
        "Obligation": column.TextColumn(disabled=True, width=460),
        "Binds": column.TextColumn(max_chars=register_app.MAX_PARTY, width=150),
        "Kind": column.SelectboxColumn(options=list(_KINDS), required=True, width=120),
        "Limits": column.TextColumn(disabled=True, width=130),
        "Note": column.TextColumn(max_chars=register_app.MAX_NOTE, width=150),
        _MODEL: column.TextColumn(
            disabled=True, width=200, help="Why a model reads this entry otherwise than the rules"
        ),
        "Page": column.LinkColumn(display_text=rf"[?&]{state.PARAM_PAGE}=(\d+)", disabled=True, width=60),
    }


def _changed(app: Container, user: User, document: Document, entries: list[str], key: str) -> None:
    """Store what was changed in the table; the page draws it from the store again."""
    with errors.toasted():
        for position, values in st.session_state[key]["edited_rows"].items():
            kind = _KINDS.get(values.get("Kind", ""))
            register_app.change(
                app, user, document.id, entries[int(position)], kind=kind, party=_text(values, "Binds"),
                note=_text(values, "Note"), is_struck=None if "In" not in values else not values["In"],
            )  # fmt: skip


def _text(values: dict[str, Any], column: str) -> str | None:
    return (values[column] or "") if column in values else None


def _add(app: Container, user: User, document: Document) -> None:
    with (
        st.popover("Add", icon=":material/add:"),
        st.form(f"register_add_{document.id}", border=False, clear_on_submit=True),
    ):
        text = st.text_area("Obligation", max_chars=register_app.MAX_TEXT, placeholder="Who must do what, until when")
        party = st.text_input("Binds", max_chars=register_app.MAX_PARTY)
        kind = st.selectbox("Kind", list(_KINDS))
        note = st.text_input("Note", max_chars=register_app.MAX_NOTE, placeholder="Why it belongs here")
        if st.form_submit_button("Add to the register", type="primary"):
            with errors.shown():
                register_app.add(
                    app, user, document.id, text or "", kind=_KINDS[kind], party=party or "", note=note or ""
                )
                st.rerun(scope="fragment")


def _merge(app: Container, user: User, document: Document, register: Register) -> None:
    with st.popover("Merge", icon=":material/merge:"):
        st.caption("Several sentences that ask for the same count as one.")
        labels = Labels({e.entry: f"{e.label} {' '.join(e.full.split())}"[:110].strip() for e in register.counting})
        ids = [e.entry for e in register.counting]
        chosen = st.multiselect("Entries", ids, key=f"register_merge_{document.id}", format_func=labels)
        kept = st.selectbox("The one that stays", chosen, key=f"register_kept_{document.id}", format_func=labels)
        if (
            st.button("Merge", key=f"register_merge_now_{document.id}", type="primary", disabled=len(chosen) < 2)
            and kept
        ):
            with errors.shown():
                register_app.merge(app, user, document.id, chosen, kept)
                st.rerun(scope="fragment")


def _undo(app: Container, user: User, document: Document, register: Register) -> None:
    changed = [e for e in register.entries if e.is_changed]
    with st.popover(f"Changed ({len(changed)})", icon=":material/history:", disabled=not changed):
        for e in changed:
            with st.container(horizontal=True, vertical_alignment="center", key=f"register_changed_{e.entry}"):
                st.markdown(plain(f"{e.label} {' '.join(e.full.split())}"[:110].strip()), width="stretch")
                st.button(
                    "Remove" if e.is_added else "As read", key=f"register_undo_{e.entry}", on_click=_restore,
                    args=(app, user, document.id, e.entry), type="tertiary",
                )  # fmt: skip


def _restore(app: Container, user: User, document_id: str, entry: str) -> None:
    with errors.toasted():
        register_app.restore(app, user, document_id, entry)


def _model(app: Container, user: User, document: Document, register: Register) -> None:
    """The model's reading of the register: what it would take, what it changed, and the way back to the rules'."""
    if not register_app.has_model(app) and not register.models:
        return
    with st.popover("Model", icon=":material/fact_check:"):
        if register.models:
            marked = sum(bool(e.model_says) for e in register.entries)
            st.caption(
                f"{plain(register.models)} read {counted(marked, 'entry', 'entries')} otherwise than the rules; the column “Model” says why. Tick an entry in"
                " again, or correct its party, where the model is wrong: your word counts."
                if marked
                else f"{plain(register.models)} read every entry it was given as the rules do."
            )
            if st.button("As the rules read it", key=f"register_rules_{document.id}", icon=":material/undo:"):
                with errors.shown():
                    register_app.forget_reading_by_model(app, user, document.id)
                    st.rerun(scope="fragment")
        with errors.shown():
            _read_by_model(app, user, document)


@st.fragment(run_every=_POLL_SECONDS)
def _progress(app: Container, user: User, document: Document) -> None:
    """How far the model's reading is; the register is drawn anew when it is over."""
    with errors.shown():
        told = register_app.reading_by_model(app, user, document.id)
        if told is None or not told.is_under_way:
            st.rerun()
        done = told.calls - told.left.calls
        st.progress(done / max(told.calls, 1), f"The model reads the register: {done} of {counted(told.calls, 'part')}")
        st.button(
            "Stop",
            key=f"register_stop_{document.id}",
            icon=":material/stop_circle:",
            on_click=_stop,
            args=(app, user, document.id),
        )


def _stop(app: Container, user: User, document_id: str) -> None:
    with errors.toasted():
        register_app.stop_reading(app, user, document_id)


def _read_by_model(app: Container, user: User, document: Document) -> None:
    told = register_app.reading_by_model(app, user, document.id)
    if told is None or told.is_under_way:
        return
    if not told.left.calls:
        st.caption("It has read all of it.")
        return
    st.caption(
        "A model can read which entries oblige nobody, and whom the others bind. It answers with numbers; the words stay the document’s."
    )
    if told.job is not None and told.calls > told.left.calls:
        st.caption("The last reading ended before its end. What was read is kept; the rest can be read now.")
    cost = f"about ${told.left.cost_usd:.2f}" if told.left.cost_usd is not None else "at a price that is not known"
    st.caption(
        f"{counted(told.left.obligations, 'entry', 'entries')}, {counted(told.left.calls, 'call')}, some {told.left.tokens:,} tokens, {cost}."
    )
    if st.button("Have it read", key=f"register_start_{document.id}", type="primary"):
        register_app.begin_reading(app, user, document.id)
        st.rerun(scope="fragment")


def _exports(app: Container, user: User, register: Register, entries: Sequence[RegisterEntry]) -> None:
    """The files hold what is shown, and the notes on its provisions; they are made when they are asked for."""
    stem = file_name(f"register {register.document.display_title}")
    for label, ending, media_type, written in _FORMATS:
        st.download_button(
            label, partial(_file, app, user, written, register, entries), f"{stem}.{ending}", media_type, on_click="ignore",
            key=f"register_{ending}_{register.document.id}", icon=":material/download:",
        )  # fmt: skip


def _file(
    app: Container, user: User, written: Callable[[Register, Sequence[RegisterEntry]], bytes], register: Register, entries: Sequence[RegisterEntry]
) -> bytes:  # fmt: skip
    return written(register_app.with_notes(app, user, register), entries)
