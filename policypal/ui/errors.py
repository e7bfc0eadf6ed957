"""Failures as a title and a sentence (X4); never a traceback, and never Streamlit's own control flow swallowed."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.errors import FragmentHandledException

from policypal.errors import PolicyPalError
from policypal.ui.markup import plain

logger = logging.getLogger(__name__)


def show(title: str, message: str) -> None:
    """An error box. Both texts may hold what others wrote, so they are shown as text."""
    st.error(f"**{plain(title)}**  \n{plain(message)}", icon=":material/error:")


@contextmanager
def shown(*, stop: bool = False) -> Iterator[None]:
    """Show what fails inside as an error box; usable as a decorator too. ``stop`` ends the page there.

    Streamlit's stop and rerun are no ``Exception`` and pass through; so does an error a fragment has shown already.
    """
    try:
        yield
    except PolicyPalError as error:
        show(error.title, error.message)
    except FragmentHandledException:
        raise
    except Exception:  # the last line of defence: whatever happens, the analyst reads a sentence and the log the rest
        logger.exception("a page failed unexpectedly")
        fallback = PolicyPalError()
        show(fallback.title, fallback.message)
    else:
        return
    if stop:
        st.stop()


@contextmanager
def toasted() -> Iterator[None]:
    """Show an expected refusal (answered twice, still working) as a toast; the page stays as it is."""
    try:
        yield
    except PolicyPalError as error:
        st.toast(f"**{plain(error.title)}**  \n{plain(error.message)}", icon=":material/info:", duration="long")
