"""A model reads registers, each once per document, version of the task and model: by itself, and before an audit that rests on them (D12, A4)."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from threading import Lock
from typing import Any

from policypal.audit import refine
from policypal.audit.plan import Estimate
from policypal.audit.refine import REFINE, Corrections, RefineInput
from policypal.audit.register import entries_of
from policypal.audit.units import provisions_of
from policypal.concurrency import Joint, few_at_once
from policypal.db import model_readings as readings_db
from policypal.db.pool import Database
from policypal.domain.documents import Document
from policypal.domain.events import StatusEvent
from policypal.graph.context import SIDE_BY_SIDE, NodeContext, added
from policypal.llm.task import Engine

Ask = Callable[[RefineInput], tuple[Corrections, str]]
"""A request to its answer and the model that gave it, "" where none did."""
_under_way: Joint[None] = Joint()
"""Two who want the same register read at the same time pay for it once."""


def to_read(
    db: Database, engine: Engine, user_id: str, document: Document, *, anew: bool = False
) -> tuple[dict[str, refine.Request], list[str]]:
    """The requests that nobody has answered yet, and the keys of those answered that are of another reading, task or model. An analyst who
    prefers the rules' reading has no more asked, but ``anew``."""
    read = entries_of(provisions_of(db, user_id, document.id), {})
    wanted = refine.requests(document.display_title, read, engine.model_for(REFINE.name))
    held = readings_db.register_readings(db, user_id, document.id)
    answered = {key for key, told in held.items() if told["model"] or not anew}
    return {k: v for k, v in wanted.items() if k not in answered}, [key for key in held if key not in wanted]


def estimate(
    db: Database, engine: Engine, user_id: str, documents: Iterable[Document], *, anew: bool = False
) -> Estimate:
    """What reading these registers is going to take; nothing where they were read."""
    asked = [given for d in documents for given, _ in to_read(db, engine, user_id, d, anew=anew)[0].values()]
    tokens = sum(map(refine.tokens_of, asked))
    entries = sum(len(given.rules) for given in asked)
    return Estimate(entries, len(asked), tokens, 0, 0, engine.expected_cost(REFINE.name, tokens, 0))


def read_register(
    db: Database,
    engine: Engine,
    user_id: str,
    document: Document,
    ask: Ask,
    done: Callable[[], None],
    *,
    anew: bool = False,
) -> None:
    """Have the register of a document read as far as it was not; ``done`` is called after each request. Only numbers are taken of the
    answers, and each is kept at once. Raises what ``ask`` and ``done`` raise."""
    asked, outdated = to_read(db, engine, user_id, document, anew=anew)

    def one(key: str) -> None:
        given, part = asked[key]

        def keep() -> None:
            held = readings_db.find_reading(db, user_id, document.id, key)
            if held and held["model"]:  # meanwhile
                return
            answer, model = ask(given)
            marks = {entry: asdict(mark) for entry, mark in refine.marks_of(given, part, answer).items()}
            if model:
                readings_db.keep_reading(db, user_id, document.id, key, {"model": model, "marks": marks})

        _under_way.run((user_id, document.id, key), keep)
        done()

    few_at_once([partial(one, key) for key in asked], SIDE_BY_SIDE, "policypal-register")
    readings_db.delete_readings(db, user_id, document.id, outdated)


def before_audit(documents: Iterable[Document], context: NodeContext) -> dict[str, Any]:
    """Read the registers an audit rests on as far as no model has; the totals of its calls. Where the model fails, the rules' reading
    stands, and the audit says so."""
    run, services = context.run, context.services
    node = context.reserving()
    totals, unaided, lock = list[dict[str, Any]](), list[dict[str, Any]](), Lock()

    def ask(given: RefineInput) -> tuple[Corrections, str]:
        answer, taken = node.run_task({"unaided": list(unaided)}, REFINE, given)
        failed = "unaided" in taken
        with lock:
            totals.append(taken)
            unaided.extend(taken.get("unaided", [])[-1:])
        return answer, "" if failed else ", ".join(taken["models"])

    for document in documents:
        told = StatusEvent(node="audit", message=f"Reading the register of {document.display_title}...")
        if to_read(services.db, services.engine, run.user_id, document)[0]:
            run.tell(told)
            read_register(services.db, services.engine, run.user_id, document, ask, run.check_stop)
    return {**added(totals), "unaided": unaided}
