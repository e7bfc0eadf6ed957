"""What a report can be made of: the provisions that answer each question, as an answer would show them (W3)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from policypal.answer.confidence import rating
from policypal.answer.evidence import Evidence
from policypal.answer.questions import Question, analyse
from policypal.answer.view import ShownProvision, matched, view
from policypal.domain.provisions import Kind
from policypal.search.among import passage_among, ranked_among

LONGEST_SUBJECT = 1000
"""Characters: what a goal of many pages is about stands at its beginning."""
_LEFT_OUT = frozenset({Kind.HEADING, Kind.REFERENCE, Kind.TABLE, Kind.EXAMPLE})
_NEAR_BEST = 0.4
"""The share of the best provision's score from which another one belongs to the answer."""
_LEAST_COVERAGE = 0.35
"""The share of a goal that the best provision of a source has to speak of."""
_REQUESTING = re.compile(
    r"\b(?:compar(?:e|ed|ing|ison)|contrast|analy[sz](?:e|is|ing)|assess|evaluate|investigate|research|overview|summari[sz]e|report on|"
    r"(?:our|the|all|different|each) (?:regulators?|regulations?|sources|documents))\b",
    re.IGNORECASE,
)
"""Words that say what is to be done with an answer, or where it is looked for, rather than what it is about."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the evidence says about a question, best first. ``is_answered``: an answer would not be called "Nothing close"."""

    question: Question
    provisions: tuple[ShownProvision, ...]
    is_answered: bool
    evidence: tuple[Evidence, ...]
    """All of it, with the scores of this question."""

    @property
    def numbers(self) -> list[int]:
        return numbers_of(self.provisions)


def numbers_of(provisions: Iterable[ShownProvision]) -> list[int]:
    """The numbers of the evidence that provisions stand in."""
    return sorted({line.evidence.number for p in provisions for line in p.lines})


def found_for(subjects: Sequence[str], evidence: Sequence[Evidence], most: int, *, per_source: int = 0) -> list[Found]:
    """For each subject, the ``most`` best provisions; at most so many of each source where that is said. Provisions that only stand
    near a good answer are left out."""
    said = [e for e in evidence if not e.kinds or not set(e.kinds) <= _LEFT_OUT]
    said = [
        e for e in said if not e.provision or e.label or e.heading
    ] or said  # what stands before the first is a cover
    asked = [_REQUESTING.sub(" ", subject[:LONGEST_SUBJECT]) for subject in subjects]
    passages = [passage_among(n, e.document, e.heading, e.text, e.provision) for n, e in enumerate(said)]
    return [
        _found(
            analyse(words),
            [e.model_copy(update={"score": h.score, "similarity": h.similarity, "coverage": h.coverage}) for e, h in zip(said, hits, strict=True)],
            most, per_source,
        )
        for words, hits in zip(asked, ranked_among(asked, passages), strict=True)
    ]  # fmt: skip


def _found(question: Question, evidence: Sequence[Evidence], most: int, per_source: int) -> Found:
    shown = view(question, evidence, most)
    if per_source:
        sources = dict.fromkeys(e.document for e in evidence)
        each = [_best(question, [e for e in evidence if e.document == s], per_source) for s in sources]
        leading = [p for ours in each for p in ours[:1] if p.best.evidence.coverage >= _LEAST_COVERAGE]
    else:
        each, leading = [_best(question, evidence, most)], []
    ranked = sorted((p for ours in each for p in ours), key=lambda p: -p.score)
    near = [p for p in ranked if p.score >= _NEAR_BEST * ranked[0].score and p.best.evidence.coverage > 0]
    provisions = [*leading, *(p for p in near if p not in leading)][:most]
    return Found(question, tuple(provisions), rating(question, shown).level != "low", tuple(evidence))


def _best(question: Question, evidence: Sequence[Evidence], most: int) -> list[ShownProvision]:
    found = (p for shown in view(question, evidence, most).everything for p in _single(question, shown))
    once = {(p.best.evidence.number, p.best.span): p for p in found}
    return sorted(once.values(), key=lambda p: -p.score)[:most]


def _single(question: Question, shown: ShownProvision) -> Iterator[ShownProvision]:
    """The provisions that are shown together, each with the line that matches best."""
    for _, group in groupby(shown.lines, key=lambda line: line.evidence.provision or line.evidence.number):
        lines = tuple(group)
        best = max(lines, key=lambda line: matched(question, line.text))
        yield ShownProvision(lines, best, best.evidence.score)


def together(provisions: Iterable[ShownProvision]) -> list[list[ShownProvision]]:
    """Provisions of different sources whose best lines say the same word for word, as editions of one text do, are told once."""
    groups: dict[str, list[ShownProvision]] = {}
    for provision in provisions:
        groups.setdefault(" ".join(provision.best.text.casefold().split()), []).append(provision)
    return list(groups.values())
