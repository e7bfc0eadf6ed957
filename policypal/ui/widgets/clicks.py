"""Clicks on citation chips. HTML that a page shows cannot call Python; this invisible component listens for clicks (and
Enter) on anything that carries ``data-pp-open`` and hands its value over."""

from __future__ import annotations

import streamlit as st

from policypal.ui import state

_JS = """
export default function ({ setTriggerValue }) {
  const chipOf = (event) => event.target instanceof Element ? event.target.closest('[data-pp-open]') : null;
  const open = (event) => {
    const chip = chipOf(event);
    if (!chip || (event.type === 'keydown' && event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    setTriggerValue('open', chip.dataset.ppOpen);
  };
  const keepInside = (event) => {
    const chip = chipOf(event);
    const tip = chip && chip.querySelector('.pp-tip');
    if (!tip) return;
    const frame = (chip.closest('.pp-answer') || document.body).getBoundingClientRect();
    const overflow = chip.getBoundingClientRect().left + tip.offsetWidth - frame.right;
    tip.style.setProperty('--pp-shift', `${-Math.max(0, overflow)}px`);
  };
  const listeners = { click: open, keydown: open, mouseover: keepInside, focusin: keepInside };
  const previous = window.__policypalListeners || {};
  for (const [name, listener] of Object.entries(previous)) document.removeEventListener(name, listener);
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
  window.__policypalListeners = listeners;
}
"""
_KEY = "citation_clicks"


def opened() -> None:
    """Mount the listener. A click puts the source it names into the session (C3)."""
    listener = st.components.v2.component("policypal_clicks", html="<span hidden></span>", js=_JS)
    with st.container(key="clicks"):
        clicked = listener(key=_KEY, on_open_change=_nothing).open
    if isinstance(clicked, str) and ":" in clicked:
        message, _, citation = clicked.rpartition(":")
        if citation.isdigit():
            open_source(message, int(citation))


def open_source(message_id: str, citation_id: int) -> None:
    """Let the sources panel show a citation of a message."""
    st.session_state[state.OPEN_SOURCE] = {"message": message_id, "citation": citation_id}


def _nothing() -> None:
    """The value is read where the component is mounted; it only has to be asked for."""
