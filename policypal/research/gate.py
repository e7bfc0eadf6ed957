"""The gate before a run: is the goal clear and cheap enough to research at once (W2)? Rules only, no model call."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime

from policypal.domain.research import Aspect, Gate
from policypal.domain.text import enumerated
from policypal.request.library import KnownDocument
from policypal.research.estimate import QUERIES, SECTIONS, Estimate, ModelCost, estimate
from policypal.research.goal import Goal, read_goal
from policypal.research.goal import checked_goal as checked_goal
from policypal.research.scope import named_documents
from policypal.text.language import is_foreign

MOST_USD = 0.25
"""From these estimates on, a look at the plan costs less than a wrong run."""
MOST_PAGES = 40

_ENOUGH_WORDS = 2
_OPEN: dict[Aspect, str] = {
    "scope": "which documents, countries or companies it covers",
    "timeframe": "which period",
    "depth": "how deep it goes",
    "use": "what it will be used for",
}


def assess(
    goal: str,
    library: Sequence[KnownDocument],
    *,
    has_web: bool,
    model_cost: ModelCost,
    today: date | None = None,
) -> Gate:
    """Advice on a goal, whatever it is; ``model_cost`` is :func:`~policypal.research.estimate.model_cost_of` the
    engine. ``today`` decides what "last year's rulebook" names; None means the clock's date (UTC)."""
    named = named_documents(goal, library, today or datetime.now(UTC).date())
    read = read_goal(goal, names_documents=bool(named))
    costs = _expected(read, has_web, model_cost)
    reasons = [*_unclear(read, goal), *_expensive(costs)]
    return Gate(usd=costs.usd, auto=not reasons, reasons=reasons, missing=read.missing)


def _expected(read: Goal, has_web: bool, model_cost: ModelCost) -> Estimate:
    depth = read.depth or "standard"
    return estimate(QUERIES[depth], SECTIONS[depth], has_web=has_web, model_cost=model_cost)


def _unclear(read: Goal, goal: str) -> Iterator[str]:
    is_short = len(read.words) < _ENOUGH_WORDS and "scope" not in read.stated
    if read.words and read.asks and not is_short:
        return
    if is_foreign(goal):
        yield "The goal is not in English, so that it could not be checked before the start."
        return
    if not read.words:
        yield "The goal does not say what the report is to be about."
    elif not read.asks:
        yield "The goal names a subject, but no question: what is to be found out, compared or listed?"
    else:
        yield "The goal names its subject in a word or two only."
    if read.missing:
        yield f"It leaves open {enumerated([_OPEN[a] for a in read.missing])}."


def _expensive(costs: Estimate) -> Iterator[str]:
    if costs.usd > MOST_USD:
        yield f"The models are estimated to cost ${costs.usd:.2f}, which is more than ${MOST_USD:.2f}."
    if costs.pages > MOST_PAGES:
        yield f"The subject is broad: about {costs.pages} web pages would be read."
