"""The themes of a report, each with the passages that are told under it (W3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from policypal.answer.evidence import Evidence
from policypal.answer.extract_themes import EXTRACT_THEMES, ThemesInput
from policypal.answer.material import speaks_of
from policypal.answer.statements import Statement
from policypal.llm.task import TaskContext
from policypal.search.embeddings import Embedder

_CANDIDATES = 14
_FEWEST_STATEMENTS = 2
_ABOUT_ITSELF = re.compile(
    r"(?:about|how to|this|these|application and|scope|definitions?|interpretation)\b", re.IGNORECASE
)


def themes_of(
    evidence: Sequence[Evidence],
    statements: Sequence[Statement],
    near: Mapping[int, float],
    at_most: int,
    embedder: Embedder,
) -> list[tuple[str, list[int]]]:
    """The subjects of which most is said and whose statements are ``near`` the goal, as the evidence names them, with the numbers of
    its passages. Each passage stands under one of them, and only those of ``statements`` do."""
    material = ThemesInput(passages=[_headed(e) for e in evidence], at_most=_CANDIDATES)
    found = EXTRACT_THEMES.extractive(material, TaskContext(embedder)).themes
    spoken = {n: [s for s in statements if speaks_of(n, s)] for n in found if not _ABOUT_ITSELF.match(n)}
    worth = {name: sum(near.get(id(s), 0.0) ** 2 for s in of_theme) for name, of_theme in spoken.items()}
    told = (name for name, of_theme in spoken.items() if len(of_theme) >= _FEWEST_STATEMENTS)
    return list(_shared_out(sorted(told, key=lambda n: (-worth[n], n))[:at_most], spoken))


def _shared_out(names: Sequence[str], spoken: dict[str, list[Statement]]) -> Iterator[tuple[str, list[int]]]:
    """Each passage goes to the theme that most of its statements speak of, so that no two sections tell the same."""
    told = {name: Counter(s.evidence.number for s in spoken[name]) for name in names}
    home = {n: max(names, key=lambda name: told[name][n]) for counts in told.values() for n in counts}
    for name in names:
        if numbers := sorted(n for n, theme in home.items() if theme == name):
            yield name, numbers


def _headed(evidence: Evidence) -> str:
    heading = evidence.heading or ""
    return evidence.text if heading in evidence.text else f"{heading}\n{evidence.text}"
