"""Situations in which PolicyPal has to ask, on either engine (G7, C5)."""

from __future__ import annotations

from policypal.domain.documents import Document
from tests.support.conversation import Speaker

DRAFT = "We report every serious incident to the Authority within 72 hours after discovery."
NONSENSE = "Which vaccination does the zebra in the aquarium need?"


def several(speaker: Speaker, *actions: str) -> None:
    speaker.model_says(
        "Intent", action=actions[0], multi_action=True, requested_actions=list(actions), alternatives=list(actions)
    )


def ambiguous(speaker: Speaker, *documents: Document) -> None:
    candidates = [d.id for d in documents]
    speaker.model_says("Resolution", candidates=candidates, confidence="medium", allow_multiple=True)


def weak_evidence(speaker: Speaker) -> None:
    """Searched with this, nothing is found that is like it; the keyless engine searches with the message itself."""
    speaker.model_says("SearchQuery", query="zebra aquarium vaccination")
