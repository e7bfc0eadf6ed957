"""How far a sentence is carried by what it cites (C2b)."""

from __future__ import annotations

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
