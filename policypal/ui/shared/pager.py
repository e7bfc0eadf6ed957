"""Long lists, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from policypal.ui.labels import Labels

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
