"""The search index: chunks, their lexical and dense vectors, term statistics, and the one hybrid query.

Everything a document contributes is published in one transaction and removed in one transaction (D5), so a search
sees all of a document or nothing of it, and term statistics always agree with the chunks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from policypal.db.embeddings import dense, halfvecs, sparsevec
from policypal.db.pool import Connection, Database, delete, made
from policypal.db.provisions import insert_provisions
from policypal.domain.documents import Page, Passage, RetrievedPassage
from policypal.domain.provisions import Provision

LEXICAL_CANDIDATES = 200
DENSE_CANDIDATES = 50
SHORTLIST = 60


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk ready to be stored. ``lexical`` maps hashed term positions (0-based) to BM25 document weights."""

    id: str
    ordinal: int
    page: int
    start: int
    end: int
    heading: str | None
    text: str
    term_count: int
    lexical: Mapping[int, float]


def publish_document(
    db: Database,
    user_id: str,
    document_id: str,
    *,
    pages: Sequence[Page],
    pages_without_text: int,
    chunks: Sequence[IndexedChunk],
    model: str,
    vectors: NDArray[np.float32],
    provisions: Sequence[Provision] = (),
    outline: Sequence[str] = (),
    reader_version: int = 0,
    title: str | None = None,
    guessed_encoding: str = "",
) -> bool:
    """Replace everything the index holds of a document and mark it ready, atomically (D5). ``title`` is what the document
    calls itself; one that somebody gave it stays (D1). ``guessed_encoding``: see :class:`Document`.

    Running it twice gives the same rows once. Returns False if the document was deleted or cancelled meanwhile.
    """
    with db.as_user(user_id) as c:
        lock_corpus(c, user_id)
        row = c.execute(
            "SELECT chunks FROM documents WHERE id = %s AND user_id = %s AND status <> 'failed' FOR UPDATE",
            (document_id, user_id),
        ).fetchone()
        if row is None:
            return False
        if row["chunks"]:
            _remove_from_index(c, user_id, document_id)
        _insert_pages(c, user_id, document_id, pages)
        insert_provisions(c, user_id, document_id, provisions, outline=outline, version=reader_version)
        _insert_chunks(c, user_id, document_id, chunks)
        _insert_vectors(c, user_id, document_id, [chunk.id for chunk in chunks], model, vectors)
        _count_terms(c, user_id, Counter(chain.from_iterable(chunk.lexical for chunk in chunks)), len(chunks))
        c.execute(
            "UPDATE documents SET status = 'ready', progress = 1, reason = NULL, reason_code = NULL, pages = %s,"
            " pages_without_text = %s, chunks = %s, embedding_models = %s, guessed_encoding = %s,"
            " finished_at = CASE WHEN status = 'ready' THEN finished_at ELSE now() END, updated_at = now(),"
            " title = CASE WHEN is_titled THEN title ELSE coalesce(%s, title) END, is_titled = is_titled OR %s"
            " WHERE id = %s AND user_id = %s",
            (
                len(pages), pages_without_text, len(chunks), [model], guessed_encoding, title and title[:300], bool(title),
                document_id, user_id,
            ),
        )  # fmt: skip
    _refresh_planner_statistics(db)
    return True


def delete_document(db: Database, user_id: str, document_id: str) -> bool:
    """Remove a document, hidden or not, with pages, chunks, vectors and its share of the term statistics; False if there
    is none."""
    with db.as_user(user_id, with_deleted=True) as c:
        lock_corpus(c, user_id)
        row = c.execute(
            "SELECT deleted_at FROM documents WHERE id = %s AND user_id = %s FOR UPDATE", (document_id, user_id)
        ).fetchone()
        if row is None:
            return False
        if row["deleted_at"] is None:
            count_documents(c, user_id, [document_id], -1)
        c.execute(*delete("documents", id=document_id, user_id=user_id))
        return True


