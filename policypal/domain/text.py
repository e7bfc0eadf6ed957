"""Text that can be stored: every string from outside passes through here before it reaches a database or a checkpoint."""

import re
from collections.abc import Sequence

from policypal.errors import InvalidInput

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LONGEST_NAME_BYTES = 66


def storable(text: str, replacement: str = "") -> str:
    """``text`` without NUL characters and lone surrogates, which neither PostgreSQL, UTF-8 nor a checkpoint can hold."""
    return _UNSTORABLE.sub(replacement, text)


def fitting(text: str, most: int, what: str) -> str:
    """Storable ``text`` without white space around it. Raises InvalidInput: the ``what`` has more than ``most`` characters."""
    words = storable(text).strip()
    if len(words) > most:
        raise InvalidInput(f"The {what} has {len(words):,} characters; at most {most:,} fit.")
    return words


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


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def duration(seconds: float) -> str:
    """ "52 s", "3 min", "2 h 5 min", "4 days": no more precise than anybody needs."""
    whole = max(0, round(seconds))
    if whole < 2 * _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min"
    if whole < 2 * _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY} days"
