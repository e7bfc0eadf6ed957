"""Confidence of actions that read documents instead of searching for an answer."""

from __future__ import annotations

from typing import Any

from policypal.graph.agent.citing import Citer


def reading_confidence(citer: Citer) -> dict[str, Any]:
    """The share of quotes found on their pages is the score: all of them is "high", nine in ten "medium"."""
    share = citer.verified_share
    level = "high" if share == 1.0 else "medium" if share >= 0.9 else "low"
    return {"retrieval_confidence": level, "confidence_score": share}
