"""Stratified sampling: evenly over the document, so that no part is left out (A1, A3, A4)."""

import math


def sample_size(chunks: int, *, share: float = 0.18, at_least: int = 10, at_most: int = 30) -> int:
    """15–20 % of a document's chunks, at least 10, at most 30, never more than there are (A1)."""
    return min(chunks, max(at_least, min(at_most, math.ceil(chunks * share))))


def stratified_ordinals(chunks: int, size: int) -> list[int]:
    """The middle chunk of each of ``size`` equal segments of a document with ``chunks`` chunks, in order.

    The first chunk (title, scope) replaces the first segment's middle, since it says what the document is.
    """
    size = min(size, chunks)
    if size <= 0:
        return []
    picked = [math.floor((k + 0.5) * chunks / size) for k in range(size)]
    picked[0] = 0
    return sorted(set(picked))
