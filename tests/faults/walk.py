"""A seeded random walk over one conversation: what people, second tabs and dying processes do to it.

Every step is followed by the invariants of :meth:`Walk.check`. A step that is killed runs in a process of its own, on the
same data folder; the others run in this one.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from uuid import uuid4

from policypal.application import ask, conversations
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.conversations import Action, Message
from policypal.domain.documents import Document
from policypal.domain.events import ErrorEvent, Event, InterruptEvent, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import NoPendingQuestion, PolicyPalError, QuestionPending, RunInProgress
from policypal.graph.agent.state import VERBATIM_MESSAGES

# a fork server has loaded everything once and is single-threaded, so that its children start at once and clean
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["policypal.application.container", "tests.faults.walk"])
LONGEST_WAIT_SECONDS = 60.0


@dataclass
class House:
    """The application on a data folder, which can be started anew, and the documents of its user."""

    folder: Path
    app: Container
    user: User
    one: Document
    two: Document

    def restart(self) -> None:
        self.app.close()
        self.app = open_app(self.folder)


def open_app(folder: Path, *, run_worker: bool = False) -> Container:
    return build_container(Settings(data_dir=folder, _env_file=None), run_worker=run_worker)


@dataclass
class Walk:
    """One conversation. ``accepted`` are the messages that were taken, ``unsure`` those whose process was killed before it
    could say; ``died`` those whose run was killed or stopped by a restart."""

    house: House
    seed: int
    thread: str = field(default_factory=lambda: str(uuid4()))
    accepted: list[str] = field(default_factory=list)
    unsure: set[str] = field(default_factory=set)
    died: set[str] = field(default_factory=set)
    steps: list[str] = field(default_factory=list)
    children: list[multiprocessing.process.BaseProcess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    @property
    def app(self) -> Container:
        return self.house.app

    def walk(self, length: int) -> None:
        moves: dict[str, Callable[[], None]] = {
            "send": self.send, "answer": self.answer, "answer twice": self.answer_twice, "cancel": self.cancel,
            "stop": self.stop, "restart": self.restart, "tabs": self.tabs, "same click twice": self.same_click_twice,
            "kill": self.kill,
        }  # fmt: skip
        weights = [4, 3, 2, 1, 2, 1, 2, 1, 3]
        try:
            for name in self.random.choices(list(moves), weights, k=length):
                self.steps.append(name)
                moves[name]()
                self.check()
            self.check_usable()
        finally:
            for child in self.children:
                child.join(10)

    # what people do

    def request(self) -> ask.Request:
        """A message of its own: one that is answered, one that raises a question, or one that needs no document."""
        number = f"{len(self.accepted) + len(self.unsure)}-{self.random.randrange(10**6)}"
        one = (self.house.one.id,)
        return self.random.choice([
            ask.Request(message=f"How long must records be kept? {number}", document_ids=one),
            ask.Request(message=f"Compare this rule, please. {number}", action=Action.COMPARE, document_ids=one),
            ask.Request(message=f"Which vaccination does the zebra in the aquarium need? {number}"),
            ask.Request(message=f"What can you do? {number}"),
        ])  # fmt: skip

    def send(self) -> None:
        self.try_send(self.request())
        self.settle()

    def try_send(self, request: ask.Request) -> bool:
        was_open = self.open_question() is not None
        try:
            ask.send(self.app, self.house.user, self.thread, request)
        except QuestionPending:
            assert was_open
            return False
        assert not was_open, "a message was taken while a question was open"
        self.accepted.append(request.message)
        return True

    def settle(self) -> Event | None:
        """The end of the run of this process, if there is one."""
        told = list(ask.events(self.app, self.house.user, self.thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        if told:
            ends = [e for e in told if e.type != "status"]
            assert len(ends) == 1 and ends[0] is told[-1], [e.type for e in told]
        return told[-1] if told else None

    def open_question(self) -> InterruptEvent | None:
        return ask.pending(self.app, self.house.user, self.thread)

    def reply_to(self, question: InterruptEvent) -> Answer:
        if question.interrupt_type == "retrieval_low":
            return Answer(type="retrieval_low", value="continue")
        if question.options is not None:
            return Answer(type=question.interrupt_type, value=self.random.choice(question.options).id)
        if question.expects == "text":
            return Answer(type="text_input", value="We keep customer records for two years.")
        assert question.expects == "document", question
        return Answer(type="text_input", value=self.house.two.title)

    def answer(self) -> None:
        question = self.open_question()
        if question is None:
            self.refused(Answer(type="cancel"))
            return
        given = self.reply_to(question)
        ask.resume(self.app, self.house.user, self.thread, given, interrupt_id=question.interrupt_id)
        end = self.settle()
        if isinstance(end, InterruptEvent):  # the next question of the same turn
            assert end.interrupt_id != question.interrupt_id
            assert self.open_question() == end
        else:
            assert isinstance(end, ResponseEvent) and not end.cancelled, end
        if question.expects == "document" and isinstance(end, ResponseEvent) and end.action == "compare":
            assert {d.id for d in end.documents} == {self.house.one.id, self.house.two.id}
        assert self.notes()[-1].payload["question"]["interrupt_id"] == question.interrupt_id
        self.refused(given, question.interrupt_id)

    def refused(self, answer: Answer, interrupt_id: str | None = None) -> None:
        before = self.messages()
        try:
            ask.resume(self.app, self.house.user, self.thread, answer, interrupt_id=interrupt_id)
        except (NoPendingQuestion, PolicyPalError) as error:
            assert isinstance(error, NoPendingQuestion) or error.code == "not_found", error
        else:
            raise AssertionError("an answer nobody asked for was taken")
        assert self.messages() == before

    def answer_twice(self) -> None:
        """Two tabs answer differently at the same moment: one of them is taken, and it is the one that takes effect."""
        question = self.open_question()
        if question is None:
            return

        def click(given: Answer) -> Answer | None:
            try:
                ask.resume(self.app, self.house.user, self.thread, given, interrupt_id=question.interrupt_id)
            except (NoPendingQuestion, RunInProgress):
                return None
            return given

        with ThreadPoolExecutor(2) as tabs:
            taken = [a for a in tabs.map(click, [self.reply_to(question), Answer(type="cancel")]) if a is not None]
        assert len(taken) == 1, taken
        end = self.settle()
        cancelled = isinstance(end, ResponseEvent) and end.cancelled
        assert end is not None and end.type != "error" and cancelled == (taken[0].type == "cancel"), end
        assert self.notes()[-1].payload["answer"]["type"] == taken[0].type

    def cancel(self) -> None:
        question = self.open_question()
        if question is None:
            return
        ask.resume(self.app, self.house.user, self.thread, Answer(type="cancel"), interrupt_id=question.interrupt_id)
        end = self.settle()
        assert isinstance(end, ResponseEvent) and end.cancelled

    def stop(self) -> None:
        """Stop at any moment of a run, be it of a message or of an answer."""
        if not self.begin():
            return
        time.sleep(self.random.random() * 0.2)
        ask.stop(self.app, self.house.user, self.thread)
        end = self.settle()
        assert end is not None and (not isinstance(end, ErrorEvent) or end.code == "run_stopped"), end

    def begin(self) -> bool:
        question = self.open_question()
        if question is None:
            return self.try_send(self.request())
        ask.resume(self.app, self.house.user, self.thread, self.reply_to(question), interrupt_id=question.interrupt_id)
        return True

    def restart(self) -> None:
        """The application is closed, sometimes in the middle of a run, and started again."""
        if self.random.random() < 0.5 and self.begin() and self.accepted:
            self.died.add(self.accepted[-1])
        self.house.restart()

    def tabs(self) -> None:
        """Three tabs send at once: one message is taken."""
        was_open = self.open_question() is not None
        requests = [self.request() for _ in range(3)]

        def click(request: ask.Request) -> str:
            try:
                ask.send(self.app, self.house.user, self.thread, request)
            except (RunInProgress, QuestionPending) as error:
                return error.code
            list(ask.events(self.app, self.house.user, self.thread, timeout_seconds=LONGEST_WAIT_SECONDS))
            return ""

        with ThreadPoolExecutor(3) as pool:
            codes = list(pool.map(click, requests))
        self.settle()
        taken = [r.message for r, code in zip(requests, codes, strict=True) if not code]
        assert bool(taken) != was_open, codes
        # a slow tab may come after a fast one's answer
        self.accepted += sorted(taken, key=self.position)

    def position(self, text: str) -> int:
        return [m.content for m in self.messages()].index(text)

    def same_click_twice(self) -> None:
        request = self.request()
        if self.try_send(request):
            self.settle()
            ask.send(self.app, self.house.user, self.thread, request)

    # what machines do

    def kill(self) -> None:
        """Another process sends or answers, and dies at any moment after it began."""
        question = self.open_question()
        work: ask.Request | Answer = self.request() if question is None else self.reply_to(question)
        mine, its = PROCESSES.Pipe()
        child = PROCESSES.Process(
            target=_act_and_wait, args=(self.house.folder, self.house.user, self.thread, work, its)
        )
        child.start()
        self.children.append(child)
        assert mine.recv() == "ready"
        mine.send("go")
        delay = self.random.random() * 0.25
        said = mine.recv() if self.random.random() < 0.8 else ""
        time.sleep(delay)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        assert wait([child.sentinel], LONGEST_WAIT_SECONDS)
        while said == "" and mine.poll(1):
            try:
                said = mine.recv()
            except EOFError:
                break
        assert said in ("", "taken"), said
        if isinstance(work, ask.Request):
            self.died.add(work.message)
            if said:
                self.accepted.append(work.message)
            else:
                self.unsure.add(work.message)
        elif self.accepted:
            self.died |= {m.content for m in self.messages() if m.role == "user"} & {self.last_user_message()}

    # what must hold

    def messages(self) -> list[Message]:
        try:
            return conversations.history(self.app, self.house.user, self.thread).messages
        except PolicyPalError as error:
            assert error.code == "not_found" and not self.accepted
            return []

    def notes(self) -> list[Message]:
        return [m for m in self.messages() if m.role == "pal_assist"]

    def last_user_message(self) -> str:
        return [m.content for m in self.messages() if m.role == "user"][-1]

    def check(self) -> None:
        messages = self.messages()
        said = [m.content for m in messages if m.role == "user"]
        assert len(set(said)) == len(said), "a message is there twice"
        assert [s for s in said if s not in self.unsure] == self.accepted, "a message was lost, or out of order"
        assert set(said) <= {*self.accepted, *self.unsure}
        self.check_outcomes(messages)
        self.check_graph_state(messages)

    def check_outcomes(self, messages: list[Message]) -> None:
        """Every message has one outcome: an answer, an error, an open question, or "its run was lost"."""
        turns: list[list[Message]] = []
        for message in messages:
            if message.role == "user":
                turns.append([])
            turns[-1].append(message)
        for number, turn in enumerate(turns):
            ends = [m.role for m in turn if m.role in ("assistant", "error")]
            assert len(ends) <= 1, ends
            assert not ends or turn[-1].role == ends[0], "something came after the outcome"
            if not ends and number < len(turns) - 1:
                assert turn[0].content in self.died, f"{turn[0].content!r} has no outcome"
        if turns:
            told = conversations.history(self.app, self.house.user, self.thread)
            states = (turns[-1][-1].role in ("assistant", "error"), self.open_question() is not None, told.lost_run)
            assert sum(states) == 1, states
            assert not told.lost_run or turns[-1][0].content in self.died

    def check_graph_state(self, messages: list[Message]) -> None:
        """The graph remembers the answered messages in the order of the history; only dead runs left nothing there."""
        graph = self.app.agent._graph.compile(checkpointer=self.app.checkpoints.saver(self.house.user.id))
        values = graph.get_state({"configurable": {"thread_id": self.thread}}).values
        held = [(m["role"], m["content"]) for m in values.get("messages", [])]
        told = [(m.role, m.content) for m in messages if m.role in ("user", "assistant")]
        rest = iter(told)
        assert all(m in rest for m in held), "the graph's history is not in the order of the interface's"
        answers = [m for m in told if m[0] == "assistant"]
        kept = [m for m in held if m[0] == "assistant"]
        assert kept == answers[len(answers) - len(kept) :], "an answer is not in the graph's history"
        assert len(kept) + values.get("summarized_messages", 0) // 2 <= len(answers) + VERBATIM_MESSAGES
        if not values.get("summarized_messages"):
            assert kept == answers

    def check_usable(self) -> None:
        """No thread is ever stuck: what is open can be cancelled, and then a message is answered."""
        self.cancel()
        self.check()
        request = ask.Request(message="How long must records be kept? Finally.", document_ids=(self.house.one.id,))
        assert self.try_send(request)
        assert isinstance(self.settle(), ResponseEvent)
        self.check()


def _act_and_wait(folder: Path, user: User, thread: str, work: ask.Request | Answer, parent: Connection) -> None:
    """The life of a process that will be killed."""
    app = open_app(folder)
    parent.send("ready")
    parent.recv()
    if isinstance(work, Answer):
        ask.resume(app, user, thread, work)
    else:
        ask.send(app, user, thread, work)
    parent.send("taken")
    time.sleep(LONGEST_WAIT_SECONDS)
