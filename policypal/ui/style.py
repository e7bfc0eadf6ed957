"""The look, in one place. Colours follow the theme: ``light-dark()`` picks by the page's colour scheme, lines and
grounds are mixed from the text's own colour. Every text colour keeps at least 4.5:1 against its ground (U8)."""

from pathlib import Path

import streamlit as st

_CSS = f"<style>\n{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"

_ROOM_FOR_PANEL = """
<style>
@media (min-width: 761px) {
  .stMainBlockContainer, [data-testid="stBottomBlockContainer"] { padding-right: calc(var(--pp-panel) + 1.5rem); max-width: none; }
}
@media (max-width: 760px) { :root { --pp-panel: 100vw; } .st-key-sources_panel { border-left: 0; } }
</style>
"""


_ROOM_FOR_DRAWER = """
<style>
@media (min-width: 761px) { .stMainBlockContainer { padding-right: calc(var(--pp-panel) + 1.5rem); max-width: none; } }
</style>
"""

_SIGN_IN = """
<style>
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
.stMainBlockContainer { max-width: 1040px; padding-top: clamp(3rem, 13vh, 9rem); }
.pp-hero h1 { font-size: 2rem; margin: 0 0 .8rem; }
.pp-hero p { font-size: 1.05rem; margin: 0 0 .7rem; }
.st-key-sign_in_card { padding: 1.2rem 1.4rem 1rem; }
.st-key-sign_in_card button[kind="tertiary"] p { text-decoration: underline; text-underline-offset: 3px; }
.st-key-sign_in_card form, .st-key-sign_in_card [data-testid="stForm"] { padding: 0; }
@media (max-width: 640px) { .stMainBlockContainer { padding-top: 3rem; } .pp-hero h1 { font-size: 1.6rem; } }
</style>
"""
_NO_FILE_NAVIGATION = '<style>[data-testid="stSidebarNav"] { display: none; }</style>'


def apply() -> None:
    """Put the style sheet on the page; every page does."""
    st.html(_CSS)


def make_room_for_panel() -> None:
    """Move the chat aside while the sources panel is open."""
    st.html(_ROOM_FOR_PANEL)


def make_room_for_drawer() -> None:
    """Move the page aside while the planner's drawer is open; on a phone the drawer stands in the page."""
    st.html(_ROOM_FOR_DRAWER)


def hide_file_navigation() -> None:
    """Hide the list of script files that Streamlit shows where no navigation was defined."""
    st.html(_NO_FILE_NAVIGATION)


def for_sign_in() -> None:
    """One card in the middle, and no sidebar: there is nowhere to go yet."""
    st.html(_SIGN_IN)
