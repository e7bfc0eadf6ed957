"""Which sources a report rests on, in which order, and why: relevance, recency, authority (W3)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from policypal.domain.documents import RetrievedPassage
from policypal.domain.research import Source, SourcePassage
from policypal.research.candidates import Candidate, candidates_of, sifted
from policypal.search.among import Commonness, passage_among, ranked_among
from policypal.web.harvest import Harvested
from policypal.web.page_text import content_hash
from policypal.web.search import WebHit, one_line

LEAST_RELEVANCE = 0.25
"""The share of a query that a passage has to speak of. Below it, authority and date do not help."""
_RELEVANCE, _AUTHORITY, _RECENCY = 0.6, 0.2, 0.2
_EXCERPT_SHARE = 0.9
_HALF_LIFE_DAYS = 730.0
_UNDATED_PAGE, _DOCUMENT = 0.3, 1.0
"""What counts for recency where there is no date: a page may be any age; what a library holds is taken as in force."""
_KIND_SHARE = 2 / 3
_SNIPPET_CHARACTERS, _QUERY_CHARACTERS = 240, 80


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a report is written from. ``per_host`` and two thirds for library or web hold as long as there is
    something else."""

    sources: int = 20
    per_host: int = 5
    passages: int = 60
    per_source: int = 4