_KEYS = {
    "chunks": ("id", "user_id", "document_id"),
    "embeddings": ("chunk_id", "user_id", "model", "document_id"),
    "lexical_vectors": ("chunk_id", "user_id", "document_id"),
}


def _refresh_planner_statistics(db: Database) -> None:
    """Analyse the searched tables when they have grown by half. The server would do so within minutes by itself, but until
    then it plans searches for an empty table, which takes twice as long."""
    with db.as_owner() as c:
        stale = c.execute(
            # not n_mod_since_analyze: analysing some of the columns does not set it back
            "SELECT s.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid WHERE s.schemaname = 'policypal'"
            " AND s.relname = ANY(%s) AND s.n_live_tup > 1000 + 1.5 * c.reltuples ORDER BY s.relname",  # one order: no deadlock
            (list(_KEYS),),
        ).fetchall()
        for row in stale:
            # only the keys: statistics of texts and vectors are of no use and expensive to gather
            keys = SQL(", ").join(map(Identifier, _KEYS[row["relname"]]))
            c.execute(SQL("ANALYZE {} ({})").format(Identifier(row["relname"]), keys))


def lock_corpus(c: Connection, user_id: str) -> None:
    """Publications of one user queue up here; a transaction lock also works behind a transaction pooler."""
    c.execute("SELECT pg_advisory_xact_lock(hashtextextended('corpus:' || %s, 0))", (user_id,))


def count_documents(c: Connection, user_id: str, document_ids: Sequence[str], sign: int) -> None:
    """Add (1) or take away (-1) what the documents' chunks have in the term statistics; the corpus must be locked."""
    stored = c.execute(
        "SELECT lexical::text AS lexical FROM lexical_vectors WHERE document_id = ANY(%s::uuid[]) AND user_id = %s",
        (list(document_ids), user_id),
    ).fetchall()
    counts = Counter(position for row in stored for position in _positions(row["lexical"]))
    _count_terms(c, user_id, Counter({p: sign * n for p, n in counts.items()}), sign * len(stored))


def _remove_from_index(c: Connection, user_id: str, document_id: str) -> None:
    count_documents(c, user_id, [document_id], -1)
    for table in ("pages", "chunks"):
        c.execute(*delete(table, document_id=document_id, user_id=user_id))


def _count_terms(c: Connection, user_id: str, counts: Counter[int], chunks: int) -> None:
    if not counts and not chunks:
        return
    positions = sorted(counts)
    c.execute(
        "INSERT INTO lexical_terms AS t (user_id, position, chunks)"
        " SELECT %s, * FROM unnest(%s::int[], %s::int[])"
        " ON CONFLICT (user_id, position) DO UPDATE SET chunks = t.chunks + excluded.chunks",
        (user_id, positions, [counts[p] for p in positions]),
    )
    if chunks < 0:
        c.execute("DELETE FROM lexical_terms WHERE user_id = %s AND chunks <= 0", (user_id,))
    c.execute(
        "INSERT INTO lexical_corpora AS k (user_id, chunks) VALUES (%s, %s)"
        " ON CONFLICT (user_id) DO UPDATE SET chunks = k.chunks + excluded.chunks",
        (user_id, chunks),
    )


def _insert_chunks(c: Connection, user_id: str, document_id: str, chunks: Sequence[IndexedChunk]) -> None:
    names = ("id", "ordinal", "page", "start", "end", "heading", "text", "term_count")
    values: dict[str, Any] = {name: [getattr(chunk, name) for chunk in chunks] for name in names}
    values |= {"user": user_id, "document": document_id, "lexical": [sparsevec(chunk.lexical) for chunk in chunks]}
    # COPY is refused on tables with row-level security; one statement over arrays is as fast
    c.execute(
        "INSERT INTO chunks (id, user_id, document_id, ordinal, page, start_offset, end_offset, heading, text, term_count)"
        " SELECT id, %(user)s, %(document)s, ordinal, page, s, e, heading, text, n FROM unnest(%(id)s::uuid[],"
        " %(ordinal)s::int[], %(page)s::int[], %(start)s::int[], %(end)s::int[], %(heading)s::text[],"
        " %(text)s::text[], %(term_count)s::int[]) AS t(id, ordinal, page, s, e, heading, text, n)",
        values,
    )
    c.execute(
        "INSERT INTO lexical_vectors (chunk_id, user_id, document_id, lexical) SELECT id, %(user)s, %(document)s,"
        " lexical::sparsevec FROM unnest(%(id)s::uuid[], %(lexical)s::text[]) AS t(id, lexical)",
        values,
    )


