"""Free words as tags: aliases and tags of a document (D1)."""

from __future__ import annotations

from collections.abc import Sequence

from streamlit_tags import st_tags


def tag_input(label: str, value: Sequence[str], *, key: str, hint: str = "Type and press Enter") -> tuple[str, ...]:
    """The words as they stand now."""
    words = st_tags(label=label, text=hint, value=list(value), maxtags=20, key=key)
    return tuple(str(w) for w in words or ())
