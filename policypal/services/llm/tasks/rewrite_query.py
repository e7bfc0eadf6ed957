"""Task: a search query from the user's words (A2)."""

from __future__ import annotations

from pydantic import BaseModel, Field


class RewriteInput(BaseModel):
    """``clean_query`` has no mentions; ``titles`` are the resolved documents'; ``history`` as in :class:`IntentInput`."""

    clean_query: str
    titles: list[str] = Field(default_factory=list)
    action: str = "inquire"
    history: list[str] = Field(default_factory=list)


class SearchQuery(BaseModel):
    query: str