def _insert_pages(c: Connection, user_id: str, document_id: str, pages: Sequence[Page]) -> None:
    c.execute(
        "INSERT INTO pages (document_id, user_id, number, text) SELECT %s, %s, * FROM unnest(%s::int[], %s::text[])",
        (document_id, user_id, [p.number for p in pages], [p.text for p in pages]),
    )


def _insert_vectors(
    c: Connection, user_id: str, document_id: str, chunk_ids: Sequence[str], model: str, vectors: NDArray[np.float32]
) -> None:
    c.execute(
        "INSERT INTO embeddings (chunk_id, user_id, document_id, model, embedding) SELECT id, %s, %s, %s, v"
        " FROM unnest(%s::uuid[], %b::halfvec[]) AS t(id, v)",
        (user_id, document_id, model, list(chunk_ids), halfvecs(c, vectors)),
    )


def _positions(text: str) -> list[int]:
    inner = text[1 : text.index("}")]
    return [int(pair.split(":", 1)[0]) - 1 for pair in inner.split(",")] if inner else []


def corpus_frequencies(db: Database, user_id: str, positions: Sequence[int]) -> tuple[int, dict[int, int]]:
    """The number of chunks in the user's corpus, and in how many of them each term occurs."""
    rows = db.rows(
        user_id,
        "SELECT NULL AS position, chunks FROM lexical_corpora WHERE user_id = %(user)s UNION ALL"
        " SELECT position, chunks FROM lexical_terms WHERE user_id = %(user)s AND position = ANY(%(positions)s::int[])",
        {"user": user_id, "positions": list(positions)},
    )
    counts = {row["position"]: row["chunks"] for row in rows}
    return counts.pop(None, 0), counts


# Vectors have unit length, so the negative inner product orders like the cosine distance and is cheaper.
_SEARCH = """
WITH lexical AS MATERIALIZED (
    SELECT l.chunk_id, l.document_id, l.lexical <#> %(terms)s::sparsevec AS distance FROM lexical_vectors l
    WHERE l.user_id = %(user)s AND l.document_id NOT IN (SELECT deleted_documents()) {scope_l}
      AND l.lexical <#> %(terms)s::sparsevec < 0 -- of those without any of the words it would take some at random
    ORDER BY distance LIMIT %(lexical_candidates)s
), nearest AS MATERIALIZED (
    SELECT e.chunk_id, e.document_id, e.embedding <#> %(vector)s::halfvec AS distance FROM embeddings e
    WHERE e.user_id = %(user)s AND e.model = %(model)s AND e.document_id NOT IN (SELECT deleted_documents()) {scope_e}
    ORDER BY distance LIMIT %(dense_candidates)s
), measured AS (
    -- what the other arm did not measure is looked up; joins, because they stay fast before the tables are analysed
    SELECT l.chunk_id, l.document_id, greatest(0, -l.distance) AS bm25,
           coalesce(-(e.embedding <#> %(vector)s::halfvec), 0) AS similarity
    FROM lexical l LEFT JOIN embeddings e ON e.chunk_id = l.chunk_id AND e.model = %(model)s
    UNION ALL
    SELECT n.chunk_id, n.document_id, greatest(0, -(v.lexical <#> %(terms)s::sparsevec)), -n.distance
    FROM nearest n JOIN lexical_vectors v ON v.chunk_id = n.chunk_id
    WHERE n.chunk_id NOT IN (SELECT chunk_id FROM lexical)
), scored AS (
    SELECT *, (1 - %(dense_weight)s) * bm25 / greatest(max(bm25) OVER (), 1e-9)
              + %(dense_weight)s * greatest(similarity, 0) AS score
    FROM measured
), ranked AS (
    SELECT *, row_number() OVER (ORDER BY score DESC, chunk_id) AS position,
              row_number() OVER (PARTITION BY document_id ORDER BY score DESC, chunk_id) AS place FROM scored
), best AS MATERIALIZED (
    -- the best of all, and enough of every document for the caller's limit per document
    SELECT * FROM ranked WHERE position <= %(shortlist)s
    UNION
    (SELECT * FROM ranked WHERE place <= %(per_document)s ORDER BY position LIMIT %(limit)s)
), read AS MATERIALIZED (
    -- once, whatever the planner thinks of the number of documents
    SELECT r.similarity, r.score, r.position, c.id, c.document_id, c.user_id, c.ordinal, c.page, c.start_offset AS start,
           c.end_offset AS "end", c.heading, c.text
    FROM best r JOIN chunks c ON c.id = r.chunk_id
)
SELECT c.*, d.title AS document_title, d.version AS document_version, d.type AS document_type
FROM read c JOIN documents d ON d.id = c.document_id AND d.user_id = c.user_id
ORDER BY c.position
"""


