"""A report survives kill -9 in every node: it is the report of an undisturbed run, no source was fetched twice, and no model
call paid twice but the one that was interrupted (W7)."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from policypal.application import research
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.events import InterruptEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from tests.faults.walk import PROCESSES
from tests.support.conversation import Speaker
from tests.support.openai_answers import HANDLERS, ChatRequest
from tests.support.openai_server import EMBEDDINGS, OpenAIServer
from tests.support.research_library import LIBRARY
from tests.support.research_world import GOAL, Analyst, Web, analyst, content_of
from tests.support.timeouts import LONGEST_WAIT_SECONDS

PAGES = 5
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# the node in which the process is killed, and at which of its visits in that process: of a fan-out some are done by then
MOMENTS = [
    ("assess", 1), ("ask_questions", 1), ("confirm_question", 1), ("make_plan", 1), ("confirm_plan", 1), ("look_up", 1),
    ("search_library", 2), ("search_web", 2), ("weigh_harvest", 1), ("harvest_page", 3), ("choose_sources", 1),
    ("outline", 1), ("write_section", 3), ("assemble", 1), ("check_claims", 1), ("red_team", 1), ("publish", 1),
]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where an installation is, and what it needs to be opened in another process."""

    folder: Path
    overrides: dict[str, Any]
    hosts: frozenset[str]

    def open(self, *, run_worker: bool = False) -> Container:
        settings = Settings(data_dir=self.folder, _env_file=None, **self.overrides)
        return build_container(settings, run_worker=run_worker, private_web_hosts=self.hosts)


@dataclass
class House:
    """One installation with its web and its model, in which every campaign has a person of its own."""

    place: Place
    app: Container
    web: Web
    model: OpenAIServer

    def somebody(self) -> Analyst:
        person = analyst(self.app, self.model, self.web)
        Speaker(self.app, person.user).add_all(LIBRARY)
        return person

    def forget(self) -> None:
        self.model.requests.clear()
        for server in (self.web.tavily, self.web.exa, self.web.site):
            server.requests.clear()

    def calls(self) -> Counter[str]:
        """Calls to the model by what was asked, without the ids that differ between people."""
        return Counter(f"{r.task} {_asked(r.body)}" for r in self.model.requests)

    def fetched(self) -> Counter[str]:
        site = self.web.site.requests
        found = Counter(r.path for r in site if r.path != "/robots.txt")
        for name, server in (("tavily", self.web.tavily), ("exa", self.web.exa)):
            found.update(f"{name} {r.body['query']}" for r in server.requests)
        return found


def _asked(body: dict[str, Any]) -> str:
    if "messages" not in body:
        return str(body["input"])
    return _ID.sub("id", str([m["content"] for m in body["messages"]]))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with Web() as web, OpenAIServer() as model:
        for n in range(PAGES):
            web.publish(
                f"/guidance/{n}", f"Guidance {n} on serious incidents",
                f"A bank must report a serious incident to authority number {n} within {n + 2} hours after discovery.",
                f"The report to authority number {n} must name the services concerned by the incident of the bank.",
            )  # fmt: skip
        for server in (web.site, web.tavily, web.exa):
            server.pause = 0.05
        for task in ("PlanQuestions", "PlanDraft", "Outline", "WrittenSection", "ClaimsCheck"):
            if task in HANDLERS:
                model.on(task, _thinking(HANDLERS[task]))
        place = Place(
            tmp_path_factory.mktemp("kills"),
            # nothing hangs here, and a page that a slow machine cannot read in time makes another report
            {
                **web.overrides(web_timeout_seconds=LONGEST_WAIT_SECONDS),
                **model.overrides(model_timeout_seconds=LONGEST_WAIT_SECONDS),
            },
            frozenset({web.site.host}),
        )
        app = place.open(run_worker=True)
        yield House(place, app, web, model)
        app.close()


def _thinking(handler: Any) -> Any:
    """A model that takes a moment, in which it can be interrupted."""

    def answer(request: ChatRequest) -> dict[str, Any]:
        time.sleep(0.1)
        found: dict[str, Any] = handler(request)
        return found

    return answer


def go_on(app: Container, user: User, thread: str, stop_at: tuple[str, int] | None) -> None:
    """Let the thread run until its report, answering what it asks, or until the process dies at the moment."""
    visits: Counter[str] = Counter()
    while True:
        question: InterruptEvent | None = None
        for event in research.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS):
            if isinstance(event, StatusEvent) and event.counts is None:
                visits[event.node] += 1
                if stop_at is not None and stop_at == (event.node, visits[event.node]):
                    os.kill(os.getpid(), signal.SIGKILL)
            question = event if isinstance(event, InterruptEvent) else None
        if question is None:
            return
        value = "approve" if question.interrupt_type == "plan_approval" else "1"
        research.resume(app, user, thread, Answer(type=question.interrupt_type, value=value))


