"""Whose word it is: general rules about documents and hosts, and no list of favoured publishers (W3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from policypal.domain.documents import DocumentType


@dataclass(frozen=True, slots=True)
class Authority:
    """``weight`` in [0, 1]; ``told`` is why, in words."""

    weight: float
    told: str


REGULATORY = Authority(1.0, "regulatory source of the library")
COMPANY = Authority(0.6, "company document of the library")
OFFICIAL = Authority(0.9, "official site")
ACADEMIC = Authority(0.65, "academic site")
OTHER = Authority(0.3, "web page")

_OFFICIAL_DOMAIN = re.compile(
    r"\.(?:gov|mil|int)$"  # given to states and treaty organisations only
    r"|\.(?:gov|govt|gob|gouv|gub|mil)\.[a-z]{2}$"
    r"|\.go\.(?:jp|kr|th|id|ke|tz|ug|cr)$|\.gc\.ca$|\.gv\.at$|\.admin\.ch$|\.parliament\.uk$|\.europa\.eu$"
)
_ACADEMIC_DOMAIN = re.compile(r"\.edu$|\.(?:edu|ac)\.[a-z]{2}$")


def of_document(kind: DocumentType) -> Authority:
    """Of a document of the library: what its owner filed it as (D1)."""
    return REGULATORY if kind is DocumentType.REGULATORY else COMPANY


def of_host(host: str) -> Authority:
    """What the name of a host says about who speaks there: a hint for the order of sources, not a proof: only domains that are
    not given to everybody count, because any name may be called anything."""
    name = f".{host.lower().rstrip('.')}"
    if _OFFICIAL_DOMAIN.search(name):
        return OFFICIAL
    return ACADEMIC if _ACADEMIC_DOMAIN.search(name) else OTHER