@dataclass(frozen=True, slots=True)
class Chosen:
    """``sources`` best first, ``passages`` in their order, best first in each. ``copies``: how many sources
    had the text of another."""

    sources: list[Source]
    passages: list[SourcePassage]
    copies: int = 0


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A candidate with its relevant passages, best first. ``fits``: its best share of each query."""

    candidate: Candidate
    passages: list[SourcePassage]
    fits: list[float]
    score: float

    @property
    def kind(self) -> str:
        return self.candidate.source.source_type


def choose_sources(
    queries: Sequence[str],
    *,
    library: Sequence[RetrievedPassage],
    hits: Sequence[WebHit],
    harvested: Iterable[Harvested],
    today: date,
    since: str = "",
    excluded: Collection[str] = (),
    limits: Limits = Limits(),
    common: Commonness | None = None,
) -> Chosen:
    """The sources and passages for ``queries``, the same whatever order things were found in.

    A page that was not read speaks through the provider's excerpt. ``since``: web pages with an older date are left out
    (ISO, or empty). ``excluded`` are keys of sources; the same text at another address is excluded with them. ``common`` says how common
    words are in the library.
    """
    candidates, copies = sifted(candidates_of(library, hits, harvested), since=since, excluded=excluded)
    ranked = _without_repetitions(_ranked(queries, candidates, today, limits.per_source, common))
    taken = _within(
        limits, [ranked[n] for n in covering([r.fits for r in ranked], [r.score for r in ranked], LEAST_RELEVANCE)]
    )
    return Chosen([_told(queries, r, today) for r in taken], _passages(taken, limits), copies)


def _ranked(
    queries: Sequence[str], candidates: Sequence[Candidate], today: date, per_source: int, common: Commonness | None
) -> list[_Ranked]:
    """Candidates with at least one relevant passage, best first; none where nothing is asked."""
    if not queries:
        return []
    places = [(c, p) for c in candidates for p in c.passages]
    passages = [passage_among(n, c.source.key, p.heading, p.text, p.provision) for n, (c, p) in enumerate(places)]
    found = iter(zip(*([h.coverage for h in hits] for hits in ranked_among(queries, passages, common)), strict=True))
    ranked = [_rank(c, [next(found) for _ in c.passages], today, per_source) for c in candidates]
    return sorted((r for r in ranked if r.passages), key=_place)


def _place(ranked: _Ranked) -> tuple[float, str, str]:
    """Best first; equals by their titles, as keys are made up anew wherever a document is added."""
    source = ranked.candidate.source
    return -ranked.score, source.title, source.key


def _rank(candidate: Candidate, fits: Sequence[Sequence[float]], today: date, per_source: int) -> _Ranked:
    overall = [max([p.score, *fit]) for p, fit in zip(candidate.passages, fits, strict=True)]
    kept = [n for n in covering(fits, overall, LEAST_RELEVANCE) if overall[n] >= LEAST_RELEVANCE][:per_source]
    passages = [candidate.passages[n].model_copy(update={"score": round(overall[n], 4)}) for n in kept]
    score = (
        _RELEVANCE * max(overall) * (_EXCERPT_SHARE if candidate.is_excerpt else 1.0)
        + _AUTHORITY * candidate.authority.weight
        + _RECENCY * recency(candidate.source, today)
    )
    best = [max(column) for column in zip(*fits, strict=True)]
    return _Ranked(candidate, sorted(passages, key=lambda p: (-p.score, p.start, p.chunk_id)), best, round(score, 4))


def covering(scores: Sequence[Sequence[float]], overall: Sequence[float], least: float) -> list[int]:
    """The order in which to take things so that no query goes without: first the best of each query, if it has ``least``,
    then the others; best first in both. ``scores`` are per thing and query."""
    ranked = sorted(range(len(overall)), key=lambda n: -overall[n])
    queries = range(len(scores[0]) if scores else 0)
    leaders = {max(ranked, key=lambda n: scores[n][q]) for q in queries if max(s[q] for s in scores) >= least}
    return [*(n for n in ranked if n in leaders), *(n for n in ranked if n not in leaders)]


def recency(source: Source, today: date) -> float:
    """In [0, 1]: halved by every two years. A date in the future is not believed."""
    published = _date(source, today)
    if published is None:
        return _DOCUMENT if source.source_type == "document" else _UNDATED_PAGE
    return float(0.5 ** ((today - published).days / _HALF_LIFE_DAYS))


def _date(source: Source, today: date) -> date | None:
    published = date.fromisoformat(source.published) if source.published else None
    return published if published is not None and published <= today else None


def _without_repetitions(ranked: Sequence[_Ranked]) -> list[_Ranked]:
    """A paragraph that stands in several sources speaks in the best of them; a source that adds nothing is left out."""
    known: set[str] = set()
    kept = []
    for source in ranked:
        new = {content_hash(p.text): p for p in source.passages}
        own = [p for text, p in new.items() if text not in known]
        known.update(new)
        if own:
            kept.append(_Ranked(source.candidate, own, source.fits, source.score))
    return kept


def _within(limits: Limits, ordered: Sequence[_Ranked]) -> list[_Ranked]:
    """The first so many, best first. What one kind or one host has too much of waits until the others have had their turn."""
    mixed = _in_turns(ordered, _KIND_SHARE * limits.sources, lambda s: s.kind)
    spread = _in_turns(
        mixed, limits.per_host, lambda s: s.candidate.source.host if s.kind == "web" else s.candidate.source.key
    )
    return sorted(spread[: limits.sources], key=_place)


def _in_turns(ordered: Sequence[_Ranked], most: float, group: Callable[[_Ranked], str]) -> list[_Ranked]:
    """In their order, those behind ``most`` of their group last."""
    seen: Counter[str] = Counter()
    early, late = list[_Ranked](), list[_Ranked]()
    for source in ordered:
        seen[group(source)] += 1
        (early if seen[group(source)] <= most else late).append(source)
    return [*early, *late]


def _passages(taken: Sequence[_Ranked], limits: Limits) -> list[SourcePassage]:
    """Of every source its best, then of every source its second best, until there are enough; in the order of sources."""
    rounds = [
        (nth, n) for nth in range(limits.per_source) for n, source in enumerate(taken) if nth < len(source.passages)
    ]
    kept = set(rounds[: limits.passages])
    return [p for n, source in enumerate(taken) for nth, p in enumerate(source.passages) if (nth, n) in kept]


def _told(queries: Sequence[str], ranked: _Ranked, today: date) -> Source:
    source = ranked.candidate.source
    snippet = one_line(ranked.passages[0].text, _SNIPPET_CHARACTERS)
    why = "; ".join(filter(None, _reasons(queries, ranked, today)))
    return source.model_copy(update={"snippet": snippet, "score": ranked.score, "why_used": f"{why}."})


def _reasons(queries: Sequence[str], ranked: _Ranked, today: date) -> list[str]:
    candidate = ranked.candidate
    return [
        _fit(queries, ranked),
        candidate.authority.told,
        _age(candidate.source, today),
        f"the same text was found at {candidate.addresses} addresses" if candidate.addresses > 1 else "",
        "the page could not be read, only the search provider’s excerpt" if candidate.is_excerpt else "",
    ]


def _fit(queries: Sequence[str], ranked: _Ranked) -> str:
    best = max(range(len(queries)), key=lambda q: ranked.fits[q])
    share = max(ranked.fits[best], ranked.passages[0].score)
    degree = "Fits" if share >= 0.75 else "Fits largely" if share >= 0.5 else "Fits in part"
    return f"{degree} “{one_line(queries[best], _QUERY_CHARACTERS)}”"


def _age(source: Source, today: date) -> str:
    if source.source_type == "document":
        return f"version {source.host}" if source.host else ""
    return f"dated {source.published}" if _date(source, today) is not None else "without a date that can be relied on"
