"""What may leave for a web search engine, whoever wrote it: no company's name, no company document's, no person's address or
number, no words of a draft, no quotation, amount or name that only the company's own papers say (X5, W2, R7)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.answer.queries import outgoing
from policypal.domain.text import storable
from policypal.domain.users import Profile
from policypal.ingest.drafts import request_of, split_audit_request
from policypal.request.library import KnownDocument
from policypal.request.words import NOUNS, singular, split_words
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms
from policypal.text.quantities import QuantityKind, find_quantities, without_quantities
from policypal.web.search import PublicQuery

_PERSONAL = re.compile(r"\S{1,64}@\S{1,250}|https?://\S+|\+\d[\d ()-]{7,20}\d|(?<!\d)\d(?:[ ()-]?\d){8,20}(?!\d)")
_SPEAKS_OF_DRAFT = re.compile(
    r"\b(?:e-?mails?|drafts?|letters?|memos?|paragraphs?|clauses?|texts?|wording|statements?|below|following|attached|pasted|against)\b",
    re.IGNORECASE,
)
_READ_CHARACTERS = 4_000
"""Whoever asks does so within these; what follows is a text that was pasted."""
_QUOTED_WORDS = 4
"""So many words of a draft in a row are a quotation of it."""
_TELLING_WORDS = 5
_OWN_TELLING_WORDS = 7
"""So many telling words in a row are a quotation of a company's paper; the second where a person's request says them, too."""
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
"""Of a number without a currency."""
_FORMS = NOUNS.keys() | frozenset(
    "bank company corporation limited ltd inc plc llc corp group holding holdings insurance insurer capital partners trust fund the a of and "
    "for in our my national international first global general united new north south east west central internal all old final archive".split()
)
"""What companies and documents are called by besides their own name and their subject."""
_SUBJECTS = frozenset(
    t for t in terms(
        "data protection privacy risk compliance conduct information security outsourcing resources marketing advertising complaint staff "
        "credit lending payment cloud governance resilience continuity procurement travel expense conflict interest whistleblowing bribery "
        "corruption sanctions laundering insider trading remuneration access incident health safety environment liquidity model"
    )
) | SYNONYMS.keys()  # fmt: skip
"""Stems of what any company has rules on: said alone, they name nobody."""


@dataclass(frozen=True, slots=True)
class Papers:
    """Text a query is held against. ``private``: of the company's own documents; ``public``: of the regulations, whose
    words are anybody's; ``drafts``: texts that were given to be checked; ``said``: what the person has written before."""

    private: Sequence[str] = ()
    public: Sequence[str] = ()
    drafts: Sequence[str] = ()
    said: Sequence[str] = ()


def public_query(
    query: str, library: Sequence[KnownDocument], profile: Profile, goal: str = "", papers: Papers | None = None
) -> PublicQuery | None:
    """``query`` as it may be searched for on the web, for every engine's queries and for a person's own; None where nothing
    remains, where it quotes a draft (also the one in ``goal``, which is what the person has asked), or where most of it
    is what the company's own papers say (X5)."""
    papers = papers or Papers()
    asked = request_without_draft(goal)
    drafted = set[tuple[str, ...]]().union(*map(_draft_runs, [goal, *papers.said]), *map(_runs, papers.drafts))
    found = "" if (drafted - _runs(asked)) & _runs(query) else _outside(papers, query, asked)
    own = _Private(library, profile)
    words = outgoing(own.cut(found), profile)
    is_gutted = found != query and len(terms(words)) * 2 < len(terms(own.cut(query)))
    return PublicQuery(words) if re.search(r"\w{2}", words) and not is_gutted else None


def public_queries(
    queries: Iterable[str], library: Sequence[KnownDocument], profile: Profile, goal: str = ""
) -> list[str]:
    """Those queries of a plan that may be proposed, each once; they pass :func:`public_query` again when they leave."""
    allowed = (public_query(query, library, profile, goal) for query in queries)
    kept: dict[str, str] = {}
    for query in filter(None, allowed):
        kept.setdefault(query.text.casefold(), query.text)
    return list(kept.values())


def without_private_names(text: str, library: Sequence[KnownDocument], profile: Profile) -> str:
    """``text`` without addresses, telephone numbers, the company's name, and the names of its documents and of sets that
    hold nothing else; of these, words that any company would use for the subject stay."""
    return _Private(library, profile).cut(text)


def subject_terms(name: str) -> set[str]:
    """Stems of what a name or a heading is about, without the words that companies, documents and parts of all kinds are called by."""
    return {t for w in split_words(name) if not {w.lower, w.stem} & _FORMS for t in terms(w.text)}


def request_without_draft(goal: str) -> str:
    """The part of a goal that asks, without a text that was pasted with it."""
    asked = request_of(goal[:_READ_CHARACTERS])
    directive, draft = split_audit_request(asked)
    if not draft or not _SPEAKS_OF_DRAFT.search(directive):
        return asked
    return " ".join(_SPEAKS_OF_DRAFT.sub(" ", directive).split())


def _draft_runs(goal: str) -> set[tuple[str, ...]]:
    """Words in a row that only the draft in a goal says, not the request."""
    asked = request_without_draft(goal)
    return set() if asked.strip() == goal.strip() else _runs(goal) - _runs(asked)


