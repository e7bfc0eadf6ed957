"""Lists in regulations: which line introduces one, and of what, where the line does not say its name."""

import re
from functools import lru_cache

from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import TEXTS_KEPT, terms

_ASKED_FOR = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:what|which) are (?:the |all (?:the )?)?(?:[\w-]+ )*?([\w-]+s|criteria)(?= (?:for|of|on|under|to|in|that|when|which|by)\b|\s*\?|$)",
        r"\b(?:on|under|in|for) (?:what|which) (?:[\w-]+ )??([\w-]+s)\b",
        r"\b(?:what|which) (?:(?!must|should|shall|do|does|can|may|is|are)[\w-]+ ){0,2}?([\w-]+s|criteria) (?:are|is|do|does|may|can|must|should|shall|determines?|apply|applies)\b",
        r"\b(?:what|which) (?:[\w-]+ )??(information|contents|details) (?:must|should|shall|has|have|is|are|needs?)\b",
    )
)
_BEGINS = re.compile(r"(?::[–—-]?|[–—]{1,2}|,[–—-])[ \t]*\n\s*(?:\(?(?:a|i|1|A)[).]|[•▪‣·–—-])")
"""The end of a line that introduces a list, with the mark of the first item."""
_BEFORE = re.compile(r"[.;:]|\n\n")
"""What the introduction cannot hold: it is sought behind the last one."""


_WHEN = re.compile(r"\s*when (?:[\w-]+ )*?(?:not|may|can)\b", re.IGNORECASE)


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem for word in words.split() for stem in terms(word))


_UNNAMED: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (
        _stems("grounds bases conditions circumstances cases situations criteria reasons exceptions exemptions derogations"),
        re.compile(r"\b(?:any of|one of|if|where|when|unless|only|for any|provided)\b", re.IGNORECASE),
    ),
    (
        _stems("factors criteria elements aspects considerations matters"),
        re.compile(r"\b(?:regard|account|consider\w*|assess\w*|determin\w+)\b", re.IGNORECASE),
    ),
    (
        _stems("duties obligations tasks responsibilities requirements measures functions"),
        re.compile(r"\b(?:shall|must|should|will|has to|have to|responsib\w+)\b", re.IGNORECASE),
    ),
    (
        _stems("information contents details elements"),
        re.compile(r"\b(?:contain\w*|includ\w+|comprise\w*|state|specify|describe|set out|provide|at least|inform\w*)\b", re.IGNORECASE),
    ),
)  # fmt: skip
"""What a list may be of, and the words that introduce it where it is not named: "… only if at least one of the following
applies:" lists grounds, "regard shall be given to the following:" lists factors."""

_CIRCUMSTANCE = terms("circumstances")[0]
_FOLLOWING = re.compile(r"\bfollowing\s+([\w-]+)", re.IGNORECASE)
_NO_NAME = frozenset("applies apply is are namely has have shall must conditions cases circumstances grounds".split())


def category_of(question: str) -> str:
    """The stem of what a question asks the kinds of: "ground" of "what are the lawful grounds for …", what "when may" asks
    for; "" for none."""
    if _WHEN.match(question):
        return _CIRCUMSTANCE
    match = next((found for pattern in _ASKED_FOR if (found := pattern.search(question))), None)
    return "".join(terms(match.group(1))[:1]) if match else ""


@lru_cache(maxsize=TEXTS_KEPT)
def lead_ins(text: str) -> tuple[str, ...]:
    """The lines of ``text`` that introduce a list, each on one line."""
    found, done = [], 0
    for begins in _BEGINS.finditer(text):
        for end in _BEFORE.finditer(text, done, begins.start()):
            done = end.end()
        found.append(" ".join(text[done : begins.start()].split()))
        done = begins.end()
    return tuple(found)


def leads_in(line: str, category: str) -> bool:
    """Whether a line introduces a list of such a ``category``, by name or without: "the following tasks" lists tasks and
    nothing else."""
    named = _FOLLOWING.search(line)
    if named is not None and named[1].lower() not in _NO_NAME:
        stem = "".join(terms(named[1])[:1])
        return stem == category or stem in SYNONYMS.get(category, frozenset())
    return any(category in categories and words.search(line) for categories, words in _UNNAMED)
