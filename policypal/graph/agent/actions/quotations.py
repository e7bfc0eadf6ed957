"""Quotations under the title of their document, once: page and title again stand in the chip of each (U2d)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.answer.quoting import is_bare_quotation
from policypal.domain.citations import unmarked
from policypal.graph.citing import Citer


def statements_markdown(
    sentences: Sequence[CitedSentence], evidence: Sequence[Evidence], citer: Citer, *, must_cite: bool
) -> str:
    """Sentences as paragraphs; those that are nothing but quotations as lists, one per document, editions in force first. A
    quotation whose words are not found is left out; templates need no quotation where there are others."""
    numbered = {e.number: e for e in evidence}
    parts: list[str] = []
    quotes = any(map(is_bare_quotation, sentences))
    for bare, run in groupby(sentences, key=is_bare_quotation):
        if bare:
            parts += _lists(list(run), numbered, citer)
        else:
            parts += [citer.render(s, must_cite=must_cite and not quotes) for s in run]
    return "\n\n".join(parts)


def _lists(sentences: Sequence[CitedSentence], numbered: dict[int, Evidence], citer: Citer) -> Iterator[str]:
    places = [(_title(numbered.get(s.quotes[0].evidence)), s) for s in sentences]
    titles = sorted(dict.fromkeys(title for title, _ in places), key=lambda title: title.startswith(_SUPERSEDED))
    for title in titles:
        lines = [f"- {said}" for own, s in places if own == title and (said := citer.render_quotation(s))]
        if lines:
            yield "\n".join([f"{title.removeprefix(_SUPERSEDED)}\n", *lines])


_SUPERSEDED = "\0"
_WORD = re.compile(r"[^\W\d_]{3}")


def _title(evidence: Evidence | None) -> str:
    """ "Rulebook (2023) · superseded by 2025 · Part 5 Outsourcing", as a line of Markdown; marked to sort behind."""
    if evidence is None:
        return ""
    parts = [f"**{unmarked(_plain(evidence.document))}**"]
    if evidence.superseded_by:
        parts.append(f"*superseded by {_plain(evidence.superseded_by)}*")
    if (
        evidence.is_provision and evidence.heading and _WORD.search(evidence.heading)
    ):  # a number stands in the quotation
        parts.append(unmarked(_plain(evidence.heading)))
    return f"{_SUPERSEDED if evidence.superseded_by else ''}{' · '.join(parts)}"


def _plain(text: str) -> str:
    """On one line, without what Markdown would make of it."""
    flat = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in flat)