def take_up(app: Container, user: User, thread: str) -> None:
    """What a person does who comes back after a crash: answer what is open, or continue."""
    question = research.pending(app, user, thread)
    if question is None:
        research.continue_run(app, user, thread)
    else:
        value = "approve" if question.interrupt_type == "plan_approval" else "1"
        research.resume(app, user, thread, Answer(type=question.interrupt_type, value=value))


def _work_until_killed(place: Place, user: User, thread: str | None, moment: tuple[str, int], said: Connection) -> None:
    app = place.open()
    if thread is None:
        thread = research.start(app, user, GOAL, mode="plan", idempotency_key="one click")
    else:
        take_up(app, user, thread)
    said.send(thread)
    go_on(app, user, thread, moment)
    said.send("survived")
    os._exit(0)


def killed_at(house: House, person: Analyst, moment: tuple[str, int], thread: str | None = None) -> str:
    """Start or take up the thread in a process that is killed at the moment; the thread."""
    mine, its = PROCESSES.Pipe()
    child = PROCESSES.Process(target=_work_until_killed, args=(house.place, person.user, thread, moment, its))
    child.start()
    its.close()
    found: str = mine.recv()
    child.join(120)
    assert child.exitcode == -signal.SIGKILL, moment
    return found


def undisturbed(house: House) -> tuple[dict[str, Any], Counter[str], Counter[str]]:
    person = house.somebody()
    house.forget()
    thread = research.start(house.app, person.user, GOAL, mode="plan", idempotency_key="one click")
    go_on(house.app, person.user, thread, None)
    return finished(house, person, thread), house.calls(), house.fetched()


def finished(house: House, person: Analyst, thread: str) -> dict[str, Any]:
    """The report, stored once, with documents by their titles: their ids differ between people."""
    (report,) = research.reports(house.app, person.user, thread)
    told = str(content_of(report))
    for source in report.sources:
        told = told.replace(source.document_id or source.key, source.title)
    return {"report": told, "steps": [s.node for s in research.timeline(house.app, person.user, thread)]}


@pytest.fixture(scope="module")
def expected(house: House) -> tuple[dict[str, Any], Counter[str], Counter[str]]:
    return undisturbed(house)


_FIRST_LOOK = "embeddings ['policy']"


def _check(
    house: House, person: Analyst, thread: str, kills: int, expected: tuple[dict[str, Any], Counter[str], Counter[str]]
) -> None:
    report, calls, fetched = expected
    assert finished(house, person, thread) == report
    assert house.fetched() == fetched
    again = house.calls()
    for each in (again, calls):
        each.pop(_FIRST_LOOK, None)  # every process looks once what vectors the endpoint has
    assert again.keys() == calls.keys()
    twice = {call: n - calls[call] for call, n in again.items() if n > calls[call]}
    assert sum(twice.values()) <= kills, "only interrupted calls may be made again"


def _campaign(house: House, expected: Any, moments: list[tuple[str, int]]) -> None:
    person = house.somebody()
    house.forget()
    thread: str | None = None
    for moment in moments:
        thread = killed_at(house, person, moment, thread)
    assert thread is not None
    take_up(house.app, person.user, thread)
    go_on(house.app, person.user, thread, None)
    _check(house, person, thread, len(moments), expected)


def test_w7_a_report_that_was_killed_twice_is_the_undisturbed_one(house: House, expected: Any) -> None:
    _campaign(house, expected, [("harvest_page", 3), ("write_section", 3)])


@pytest.mark.faults
def test_w7_a_report_that_was_killed_in_one_node_after_the_other_is_the_undisturbed_one(
    house: House, expected: Any
) -> None:
    _campaign(house, expected, [m for m in MOMENTS if m[0] not in ("confirm_question", "confirm_plan")][::2])


@pytest.mark.faults
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda m: m[0])
def test_w7_killed_in_any_node_the_report_is_the_undisturbed_one(
    house: House, expected: Any, moment: tuple[str, int]
) -> None:
    _campaign(house, expected, [moment])


def test_w7_an_undisturbed_run_asks_nothing_and_fetches_nothing_twice(expected: Any) -> None:
    _, calls, fetched = expected
    assert {n for call, n in calls.items() if not call.startswith(EMBEDDINGS)} == {1}
    assert set(fetched.values()) == {1} and sum(path.startswith("/guidance") for path in fetched) == PAGES
