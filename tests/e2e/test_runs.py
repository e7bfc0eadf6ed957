"""Runs in the browser: they belong to the conversation, whatever tabs and processes come and go (U4, U6, G9).

The model waits here until it is let go, so that a run lasts as long as a test needs it, on any machine.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from policypal.application import ask
from policypal.application.container import Container
from policypal.domain.documents import DocumentType
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.graph.agent import feedback
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, Tab, house_on, new_tab
from tests.e2e.conftest import close, new_window
from tests.graph.test_judging import FILLER, KEPT, RULES
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.openai_answers import ChatRequest, judgements
from tests.support.openai_server import OpenAIServer, RecordedRequest, Reply, hangs

pytestmark = pytest.mark.e2e

_GREETING = "What can you do?"
_AND_ELSE = "And now, what can you do?"
_UNCLEAR = "Have a look at it please"
_WHICH_ACTION = "Please specify which action"
_ELSEWHERE = "was answered in another tab"
_STOPPED = "The run was stopped as requested."
_LONG = 60.0


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as model:
        yield model


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser, model: OpenAIServer) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("runs") / "data"
    with house_on(folder, _fill, model, model_timeout_seconds=_LONG) as house:
        yield house


def _fill(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE)


class Gate(threading.Event):
    """Holds a model's answer back until it is set."""

    def __call__(self, server: OpenAIServer, request: RecordedRequest) -> Reply:
        self.wait(_LONG)
        return hangs(0)(server, request)


@pytest.fixture(autouse=True)
def _usual_model(model: OpenAIServer) -> None:
    model.reset()


@pytest.fixture
def gate(model: OpenAIServer) -> Iterator[Gate]:
    """The next classification of an intent waits for it."""
    gate = Gate()
    model.script("Route", gate)
    yield gate
    gate.set()


@pytest.fixture
def tab(house: House, window: BrowserContext) -> Iterator[Tab]:
    yield from _tab(house, window)


@pytest.fixture
def other(house: House, browser: Browser) -> Iterator[Tab]:
    """In a window of its own, as of another person at the same desk: in one window only one tab has the keyboard."""
    context = new_window(browser)
    yield from _tab(house, context)
    context.close()


def _tab(house: House, window: BrowserContext) -> Iterator[Tab]:
    tab = new_tab(window, house.server)
    yield tab
    tab.expect_healthy()
    close(tab.page)


def test_u6_a_reload_during_a_run_attaches_again_and_there_is_one_answer(
    house: House, tab: Tab, model: OpenAIServer, gate: Gate
) -> None:
    tab.open().send(_GREETING)
    expect(tab.steps).to_contain_text("Clarifying intent", timeout=PATIENCE_MS)
    thread = tab.thread()
    tab.page.reload()
    expect(tab.steps).to_contain_text("Clarifying intent", timeout=PATIENCE_MS)
    expect(tab.stop).to_be_visible()
    expect(tab.field).to_have_attribute("contenteditable", "false")
    gate.set()
    tab.expect_answered()
    assert house.roles(thread) == ["user", "assistant"]
    assert len(model.requests_for("Route")) == 1
    expect(tab.page.get_by_text(re.compile("^How this was done")).first).to_be_visible()


def test_u6_stop_ends_a_run_and_the_conversation_goes_on(house: House, tab: Tab, gate: Gate) -> None:
    tab.open().send(_GREETING)
    tab.stop.click()
    expect(tab.page.get_by_text(_STOPPED).first).to_be_visible(timeout=LIVE_MS)
    expect(tab.stop).to_have_count(0)
    tab.send(_GREETING)
    tab.expect_answered()
    assert house.roles(tab.thread()) == ["user", "error", "user", "assistant"]
    assert not gate.is_set(), "the call that was given up is still waiting"


def test_u2b_stop_is_the_button_that_sends_and_never_moves(house: House, tab: Tab, gate: Gate) -> None:
    def place() -> tuple[int, int]:
        box = tab.page.locator(".ppc-send").bounding_box()
        assert box is not None
        return int(box["x"]), int(box["y"])

    before = tab.open() and place()
    tab.send(_GREETING)
    expect(tab.stop).to_be_visible()
    assert place() == before
    expect(tab.steps).to_contain_text("Clarifying intent", timeout=PATIENCE_MS)
    assert place() == before and tab.stop.is_enabled()
    gate.set()
    tab.expect_answered()
    assert place() == before
    expect(tab.field).to_be_focused()


def test_u6_a_second_tab_sees_a_run_and_its_answer_without_a_click(
    house: House, tab: Tab, other: Tab, model: OpenAIServer, gate: Gate
) -> None:
    gate.set()
    thread = house.asked(_GREETING)
    tab.open(thread)
    other.open(thread).write("half a thought ")
    gate.clear()
    model.script("Route", gate)
    tab.send(_AND_ELSE)
    expect(other.steps).to_contain_text("Clarifying intent", timeout=LIVE_MS)
    expect(other.page.get_by_text(_AND_ELSE).first).to_be_visible()
    gate.set()
    for one in (tab, other):
        one.expect_answered(2)
    expect(other.field).to_have_attribute("contenteditable", "true", timeout=LIVE_MS)
    other.page.keyboard.type("and its end")
    expect(other.field).to_have_text("half a thought and its end")
    shown = [one.page.get_by_test_id("stChatMessage").all_inner_texts() for one in (tab, other)]
    assert shown[0] == shown[1] and len(shown[0]) == 4


