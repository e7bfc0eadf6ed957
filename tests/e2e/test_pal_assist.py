"""PalAssist in the browser: every kind of question, nested, over reload and restart, cancelled (U5, G7–G9)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from policypal.application.container import Container
from policypal.domain.documents import DocumentType
from policypal.domain.users import User
from policypal.graph.agent import feedback
from tests.e2e.chat_page import PATIENCE_MS, House, Tab, house_on, new_tab
from tests.e2e.conftest import close
from tests.e2e.settled import wait_until
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE, add_text

pytestmark = pytest.mark.e2e

_UNCLEAR = "Have a look at it please"
_UNCLEAR_OF_TWO = "Have a look at the Records Rule please"
_WHICH_ACTION = "Please specify which action"
_WHICH_DOCUMENT = "Please specify which document you would like to"
_ZEBRA = "Which vaccination does the zebra in the aquarium need?"


_STANDS_ABOVE = """() => {
    const [question, field] = ['.st-key-pal_assist', '.ppc-box'].map(name => document.querySelector(name).getBoundingClientRect());
    return question.height > 0 && question.bottom <= field.top && field.bottom <= innerHeight;
}"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    with house_on(tmp_path_factory.mktemp("pal-assist") / "data", _fill) as house:
        yield house


def _fill(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE, version="EU")
    add_text(app, user, "Records Rule", RECORDS_RULE.replace("seven", "nine"), version="UK")
    add_text(app, user, "Complaints Rule", OTHER_RULE)
    add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)


@pytest.fixture
def tab(house: House, window: BrowserContext) -> Iterator[Tab]:
    tab = new_tab(window, house.server)
    yield tab
    tab.expect_healthy()
    close(tab.page)


def test_g9_an_action_then_the_documents_are_asked_for_and_both_answers_are_kept(house: House, tab: Tab) -> None:
    tab.open().send(_UNCLEAR_OF_TWO)
    tab.expect_question(_WHICH_ACTION)
    expect(tab.field).to_have_attribute("contenteditable", "false")
    tab.press("Summarize")
    tab.expect_question(_WHICH_DOCUMENT)
    tab.press("Records Rule (UK)")
    tab.expect_answered()
    expect(tab.notes).to_have_count(2)
    expect(tab.notes.nth(0)).to_contain_text("→ Summarize")
    expect(tab.notes.nth(1)).to_contain_text("→ Records Rule (UK)")
    expect(tab.field).to_have_attribute("contenteditable", "true")
    answer = house.history(tab.thread())[-1]
    assert [d["title"] for d in answer.payload["documents"]] == ["Records Rule (UK)"]
    assert "nine years" in answer.content and "seven years" not in answer.content
    assert house.roles(tab.thread()) == ["user", "pal_assist", "pal_assist", "assistant"]


def test_g7_all_of_the_offered_documents_can_be_taken(house: House, tab: Tab) -> None:
    tab.open(house.asked("@Summarize the Records Rule")).expect_question(_WHICH_DOCUMENT)
    tab.press("All of these")
    tab.expect_answered()
    titles = {d["title"] for d in house.history(tab.thread())[-1].payload["documents"]}
    assert titles == {"Records Rule (EU)", "Records Rule (UK)"}


def test_g7_a_text_to_audit_is_written_into_the_composer(house: House, tab: Tab) -> None:
    tab.open().send("Audit against the Complaints Rule")
    tab.expect_question("Please enter the text you would like to audit")
    tab.send("We answer every complaint within 30 business days.")
    tab.expect_answered()
    report = house.history(tab.thread())[-1].payload["report"]
    assert [f["target_document"] for f in report["findings"]] == ["Complaints Rule"]
    expect(tab.page.get_by_role("link", name="Open the audit report").first).to_be_visible()


def test_c5_weak_evidence_is_shown_as_the_nearest_passages_without_a_question(house: House, tab: Tab) -> None:
    tab.open().send(_ZEBRA)
    tab.expect_answered()
    expect(tab.page.get_by_test_id("stChatMessage").last).to_contain_text("Nothing close (searched")
    assert house.roles(tab.thread()) == ["user", "assistant"]


@pytest.mark.parametrize(
    ("message", "asked", "said"),
    [
        # one question of options and one of text; tests/graph/test_cancelling.py has the texts of all of them
        (_UNCLEAR, _WHICH_ACTION, feedback.INTENT_CANCELLED),
        ("Audit against the Complaints Rule", "Please enter the text", feedback.AUDIT_SOURCE_CANCELLED),
        *(
            pytest.param(*case, marks=pytest.mark.faults)
            for case in (
                ("@Summarize the Records Rule", _WHICH_DOCUMENT, feedback.document_cancelled("summarize")),
                ("@Compare", "Compare requires", feedback.COMPARE_CANCELLED),
            )
        ),
    ],
)
def test_g8_cancel_says_exactly_what_is_needed_and_keeps_it(
    house: House, tab: Tab, message: str, asked: str, said: str
) -> None:
    tagged = [house.document("Complaints Rule")] if message == "@Compare" else []
    tab.open(house.asked(message, *tagged)).expect_question(asked)
    tab.press("Cancel")
    tab.expect_answered()
    expect(tab.page.get_by_test_id("stChatMessage").last).to_contain_text(said)
    expect(tab.notes).to_contain_text("→ Cancelled")
    thread = tab.thread()
    assert (house.history(thread)[-1].content, house.roles(thread)) == (said, ["user", "pal_assist", "assistant"])
    expect(tab.field).to_have_attribute("contenteditable", "true")


def test_u5_a_question_survives_a_reload_and_the_death_of_the_process(house: House, tab: Tab) -> None:
    tab.open().send(_UNCLEAR_OF_TWO)
    tab.expect_question(_WHICH_ACTION)
    tab.page.reload()
    tab.expect_question(_WHICH_ACTION)
    expect(tab.field).to_be_visible()
    wait_until(tab.page, _STANDS_ABOVE)  # once everything has its place
    tab.press("Summarize")
    tab.expect_question(_WHICH_DOCUMENT)
    house.server.kill_and_restart()
    tab.open(tab.thread()).expect_question(_WHICH_DOCUMENT)
    expect(tab.notes).to_contain_text("→ Summarize", timeout=PATIENCE_MS)
    tab.press("All of these")
    tab.expect_answered()
    assert house.roles(tab.thread()) == ["user", "pal_assist", "pal_assist", "assistant"]