def search(
    db: Database,
    user_id: str,
    *,
    terms: Mapping[int, float],
    vector: NDArray[np.float32],
    model: str,
    document_ids: Sequence[str] | None,
    limit: int,
    per_document: int,
    dense_weight: float,
) -> list[RetrievedPassage]:
    """Hybrid search inside PostgreSQL: BM25 and cosine over their best candidates, one linear score.

    ``terms`` maps hashed positions to idf weights. Returns the shortlist, best first: the best :data:`SHORTLIST` passages,
    and beyond them as many as it takes to fill ``limit`` with at most ``per_document`` of each document.
    """
    scope = "AND {}.document_id = ANY(%(documents)s::uuid[])"
    sql = _SEARCH.format(
        scope_l="" if document_ids is None else scope.format("l"),
        scope_e="" if document_ids is None else scope.format("e"),
    )
    values = {
        "user": user_id,
        "documents": list(document_ids or ()),
        "terms": sparsevec(terms),
        "vector": dense(vector),
        "model": model,
        "lexical_candidates": max(LEXICAL_CANDIDATES, limit),
        "dense_candidates": DENSE_CANDIDATES,
        "dense_weight": dense_weight,
        "shortlist": max(SHORTLIST, limit),
        "limit": limit,
        "per_document": per_document,
    }
    rows = db.rows(user_id, sql, values)
    found = zip(rows, made(Passage, rows), strict=True)
    return [RetrievedPassage(passage, float(r["score"]), float(r["similarity"])) for r, passage in found]


_OF_DOCUMENT = "d.title AS document_title, d.version AS document_version, d.type AS document_type"
_PASSAGES = (
    f'SELECT c.*, c.start_offset AS start, c.end_offset AS "end", {_OF_DOCUMENT} FROM chunks c'
    " JOIN documents d ON d.id = c.document_id AND d.user_id = c.user_id WHERE c.user_id = %s AND "
)


def load_passages(db: Database, user_id: str, document_id: str) -> list[Passage]:
    """A document's passages in reading order."""
    return made(Passage, db.rows(user_id, f"{_PASSAGES} c.document_id = %s ORDER BY c.ordinal", (user_id, document_id)))


def passages_by_id(db: Database, user_id: str, ids: Sequence[str]) -> list[Passage]:
    """The passages with these ids, in no particular order; those that are gone are left out."""
    return made(Passage, db.rows(user_id, f"{_PASSAGES} c.id = ANY(%s::uuid[])", (user_id, list(ids))))
