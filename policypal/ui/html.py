"""Our own HTML on a page; what others wrote in it was escaped before (X2, :mod:`policypal.ui.markup`)."""

from collections.abc import Iterable
from typing import Literal

import streamlit as st

from policypal.ui.markup import text


def html(body: str, *, width: int | Literal["stretch", "content"] = "stretch") -> None:
    """Show what was put together from parts; nothing if no part had anything to say. Streamlit refuses an empty body, and
    takes everything below it off the page (U2e)."""
    if body.strip():
        st.html(body, width=width)


def tiles(values: Iterable[tuple[str, object]], css_class: str = "") -> str:
    """Figures side by side, each above its name."""
    shown = "".join(f'<div class="pp-tile"><b>{text(v)}</b><span>{text(name)}</span></div>' for name, v in values)
    return f'<div class="pp-tiles {css_class}">{shown}</div>'


def section_head(title: str, about: str = "") -> None:
    """Both are shown as text."""
    words = f'<p class="pp-about">{text(about)}</p>' if about else ""
    st.html(f"<h2>{text(title)}</h2>{words}")
