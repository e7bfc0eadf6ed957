"""Text that can be stored: every string from outside passes through here before it reaches a database or a checkpoint."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LONGEST_NAME_BYTES = 66


def storable(text: str, replacement: str = "") -> str:
    """``text`` without NUL characters and lone surrogates, which neither PostgreSQL, UTF-8 nor a checkpoint can hold."""
    return _UNSTORABLE.sub(replacement, text)


def file_name(title: str) -> str:
    """A title as a part of a file's name: letters, digits and dashes. One that a disk would refuse ends after a whole word."""
    words = [w for w in re.split(r"[\W_]+", title) if w]
    while len(words) > 1 and len("-".join(words).encode()) > _LONGEST_NAME_BYTES:
        words.pop()
    return "-".join(words) or "policypal"
