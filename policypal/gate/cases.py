"""Of which case something is said: under a condition, of some things only, or of the case a figure stands beside (C2b)."""

import re
from collections.abc import Sequence

from policypal.gate.deeds import deeds_of
from policypal.gate.evidence import CitedText
from policypal.gate.figures import figures_of, plain_figures
from policypal.gate.words import COVERED, content_of, likest
from policypal.text.quantities import Quantity

_CONDITION = re.compile(
    r"(?:^|[,;:]\s*|\s)((?:if|where|when|whenever|in (?:the )?(?:case|event)|provided that|wenn|sofern)\b[^,;.:]*)",
    re.I,
)
_SAID = 0.8
"""The likeness from which a word is said there, and not something like it."""


def dropped_condition(roles: frozenset[str], content: Sequence[str], main: Sequence[CitedText]) -> float:
    """The share of a cited condition's words that the statement lacks; half of it where it has a condition of its own."""
    conditions = [content_of(match[1]) for text in main for match in _CONDITION.finditer(text.text)]
    lacking = [sum(1 - likest(w, content) for w in words) / len(words) for words in conditions if len(words) > 1]
    return max(lacking, default=0.0) * (0.5 if "condition" in roles else 1.0)


def is_of_another_case(figures: Sequence[Quantity], content: Sequence[str], text: CitedText) -> bool:
    """Whether the sentence has the statement's figures for a case that the statement does not name, and others without: "for six years, and
    for ten where …"."""
    if deeds_of(text.text) and _belongs_elsewhere(figures, content, plain_figures(text.text)):
        return True
    parts = [
        part
        for part in re.split(r";|,? (?:and|or|but) (?=(?:for|in|of|within|at|by|to|up) )", text.text)
        if figures_of(part)
    ]
    if not figures or len(parts) < 2:
        return False
    own = [
        p for p in parts if all(any(f.kind is q.kind and f.value == q.value for q in figures_of(p)) for f in figures)
    ]
    others = [p for p in parts if p not in own and {q.kind for q in figures_of(p)} & {f.kind for f in figures}]
    if not own or not others:
        return False
    cases = [content_of(match[1]) for part in own for match in _CONDITION.finditer(part)]
    if cases and all(sum(likest(w, content) < COVERED for w in case) * 2 >= len(case) for case in cases):
        return True
    foreign = [content_of(match[1]) for part in others for match in _CONDITION.finditer(part)]
    return not cases and any(case and all(likest(w, content) > _SAID for w in case if w != "case") for case in foreign)


def _says_all(words: Sequence[str], content: Sequence[str]) -> bool:
    return all(likest(w, words) > _SAID for w in content)


def _belongs_elsewhere(figures: Sequence[Quantity], content: Sequence[str], cited: str) -> bool:
    """Whether the words of the statement stand beside another figure of a list than its own: "urgent repairs within five days and routine
    repairs within 28"."""
    known = figures_of(cited)
    starts = [0, *(q.end for q in known[:-1])]
    stretches = [(q, content_of(cited[start : q.start])) for start, q in zip(starts, known, strict=False)]
    own = [(q, words) for q, words in stretches if any(f.kind is q.kind and f.value == q.value for f in figures)]
    others = [words for q, words in stretches if (q, words) not in own and q.kind in {f.kind for f in figures}]
    if len(figures) != 1 or len(own) != 1 or not others:
        return False
    mine = own[0][1]
    if len(content) > 2 and any(_says_all(words, content) for words in others) and not _says_all(mine, content):
        return True
    exclusive = [w for w in content if likest(w, mine) < COVERED]
    return any(likest(w, content) < COVERED for w in mine) and any(
        any(likest(w, words) == 1.0 for w in exclusive)
        and not any(likest(w, words) < COVERED <= likest(w, mine) for w in content)
        for words in others
    )
