"""Text that web pages and providers wrote, made safe to store, to fence and to quote (X2)."""

from __future__ import annotations

import re

from policypal.domain.text import storable

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARKERS = re.compile("[📄🌐]\ufe0f?")
"""Our own citation markers: a page that writes them would point at a source that never said it."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKDOWN = re.compile(r"[*_`#<>\[\]|~]")


def readable(text: str) -> str:
    """``text`` without characters nobody sees, control characters and citation markers; white space within lines is
    single, and at most one line stays blank."""
    shown = _MARKERS.sub("", _CONTROL.sub(" ", _INVISIBLE.sub("", storable(text).replace("\r\n", "\n"))))
    lines = (" ".join(line.split()) for line in shown.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def one_line(text: str, limit: int) -> str:
    """A title: one line of at most ``limit`` characters, without markup."""
    words = " ".join(_MARKDOWN.sub(" ", _TAG.sub("", readable(text))).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"
