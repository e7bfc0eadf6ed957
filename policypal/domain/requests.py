"""What a message asks for, resolved once: the only input to retrieval, audit and prompts (G0)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ActionName = Literal["summarize", "inquire", "compare", "audit"]
TEXT = "text"
"""Stands among the ``sources`` of an audit for the text of the message or its attachment."""


class Span(BaseModel):
    """Code points ``start``…``end`` of the message that stand for documents, and the ids they were taken for."""

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    ids: tuple[str, ...] = ()


class Queued(BaseModel):
    """An action that a message asks for after the first one, in its own words; offered when the first is done (G0). With a ``request``
    nothing is read from the words any more."""

    model_config = ConfigDict(frozen=True)

    action: ActionName
    words: str
    request: Request | None = None


class Scope(BaseModel):
    """What a question reads that names no document: ``ids`` in words, "In force · 4 documents" (U11)."""

    model_config = ConfigDict(frozen=True)

    label: str
    ids: tuple[str, ...]


class Request(BaseModel):
    """One action and what it is about (G0).

    ``sources`` are held against ``targets`` (an audit: ids, or :data:`TEXT`), ``documents`` is what every other action reads
    (an inquiry without any reads the ``scope``, and without one the library). ``focus`` limits it, in the person's words. ``titles`` name the ids, for showing.
    """

    model_config = ConfigDict(frozen=True)

    action: ActionName | None = None
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    focus: str = ""
    web: bool = False
    scope: Scope | None = None
    queue: tuple[Queued, ...] = ()
    spans: tuple[Span, ...] = ()
    titles: dict[str, str] = Field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every document of the request, once."""
        return tuple(dict.fromkeys(i for i in (*self.sources, *self.targets, *self.documents) if i != TEXT))
