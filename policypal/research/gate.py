"""The gate before a run: what a goal is going to cost, and whether it is clear and cheap enough to research at once (W2, W5)? Rules
only, no model call."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from policypal.domain.research import Aspect, Gate
from policypal.domain.text import enumerated
from policypal.llm.prices import Tokens
from policypal.llm.task import Engine
from policypal.request.words import years
from policypal.research.disclosure import request_without_draft
from policypal.research.goal import depth_of, since_of, subject_words
from policypal.research.scope import ResearchDocument, named_documents
from policypal.text.language import is_foreign

ModelCost = Callable[[str, Tokens], Decimal]
"""Dollars a task costs that takes so many tokens, by the task's name."""

MIN_QUERIES, MAX_QUERIES = 3, 8
SECTIONS = {"short": 3, "standard": 5, "deep": 8}
"""Sections of a report by its depth."""
QUERIES = {"short": MIN_QUERIES, "standard": 5, "deep": MAX_QUERIES}

_ONCE = {
    "plan_questions": Tokens(3_000, 600),
    "plan": Tokens(3_500, 900),
    "outline": Tokens(7_000, 900),
    "judge_support": Tokens(9_000, 2_500),
    "check_claims": Tokens(9_000, 900),
}
_PER_SECTION = Tokens(7_000, 1_200)
_PASSAGE_TOKENS = 280
"""Of a passage of a document with its marks."""
_PAGES_PER_QUERY = 6
"""Web pages that remain of a query's hits when both providers' are put together."""
_REPAIRED = Decimal("1.25")
"""One report in four is written a second time after the red-team gate."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``pages`` of the web to be read, and ``usd`` for the models; 0 where no model or no price is known."""

    pages: int
    usd: float


def model_cost_of(engine: Engine) -> ModelCost:
    """What an engine's models cost by the price table (M7); nothing where the price is unknown."""
    return lambda task, tokens: engine.expected_cost(task, tokens.input, tokens.output) or Decimal(0)


def estimate(queries: int, sections: int, *, has_web: bool, model_cost: ModelCost, reading: int = 0) -> Estimate:
    """What so many queries and sections take, with so many tokens of documents that each section is written from; rather more than less:
    nothing is counted as cached."""
    pages = queries * _PAGES_PER_QUERY if has_web else 0
    read = Tokens(reading, 0)
    once = sum((model_cost(task, tokens) for task, tokens in _ONCE.items()), model_cost("outline", read))
    written = sections * model_cost("write_section", _PER_SECTION + read) * _REPAIRED
    return Estimate(pages, round(float(once + written), 4))


MOST_USD = 0.25
"""From these estimates on, a look at the plan costs less than a wrong run."""
MOST_PAGES = 40

_ENOUGH_WORDS = 3
OPEN: dict[Aspect, str] = {
    "scope": "which documents, countries or companies it covers",
    "timeframe": "which period",
    "depth": "how deep it goes",
    "use": "what it will be used for",
}
"""What a goal can leave open, in the order in which it is asked for."""


def tokens_read(library: Sequence[ResearchDocument], document_ids: Sequence[str], most: int | None) -> int:
    """Tokens of documents in a request where these, or else all, are read whole; ``most`` is what a request may hold (A0)."""
    passages = sum(d.passages for d in library if d.id in document_ids or not document_ids)
    return min(passages * _PASSAGE_TOKENS, most or 0)


def assess(
    goal: str,
    library: Sequence[ResearchDocument],
    *,
    has_web: bool,
    model_cost: ModelCost,
    reading_tokens: int | None = None,
    today: date | None = None,
) -> Gate:
    """Advice on a goal, whatever it is; ``model_cost`` is :func:`model_cost_of` the engine, ``reading_tokens`` its own. ``today`` decides what "last year's rulebook" names; None means the clock's date (UTC)."""
    today = today or datetime.now(UTC).date()
    asked = request_without_draft(goal)
    depth = depth_of(asked)
    named = named_documents(goal, library, today)
    stated: dict[Aspect, bool] = {
        "scope": bool(named), "depth": depth is not None,
        "timeframe": bool(years(asked) or since_of([asked], today)), "use": False,
    }  # fmt: skip
    missing = [aspect for aspect in OPEN if not stated[aspect]]
    costs = estimate(
        QUERIES[depth or "standard"], SECTIONS[depth or "standard"], has_web=has_web, model_cost=model_cost,
        reading=tokens_read(library, named, reading_tokens),
    )  # fmt: skip
    reasons = [*_unclear(asked, missing), *_expensive(costs)]
    return Gate(usd=costs.usd, auto=not reasons, reasons=reasons, missing=missing)


def _unclear(asked: str, missing: Sequence[Aspect]) -> Iterator[str]:
    """A goal that names documents, or has a few words of a subject, says enough."""
    if "scope" not in missing:
        return
    if is_foreign(asked):
        yield "The goal is not in English, so that it could not be checked before the start."
    elif len(subject_words(asked)) < _ENOUGH_WORDS:
        yield "The goal says in a word or two only what the report is to be about."
        yield f"It leaves open {enumerated([OPEN[a] for a in missing])}."


def _expensive(costs: Estimate) -> Iterator[str]:
    if costs.usd > MOST_USD:
        yield f"The models are estimated to cost ${costs.usd:.2f}, which is more than ${MOST_USD:.2f}."
    if costs.pages > MOST_PAGES:
        yield f"The subject is broad: about {costs.pages} web pages would be read."
