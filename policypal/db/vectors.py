"""Vectors as pgvector takes them: in text where there is one, in PostgreSQL's binary form where there are many."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import orjson
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

_DIMENSIONS = 536870912
_FIRST_OF_EXTENSIONS = 16384
"""The server compares the type of an array's elements with the expected one only below this number."""


def sparsevec(weights: Mapping[int, float]) -> str:
    """pgvector's text form of a sparse vector; its positions start at 1."""
    inner = ",".join([f"{p + 1}:{w:.6g}" for p, w in sorted(weights.items())])
    return f"{{{inner}}}/{_DIMENSIONS}"


def dense(vector: NDArray[np.float32]) -> str:
    """pgvector's text form of a dense vector."""
    return orjson.dumps(np.ascontiguousarray(vector), option=orjson.OPT_SERIALIZE_NUMPY).decode()


@dataclass(frozen=True, slots=True)
class Halfvecs:
    """The rows of an (n, dimensions) array as a statement's parameter, to be cast to ``halfvec[]``. As texts they would take
    the server longer to read than to store."""

    rows: NDArray[np.float32]


class _HalfvecsDumper(Dumper):
    format = Format.BINARY
    oid = 0
    """Unknown, as the type is another in every database: the server takes it from the cast, also that of the elements."""

    def dump(self, obj: Halfvecs) -> bytes:
        count, dimensions = obj.rows.shape
        items = np.zeros(
            count, [("bytes", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("values", ">f2", (dimensions,))]
        )
        items["bytes"], items["dimensions"], items["values"] = 4 + 2 * dimensions, dimensions, obj.rows
        array_of_one_dimension = struct.pack(">iiIii", 1, 0, _FIRST_OF_EXTENSIONS, count, 1)
        return array_of_one_dimension + items.tobytes()


psycopg.adapters.register_dumper(Halfvecs, _HalfvecsDumper)
