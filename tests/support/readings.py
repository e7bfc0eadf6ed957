"""Documents as the keyless summary and comparison read them."""

from __future__ import annotations

from policypal.answer.readings import Reading
from policypal.domain.documents import Page
from policypal.text.clauses import clauses_of
from policypal.text.provisions import read_provisions


def readings(documents: dict[str, tuple[str, ...]]) -> list[Reading]:
    """The clauses of documents whose pages are given by title, numbered from 1 through all of them."""
    found: list[Reading] = []
    for title, texts in documents.items():
        pages = [Page(number, text) for number, text in enumerate(texts, 1)]
        before = sum(len(r.clauses) for r in found)
        found.append(Reading(title, tuple(clauses_of(read_provisions(pages))), before))
    return found


def source_of(documents: list[Reading], number: int) -> tuple[str, str]:
    """The title and the clause that the number of a quotation means."""
    return next((r.title, c.text) for r in documents for n, c in enumerate(r.clauses, r.before + 1) if n == number)
