"""Research in the browser: the planner's drawer, markers and sources, edits, timeline and fork; open to everybody (W2, W6, U5–U8)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from policypal.application import research
from tests.e2e.axe import violations
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, expect_at_rest
from tests.e2e.conftest import close, new_window
from tests.support.timeouts import LONGEST_WAIT_SECONDS

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_GOAL = "Compare what our regulators require for incident reporting and which deadlines apply"


@pytest.fixture(scope="module")
def house(sampled: House) -> House:
    return sampled


@pytest.fixture(scope="module")
def written(house: House) -> str:
    """The thread of a finished report."""
    thread = research.start(house.app, house.user, _GOAL, idempotency_key="written")
    list(research.events(house.app, house.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert research.reports(house.app, house.user, thread)
    return thread


def _open(window: BrowserContext, house: House, thread: str = "") -> Page:
    page = window.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{house.server.url}/research{f'?thread={thread}' if thread else ''}")
    return page


def _close(house: House, page: Page) -> None:
    expect(page.get_by_test_id("stException")).to_have_count(0)
    close(page)
    assert "Traceback" not in house.server.log()


def _view(page: Page, name: str) -> None:
    page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True).click()


def test_w2_the_drawer_asks_one_question_at_a_time_and_leads_to_the_report(
    window: BrowserContext, house: House
) -> None:
    page = _open(window, house)
    page.get_by_role("textbox", name="Goal").fill("Outsourcing rules")
    page.get_by_test_id("stButtonGroup").get_by_text("Plan", exact=True).click()
    expect(page.get_by_text("Plan asks up to four short questions").first).to_be_visible()
    page.get_by_role("button", name="Start research").click()
    drawer = page.locator(".st-key-planner_drawer")
    expect(drawer).to_contain_text("Question 1 of", timeout=PATIENCE_MS)
    page.reload()
    expect(drawer).to_contain_text("Question 1 of", timeout=PATIENCE_MS)
    asked = int(re.findall(r"Question 1 of (\d)", drawer.inner_text())[0])
    for number in range(1, asked + 1):
        expect(drawer).to_contain_text(f"Question {number} of", timeout=PATIENCE_MS)
        # a key that is pressed while the page is being drawn again may reach the field of the question before
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(drawer.locator("[data-stale='true']")).to_have_count(0)
        field = drawer.get_by_role("textbox", name="Custom")
        field.fill(f"my own words {number}")
        expect(field).to_have_value(f"my own words {number}")
        drawer.get_by_role("button", name="Use my answer").click()
    expect(drawer).to_contain_text("This is the plan", timeout=PATIENCE_MS)
    expect(drawer.get_by_label("Your answers")).to_contain_text("my own words 1")
    drawer.get_by_role("button", name="Start the research").click()
    expect(page.get_by_text(re.compile("statements verified")).first).to_be_visible(timeout=PATIENCE_MS)
    expect(drawer).to_have_count(0)
    _close(house, page)


def test_w6_a_marker_opens_its_source_and_an_edit_becomes_a_version(
    window: BrowserContext, house: House, written: str
) -> None:
    page = _open(window, house, written)
    marker = page.locator(".pp-cite").first
    expect(marker).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("html[data-pp-listening]")).to_be_attached()
    marker.focus()
    page.keyboard.press("Enter")
    panel = page.locator(".st-key-sources_panel")
    expect(panel.locator(".pp-open")).to_contain_text("Why used", timeout=PATIENCE_MS)
    expect(panel.get_by_alt_text(re.compile("^Page .* passage highlighted$"))).to_be_visible(timeout=PATIENCE_MS)
    pin = panel.get_by_role("button", name=re.compile("^Pin to the top: ")).first
    source = str(pin.get_attribute("aria-label")).removeprefix("Pin to the top: ")
    pin.click()
    expect(panel.get_by_role("button", name=f"Take the pin out: {source}", exact=True).first).to_be_visible()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)
    _view(page, "Edit")
    field = page.get_by_role("textbox", name="Report in Markdown")
    field.fill("# Mine\n\nMy own conclusion. 📄1")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-research_preview .pp-cite")).to_have_count(1)
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_text("edited by hand").first).to_be_visible()
    expect(page.get_by_text("My own conclusion.")).to_have_count(1)
    _close(house, page)


def test_w6_a_step_of_the_timeline_is_forked_and_the_original_stays(
    window: BrowserContext, house: House, written: str
) -> None:
    before = research.reports(house.app, house.user, written)
    page = _open(window, house, written)
    _view(page, "Timeline")
    page.locator(".st-key-timeline_steps").get_by_text("Sources read").click()
    expect(page.get_by_role("status").filter(has_text="Sources read").first).to_be_visible()
    expect_at_rest(page)
    page.get_by_text("Fork from here").click()
    page.get_by_role("textbox", name="Goal").fill("Which records must be kept, and for how long, under the rulebook?")
    page.get_by_role("button", name="Fork and run").press("Enter")  # what has just been opened may still be moving
    expect(page.get_by_text("a fork after “Sources read”").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text(re.compile("statements verified")).first).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("button", name="All research").click()
    expect(page.locator('[class*="st-key-researchrow_1_"]')).to_have_count(1)
    assert research.reports(house.app, house.user, written) == before
    _close(house, page)


@pytest.mark.parametrize(
    ("width", "height", "theme"),
    [
        (390, 844, "dark"),
        pytest.param(1280, 720, "light", marks=pytest.mark.faults),
        pytest.param(1280, 720, "dark", marks=pytest.mark.faults),
        pytest.param(390, 844, "light", marks=pytest.mark.faults),
    ],
)
def test_u8_axe_finds_nothing_serious(
    browser: Browser, house: House, written: str, width: int, height: int, theme: str
) -> None:
    asking = research.start(house.app, house.user, "Rules", mode="plan", idempotency_key="asking")
    list(research.events(house.app, house.user, asking, timeout_seconds=LONGEST_WAIT_SECONDS))
    context = new_window(browser, viewport={"width": width, "height": height}, color_scheme=theme)
    page = _open(context, house)
    failures = violations(page, "start")
    page.goto(f"{house.server.url}/research?thread={asking}")
    failures += violations(page, "drawer")
    page.goto(f"{house.server.url}/research?thread={written}")
    page.get_by_role("button", name=re.compile("^Sources · ")).click()
    expect(page.locator(".st-key-sources_panel .pp-card").first).to_be_visible()
    failures += violations(page, "report with sources")
    page.locator(".st-key-sources_panel").get_by_role("button", name="Close").click()
    for view in ("Edit", "Timeline", "Run log"):
        _view(page, view)
        failures += violations(page, view)
    assert failures == []
    _close(house, page)
    context.close()
