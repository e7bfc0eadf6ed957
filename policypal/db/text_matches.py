"""Which documents contain given words, and where best (D3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policypal.db.pool import Database
from policypal.db.vectors import sparsevec
from policypal.domain.documents import TextMatch

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
    with db.as_user(user_id) as c:
        rows = c.execute(
            _BEST.format(contains=contains), {"user": user_id, "weights": sparsevec(weights), **values}
        ).fetchall()
    return {str(r["document_id"]): TextMatch(str(r["id"]), r["page"], float(r["score"])) for r in rows}
