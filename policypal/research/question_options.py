"""The questions of Plan mode without a model: one per aspect, options out of the library (W2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from policypal.domain.research import Aspect, PlanQuestion
from policypal.request.library import document_years
from policypal.research.goal import subject_words
from policypal.research.library_facts import by_nearness, headings_near
from policypal.research.scope import ResearchDocument, latest_versions, scope_choices
from policypal.research.timeframe import in_words, months_before

OPTIONS = 4
MAX_OPTION_CHARACTERS = 140


def template(aspect: Aspect, goal: str, library: Sequence[ResearchDocument], today: date) -> PlanQuestion:
    """The question on one aspect with four distinct options."""
    options = all_options(aspect, goal, library, today)[:OPTIONS]
    return PlanQuestion(
        aspect=aspect, question=_TEMPLATES[aspect][0], options=options, all_of_the_above=aspect == "scope"
    )


def all_options(aspect: Aspect, goal: str, library: Sequence[ResearchDocument], today: date) -> list[str]:
    """Everything that can be offered on an aspect, also to fill up a model's options: four or more."""
    latest = {d.id for d in latest_versions(library)}
    near = sorted(by_nearness(goal, library), key=lambda d: d.id not in latest)
    return distinct(_TEMPLATES[aspect][1](goal, near, today))


def distinct(options: Iterable[str]) -> list[str]:
    """Options on one line each, shortened, every one once."""
    found: dict[str, str] = {}
    for option in options:
        if line := _shortened(" ".join(option.split())):
            found.setdefault(line.casefold().rstrip(".!"), line)
    return list(found.values())


def _shortened(line: str) -> str:
    if len(line) <= MAX_OPTION_CHARACTERS:
        return line
    cut = line[: MAX_OPTION_CHARACTERS - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _scopes(goal: str, library: Sequence[ResearchDocument], today: date) -> Iterator[str]:
    """Documents where the library leaves a choice of four; topics otherwise."""
    choices: dict[frozenset[str], str] = {}
    for label, ids in scope_choices(library).items():
        if len(label) <= MAX_OPTION_CHARACTERS:
            choices.setdefault(frozenset(ids), label)
    if len(choices) >= OPTIONS:
        yield from choices.values()
    for heading in headings_near(subject_words(goal), library)[:2]:
        yield f"What the documents say under “{heading}”"
    yield "Obligations and prohibitions: who must do what"
    yield "Deadlines, thresholds and notifications"
    yield "Roles, governance and accountability"
    yield "Records, controls and enforcement"


def _periods(goal: str, library: Sequence[ResearchDocument], today: date) -> Iterator[str]:
    yield "What applies today, whatever its date"
    yield f"The last 12 months, since {in_words(months_before(today, 12))}"
    yield f"The last three years, since {in_words(months_before(today, 36))}"
    dated = [(y, d) for d in library if d.type == "regulatory" for y in document_years(d) if y <= today.year]
    if dated:
        year, document = min(dated, key=lambda pair: pair[0])
        yield f"Changes since {year}, the year of {document.display_title}"
    yield f"What applies today and what comes into force until the end of {today.year + 2}"


def _depths(goal: str, library: Sequence[ResearchDocument], today: date) -> Iterator[str]:
    yield "A short overview of about one page"
    yield "A standard report of about five sections"
    yield "An in-depth report with every obligation, deadline and threshold"
    yield "A comparison with a table, source by source"


def _uses(goal: str, library: Sequence[ResearchDocument], today: date) -> Iterator[str]:
    policy = next((d.display_title for d in library if d.type == "company"), "an internal policy")
    rules = next((d.display_title for d in library if d.type == "regulatory"), "the requirements")
    yield f"Updating {policy}"
    yield f"Checking whether we meet {rules}"
    yield "A briefing for the board or the management"
    yield "Preparing for an audit or a supervisory examination"


_Options = Callable[[str, Sequence[ResearchDocument], date], Iterator[str]]
_TEMPLATES: dict[Aspect, tuple[str, _Options]] = {
    "scope": ("What should the report cover?", _scopes),
    "timeframe": ("Which period should the report consider?", _periods),
    "depth": ("How detailed should the report be?", _depths),
    "use": ("What will the report be used for?", _uses),
}
