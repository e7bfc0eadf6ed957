"""What actions that cite documents share: what they leave in the state, and the cells of their tables."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from policypal.domain.citations import unmarked
from policypal.domain.documents import RetrievedPassage
from policypal.domain.extents import Extent, read_in_full, read_in_part
from policypal.graph.agent.readings import Reading as Clauses
from policypal.graph.agent.state import AgentState
from policypal.graph.agent.support import rating
from policypal.graph.citing import Citer


def cited(citer: Citer) -> dict[str, Any]:
    """The answer's citations, and what the check of its quotes found, and what the gate said of its sentences (C1, C2, C2b)."""
    return {
        "citations": [c.model_dump() for c in citer.citations], "quote_checks": citer.counts,
        "judged": [s.model_dump(mode="json") for s in citer.judged],
    }  # fmt: skip


def extents_of(state: AgentState, read: Sequence[Clauses], hits: Sequence[RetrievedPassage]) -> list[Extent]:
    """How much of each document was read, and of those in parts, how many passages the result rests on."""
    chosen = Counter(h.passage.document_id for h in hits)
    parts = state["read_in_parts"]
    return [
        r.extent.model_copy(update={"parts": parts[i], "chosen": chosen[i]})
        if (i := r.document.id) in parts
        else r.extent
        for r in read
    ]


def with_extent(response: str, extents: Sequence[Extent]) -> str:
    """The response with what it rests on: as its first line where a document was read in part only, else as its last
    (A0)."""
    part, full = unmarked(read_in_part(extents)), unmarked(read_in_full(extents))
    if part:
        return f"⚠️ **{part}** {full}\n\n{response}"
    return f"{response}\n\n*{full}*" if full else response


def reading_confidence(citer: Citer) -> dict[str, Any]:
    """For actions that read documents instead of searching for an answer. A model's text is rated by its support, which the gate reads once
    more (C4). Of the rules' the share of quotes found on their pages is the score: all of them is "high", nine in ten "medium"."""
    if not citer.by_rules:
        return rating(citer.counts, citer.flagged, "high")
    share = citer.verified_share
    level = "high" if share == 1.0 else "medium" if share >= 0.9 else "low"
    return {"retrieval_confidence": level, "confidence_score": share}


def cell(text: str) -> str:
    """Text that cannot break out of its cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")
