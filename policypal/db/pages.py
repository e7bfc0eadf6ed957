"""The pages of a document: how each begins, and where words stand on them (D9).

Pages of a deleted document are read through its row, which row-level security hides.
"""

import re
from collections.abc import Mapping, Sequence

from policypal.db.embeddings import sparsevec
from policypal.db.pool import Database
from policypal.domain.documents import TextMatch
from policypal.domain.reading import Hit, PageEntry

_MAX_OPENING = 90
_CONTEXT = 80

_ENTRIES = f"""
WITH turns AS (
    SELECT page, ordinal, heading, lag(heading) OVER (ORDER BY ordinal) AS before FROM chunks
    WHERE document_id = %(document)s AND user_id = %(user)s
), begun AS (
    SELECT DISTINCT ON (page) page, heading FROM turns
    WHERE heading <> '' AND heading IS DISTINCT FROM before ORDER BY page, ordinal
)
SELECT p.number, left(coalesce(b.heading, btrim(left(p.text, 500))), {_MAX_OPENING}) AS opening, p.text ~ '\\S' AS has_text
FROM pages p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id LEFT JOIN begun b ON b.page = p.number
WHERE p.document_id = %(document)s AND p.user_id = %(user)s ORDER BY p.number
"""
_COUNTS = """
SELECT p.number, regexp_count(p.text, %(pattern)s, 1, 'i') AS hits
FROM pages p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id
WHERE p.document_id = %(document)s AND p.user_id = %(user)s AND p.text ~* %(pattern)s ORDER BY p.number
"""
_HITS = f"""
SELECT p.number AS page, h.start - 1 AS start, h.finish - 1 AS finish, substr(p.text, h.start, h.finish - h.start) AS words,
    substr(p.text, greatest(1, h.start - {_CONTEXT}), h.start - greatest(1, h.start - {_CONTEXT})) AS before,
    substr(p.text, h.finish, {_CONTEXT}) AS after
FROM unnest(%(pages)s::int[], %(nths)s::int[]) WITH ORDINALITY AS w(page, nth, rank)
JOIN pages p ON p.document_id = %(document)s AND p.user_id = %(user)s AND p.number = w.page
JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id
CROSS JOIN LATERAL (
    SELECT regexp_instr(p.text, %(pattern)s, 1, w.nth, 0, 'i') AS start, regexp_instr(p.text, %(pattern)s, 1, w.nth, 1, 'i') AS finish
) h
WHERE h.start > 0 ORDER BY w.rank
"""
_ALIKE = {c: f"[{group}]" for group in ("'’‘`", '"“”„«»', "‐‑‒–—−-") for c in group}
"""What a keyboard writes for what typesetting prints; the hyphen stands last, where it is no range."""


def page_entries(db: Database, user_id: str, document_id: str) -> list[PageEntry]:
    """Every page with the first heading that begins on it, or else its first words."""
    rows = db.rows(user_id, _ENTRIES, {"document": document_id, "user": user_id})
    return [PageEntry(row["number"], " ".join(row["opening"].split()), row["has_text"]) for row in rows]


def hits_per_page(db: Database, user_id: str, document_id: str, words: str) -> list[tuple[int, int]]:
    """(page, number of places) of every page that holds ``words``, whatever their case and the white space between them."""
    values = {"document": document_id, "user": user_id, "pattern": _pattern(words)}
    return [(row["number"], row["hits"]) for row in db.rows(user_id, _COUNTS, values)]


def load_hits(db: Database, user_id: str, document_id: str, words: str, wanted: Sequence[tuple[int, int]]) -> list[Hit]:
    """The places of ``words`` that are ``wanted``: (page, which one of the page, from 1)."""
    values = {
        "document": document_id, "user": user_id, "pattern": _pattern(words),
        "pages": [page for page, _ in wanted], "nths": [nth for _, nth in wanted],
    }  # fmt: skip
    rows = db.rows(user_id, _HITS, values)
    return [Hit(r["page"], r["start"], r["finish"], r["words"], r["before"], r["after"]) for r in rows]


def _pattern(words: str) -> str:
    """A regular expression of PostgreSQL in which everything stands for itself; linear to match."""
    return r"\s+".join("".join(_ALIKE.get(c) or re.escape(c) for c in word) for word in words.split())


# A passage holds a term exactly if its inner product with that term alone is not zero; pgvector negates the product.
_CONTAINS = "l.lexical <#> %(term{n})s::sparsevec < 0"
_BEST = """
WITH best AS (
    SELECT DISTINCT ON (l.document_id) l.chunk_id, l.lexical <#> %(weights)s::sparsevec AS distance
    FROM lexical_vectors l
    WHERE l.user_id = %(user)s AND l.document_id NOT IN (SELECT deleted_documents()) AND {contains}
    ORDER BY l.document_id, distance, l.chunk_id
)
SELECT c.document_id, c.page, c.id, -b.distance AS score FROM best b JOIN chunks c ON c.id = b.chunk_id
"""


def documents_containing(
    db: Database, user_id: str, positions: Sequence[int], weights: Mapping[int, float]
) -> dict[str, TextMatch]:
    """By document id: the best passage that holds all terms at the hashed ``positions``, by BM25 with ``weights``."""
    if not positions:
        return {}
    contains = " AND ".join(_CONTAINS.format(n=n) for n in range(len(positions)))
    values = {f"term{n}": sparsevec({p: 1.0}) for n, p in enumerate(positions)}
    rows = db.rows(user_id, _BEST.format(contains=contains), {"user": user_id, "weights": sparsevec(weights), **values})
    return {r["document_id"]: TextMatch(r["id"], r["page"], float(r["score"])) for r in rows}
