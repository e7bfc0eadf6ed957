"""Task: a name of at most five words for a conversation (M4)."""

from __future__ import annotations

from pydantic import BaseModel


class TitleInput(BaseModel):
    message: str


class Title(BaseModel):
    title: str
