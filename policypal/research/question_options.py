"""The questions of Plan mode without a model: templates by what a goal leaves open, options out of the library (W2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain

from policypal.domain.research import Aspect, PlanQuestion
from policypal.request.library import document_years
from policypal.research.goal import subject_words
from policypal.research.scope import OF_SET, ResearchDocument, latest_versions, scope_choices
from policypal.research.timeframe import in_words, months_before
from policypal.search.terms import terms

OPTIONS = 4
MAX_OPTION_CHARACTERS = 140
_LONGEST_SUBJECT = 60
_MAX_SETS = 2
_NUMBERING = re.compile(
    r"^\W*(?:(?:part|chapter|section|article|annex|appendix|title|schedule|module|paragraph)\b\.?\s*)?"
    r"(?:[\dIVXLC]+(?:\.\w+)*|[A-Z](?=[.)]))?[.):\s–-]+(?=[^\W\d_]{2})",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True)
class Ground:
    """What questions are made from."""

    goal: str
    library: Sequence[ResearchDocument]
    today: date

    @property
    def subject(self) -> str:
        """The goal's subject as the goal says it, empty where it takes many words or several places to say."""
        words = " ".join(subject_words(self.goal))
        is_phrase = words in " ".join(self.goal.split())
        return words if is_phrase and len(words) <= _LONGEST_SUBJECT else ""

    @cached_property
    def nearest(self) -> list[ResearchDocument]:
        """The library without earlier versions, those first whose names and headings share most words with the goal; the
        earlier versions after them."""
        wanted = set(terms(" ".join(subject_words(self.goal))))

        def shared(document: ResearchDocument) -> int:
            return len(wanted & set(terms(" ".join([document.title, *document.aliases, *document.headings]))))

        latest = {d.id for d in latest_versions(self.library)}
        return sorted(self.library, key=lambda d: (d.id not in latest, -shared(d)))

    def of_type(self, type_: str) -> ResearchDocument | None:
        """The nearest document of a type."""
        return next((d for d in self.nearest if d.type == type_), None)


def template(aspect: Aspect, ground: Ground) -> PlanQuestion:
    """The question on one aspect with four distinct options."""
    wording, options = _TEMPLATES[aspect]
    about = f" on “{ground.subject}”" if ground.subject else ""
    return PlanQuestion(
        aspect=aspect,
        question=wording.format(about=about),
        options=distinct(options(ground))[:OPTIONS],
        all_of_the_above=aspect == "scope",
    )


def distinct(options: Iterable[str]) -> list[str]:
    """Options on one line each, shortened, every one once."""
    found: dict[str, str] = {}
    for option in options:
        if line := shortened(" ".join(option.split())):
            found.setdefault(line.casefold().rstrip(".!"), line)
    return list(found.values())


def shortened(line: str) -> str:
    if len(line) <= MAX_OPTION_CHARACTERS:
        return line
    return f"{line[: MAX_OPTION_CHARACTERS - 1].rpartition(' ')[0] or line[: MAX_OPTION_CHARACTERS - 1]}…"


def headings_near(words: Iterable[str], documents: Iterable[ResearchDocument]) -> list[str]:
    """Headings that share words with ``words``, without their numbers, those that share most first."""
    wanted = set(terms(" ".join(words)))
    found: dict[str, int] = {}
    for heading in (bare_heading(h) for d in documents for h in d.headings):
        if (shared := len(wanted & set(terms(heading)))) and len(heading) <= _LONGEST_SUBJECT:
            found.setdefault(heading, shared)
    return sorted(found, key=lambda h: -found[h])


def bare_heading(heading: str) -> str:
    """ "Part 5 Outsourcing" → "Outsourcing"."""
    return _NUMBERING.sub("", " ".join(heading.split())).strip(" .:–-")


def _scopes(ground: Ground) -> Iterator[str]:
    """Documents where the library leaves a choice of four; topics otherwise."""
    choices = list(_different(scope_choices(ground.nearest)))
    if len(choices) >= OPTIONS:
        yield from choices
    for heading in headings_near(subject_words(ground.goal), ground.nearest)[:2]:
        yield f"What the documents say under “{heading}”"
    yield "Obligations and prohibitions: who must do what"
    yield "Deadlines, thresholds and notifications"
    yield "Roles, governance and accountability"
    yield "Records, controls and enforcement"


def _different(choices: dict[str, list[str]]) -> Iterator[str]:
    """Choices that stand for different documents; not more sets than leave room for something else."""
    seen: set[frozenset[str]] = set()
    sets = 0
    for label, ids in choices.items():
        sets += (is_set := label.startswith(OF_SET))
        if frozenset(ids) not in seen and len(label) <= MAX_OPTION_CHARACTERS and not (is_set and sets > _MAX_SETS):
            seen.add(frozenset(ids))
            yield label


def _periods(ground: Ground) -> Iterator[str]:
    year, three = (months_before(ground.today, months) for months in (12, 36))
    yield "What applies today, whatever its date"
    yield f"The last 12 months, since {in_words(year)}"
    yield f"The last three years, since {in_words(three)}"
    dated = [(max(years), d) for d in ground.nearest if d.type == "regulatory" and (years := document_years(d))]
    past = [(y, d) for y, d in dated if y <= ground.today.year]
    if past:
        oldest, document = min(past, key=lambda pair: pair[0])
        yield f"Changes since {oldest}, the year of {document.display_title}"
    yield f"What applies today and what comes into force until the end of {ground.today.year + 2}"


def _depths(ground: Ground) -> Iterator[str]:
    regulatory = [d for d in ground.nearest if d.type == "regulatory"][:2]
    about = f" on “{ground.subject}”" if ground.subject else ""
    yield "A short overview of about one page"
    yield "A standard report of about five sections"
    yield f"An in-depth report with every obligation, deadline and threshold{about}"
    if len(regulatory) == 2:
        yield f"A comparison with a table: {' and '.join(d.display_title for d in regulatory)}"
    yield "A comparison with a table, source by source"


def _uses(ground: Ground) -> Iterator[str]:
    company, regulatory = ground.of_type("company"), ground.of_type("regulatory")
    yield f"Updating {company.display_title}" if company else "Updating an internal policy"
    yield (
        f"Checking whether we meet {regulatory.display_title}"
        if regulatory
        else "Checking whether we meet the requirements"
    )
    yield "A briefing for the board or the management"
    yield "Preparing for an audit or a supervisory examination"
    yield "Training and guidance for staff"


_TEMPLATES: dict[Aspect, tuple[str, Callable[[Ground], Iterator[str]]]] = {
    "scope": ("What should the report{about} cover?", _scopes),
    "timeframe": ("Which period should the report{about} consider?", _periods),
    "depth": ("How detailed should the report{about} be?", _depths),
    "use": ("What will the report{about} be used for?", _uses),
}


def all_options(aspect: Aspect, ground: Ground) -> list[str]:
    """Everything the template of an aspect can offer, to fill up a model's options."""
    general = template(aspect, Ground("", [], ground.today)).options
    return distinct(chain(_TEMPLATES[aspect][1](ground), general))
