"""The look, in one place. Colours follow the theme: ``light-dark()`` picks by the page's colour scheme, lines and
grounds are mixed from the text's own colour. Every text colour keeps at least 4.5:1 against its ground (U8)."""

from pathlib import Path

import streamlit as st

_CSS = f"<style>\n{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"
_NO_FILE_NAVIGATION = '<style>[data-testid="stSidebarNav"] { display: none; }</style>'


def apply(*, is_framed: bool = True) -> None:
    """Put the style sheet on the page; every page does. Without the frame of ``app.py`` Streamlit would list the files of scripts."""
    st.html(_CSS)
    if not is_framed:
        st.html(_NO_FILE_NAVIGATION)
