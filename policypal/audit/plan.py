"""What an audit by a model will ask, and what that is going to take, before anything is paid (A4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256

from policypal.audit.judging import JUDGE, JudgeInput, Opinion, shown
from policypal.audit.lines import Line, batches, by_id
from policypal.audit.narrowing import narrowed
from policypal.domain.provisions import Kind
from policypal.domain.text import storable
from policypal.search.embeddings import Embedder

SOURCE_TOKENS = 20_000
"""Up to so many tokens a source goes whole with every batch."""
_BYTES_PER_TOKEN = 4
_FIXED_TOKENS = 1_300
"""Instructions and prefix of a request."""
_ANSWER_TOKENS = 90
"""Of one obligation."""
_LOOK_TOKENS = 250
"""Of one finding's second look, both ways; one in six obligations is taken to need it."""
_LOOKS = 6
_SECONDS = 12
"""Of one call, roughly."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an audit is going to take. ``cost_usd`` is None where the model's price is not known."""

    obligations: int
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: int
    cost_usd: Decimal | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, before: "Estimate") -> "Estimate":
        """With calls that come before, which judge nothing."""
        costs = self.cost_usd, before.cost_usd
        return Estimate(
            self.obligations, self.calls + before.calls, self.input_tokens + before.input_tokens,
            self.output_tokens + before.output_tokens, self.seconds + (_SECONDS if before.calls else 0),
            None if costs[0] is None or costs[1] is None else costs[0] + costs[1],
        )  # fmt: skip

    @property
    def line(self) -> str:
        """It in a sentence."""
        cost = f"about ${self.cost_usd:.2f}" if self.cost_usd is not None else "at a price that is not known"
        time = f"{self.seconds // 60} minutes" if self.seconds >= 120 else f"{self.seconds} seconds"
        return (
            f"This audit judges {self.obligations:,} obligations in {self.calls:,} calls to the model, some "
            f"{self.tokens:,} tokens, {cost}, in roughly {time}."
        )


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """The requests of an audit by their keys, which are the same for the same request to the same version of the task; and the lines
    they are made of. ``unread`` is how many sentences of the source stand in none of them, ``opinions`` the rule engine's."""

    source: tuple[Line, ...]
    rules: tuple[Line, ...]
    requests: Mapping[str, JudgeInput]
    unread: int = 0
    opinions: tuple[Opinion, ...] = ()

    @property
    def asked(self) -> tuple[Line, ...]:
        """The obligations in scope; where a target only recommends, its recommendations."""
        wanted = [line for line in self.rules if line.asked and line.in_focus]
        binding = [line for line in wanted if line.unit.kind is not Kind.RECOMMENDATION]
        return tuple(binding or wanted)

    @property
    def lines(self) -> Mapping[str, Line]:
        return by_id(self.source, self.rules)

    def estimate(self, side_by_side: int) -> Estimate:
        """What it will take with so many calls at the same time."""
        asked = sum(line.asked for given in self.requests.values() for line in given.rules)
        looks = -(-asked // _LOOKS)
        calls = len(self.requests)
        more = -(-looks // LOOKS_AT_ONCE) if asked else 0
        return Estimate(
            obligations=len(self.asked),
            calls=calls + more,
            input_tokens=sum(map(tokens_of, self.requests.values())) + looks * _LOOK_TOKENS,
            output_tokens=(asked + looks) * _ANSWER_TOKENS,
            seconds=-(-calls // side_by_side) * _SECONDS + (_SECONDS if more else 0),
        )


LOOKS_AT_ONCE = 10
"""Findings looked at again in one call."""


def plan_of(
    source: Sequence[Line],
    rules: Sequence[Line],
    embedder: Embedder,
    *,
    source_title: str,
    seeks_gaps: bool,
    focus: str,
    request: str,
    reading_tokens: int,
    opinions: Sequence[Opinion] = (),
) -> AuditPlan:
    """The requests for judging ``rules`` by ``source``; ``reading_tokens`` bounds what one of them may hold of documents."""
    found = batches(rules)
    room = min(SOURCE_TOKENS, max(reading_tokens // 2, 500)) * _BYTES_PER_TOKEN
    is_whole = sum(len(line.unit.text) + len(line.id) + 4 for line in source) <= room
    beside = [list(source)] * len(found) if is_whole else narrowed(found, source, embedder, room)
    requests, told = {}, {line.id: shown(line) for line in source}
    for batch, lines in zip(found, beside, strict=True):
        numbers = {line.id for line in batch.lines}
        given = JudgeInput(
            source_title=source_title,
            source=[told[line.id] for line in lines],
            is_whole=is_whole,
            seeks_gaps=seeks_gaps,
            rules=[shown(line, line.asked) for line in batch.lines],
            opinions=[o for o in opinions if o.rule in numbers],
            focus=focus,
            request=request,
        )
        requests[key_of(given)] = given
    read = {line.id for lines in beside for line in lines}
    unread = sum(line.id not in read for line in source) if found else 0
    return AuditPlan(tuple(source), tuple(rules), requests, unread, tuple(opinions))


def key_of(given: JudgeInput) -> str:
    """What tells a request from every other one."""
    told = f"{JUDGE.version} {given.model_dump_json()}"
    return sha256(storable(told).encode("utf-8", "replace")).hexdigest()[:20]


def tokens_of(given: JudgeInput) -> int:
    """What a request will take, roughly."""
    return _FIXED_TOKENS + tokens_of_text(JUDGE.prompt(given).content)


def tokens_of_text(text: str) -> int:
    """How many tokens a text is, roughly."""
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN
