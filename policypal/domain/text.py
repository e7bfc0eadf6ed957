"""Text that can be stored: every string from outside passes through here before it reaches a database or a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def counted(number: int, noun: str, plural: str = "") -> str:
    """ "1 page", "1,200 pages"; ``plural`` where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def enumerated(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"; nothing for no items."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
