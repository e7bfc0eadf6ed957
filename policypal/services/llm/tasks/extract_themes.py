"""Task: three to five themes of a document or text (A3, A4)."""

from __future__ import annotations

from pydantic import BaseModel, Field


class ThemesInput(BaseModel):
    """``passages`` are stratified samples of the source."""

    passages: list[str]
    at_most: int = 5


class Themes(BaseModel):
    """Short noun phrases such as "Incident reporting", most important first."""

    themes: list[str] = Field(default_factory=list)
