"""The head of a section of a page: a title, and what it is about."""

from __future__ import annotations

import streamlit as st

from policypal.ui.markup import text


def head(title: str, about: str = "") -> None:
    """Both are shown as text."""
    words = f'<p class="pp-about">{text(about)}</p>' if about else ""
    st.html(f"<h2>{text(title)}</h2>{words}")
