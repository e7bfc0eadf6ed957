"""Everything a result tells, as one text in which a marker can be looked for."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from pydantic import BaseModel

_ADDRESS = re.compile(r"0x[0-9a-f]+")


def content_of(value: Any) -> str:
    return _ADDRESS.sub("", " ".join(_parts(value)))


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, bytes):
        yield from _unpacked(value)
    elif isinstance(value, BaseModel):
        yield from _parts(value.model_dump())
    elif isinstance(value, Enum):
        yield repr(value)
    elif is_dataclass(value) and not isinstance(value, type):
        for entry in fields(value):
            yield entry.name
            yield from _parts(getattr(value, entry.name))
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _parts(key)
            yield from _parts(held)
    elif isinstance(value, BaseException):
        yield f"{type(value).__name__} {value} {getattr(value, 'message', '')}"
    elif isinstance(value, (list, tuple, set, frozenset, Iterator)):
        for held in value:
            yield from _parts(held)
    else:
        yield repr(value)


def _unpacked(data: bytes) -> Iterator[str]:
    if data[:2] != b"PK":
        yield data.decode("latin-1")
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            yield name
            yield archive.read(name).decode("utf-8", "replace")
