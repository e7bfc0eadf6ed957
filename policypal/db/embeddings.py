"""Vectors of several embedding models side by side, while one takes the place of another (R3).

``documents.embedding_models`` names the models whose vectors a document has in full; it changes in the transaction that
stores or deletes them.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakSet

import numpy as np
import orjson
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from policypal.db.jobs import ready_without_job
from policypal.db.pool import Database


def add_vectors(
    db: Database, user_id: str, document_id: str, *, chunk_ids: Sequence[str], model: str, vectors: NDArray[np.float32]
) -> None:
    """Store a document's vectors of a further model beside the others; all or none, and again changes nothing."""
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO embeddings (chunk_id, user_id, document_id, model, embedding) SELECT t.id, %s, %s, %s, t.v"
            " FROM unnest(%s::uuid[], %b::halfvec[]) AS t(id, v) JOIN chunks k ON k.id = t.id"
            " ON CONFLICT (chunk_id, model) DO NOTHING",
            (user_id, document_id, model, list(chunk_ids), halfvecs(c, vectors)),
        )
        c.execute(
            "UPDATE documents d SET embedding_models = embedding_models || %(model)s::text"
            " WHERE id = %(document)s AND user_id = %(user)s AND NOT %(model)s = ANY(embedding_models) AND NOT EXISTS ("
            "  SELECT 1 FROM chunks k WHERE k.document_id = d.id AND NOT EXISTS ("
            "   SELECT 1 FROM embeddings e WHERE e.chunk_id = k.id AND e.model = %(model)s))",
            {"model": model, "document": document_id, "user": user_id},
        )


def documents_by_model(db: Database, user_id: str, document_ids: Sequence[str] | None = None) -> dict[str, int]:
    """How many of the user's ready documents (or of those with the given ids) have the vectors of each model."""
    rows = db.rows(
        user_id,
        "SELECT m.model, count(*) AS documents FROM documents d CROSS JOIN unnest(d.embedding_models) AS m(model)"
        " WHERE d.user_id = %(user)s AND d.status = 'ready'"
        " AND (%(ids)s::uuid[] IS NULL OR d.id = ANY(%(ids)s::uuid[])) GROUP BY m.model",
        {"user": user_id, "ids": None if document_ids is None else list(document_ids)},
    )
    return {row["model"]: row["documents"] for row in rows}


def documents_without_vectors(db: Database, model: str, *, task: str) -> list[tuple[str, str]]:
    """(user id, document id) of ready documents whose vectors are only of other models than ``model``, and that no job of
    this ``task`` waits for."""
    return ready_without_job(db, "NOT %s = ANY(embedding_models)", model, task)


def kept_as(db: Database, name: str) -> str | None:
    """Under which name most documents have vectors of an endpoint's model, with or without "/" and their dimensions; None
    where nobody's have any."""
    with db.as_owner() as c:
        row = c.execute(
            "SELECT m.model FROM documents d CROSS JOIN unnest(d.embedding_models) AS m(model)"
            " WHERE m.model = %(name)s OR starts_with(m.model, %(name)s || '/') GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
            {"name": name},
        ).fetchone()
    return None if row is None else str(row["model"])


def count_missing(db: Database, user_id: str, model: str) -> tuple[int, int]:
    """How many of the user's ready documents lack the vectors of ``model``, and how many there are."""
    row = db.row(
        user_id,
        "SELECT count(*) FILTER (WHERE NOT %s = ANY(embedding_models)) AS missing, count(*) AS documents"
        " FROM documents WHERE user_id = %s AND status = 'ready'",
        (model, user_id),
    )
    assert row is not None
    return row["missing"], row["documents"]


def delete_other_vectors(db: Database, user_id: str, model: str) -> bool:
    """Delete the vectors of all models but ``model``, once every ready document of the user has vectors of it; False
    while some have not. A search at that moment sees all of them or none."""
    with db.as_user(user_id) as c:
        missing = c.execute(
            "SELECT 1 FROM documents WHERE user_id = %s AND status = 'ready' AND NOT %s = ANY(embedding_models) LIMIT 1",
            (user_id, model),
        ).fetchone()
        if missing is not None:
            return False
        rows = c.execute(
            "UPDATE documents SET embedding_models = ARRAY[%s] WHERE user_id = %s AND cardinality(embedding_models) > 1"
            " RETURNING id",
            (model, user_id),
        ).fetchall()
        c.execute(
            "DELETE FROM embeddings WHERE user_id = %s AND model <> %s AND document_id = ANY(%s::uuid[])",
            (user_id, model, [row["id"] for row in rows]),
        )
    return True


_DIMENSIONS = 536870912
_taught: WeakSet[psycopg.Connection[Any]] = WeakSet()


def sparsevec(weights: Mapping[int, float]) -> str:
    """pgvector's text form of a sparse vector; its positions start at 1."""
    inner = ",".join([f"{p + 1}:{w:.6g}" for p, w in sorted(weights.items())])
    return f"{{{inner}}}/{_DIMENSIONS}"


def dense(vector: NDArray[np.float32]) -> str:
    """pgvector's text form of a dense vector."""
    return orjson.dumps(np.ascontiguousarray(vector), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def halfvecs(connection: psycopg.Connection[Any], rows: NDArray[np.float32]) -> list[HalfVector]:
    """The rows of an (n, dimensions) array as a statement's binary parameter (``%b::halfvec[]``): as texts they would take the
    server longer to read than to store. The connection learns the extension's types first, whose numbers are others in
    every database; inside a transaction, where the search path leads to them."""
    if connection not in _taught:
        register_vector(connection)
        _taught.add(connection)
    return [HalfVector(row) for row in rows]
