"""The judging of an audit by a model: a graph of its own, whose every batch is a checkpoint (A4, W7).

START ⇉ judge_batch → weigh_findings ⇉ look_again → END

⇉ is a fan-out with ``Send``. A turn of the chat reaches the memory only as a whole (``durability="exit"``), so that an audit, which is
long and paid for, keeps its progress in a thread beside the conversation's. It is found again by what is judged: the same audit, sent
again after a crash, a stop or a budget that ended, pays for nothing twice. What could not be judged is no result, and is asked again.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextvars import Context
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from operator import or_
from threading import Lock
from typing import Annotated, Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from policypal.audit.judged import charge_of, charged
from policypal.audit.judging import JUDGE, JudgeInput, Judgement, accepted
from policypal.audit.plan import LOOKS_AT_ONCE, AuditPlan
from policypal.audit.second_look import SECOND_LOOK, Look, LookInput
from policypal.concurrency import Joint, started
from policypal.db.pool import translated_errors
from policypal.domain.citations import literal
from policypal.domain.events import StatusEvent
from policypal.errors import BudgetExceeded, ModelError, ModelOutputInvalid, PolicyPalError, RunStopped
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.context import SIDE_BY_SIDE, NodeContext, added, is_of_provider
from policypal.llm.provider_access import traced_only_with_key

_LOOK_SECONDS = 0.1
_MOST_TOLD, _TOLD_CHARACTERS = 12, 160
_STEPS = 20


_Kept = Annotated[dict[str, Any], or_]


class JudgingState(TypedDict, total=False):
    """By the keys of requests: ``judged`` (what was judged, and why the rest was not), ``looks``, and ``failed`` (the error)."""

    judged: _Kept
    looks: _Kept
    failed: _Kept


@dataclass(frozen=True, slots=True)
class Judged:
    """What an audit's calls have brought. ``looks`` are of the charged judgements, in their order; ``reasons`` say by obligation why it
    was not judged; ``totals`` are tokens and cost, earlier runs of the same audit included; ``ended`` says why it ended early."""

    judgements: list[Judgement]
    looks: list[Look | None]
    reasons: dict[str, str]
    totals: dict[str, Any]
    ended: str = ""


@dataclass
class Room:
    """What the calls of one audit share. ``closed`` says why no more are made."""

    plan: AuditPlan
    node: NodeContext
    seeks_gaps: bool
    lock: Lock = field(default_factory=Lock)
    closed: PolicyPalError | None = None
    judged: dict[str, Any] = field(default_factory=dict)
    looks: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, PolicyPalError] = field(default_factory=dict)
    unaided: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, part: str, key: str, told: dict[str, Any]) -> dict[str, Any]:
        """A result, at hand at once for whoever ends the audit early; the update of the state."""
        with self.lock:
            getattr(self, part)[key] = told
        self.tell()
        return {part: {key: told}}

    def fail(self, key: str, error: PolicyPalError) -> dict[str, Any]:
        """A request that brought nothing. Where the next one would fare no better, there is none."""
        with self.lock:
            self.failed[key] = error
            if isinstance(error, ModelError | BudgetExceeded) and is_of_provider(error):
                self.closed = self.closed or error
        return {"failed": {key: error.code}}

    def tell(self) -> None:
        """Shows how far it has come, and at once what was found until now; it is still to be looked at again."""
        asked = sum(r.asked for given in self.plan.requests.values() for r in given.rules)
        with self.lock:
            done = [self.plan.requests[key] for key in self.judged if key in self.plan.requests]
            found = charged(_judgements(self.plan, self.judged), self.seeks_gaps)
        judged = sum(r.asked for given in done for r in given.rules)
        told = f"Judged {judged} of {asked} obligations..." if judged < asked else "Looking again at findings..."
        said = "\n".join(self._told(found)) if found else None
        self.node.run.tell(StatusEvent(node="audit", message=told, said=said))

    def _told(self, found: Sequence[Judgement]) -> Iterator[str]:
        yield f"**Found so far: {len(found)}**, to be looked at again before it counts\n"
        for j in found[:_MOST_TOLD]:
            rule = self.plan.lines[j.obligation].unit
            said = " ".join(self.plan.lines[s].unit.text for s in j.sentences) or "nothing said of it"
            delta, ruled, words = map(_short, (j.delta, rule.text, said))
            yield f"- **{j.severity}** · {delta}\n  - Rule, page {rule.page}: {ruled}\n  - Source: {words}"
        if len(found) > _MOST_TOLD:
            yield f"- and {len(found) - _MOST_TOLD} more"


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return literal(flat if len(flat) <= _TOLD_CHARACTERS else f"{flat[:_TOLD_CHARACTERS].rsplit(' ', 1)[0]} …")


def judge(plan: AuditPlan, context: NodeContext, *, seeks_gaps: bool) -> Judged:
    """Have every obligation of the plan judged, as far as the person, the budget and the provider let it be.

    Raises:
        RunStopped, ModelError, BudgetExceeded: before anything was judged.
        DatabaseUnavailable: the progress cannot be kept; what is kept stays.
    """
    room = Room(plan, context.reserving(), seeks_gaps)
    ended = _waited(_begun(room, thread_of(context.run.thread_id, plan, context.services.engine.name)), context)
    if not room.judged:
        if ended:
            raise RunStopped
        if error := room.closed or next(iter(room.failed.values()), None):
            raise error
    return _told(room, ended)


_under_way: Joint[None] = Joint()
"""By where their progress is kept: what was abandoned goes on until its calls are over, and these are not made again meanwhile."""


def _begun(room: Room, thread: str) -> Future[None]:
    checkpoints = room.node.checkpoints
    if checkpoints is None:
        raise AssertionError("an audit by a model keeps its progress")

    def work() -> None:
        _, is_own = _under_way.run(thread, lambda: _run(room, checkpoints, thread))
        if not is_own:  # an abandoned one has ended: what it brought is taken up
            _run(room, checkpoints, thread)

    # in a fresh context: inside the agent's, the graph would be taken for a part of it, and kept as rarely
    done: Future[None] = Context().run(started, work, "policypal-audit")
    return done


def thread_of(thread_id: str, plan: AuditPlan, engine: str) -> str:
    """Where the progress of an audit is kept: beside its conversation, with which it is forgotten."""
    told = " ".join([engine, *sorted(plan.requests)])
    return f"{thread_id}/audit/{sha256(told.encode()).hexdigest()[:16]}"


def _waited(work: Future[None], context: NodeContext) -> str:
    """Wait for the end, or until the person wants it ended; why it was ended early."""
    while not work.done():
        try:
            context.run.check_stop()
        except RunStopped:
            return "The audit was stopped."
        try:
            work.result(timeout=_LOOK_SECONDS)
        except TimeoutError:
            continue
    work.result()
    return ""


def _run(room: Room, checkpoints: Checkpoints, thread: str) -> None:
    config: RunnableConfig = {
        "configurable": {"thread_id": thread}, "max_concurrency": SIDE_BY_SIDE, "recursion_limit": _STEPS,
    }  # fmt: skip
    graph = _graph().copy({"checkpointer": checkpoints.saver(room.node.run.user_id)})
    with traced_only_with_key(), translated_errors():
        held = graph.get_state(config)
        _take_up(room, held.values)
        if held.next:  # a process died, or a run was stopped, in the middle of it
            graph.invoke(None, config, context=room, durability="sync")
            _take_up(room, graph.get_state(config).values)
        if _to_judge(room.plan, room.judged) or not held.next:
            graph.invoke({"failed": {}}, config, context=room, durability="sync")
        _take_up(room, graph.get_state(config).values)


def _take_up(room: Room, values: Mapping[str, Any]) -> None:
    with room.lock:
        room.judged.update(values.get("judged", {}))
        room.looks.update(values.get("looks", {}))


@cache
def _graph() -> Any:
    graph: Any = StateGraph(JudgingState, context_schema=Room)
    graph.add_node("judge_batch", _judge_batch)
    graph.add_node("weigh_findings", _weigh_findings)
    graph.add_node("look_again", _look_again)
    graph.add_conditional_edges(START, _batches, ["judge_batch", "weigh_findings"])
    graph.add_edge("judge_batch", "weigh_findings")
    graph.add_conditional_edges("weigh_findings", _charged_ones, ["look_again", END])
    graph.add_edge("look_again", END)
    return graph.compile()


def _batches(state: JudgingState, runtime: Runtime[Room]) -> list[Send] | str:
    waiting = _to_judge(runtime.context.plan, state.get("judged", {}))
    return [Send("judge_batch", {"key": key}) for key in waiting] or "weigh_findings"


def _to_judge(plan: AuditPlan, judged: Mapping[str, Any]) -> list[str]:
    return [key for key in plan.requests if key not in judged]


def _judge_batch(sent: Any, runtime: Runtime[Room]) -> dict[str, Any]:
    room = runtime.context
    key = sent["key"]
    if key not in room.plan.requests:
        return {}
    if room.closed is not None:
        return room.fail(key, room.closed)
    try:
        taken, problems, totals = _judged(room, room.plan.requests[key], {})
    except RunStopped:
        return {}
    except (ModelError, BudgetExceeded) as error:
        return room.fail(key, error)
    told = {"judgements": [j.model_dump(mode="json") for j in taken], "problems": problems, "totals": totals}
    return room.keep("judged", key, told)


_Answer = tuple[list[Judgement], dict[str, str], dict[str, Any]]


def _judged(room: Room, given: JudgeInput, totals: dict[str, Any]) -> _Answer:
    """One batch: judged, and what could not be used of the answer asked for once more; then it stays not judged."""
    try:
        answer, totals = room.node.run_task(totals, JUDGE, given)
    except ModelOutputInvalid as error:
        if error.retryable or sum(r.asked for r in given.rules) < 2:
            raise
        return _in_halves(room, given, totals)  # the answer would have been too long
    taken, problems = accepted(given, answer)
    if problems:
        told = [f"{number}: {problem}" for number, problem in problems.items()]
        rules = [r.model_copy(update={"asked": r.id in problems}) for r in given.rules]
        again = given.model_copy(update={"rules": rules, "problems": told})
        try:
            answer, totals = room.node.run_task(totals, JUDGE, again)
        except (ModelError, BudgetExceeded):
            return taken, problems, totals
        more, problems = accepted(again, answer, may_add=False)
        taken += more
    return taken, problems, totals


def _in_halves(room: Room, given: JudgeInput, totals: dict[str, Any]) -> _Answer:
    asked = [r.id for r in given.rules if r.asked]
    taken, problems = list[Judgement](), dict[str, str]()
    for half in (asked[: len(asked) // 2], asked[len(asked) // 2 :]):
        rules = [r.model_copy(update={"asked": r.id in half}) for r in given.rules]
        try:
            more, wrong, totals = _judged(room, given.model_copy(update={"rules": rules}), totals)
        except ModelOutputInvalid as error:
            more, wrong = [], dict.fromkeys(half, error.title)
        taken += [j for j in more if j.obligation not in {t.obligation for t in taken}]
        problems |= wrong
    return taken, problems, totals


def _weigh_findings(state: JudgingState, runtime: Runtime[Room]) -> dict[str, Any]:
    """Where the batches meet."""
    return {}


def _charged_ones(state: JudgingState, runtime: Runtime[Room]) -> list[Send] | str:
    room = runtime.context
    found = charged(_judgements(room.plan, state.get("judged", {})), room.seeks_gaps)
    looked = state.get("looks", {})
    parts = [_look_key(part) for part in _parts(found)]
    return [Send("look_again", {"number": n}) for n, key in enumerate(parts) if key not in looked] or END


def _parts(found: Sequence[Judgement]) -> list[Sequence[Judgement]]:
    return [found[n : n + LOOKS_AT_ONCE] for n in range(0, len(found), LOOKS_AT_ONCE)]


def _look_key(part: Sequence[Judgement]) -> str:
    told = " ".join([SECOND_LOOK.version, *(j.model_dump_json() for j in part)])
    return sha256(told.encode("utf-8", "replace")).hexdigest()[:20]


def _look_again(sent: Any, runtime: Runtime[Room]) -> dict[str, Any]:
    room = runtime.context
    with room.lock:
        judged = dict(room.judged)
    parts = _parts(charged(_judgements(room.plan, judged), room.seeks_gaps))
    if sent["number"] >= len(parts):
        return {}
    part = parts[sent["number"]]
    key = _look_key(part)
    if room.closed is not None:
        return room.fail(key, room.closed)
    given = LookInput(charges=[charge_of(f"F{n}", j, room.plan) for n, j in enumerate(part, 1)])
    try:
        looks, totals = room.node.run_task({}, SECOND_LOOK, given)
    except RunStopped:
        return {}
    except BudgetExceeded as error:
        return room.fail(key, error)
    if not looks.looks:  # the rules stood in for a model that failed
        room.unaided += totals.get("unaided", [])
        return {}
    return room.keep("looks", key, {"looks": [look.model_dump(mode="json") for look in looks.looks], "totals": totals})


def _judgements(plan: AuditPlan, judged: Mapping[str, Any]) -> list[Judgement]:
    """All of them, in the order of the plan."""
    return [Judgement(**j) for key in plan.requests if key in judged for j in judged[key]["judgements"]]


def _told(room: Room, ended: str) -> Judged:
    with room.lock:
        judged, looks, failed = dict(room.judged), dict(room.looks), dict(room.failed)
    judgements = _judgements(room.plan, judged)
    reasons = {n: f"Not judged: {p}." for key in judged for n, p in judged[key]["problems"].items()}
    for key, given in room.plan.requests.items():
        if key not in judged:
            why = ended or (f"{failed[key].title}." if key in failed else "It was not reached.")
            reasons |= {r.id: f"Not judged: {why}" for r in given.rules if r.asked}
    parts = [_looked(part, looks.get(_look_key(part))) for part in _parts(charged(judgements, room.seeks_gaps))]
    taken = [kept["totals"] for kept in (*judged.values(), *looks.values())]
    totals = {**added(taken), "unaided": room.unaided}
    error = room.closed or next(iter(failed.values()), None)
    ended = ended or (f"{error.title}: the audit ended before its end." if error else "")
    return Judged(judgements, [look for part in parts for look in part], reasons, totals, ended)


def _looked(part: Sequence[Judgement], kept: Mapping[str, Any] | None) -> list[Look | None]:
    found = {look["finding"]: Look(**look) for look in (kept or {}).get("looks", [])}
    return [found.get(f"F{n}") for n in range(1, len(part) + 1)]
