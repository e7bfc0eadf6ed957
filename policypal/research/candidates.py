"""What may become a source of a report: documents of the library and pages of the web, each text once (W3, W4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from policypal.domain.documents import DocumentType, RetrievedPassage
from policypal.domain.research import Source, SourcePassage
from policypal.web.harvest import Harvested
from policypal.web.page_text import content_hash
from policypal.web.passages import passages_of
from policypal.web.search import WebHit
from policypal.web.urls import normalised_url


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source before it is ranked. ``fingerprint`` is the same for the same text; ``addresses`` at how many it stands.
    ``passages`` have the score with which the library's search found them, 0 from the web."""

    source: Source
    passages: tuple[SourcePassage, ...]
    authority: Authority
    fingerprint: str
    addresses: int = 1

    @property
    def is_excerpt(self) -> bool:
        """Nobody has read the page: only the search provider's words of it are known."""
        return self.passages[0].is_excerpt


def candidates_of(
    library: Sequence[RetrievedPassage], hits: Sequence[WebHit], harvested: Iterable[Harvested]
) -> list[Candidate]:
    """Everything that was found and holds text; ``hits`` name each page once. A page whose address is not a public one is not even named."""
    read = {normalised_url(h.url): h for h in harvested}
    pages = [_of_page(key, hit, read.get(key)) for hit in hits for key in [normalised_url(hit.url)]]
    return [*_of_documents(library), *(page for page in pages if page is not None)]


def sifted(candidates: Sequence[Candidate], *, since: str, excluded: Collection[str]) -> tuple[list[Candidate], int]:
    """Without what the person excluded, wherever else the same text stands; without what is too old; each text once. And how
    many copies were left out."""
    unwanted = {c.fingerprint for c in candidates if c.source.key in excluded}
    wanted = [c for c in candidates if c.fingerprint not in unwanted]
    current = [c for c in wanted if not (c.source.source_type == "web" and is_outdated(c.source.published, since))]
    same: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in current:
        same[candidate.fingerprint].append(candidate)
    kept = [_one_of(copies) for copies in same.values()]
    return sorted(kept, key=lambda c: (c.source.title, c.source.key)), len(current) - len(kept)


def is_outdated(published: str, since: str) -> bool:
    """Whether a web page of this day is older than the report may use. ISO dates, "" where unknown or without limit."""
    return bool(since and published and published < since)


def _one_of(copies: Sequence[Candidate]) -> Candidate:
    """Of pages with the same text the one that can be relied on most; its date is the earliest that any of them has."""
    best = min(copies, key=lambda c: (-c.authority.weight, len(c.source.key), c.source.key))
    published = min((c.source.published for c in copies if c.source.published), default="")
    return replace(best, addresses=len(copies), source=best.source.model_copy(update={"published": published}))


def _of_page(key: str, hit: WebHit, harvested: Harvested | None) -> Candidate | None:
    if harvested is not None and harvested.is_refused:
        return None
    page = harvested.page if harvested is not None else None
    found = passages_of(hit, page)
    if not found:
        return None
    first = found[0]
    source = Source(
        key=key, source_type="web", title=first.title, host=first.host, published=first.published, url=first.url
    )
    passages = tuple(SourcePassage(source=key, text=p.text, start=p.start, is_excerpt=p.is_excerpt) for p in found)
    fingerprint = page.content_hash if page is not None else content_hash(hit.excerpt)
    return Candidate(source, passages, of_host(first.host), fingerprint)


def _of_documents(library: Sequence[RetrievedPassage]) -> list[Candidate]:
    """One per document; a passage that several queries found has the better score."""
    found: dict[str, dict[str, RetrievedPassage]] = defaultdict(dict)
    for hit in library:
        known = found[hit.passage.document_id].get(hit.passage.id)
        if known is None or hit.coverage > known.coverage:
            found[hit.passage.document_id][hit.passage.id] = hit
    return [_of_document(key, sorted(hits.values(), key=lambda h: h.passage.ordinal)) for key, hits in found.items()]


def _of_document(key: str, hits: Sequence[RetrievedPassage]) -> Candidate:
    first = hits[0].passage
    source = Source(
        key=key, source_type="document", title=first.document_title, host=first.document_version, document_id=key
    )
    passages = tuple(
        SourcePassage(
            source=key, text=h.passage.text, start=h.passage.start, chunk_id=h.passage.id, page=h.passage.page,
            heading=h.passage.heading, score=h.coverage, provision=h.passage.ordinal if h.passage.kinds else 0,
            label=h.passage.label, introduction=h.passage.introduction, kinds=sorted(h.passage.kinds),
        )
        for h in hits
    )  # fmt: skip
    return Candidate(
        source, passages, REGULATORY if first.document_type is DocumentType.REGULATORY else COMPANY, f"document {key}"
    )


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


def of_host(host: str) -> Authority:
    """What the name of a host says about who speaks there: a hint for the order of sources, not a proof: only domains that are
    not given to everybody count, because any name may be called anything."""
    name = f".{host.lower().rstrip('.')}"
    if _OFFICIAL_DOMAIN.search(name):
        return OFFICIAL
    return ACADEMIC if _ACADEMIC_DOMAIN.search(name) else OTHER
