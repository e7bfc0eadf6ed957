"""Choices and long lists: what a widget shows for its options, the field that searches them, and one page of many entries."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st


@dataclass(frozen=True)
class Labels:
    """``format_func`` of a widget: the label of each option."""

    names: Mapping[Any, str]

    def __call__(self, option: Hashable) -> str:
        return self.names.get(option, str(option))


def search_field(label: str, key: str, *, most: int | None = None) -> str:
    """What is looked for; the label stands in the empty field."""
    return st.text_input(
        label, key=key, placeholder=label, label_visibility="collapsed", icon=":material/search:", max_chars=most
    ) or ""  # fmt: skip


Item = TypeVar("Item")


def page_of(items: Sequence[Item], size: int, *, key: str) -> Sequence[Item]:
    """The part of ``items`` on the chosen page; a selector appears only if there are several pages."""
    pages = max(1, -(-len(items) // size))
    if pages == 1:
        return items
    labels = {n: f"Page {n} of {pages}" for n in range(1, pages + 1)}
    number = st.selectbox(
        "Page", list(labels), key=f"{key}_{pages}", format_func=Labels(labels), label_visibility="collapsed", width=160
    )
    start = ((number or 1) - 1) * size
    return items[start : start + size]
