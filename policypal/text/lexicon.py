"""The word lists of ``lexicon.toml``."""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files


@cache
def _lists() -> dict[str, frozenset[str]]:
    raw = tomllib.loads(files("policypal.text").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    sections = {f"section.{name}": frozenset(words.split()) for name, words in raw["sections"].items()}
    return {**{name: frozenset(raw[name].split()) for name in ("actions", "things")}, **sections}


def is_action(word: str) -> bool:
    """Whether a word is the base form of a verb that duties begin with; British and American spelling alike."""
    word = word.lower()
    actions = _lists()["actions"]
    return word in actions or (word.endswith(("ise", "yse")) and f"{word[:-2]}ze" in actions)


def is_thing(noun: str) -> bool:
    """Whether a noun, singular or plural, names what sentences are about rather than somebody."""
    noun = noun.lower()
    return any(n in _lists()["things"] for n in (noun, noun.removesuffix("s"), noun.removesuffix("es")))


@lru_cache(maxsize=512)
def section_kind(heading: str) -> str:
    """The kind of section a heading of few words announces: "definition", "example", "reference", "foreword", or "". Its word comes first, or
    is half of them: "Unintended Content Interpretation" defines nothing."""
    words = [w for w in _words(heading) if w not in _DIVISIONS]
    for name in ("definition", "example", "reference", "foreword"):
        known = [w in _lists()[f"section.{name}"] for w in words]
        if len(words) <= _HEADING_WORDS and any(known) and (known[0] or 2 * sum(known) >= len(words)):
            return name
    return ""


def is_purpose(heading: str) -> bool:
    """Whether a heading of few words announces what a document is for, and for whom."""
    words = _words(heading)
    return len(words) <= 5 and any(w in _lists()["section.purpose"] for w in words)


def _words(heading: str) -> list[str]:
    return [w for w in "".join(c if c.isalpha() else " " for c in heading.lower()).split() if w not in _SMALL]


_HEADING_WORDS = 4
_DIVISIONS = frozenset("annex appendix article chapter clause part schedule section title".split())
_SMALL = frozenset("a an and for of on or the to in ii iii iv v vi vii viii ix x".split())
