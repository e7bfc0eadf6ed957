"""Our own HTML on a page; what others wrote in it was escaped before (X2, :mod:`policypal.ui.markup`)."""

from __future__ import annotations

from typing import Literal

import streamlit as st


def html(body: str, *, width: int | Literal["stretch", "content"] = "stretch") -> None:
    """Show what was put together from parts; nothing if no part had anything to say. Streamlit refuses an empty body, and
    takes everything below it off the page (U2e)."""
    if body.strip():
        st.html(body, width=width)
