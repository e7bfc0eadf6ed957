"""Small archives made inside the tests: ordinary, nested, damaged and hostile ones."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping


def zipped(members: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these members; a name that ends in a slash is a directory."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return stream.getvalue()


def raw_named(members: Mapping[bytes, bytes]) -> bytes:
    """A zip whose names are exactly these bytes and not marked as UTF-8, as older programs write them."""
    stand_ins = {f"{number:0{len(name)}d}".encode(): name for number, name in enumerate(members)}
    data = zipped({stand_in.decode(): members[name] for stand_in, name in stand_ins.items()}, zipfile.ZIP_STORED)
    for stand_in, name in stand_ins.items():
        data = data.replace(stand_in, name)
    return data


def encrypted(data: bytes) -> bytes:
    """The same zip, every member marked as protected by a password."""
    return _changed(data, flag=lambda flags: flags | 1)


def understated(data: bytes, size: int) -> bytes:
    """The same zip, whose directory claims that every member unpacks to ``size`` bytes."""
    return _changed(data, size=size)


def _changed(data: bytes, *, flag: object = None, size: int | None = None) -> bytes:
    changed = bytearray(data)
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        (local,) = struct.unpack_from("<I", changed, at + 42)
        if callable(flag):
            for offset in (at + 8, local + 6):
                struct.pack_into("<H", changed, offset, flag(struct.unpack_from("<H", changed, offset)[0]))
        if size is not None:
            struct.pack_into("<I", changed, at + 24, size)
            struct.pack_into("<I", changed, local + 22, size)
        at = data.find(b"PK\x01\x02", at + 1)
    return bytes(changed)
