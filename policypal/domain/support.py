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


class JudgedSentence(BaseModel):
    """What the gate decided about one sentence of an answer. ``shown`` is the Markdown it stands in the answer with, "" where it left;
    ``citations`` are the numbers of what it cites."""

    model_config = ConfigDict(frozen=True)

    text: str
    degree: Degree
    reason: str = ""
    shown: str = ""
    citations: tuple[int, ...] = ()
