"""Vectors as pgvector takes them: in text where there is one, in PostgreSQL's binary form where there are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakSet

import numpy as np
import orjson
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

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
