"""The fields that describe a document (D1, D2, D10)."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit_tags import st_tags

from policypal.domain.documents import SET_COLOURS, DocumentSet, DocumentType
from policypal.ui.labels import Labels
from policypal.ui.markup import plain

TYPE_LABELS = {t: t.label for t in DocumentType}
_COLOURS = dict(
    zip(
        SET_COLOURS,
        ("🔵 Blue", "🟣 Violet", "🩷 Pink", "🔴 Red", "🟠 Amber", "🟢 Green", "🩵 Teal", "⚫ Slate"),
        strict=True,
    )
)
_NEW_SET_HINT = "No set (global); type a name to create one"


@dataclass(frozen=True, slots=True)
class SetChoice:
    """A set by name, with the colour it gets if it does not exist yet. An empty name means no set."""

    name: str = ""
    colour: str = SET_COLOURS[0]


def choose_type(key: str, default: DocumentType = DocumentType.REGULATORY) -> DocumentType:
    """Who speaks in the document."""
    chosen = st.segmented_control(
        "Type", list(DocumentType), default=default, format_func=Labels(TYPE_LABELS), key=key, required=True
    )
    return chosen or default


def choose_set(sets: Sequence[DocumentSet], key: str, current: str | None = None) -> SetChoice:
    """An existing set, a new one with one of the eight colours, or none."""
    names = [s.name for s in sets]
    name = st.selectbox(
        "Set", names, index=names.index(current) if current in names else None, key=f"{key}_set",
        placeholder=_NEW_SET_HINT, accept_new_options=True,
    )  # fmt: skip
    if not name or name.casefold() in {n.casefold() for n in names}:
        return SetChoice(name or "")
    return SetChoice(name, choose_colour(f"Colour of the new set “{plain(name)}”", f"{key}_colour"))


def choose_colour(label: str, key: str, current: str = SET_COLOURS[0]) -> str:
    """One of the eight colours of sets; ``label`` is Markdown."""
    default = current if current in SET_COLOURS else SET_COLOURS[0]
    colour = st.pills(
        label, SET_COLOURS, default=default, key=key, format_func=Labels(_COLOURS), required=True, wrap=True
    )
    return colour or default


def tag_input(label: str, value: Sequence[str], *, key: str, hint: str = "Type and press Enter") -> tuple[str, ...]:
    """The words as they stand now."""
    words = st_tags(label=label, text=hint, value=list(value), maxtags=20, key=key)
    return tuple(str(w) for w in words or ())
