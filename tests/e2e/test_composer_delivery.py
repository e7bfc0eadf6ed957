"""The message field in a real browser (U3, U6): what was written arrives once, whatever the page does meanwhile."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.architecture.source_files import ROOT
from tests.e2e import composer_page as composer
from tests.e2e.conftest import new_window

pytestmark = pytest.mark.e2e

_RESENT = 25_000
_BUNDLE = ROOT / "policypal/ui/composer_bundle"


def test_u3_enter_sends_tiptap_json_once_and_clears(page: Page) -> None:
    composer.write(page, "")
    composer.tag(page, "comp", "Compare")
    composer.tag(page, "bank negara rulebook 2024", "v2024")
    page.keyboard.type("with ")
    composer.tag(page, "our aml", "Our AML Policy v3")
    composer.tag(page, "iso", "ISO 27001")
    page.keyboard.type("on retention")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")

    sent = composer.sent(page, 1)[0]
    assert sent["text"] == "@Compare @Bank Negara Rulebook 2024 with @Our AML Policy v3 @ISO 27001 on retention"
    assert sent["query"] == "with on retention"
    assert (sent["action"], sent["documents"], sent["sets"], sent["web"]) == (
        "compare",
        ["d-1", "d-3"],
        ["set-2"],
        False,
    )
    expect(composer.field(page)).to_have_text("")
    expect(composer.field(page)).to_be_focused()
    nodes = composer.content(page)[0]["content"][0]["content"]
    mentions = [node["attrs"] for node in nodes if node["type"] == "mention"]
    assert mentions[1] == {"id": "d-1", "label": "Bank Negara Rulebook 2024", "category": "document"}

    page.wait_for_timeout(7_000)  # longer than the browser waits before it would send again
    composer.sent(page, 1)


@pytest.mark.parametrize("name", ["our aml policy v3", "House Rules"])
def test_u3_typed_titles_and_aliases_become_tags_when_sent(page: Page, name: str) -> None:
    """Somebody who knows the name need not use the list."""
    composer.write(page, f"@{name}, explain")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    sent = composer.sent(page, 1)[0]
    assert (sent["documents"], sent["query"]) == (["d-3"], "explain")


def test_u3_text_caret_and_focus_survive_polling_reruns_and_new_suggestions(page: Page) -> None:
    composer.write(page, "hello  world")
    for _ in "world ":
        page.keyboard.press("ArrowLeft")
    before = composer.polls(page)
    page.wait_for_timeout(1_500)
    assert composer.polls(page) > before
    for switch in ("Rerun", "Something above", "One more document"):
        composer.switch_and_wait(page, switch)
    page.keyboard.type("big")
    expect(composer.field(page)).to_have_text("hello big world")

    page.keyboard.type(" @bank h")
    expect(composer.selected(page)).to_contain_text("Bank Holiday Notice")
    composer.switch(page, "One more document")
    expect(composer.suggestions(page)).to_be_hidden()
    composer.switch(page, "One more document")
    expect(composer.selected(page)).to_contain_text("Bank Holiday Notice")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    assert composer.sent(page, 1)[0]["text"] == "hello big @Bank Holiday Notice world"


def test_u3_disabled_keeps_the_text_and_the_focus_comes_back(page: Page) -> None:
    composer.write(page, "not yet ")
    composer.tag(page, "aud", "Audit")
    composer.switch(page, "Disable")
    expect(composer.field(page)).to_have_attribute("contenteditable", "false")
    expect(composer.field(page)).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.keyboard.press("Enter")
    expect(composer.field(page)).to_contain_text("not yet")
    composer.switch(page, "Disable")
    expect(composer.field(page)).to_be_focused()
    page.keyboard.press("Enter")
    assert composer.sent(page, 1)[0]["text"] == "not yet @Audit"


def test_u3_text_survives_when_the_field_leaves_the_page(page: Page) -> None:
    composer.write(page, "kept ")
    composer.tag(page, "iso", "ISO 27001")
    composer.switch(page, "Take it away")
    expect(composer.field(page)).to_have_count(0)
    composer.switch(page, "Take it away")
    expect(composer.field(page)).to_contain_text("kept")
    expect(composer.pills(page)).to_have_count(1)


def test_u3_a_draft_is_put_in_once_per_revision(page: Page) -> None:
    composer.write(page, "mine")
    composer.switch(page, "Use draft")
    expect(composer.field(page)).to_have_text("Draft 1")
    composer.field(page).click()
    page.keyboard.press("End")
    page.keyboard.type(" changed")
    composer.switch(page, "Rerun")
    page.wait_for_timeout(800)
    expect(composer.field(page)).to_have_text("Draft 1 changed")
    composer.switch(page, "Use draft")
    expect(composer.field(page)).to_have_text("Draft 2")


def test_u6_a_message_is_sent_again_if_the_run_ended_before_it_was_taken(page: Page) -> None:
    composer.switch(page, "End the next run early")
    expect(page.get_by_text("The next run ends early").first).to_be_visible()
    composer.write(page, "not to be lost")
    page.keyboard.press("Enter")
    expect(composer.field(page)).to_have_count(0)
    composer.switch(page, "Rerun")
    assert composer.sent(page, 1, timeout=_RESENT)[0]["text"] == "not to be lost"
    page.wait_for_timeout(1_000)
    composer.sent(page, 1)


def test_x2_the_editor_comes_once_and_from_this_server_only(browser: Browser, composer_url: str) -> None:
    """New data must not send a third of a megabyte of script again."""
    context = new_window(browser)
    page = context.new_page()
    frames: list[int] = []
    foreign: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(len(frame))))
    page.on("request", lambda r: None if r.url.startswith((composer_url, "data:", "blob:")) else foreign.append(r.url))
    page.goto(composer_url)
    expect(composer.field(page)).to_be_visible(timeout=composer.WAIT)
    for _ in range(4):
        composer.switch(page, "Disable")
        page.wait_for_timeout(700)
    bundle = (_BUNDLE / "composer.js").stat().st_size
    assert sum(1 for size in frames if size > bundle) == 1
    assert foreign == []
    context.close()
