"""The word lists of ``lexicon.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _lists() -> dict[str, frozenset[str]]:
    raw = tomllib.loads(files("policypal.text").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    sections = {f"section.{name}": frozenset(words.split()) for name, words in raw["sections"].items()}
    return {"actions": frozenset(raw["actions"].split()), **sections}


def is_action(word: str) -> bool:
    """Whether a word is the base form of a verb that duties begin with; British and American spelling alike."""
    word = word.lower()
    actions = _lists()["actions"]
    return word in actions or (word.endswith(("ise", "yse")) and f"{word[:-2]}ze" in actions)


def section_kind(heading: str) -> str:
    """The kind of section a heading of few words announces: "definition", "example", "reference", "foreword", or ""."""
    words = [w for w in "".join(c if c.isalpha() else " " for c in heading.lower()).split() if w not in _SMALL]
    for name in ("definition", "example", "reference", "foreword"):
        if words and len(words) <= 4 and any(w in _lists()[f"section.{name}"] for w in words):
            return name
    return ""


_SMALL = frozenset("a an and for of on or the to in ii iii iv v vi vii viii ix x".split())