def _outside(papers: Papers, query: str, asked: str) -> str:
    """``query`` without the quotations, amounts and names that only the company's own papers say."""
    if not papers.private:
        return query
    cuts = {*_quoted(papers, query, asked), *_amounts(papers, query), *_names(papers, query, asked)}
    for start, end in sorted(cuts, reverse=True):
        query = query[:start] + " " * (end - start) + query[end:]
    return " ".join(query.split())


def _quoted(papers: Papers, query: str, asked: str) -> Iterator[tuple[int, int]]:
    """Telling words in a row that a private paper says and no public one."""
    words = [(stems, m.span()) for m in re.finditer(r"\w+", query) if (stems := terms(m[0]))]
    for length, said in ((_TELLING_WORDS, asked), (_OWN_TELLING_WORDS, "")):
        own = _telling_runs(papers.private, length) - _telling_runs([*papers.public, said], length)
        for at in range(len(words) - length + 1):
            if tuple(stems[0] for stems, _ in words[at : at + length]) in own:
                yield from (span for _, span in words[at : at + length])


def _telling_runs(texts: Iterable[str], length: int) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for text in texts:
        words = terms(text)
        found.update(tuple(words[i : i + length]) for i in range(len(words) - length + 1))
    return found


def _amounts(papers: Papers, query: str) -> Iterator[tuple[int, int]]:
    """Amounts of private papers; also those that a person has said."""
    own = _values(papers.private) - _values(papers.public)
    kinds = (QuantityKind.MONEY, QuantityKind.PERCENT, QuantityKind.NUMBER)
    found = (q for q in find_quantities(query) if q.kind in kinds and q.value * _SCALES.get(q.unit, 1) in own)
    return ((q.start, q.end) for q in found)


def _values(texts: Iterable[str]) -> set[float]:
    kinds = (QuantityKind.MONEY, QuantityKind.PERCENT)
    return {q.value for text in texts for q in find_quantities(text) if q.kind in kinds}


def _names(papers: Papers, query: str, asked: str) -> Iterator[tuple[int, int]]:
    """Words that the papers write with a capital only and no public one writes, but for those the person has said."""
    text = " ".join(papers.private)
    small = set(re.findall(r"\b[a-z]\w+", " ".join([text, *papers.public])))
    named = {word.lower() for word in re.findall(r"(?<=[\w,;] )[A-Z]\w+", text)} - small
    public = set(terms(" ".join([*papers.public, asked]))) | _SUBJECTS
    plain = without_quantities(query, find_quantities(query))  # a currency is no name
    for word in re.finditer(r"\w+", plain):
        if word[0].lower() in named and not set(terms(word[0])) & public:
            yield word.span()


class _Private:
    """The names that must not leave, of one library and one company."""

    def __init__(self, library: Sequence[KnownDocument], profile: Profile) -> None:
        own, public = ([d for d in library if (d.type == "company") is is_own] for is_own in (True, False))
        self._said_in_public = {t for d in public for name in (d.title, d.set_name or "") for t in terms(name)}
        sets = {d.set_name for d in own if d.set_name} - {d.set_name for d in public}
        self._documents = {name for d in own for name in (d.display_title, d.title, *d.aliases)} | sets
        owners = {name for name in (*sets, profile.company.strip()) if name}
        named = (profile.company, *(word for name in owners for word in self._telling(name)))
        self._company = {" ".join(name.split()).casefold() for name in named} - {""}

    def cut(self, text: str) -> str:
        plain = _PERSONAL.sub(" ", storable(text))
        return without_names(plain, self._documents | self._company, self._rest).strip(" ,.;:-–()'’\"")

    def _rest(self, name: str) -> str:
        """What stays of a name: of the company's nothing, of a document's the words for its subject, in small letters."""
        if " ".join(name.split()).casefold() in self._company:
            return ""
        return " ".join(word.lower() for word in re.findall(r"\w+", name) if self._is_public(word))

    def _telling(self, name: str) -> Iterator[str]:
        """The first word of a company's name that is not like everybody's: "Acme" of "Acme Bank"."""
        words = (w for w in split_words(name) if w.is_capitalised and len(w.text) > 1)
        word = next((w.text for w in words if w.stem not in _FORMS and not self._is_public(w.text)), None)
        if word is not None:
            yield word

    def _is_public(self, word: str) -> bool:
        found = terms(word)
        is_form = bool({word.lower(), singular(word.lower())} & _FORMS)
        return bool(found) and not is_form and set(found) <= self._said_in_public | _SUBJECTS


def without_names(text: str, names: Iterable[str], rest: Callable[[str], str] = lambda name: "") -> str:
    """``text`` on one line without the names in any spelling of their capitals and spaces, the longest first, each with an 's
    that belongs to it. ``rest`` says what stays of a name."""
    folded = text.casefold()
    present = [words for name in names if (words := name.split()) and words[0].casefold() in folded]
    if present:
        spelled = [r"\s+".join(map(re.escape, words)) for words in sorted(present, key=lambda w: -len(" ".join(w)))]
        pattern = re.compile(rf"(?<!\w)({'|'.join(spelled)})(?:['’]s)?(?!\w)", re.IGNORECASE)
        text = pattern.sub(lambda name: f" {rest(name[1])} ", text)
    return " ".join(text.split())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[i : i + _QUOTED_WORDS]) for i in range(len(words) - _QUOTED_WORDS + 1)}
