"""Versions of a document: who follows whom (D8)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policypal.domain.documents import Document


def version_families(documents: Sequence[Document]) -> dict[str, tuple[Document, ...]]:
    """By document id: all versions of the document, the latest first. Documents without other versions are left out."""
    known = {d.id: d for d in documents}
    families: dict[str, list[Document]] = {}
    depths: dict[str, int] = {}
    for document in documents:
        line = lineage(document, known)
        depths[document.id] = len(line)
        families.setdefault(line[-1].id, []).append(document)
    found: dict[str, tuple[Document, ...]] = {}
    for members in families.values():
        if len(members) > 1:
            ordered = tuple(sorted(members, key=lambda d: (depths[d.id], _age(d)), reverse=True))
            found.update((d.id, ordered) for d in ordered)
    return found


def lineage(document: Document, known: dict[str, Document]) -> list[Document]:
    """The document, the version before it, and so on to the first one that is known."""
    line = [document]
    while (previous := known.get(line[-1].previous_version_id or "")) is not None and previous not in line:
        line.append(previous)
    return line


def _age(document: Document) -> tuple[list[int], float]:
    """By the numbers of the version, else by upload."""
    return [int(n) for n in re.findall(r"\d{1,9}", document.version)], document.created_at.timestamp()
