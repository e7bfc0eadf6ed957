"""What actions that cite documents share: what they leave in the state, and the cells of their tables."""

from __future__ import annotations

from typing import Any

from policypal.graph.citing import Citer


def cited(citer: Citer) -> dict[str, Any]:
    """The answer's citations, and what the check of its quotes found (C1, C2)."""
    return {"citations": [c.model_dump() for c in citer.citations], "quote_checks": citer.counts}


def reading_confidence(citer: Citer) -> dict[str, Any]:
    """For actions that read documents instead of searching for an answer: the share of quotes found on their pages is the
    score; all of them is "high", nine in ten "medium"."""
    share = citer.verified_share
    level = "high" if share == 1.0 else "medium" if share >= 0.9 else "low"
    return {"retrieval_confidence": level, "confidence_score": share}


def cell(text: str) -> str:
    """Text that cannot break out of its cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")
