"""Text that can be stored: every string from outside passes through here before it reaches a database or a checkpoint."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str, replacement: str = "") -> str:
    """``text`` without NUL characters and lone surrogates, which neither PostgreSQL, UTF-8 nor a checkpoint can hold."""
    return _UNSTORABLE.sub(replacement, text)
