"""What an analyst thought of an answer (U2)."""

from __future__ import annotations

from dataclasses import dataclass

MAX_COMMENT_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """Thumbs up or down for one answer; a comment says what was wrong."""

    helpful: bool
    comment: str = ""
