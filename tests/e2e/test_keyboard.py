"""Without a mouse: palette, new chat, lists, panels, the message field (U10)."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from policypal.application import audits
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, expect_at_rest, expect_keys, new_tab
from tests.e2e.conftest import close
from tests.e2e.settled import wait_until

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_QUESTION = "How soon must a major incident be reported to the Authority under the Rulebook 2025?"
_FINDS = "() => Boolean(document.activeElement.closest('.st-key-palette_choice'))"
_WRITES = "() => Boolean(document.activeElement.closest('.ppc-box'))"


def test_u10_a_morning_without_a_mouse(window: BrowserContext, sampled: House) -> None:
    thread = sampled.asked(_QUESTION)
    tab = new_tab(window, sampled.server).open(thread)
    page = tab.page
    tab.expect_answered()
    expect_keys(page)
    wait_until(page, _WRITES)  # the field has the focus when the page has come

    page.locator(".pp-cite").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-sources_panel")).to_be_visible()
    expect_at_rest(page)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-sources_panel")).to_have_count(0)
    page.get_by_role("link", name="Chat", exact=True).focus()
    page.keyboard.press("/")
    wait_until(page, _WRITES)

    page.keyboard.press("Control+k")
    wait_until(page, _FINDS)
    expect(
        page.get_by_role("option", name="New chat")
    ).to_be_visible()  # what there is to find is there before a letter is typed
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)  # the list and the palette at once
    expect_at_rest(page)
    page.keyboard.press("Control+k")
    wait_until(page, _FINDS)
    expect(page.get_by_role("option", name="New chat")).to_be_visible()
    page.keyboard.type("document guideline")
    expect(page.get_by_role("option").first).to_contain_text("Guideline")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents?document=*")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.goto(f"{sampled.server.url}/documents")
    expect(page.locator("[class*='st-key-docrow_']").first).to_be_visible(timeout=PATIENCE_MS)
    expect_keys(page)
    for key in ("j", "j", "k"):
        page.keyboard.press(key)
    wait_until(page, "() => Boolean(document.activeElement.closest('[class*=\"st-key-docrow_\"]'))")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents?document=*")

    page.goto(f"{sampled.server.url}/?thread={thread}")
    tab.expect_answered()
    expect_keys(page)
    wait_until(page, _WRITES)
    page.keyboard.press("Alt+n")
    expect(page.get_by_role("heading", name="Start", exact=True)).to_be_visible()
    tab.expect_healthy()
    close(page)


_AT_THE_DECISION = (
    "() => document.activeElement.closest('.st-key-decision')?.querySelector('input') === document.activeElement"
)


def test_u10_e_goes_from_a_finding_to_the_decision_about_it(window: BrowserContext, sampled: House) -> None:
    sampled.asked(
        "Audit the Group Conduct and Information Policy against the Operational Conduct and Data Rulebook 2025."
    )
    # The newest one, so asked for here: other tests audit in this library too, and not every audit finds something.
    report = audits.list_reports(sampled.app, sampled.user)[0]
    assert report.findings
    page = window.new_page()
    page.goto(f"{sampled.server.url}/audit_reports?report={report.id}")
    expect(page.locator(".st-key-decision")).to_be_visible(timeout=PATIENCE_MS)
    expect_keys(page)
    for _ in range(20):  # what is drawn for the second time takes the focus with it, before or after it was seen there
        page.keyboard.press("e")
        page.wait_for_timeout(300)
        if has_arrived := page.evaluate(_AT_THE_DECISION):
            break
    assert has_arrived
    close(page)
