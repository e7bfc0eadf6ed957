"""An audit survives kill -9 in the middle of its batches, and a summary in the middle of its parts: sent again, neither pays anything finished
twice (A0, A4)."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import ask, conversations
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentType
from policypal.domain.events import ResponseEvent, StatusEvent
from policypal.domain.users import User
from tests.faults.walk import PROCESSES
from tests.graph.test_judging import FILLER, KEPT, RULES
from tests.support.conversation import Speaker
from tests.support.openai_answers import ChatRequest, chosen_passages, judgements, looks
from tests.support.openai_server import OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS


@dataclass
class House:
    folder: Path
    overrides: dict[str, Any]
    app: Container
    model: OpenAIServer

    def calls(self) -> Counter[str]:
        chats = (r for r in self.model.requests if r.task in ("Judgements", "Looks", "ChosenPassages"))
        return Counter(str([m["content"] for m in r.messages]) for r in chats)


def _open(folder: Path, overrides: dict[str, Any], *, run_worker: bool) -> Container:
    return build_container(Settings(data_dir=folder, _env_file=None, **overrides), run_worker=run_worker)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with OpenAIServer() as model:
        folder, overrides = (
            tmp_path_factory.mktemp("audits"),
            model.overrides(model_timeout_seconds=LONGEST_WAIT_SECONDS),
        )
        app = _open(folder, overrides, run_worker=True)
        yield House(folder, overrides, app, model)
        app.close()


@pytest.fixture
def audit(house: House) -> tuple[User, Request]:
    """Somebody with a policy that breaks rules in each batch, and the audit of it."""
    user = User(id=str(uuid4()), email="k@example.org")
    users_db.ensure_user(house.app.db, user)
    speaker = Speaker(house.app, user, house.model)
    text = f"{KEPT}\n\n{FILLER}".replace("every 3 months", "every 9 months")
    policy = speaker.add("Our Policy", text, type=DocumentType.COMPANY)
    rule = speaker.add("Testing Rules", RULES)
    house.model.reset()
    return user, Request(message="Audit this", document_ids=(policy.id, rule.id), action=Action.AUDIT)


def _work_until_killed(
    folder: Path, overrides: dict[str, Any], user: User, thread: str, request: Request, at: str, said: Connection
) -> None:
    app = _open(folder, overrides, run_worker=False)
    ask.send(app, user, thread, request)
    for event in ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS):
        if isinstance(event, StatusEvent) and event.message.startswith(at):
            time.sleep(0.3)  # a finished batch is told a moment before it is in the memory
            os.kill(os.getpid(), signal.SIGKILL)
    said.send("survived")
    os._exit(0)


def _killed(house: House, user: User, thread: str, request: Request, at: str) -> None:
    mine, its = PROCESSES.Pipe()
    arguments = (house.folder, house.overrides, user, thread, request, at, its)
    child = PROCESSES.Process(target=_work_until_killed, args=arguments)
    child.start()
    its.close()
    child.join(120)
    assert child.exitcode == -signal.SIGKILL, at
    mine.close()


@pytest.mark.parametrize(
    "at",
    [
        "Judged 15 of 45",
        pytest.param("Judged 30 of 45", marks=pytest.mark.faults),
        pytest.param("Looking again", marks=pytest.mark.faults),
    ],
)
def test_a4_an_audit_that_was_killed_goes_on_and_pays_no_batch_twice(
    house: House, audit: tuple[User, Request], at: str
) -> None:
    user, request = audit
    answered = {"Judged 15": 1, "Judged 30": 2, "Looking a": 3}[at[:9]]
    slow, lock, served = threading.Event(), threading.Lock(), Counter[str]()

    def handler(task: str, answer: Any) -> Any:
        def respond(body: ChatRequest) -> dict[str, Any]:
            with lock:
                served[task] += 1
                waits = served["judge"] > answered or (task == "look" and at.startswith("Looking"))
            if waits:
                slow.wait(LONGEST_WAIT_SECONDS)
            told: dict[str, Any] = answer(body)
            return told

        return respond

    house.model.on("judge", handler("judge", judgements))
    house.model.on("second_look", handler("look", looks))
    thread = str(uuid4())
    _killed(house, user, thread, request, at)
    under_way = house.calls()
    slow.set()
    house.model.on("judge", judgements)
    house.model.on("second_look", looks)
    assert conversations.history(house.app, user, thread).lost_run
    ask.send(
        house.app, user, thread, Request(message="Audit this", document_ids=request.document_ids, action=Action.AUDIT)
    )
    end = list(ask.events(house.app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert isinstance(end, ResponseEvent) and end.report is not None
    assert (end.report.judged, end.report.obligations, len(end.report.findings)) == (45, 45, 9)
    calls = house.calls()
    assert len(calls) == 4, "three batches and a second look"
    twice = sum(n - 1 for n in calls.values())
    assert twice <= under_way.total() - answered, "only what was under way is asked again"


def test_a0_a_summary_that_was_killed_goes_on_and_pays_no_part_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = User(id=str(uuid4()), email="s@example.org")
    users_db.ensure_user(house.app.db, user)
    rules = "\n".join(f"{n}. A bank must keep record number {n} for at least {n} years." for n in range(1, 400))
    rule = Speaker(house.app, user, house.model).add("Long Rule", rules)
    house.model.reset()
    slow, lock, served = threading.Event(), threading.Lock(), Counter[str]()

    def choose(body: ChatRequest) -> dict[str, Any]:
        with lock:
            served["all"] += 1
            waits = served["all"] > 2
        if waits:
            slow.wait(LONGEST_WAIT_SECONDS)
        return chosen_passages(body)

    house.model.on("ChosenPassages", choose)

    def request() -> Request:
        return Request(message="Summarize this", document_ids=(rule.id,), action=Action.SUMMARIZE)

    thread = str(uuid4())
    small = replace(house, overrides={**house.overrides, "whole_document_tokens": 0})
    _killed(small, user, thread, request(), "Read 2 of")
    under_way = house.calls()
    slow.set()
    monkeypatch.setattr(house.app.engine, "reading_tokens", 0)
    assert conversations.history(house.app, user, thread).lost_run
    ask.send(house.app, user, thread, request())
    end = list(ask.events(house.app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert isinstance(end, ResponseEvent) and "Read in full: Long Rule" in end.response
    calls = house.calls()
    twice = sum(n - 1 for n in calls.values())
    assert len(calls) > 6 and twice == under_way.total() - 2, "only what was under way is asked again"
