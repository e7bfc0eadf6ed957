"""Identifiers as they arrive from outside: a URL, a command line, a form."""

from collections.abc import Iterable
from uuid import UUID


def is_uuid(value: str) -> bool:
    """Whether ``value`` is a UUID in its usual form; anything else cannot name a row and is simply "not found"."""
    try:
        return len(value) == 36 and str(UUID(value)) == value.lower()
    except ValueError:
        return False


def uuids(values: Iterable[str]) -> list[str]:
    """Those of ``values`` that are UUIDs, in their order."""
    return [value for value in values if is_uuid(value)]