def test_g9_a_question_comes_to_the_other_tab_and_goes_when_it_is_answered(house: House, tab: Tab, other: Tab) -> None:
    thread = house.asked(_GREETING)
    tab.open(thread)
    other.open(thread)
    tab.send(_UNCLEAR)
    other.expect_question(_WHICH_ACTION)
    tab.expect_question(_WHICH_ACTION)
    other.press("Cancel")
    expect(tab.question).to_have_count(0, timeout=LIVE_MS)
    expect(tab.page.get_by_text(_ELSEWHERE).first).to_be_visible()
    for one in (tab, other):
        one.expect_answered(2)
        expect(one.notes).to_contain_text("→ Cancelled")
    expect(other.page.get_by_text(_ELSEWHERE)).to_have_count(0)
    tab.send(_GREETING)
    tab.expect_answered(3)
    expect(tab.page.get_by_text(_ELSEWHERE)).to_have_count(0)


def test_g9_the_second_answer_of_two_tabs_changes_nothing_and_is_told_so(house: House, tab: Tab, other: Tab) -> None:
    thread = house.asked(_UNCLEAR)
    other.can_be_held_back()
    tab.open(thread).expect_question(_WHICH_ACTION)
    other.open(thread).expect_question(_WHICH_ACTION)
    other.hold_back()
    tab.press("Cancel")
    tab.expect_answered()
    other.press("Summarize")  # it still shows the question
    other.let_go()
    expect(other.page.get_by_text(_ELSEWHERE).first).to_be_visible(timeout=LIVE_MS)
    other.expect_answered()
    assert house.roles(thread) == ["user", "pal_assist", "assistant"]
    assert house.history(thread)[-1].content == feedback.INTENT_CANCELLED


def test_u6_a_run_of_another_process_is_shown_and_its_answer_arrives(
    house: House, tab: Tab, model: OpenAIServer, gate: Gate
) -> None:
    gate.set()
    thread = house.asked(_GREETING)
    tab.open(thread).expect_answered()
    gate.clear()
    model.script("Route", gate)
    ask.send(house.app, house.user, thread, ask.Request(message=_AND_ELSE))
    expect(tab.stop).to_be_visible(timeout=LIVE_MS)
    expect(tab.page.get_by_text(_AND_ELSE).first).to_be_visible()
    gate.set()
    tab.expect_answered(2)
    assert house.roles(thread) == ["user", "assistant", "user", "assistant"]


def test_u6_stop_reaches_a_run_of_another_process(house: House, tab: Tab, gate: Gate) -> None:
    thread = house.begin(_GREETING)
    tab.open(thread)
    tab.stop.click()
    expect(tab.page.get_by_text(_STOPPED).first).to_be_visible(timeout=LIVE_MS)
    assert house.roles(thread) == ["user", "error"]
    assert not gate.is_set()


def test_g9_a_question_of_another_process_is_answered_there_or_here(house: House, tab: Tab) -> None:
    thread = house.asked(_UNCLEAR)
    tab.open(thread).expect_question(_WHICH_ACTION)
    ask.resume(house.app, house.user, thread, Answer(type="cancel"))
    expect(tab.question).to_have_count(0, timeout=LIVE_MS)
    tab.expect_answered()
    ask.send(house.app, house.user, thread, ask.Request(message=_UNCLEAR))
    tab.expect_question(_WHICH_ACTION)
    tab.press("Cancel")
    tab.expect_answered(2)
    assert house.roles(thread) == ["user", "pal_assist", "assistant"] * 2


def test_u6_a_tab_that_only_looks_costs_little(house: House, tab: Tab) -> None:
    """Nothing is drawn again while nothing happens."""
    frames: list[int] = []
    tab.page.on("websocket", lambda s: s.on("framereceived", lambda f: frames.append(len(f))))
    tab.open(house.asked(_GREETING)).expect_answered()
    tab.page.wait_for_timeout(1_500)
    frames.clear()
    tab.page.wait_for_timeout(4_000)
    assert 0 < len(frames) < 20
    assert sum(frames) < 8_000


def test_a4_an_audit_whose_process_is_killed_goes_on_and_pays_no_finished_batch_twice(
    house: House, tab: Tab, model: OpenAIServer
) -> None:
    policy = add_text(house.app, house.user, "Our Policy", f"{KEPT}\n\n{FILLER}", type=DocumentType.COMPANY)
    add_text(house.app, house.user, "Testing Rules", RULES)
    go_on, served = threading.Event(), list[str]()

    def judge(request: ChatRequest) -> dict[str, Any]:
        served.append(request.content)
        if len(served) > 1:
            go_on.wait(_LONG)
        return judgements(request)

    model.on("judge", judge)
    tab.page.goto(f"{house.server.url}/audit_reports?audit={policy.id}")
    tab.page.locator(".st-key-new_audit_panel").get_by_role("combobox", name=re.compile("Against")).click()
    tab.page.keyboard.type("Testing Rules")
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Escape")
    tab.page.get_by_role("button", name="Start audit").click()
    expect(tab.steps).to_contain_text("Judged 15 of 45", timeout=PATIENCE_MS)
    thread = tab.page.url.rpartition("thread=")[2]
    tab.page.wait_for_timeout(500)  # a finished batch is told a moment before it is in the memory
    under_way = len(served) - 1
    house.server.kill_and_restart()
    go_on.set()
    tab.open(thread)
    expect(tab.page.get_by_text("Run was interrupted")).to_be_visible(timeout=PATIENCE_MS)
    tab.page.get_by_role("button", name="Send again").click()
    tab.expect_answered()
    assert len(set(served)) == 3 and len(served) == 3 + under_way, "only what was under way is asked again"
    assert served.count(served[0]) == 1
    expect(tab.answers.get_by_text("45 of 45").or_(tab.answers.get_by_text("45 covered")).first).to_be_visible()
