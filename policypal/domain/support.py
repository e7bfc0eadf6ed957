"""How far a sentence is carried by what it cites (C2b)."""

import re
from collections.abc import Callable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Degree(StrEnum):
    """``QUOTED``: it stands there in these words, or is a template around quotations. ``SUPPORTED``: it is said there in other words.
    ``NOT_SUPPORTED``: what it cites does not carry it."""

    QUOTED = "quoted"
    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"


IN_OTHER_WORDS = "≈"
"""Stands behind the markers of a sentence that is supported, but not in the source's own words."""


_BEGIN, _NUMBERED, _END = "\ufdd0", "\ufdd1", "\ufdd2"
"""Characters that are none (Unicode reserves them for use inside a program): they keep the place of a sentence until it was judged."""
_PLACED = re.compile(rf"{_BEGIN}(\d+){_NUMBERED}([^{_END}]*){_END}")
_RESERVED = str.maketrans("", "", _BEGIN + _NUMBERED + _END)


def placed(number: int, shown: str) -> str:
    """The Markdown of a sentence with its number among the judged ones round it."""
    return f"{_BEGIN}{number}{_NUMBERED}{shown.translate(_RESERVED)}{_END}"


def each_placed(markdown: str, shown: Callable[[int, str], str]) -> str:
    """Markdown with what ``shown`` makes of each placed sentence in its place."""
    return _PLACED.sub(lambda found: shown(int(found[1]), found[2]), markdown).translate(_RESERVED)


class JudgedSentence(BaseModel):
    """What the gate decided about one sentence of an answer. ``shown`` is the Markdown it stands in the answer with;
    ``citations`` are the numbers of what it cites,
    ``cited`` the cited sentences in full, ``passages`` the stretches of pages around them, with their places."""

    model_config = ConfigDict(frozen=True)

    text: str
    degree: Degree
    reason: str = ""
    shown: str = ""
    citations: tuple[int, ...] = ()
    cited: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
