"""Where the chat and the other pages are scrolled to (U2b), and a clean audit (U2e)."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from policypal.application import ask, audits, conversations
from tests.e2e.chat_page import PATIENCE_MS, House, Tab, expect_at_rest
from tests.e2e.conftest import close, new_window
from tests.e2e.settled import wait_until

pytestmark = pytest.mark.e2e

_QUESTION = "How long must an institution keep customer records?"
_CLEAN = (
    "Audit this text against the Rulebook 2025: An institution keeps customer records for 8 years after the end of the "
    "relationship."
)
_PHONE: ViewportSize = {"width": 390, "height": 844}
_HEADER, _SLACK = 56, 24
_BELOW_HEADER = f"""() => {{
  const said = [...document.querySelectorAll("[data-pp-said]")].pop();
  const top = said ? said.closest("[data-testid=stChatMessage]").getBoundingClientRect().top : -1;
  return {_HEADER - _SLACK} < top && top < {_HEADER + 2 * _SLACK};
}}"""
_AT_END = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollTop + m.clientHeight > m.scrollHeight - 4; }"
_ON_DOCUMENTS = "() => window.__policypalPlace.view.startsWith('/documents')"
"""The page has been looked at: nobody turns back within the frame that draws it."""
_THERE_AND_BACK = """() => {
  const link = (name) => [...document.querySelectorAll("[data-testid=stSidebarNavLink]")].find((a) => a.innerText.includes(name));
  link("Documents").click();
  setTimeout(() => link("Chat").click(), 10);
}"""
_WATCH_FOR_LEFTOVERS = """() => {
  window.leftovers = 0;
  new MutationObserver(() => {
    if (document.querySelector("[data-pp-said]")) window.leftovers += document.querySelectorAll("[class*=st-key-suggestion_]").length;
  }).observe(document.body, { childList: true, subtree: true });
}"""
_WIDER_THAN_ITS_ROOM = """() => [...document.querySelectorAll("[data-testid=stMain], [data-testid=stMain] *")].filter((one) =>
  ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.clientWidth > 30 && one.scrollWidth > one.clientWidth + 1).length"""
_SCROLLED = "() => Math.round(document.querySelector('[data-testid=stMain]').scrollTop)"


@pytest.fixture(scope="module")
def long_thread(sampled: House) -> str:
    """A conversation that is many screens long."""
    thread = sampled.asked(_QUESTION)
    for _ in range(9):
        ask.send(sampled.app, sampled.user, thread, ask.Request(message=_QUESTION))
        assert list(ask.events(sampled.app, sampled.user, thread, timeout_seconds=120))
    return thread


def _in(page: Page, condition: str) -> None:
    wait_until(page, condition)


def _scrolled(page: Page) -> Any:
    expect_at_rest(page)
    return page.evaluate(_SCROLLED)


def test_u2b_a_long_conversation_opens_at_its_end_and_every_message_goes_to_the_top(
    window: BrowserContext, sampled: House, long_thread: str
) -> None:
    tab = Tab(window.new_page(), sampled.server).open(long_thread)
    answers = sum(role == "assistant" for role in sampled.roles(long_thread))
    expect(tab.answers).to_have_count(answers, timeout=PATIENCE_MS)
    _in(tab.page, _AT_END)
    expect(tab.field).to_be_focused()
    for count in (answers + 1, answers + 2):
        tab.page.keyboard.type(_QUESTION)
        tab.page.keyboard.press("Enter")
        tab.expect_answered(count)
        _in(tab.page, _BELOW_HEADER)
        expect(tab.field).to_be_focused()
    tab.expect_healthy()
    close(tab.page)


def test_u2b_who_reads_above_is_left_there_and_finds_the_place_again(
    window: BrowserContext, sampled: House, long_thread: str
) -> None:
    tab = Tab(window.new_page(), sampled.server).open(long_thread)
    _in(tab.page, _AT_END)
    expect_at_rest(tab.page)
    tab.page.mouse.move(640, 300)
    tab.page.mouse.wheel(0, -1500)
    tab.page.wait_for_timeout(400)
    place = _scrolled(tab.page)
    ask.send(sampled.app, sampled.user, long_thread, ask.Request(message=_QUESTION))  # in another tab
    answers = sum(role == "assistant" for role in sampled.roles(long_thread))
    expect(tab.answers).to_have_count(answers + 1, timeout=PATIENCE_MS)
    assert _scrolled(tab.page) == place
    tab.page.get_by_role("link", name="Documents").click()
    expect(tab.page.get_by_role("heading", name="Documents", exact=True)).to_be_visible()
    _in(tab.page, f"() => ({_SCROLLED})() === 0")
    _in(tab.page, _ON_DOCUMENTS)
    tab.page.get_by_role("link", name="Chat", exact=True).click()
    _in(tab.page, f"() => ({_SCROLLED})() === {place}")
    expect(tab.field).to_be_focused()
    close(tab.page)


def test_u2b_who_leaves_and_comes_back_before_another_page_is_drawn_stays_where_they_were(
    window: BrowserContext, sampled: House, long_thread: str
) -> None:
    tab = Tab(window.new_page(), sampled.server).open(long_thread)
    _in(tab.page, _AT_END)
    expect_at_rest(tab.page)
    assert tab.page.evaluate(_WIDER_THAN_ITS_ROOM) == 0  # hidden cards of citations take no room
    tab.page.mouse.move(640, 300)
    tab.page.mouse.wheel(0, -1500)
    tab.page.wait_for_timeout(400)
    place = _scrolled(tab.page)
    for _ in range(3):
        tab.page.evaluate(_THERE_AND_BACK)
        tab.page.wait_for_timeout(500)  # a busy server may answer the second click only: then nothing ever leaves
        expect_at_rest(tab.page)
        expect(tab.page.locator(".pp-room").first).to_be_attached()
        _in(tab.page, f"() => ({_SCROLLED})() === {place}")
    close(tab.page)


def test_u7_what_was_clicked_stays_where_it_is_when_the_panel_opens_and_closes(
    window: BrowserContext, sampled: House, long_thread: str
) -> None:
    tab = Tab(window.new_page(), sampled.server).open(long_thread)
    _in(tab.page, _AT_END)
    expect_at_rest(tab.page)
    chip, panel = tab.page.locator(".pp-cite:visible").last, tab.page.locator(".st-key-sources_panel")
    stands = _top(chip)
    chip.click()
    expect(panel).to_be_visible()
    expect_at_rest(tab.page)
    assert abs(_top(chip) - stands) < 4
    tab.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect_at_rest(tab.page)
    assert abs(_top(chip) - stands) < 4
    close(tab.page)


def test_u7_the_sources_open_at_their_card_and_nothing_moves(window: BrowserContext, sampled: House) -> None:
    thread = sampled.asked("Compare the Rulebook 2023 with the Rulebook 2025.")
    tab = Tab(window.new_page(), sampled.server).open(thread)
    tab.expect_answered()
    button, panel = tab.page.get_by_role("button", name="sources"), tab.page.locator(".st-key-sources_panel")
    stands = _top(button)
    button.click()
    expect(panel).to_be_visible()
    expect_at_rest(tab.page)
    assert abs(_top(button) - stands) < 4
    chip = tab.page.locator(".pp-result .pp-cite").last  # of many sources one in the middle
    chip.click()
    card = panel.locator(".pp-card.pp-open")
    expect(card).to_have_attribute("data-pp-reveal", f"source:{chip.get_attribute('data-pp-open')}")
    expect_at_rest(tab.page)
    _in(tab.page, "() => document.querySelector('.pp-card.pp-open').getBoundingClientRect().top < 240")
    expect(panel.get_by_role("button", name="Close")).to_be_in_viewport()  # however far the panel is scrolled
    expect(panel).not_to_contain_text("~~")
    close(tab.page)
    conversations.delete(sampled.app, sampled.user, thread)


def test_u2c_every_source_of_a_card_can_be_opened_on_a_phone(browser: Browser, sampled: House) -> None:
    """Long words are cut off; what they rest on is not."""
    thread = sampled.asked("Compare the Rulebook 2023 with the Rulebook 2025.")
    context = new_window(browser, viewport=_PHONE, has_touch=True)
    tab = Tab(context.new_page(), sampled.server).open(thread)
    tab.expect_answered()
    chips = tab.page.locator(".pp-result .pp-cite")
    for number in range(chips.count()):
        chips.nth(number).click()
        expect(tab.page.locator(".pp-card.pp-open")).to_be_visible()
        tab.page.get_by_role("button", name="Close").click()
        expect(tab.page.locator(".st-key-sources_panel")).to_have_count(0)
    context.close()
    conversations.delete(sampled.app, sampled.user, thread)


def test_u8_on_a_phone_the_list_of_conversations_gives_way_to_the_one_that_was_chosen(
    browser: Browser, sampled: House
) -> None:
    thread = sampled.asked(_QUESTION)
    context = new_window(browser, viewport=_PHONE, has_touch=True)
    tab = Tab(context.new_page(), sampled.server).open()
    sidebar = tab.page.get_by_test_id("stSidebar")
    for choose in (f".st-key-chat_{thread} button", ".st-key-new_chat button"):
        tab.page.get_by_test_id("stExpandSidebarButton").click()
        expect(sidebar).to_have_attribute("data-collapsed", "false")
        sidebar.locator(f"{choose}:visible").first.click()  # a button with a tip stands there twice
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        expect_at_rest(tab.page)
    context.close()
    conversations.delete(sampled.app, sampled.user, thread)


def _top(one: Locator) -> float:
    box = one.bounding_box()
    assert box is not None
    return box["y"]


def test_u2b_a_document_opens_at_its_top_from_a_list_that_was_scrolled(browser: Browser, sampled: House) -> None:
    context = new_window(browser, viewport={"width": 900, "height": 480})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{sampled.server.url}/documents")
    row = page.locator("[class*=st-key-docrow_] button").last
    expect(row).to_be_visible(timeout=PATIENCE_MS)
    expect_at_rest(page)
    _in(page, "() => document.fonts.status === 'loaded'")  # icons are words until then
    assert page.evaluate(_WIDER_THAN_ITS_ROOM) == 0
    page.mouse.move(450, 300)
    for _ in range(20):  # a page that has just been opened is put to its top once more
        page.mouse.wheel(0, 2000)
        page.wait_for_timeout(300)
        if _scrolled(page) > 100:
            break
    assert _scrolled(page) > 100
    row.click()
    expect(page.get_by_role("button", name="All documents")).to_be_in_viewport()
    _in(page, f"() => ({_SCROLLED})() === 0")
    context.close()


def test_u2e_a_clean_audit_opens_again_on_a_phone_in_local_time(browser: Browser, sampled: House) -> None:
    context = new_window(
        browser, viewport=_PHONE, has_touch=True, color_scheme="dark", timezone_id="Pacific/Kiritimati"
    )
    tab = Tab(context.new_page(), sampled.server).open()
    expect(tab.page.locator("[class*=st-key-suggestion_]").first).to_be_visible()
    tab.page.evaluate(_WATCH_FOR_LEFTOVERS)
    tab.send(_CLEAN)
    tab.expect_answered()
    assert tab.page.evaluate("window.leftovers") == 0  # a new chat's beginning goes at once
    thread = tab.thread()
    _in(tab.page, _BELOW_HEADER)
    tab.page.reload()
    tab.expect_answered()
    expect(tab.field).to_be_editable()
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card = tab.page.locator("[class*='st-key-result_']:has(.pp-result)").bounding_box()
    assert card is not None and card["height"] <= 300  # U2c
    tab.page.get_by_role("link", name="Open the audit report").click()
    expect(tab.page.get_by_role("tab", name="Coverage")).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.page.get_by_role("button", name="Export")).to_be_visible()
    made = next(r for r in audits.list_overviews(sampled.app, sampled.user) if r.thread_id == thread).created_at
    local = made.astimezone(ZoneInfo("Pacific/Kiritimati"))
    expect(tab.page.get_by_text(f"{local:%d %b %Y, %H:%M}", exact=True)).to_be_visible()
    tab.expect_healthy()
    context.close()
    conversations.delete(sampled.app, sampled.user, thread)
