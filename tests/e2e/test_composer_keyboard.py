"""The message field in a real browser (U3): suggestions, tags, keys, what a screen reader is told."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import composer_page as composer

pytestmark = pytest.mark.e2e


def test_u3_at_opens_the_four_sections_and_typing_filters_across_spaces(page: Page) -> None:
    composer.write(page, "@")
    expect(composer.suggestions(page).get_by_role("group")).to_have_count(4)
    titles = composer.suggestions(page).locator(".ppc-group-title").all_inner_texts()
    assert titles == ["Actions", "Sets", "Documents", "Web Search"]
    assert 40 <= composer.options(page).count() <= 50
    expect(composer.suggestions(page)).to_contain_text(re.compile(r"4\d\d more"))

    page.keyboard.type("bank neg")
    expect(composer.options(page)).to_have_count(3)
    page.keyboard.type("ara rulebook 2025")
    expect(composer.options(page)).to_have_count(1)
    expect(composer.selected(page)).to_contain_text("Regulatory, v2025")
    page.keyboard.press("Enter")
    expect(composer.pills(page)).to_have_text(re.compile("Bank Negara Rulebook 2025"))
    expect(composer.suggestions(page)).to_be_hidden()

    page.keyboard.type("mail a@bank.example and ")
    expect(composer.suggestions(page)).to_be_hidden()


def test_u3_websearch_and_accents_are_found(page: Page) -> None:
    composer.write(page, "")
    composer.tag(page, "websearch", "Web Search")
    composer.tag(page, "trèasury", "Treasury")
    page.keyboard.press("Enter")
    sent = composer.sent(page, 1)[0]
    assert (sent["web"], sent["documents"]) == (True, ["d-6"])


def test_u3_documents_are_found_by_alias_and_version_the_title_first(page: Page) -> None:
    composer.write(page, "@house r")
    expect(composer.options(page)).to_have_count(1)
    expect(composer.selected(page)).to_contain_text("Our AML Policy v3")
    expect(composer.selected(page)).to_contain_text("House Rules")
    page.keyboard.press("Enter")
    expect(composer.pills(page)).to_have_text(re.compile("Our AML Policy v3"))

    page.keyboard.type("@bank")  # a set, two titles that begin so, an alias that does
    expect(composer.options(page)).to_have_text(
        [
            re.compile("2 documents"),
            re.compile("Rulebook 2024"),
            re.compile("Rulebook 2025"),
            re.compile("Treasury.*Bank Book"),
        ]
    )
    page.keyboard.type(" rulebook v2025")
    expect(composer.options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    composer.tag(page, "trm", "Treasury")
    page.keyboard.press("Enter")
    assert composer.sent(page, 1)[0]["documents"] == ["d-3", "d-2", "d-6"]


def test_u3_arrows_move_tab_takes_escape_closes_and_backspace_removes_a_pill(page: Page) -> None:
    composer.write(page, "@bank")
    expect(composer.selected(page)).to_contain_text("2 documents")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(composer.selected(page)).to_contain_text("v2025")
    page.keyboard.press("ArrowUp")
    expect(composer.selected(page)).to_contain_text("v2024")
    page.keyboard.press("Tab")
    expect(composer.pills(page)).to_have_count(1)
    expect(composer.field(page)).to_be_focused()

    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(composer.pills(page)).to_have_count(0)

    page.keyboard.type("@sum")
    expect(composer.suggestions(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(composer.suggestions(page)).to_be_hidden()
    page.keyboard.type("m")
    expect(composer.suggestions(page)).to_be_hidden()
    expect(composer.field(page)).to_have_text("@summ")


def test_u3_combobox_and_listbox_are_connected_for_screen_readers(page: Page) -> None:
    field = composer.field(page)
    expect(field).to_have_attribute("aria-expanded", "false")
    composer.write(page, "@com")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(field).to_have_attribute("aria-controls", str(composer.suggestions(page).get_attribute("id")))
    expect(field).to_have_attribute("aria-activedescendant", str(composer.selected(page).get_attribute("id")))
    group = composer.suggestions(page).get_by_role("group").first
    assert page.locator(f"#{group.get_attribute('aria-labelledby')}").inner_text() == "Actions"
    expect(page.locator(".ppc-announcer")).to_have_text("1 suggestion")
    page.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    assert field.get_attribute("aria-activedescendant") is None


def test_u3_shift_enter_breaks_the_line_and_ctrl_enter_sends(page: Page) -> None:
    composer.write(page, "first")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    page.keyboard.press("Control+Enter")
    assert composer.sent(page, 1)[0]["text"] == "first\nsecond"
    page.keyboard.type("third")
    page.get_by_role("button", name="Send").click()
    assert [s["text"] for s in composer.sent(page, 2)] == ["first\nsecond", "third"]


def test_u3_five_documents_are_the_limit(page: Page) -> None:
    status = page.locator(".ppc-status")
    composer.write(page, "")
    for number in range(5):
        composer.tag(page, f"circular 00{number}", f"Circular 00{number}")
        expect(status).to_contain_text(f"{number + 1} of 5 documents")
    page.keyboard.type("@circular 005")
    expect(composer.options(page)).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Max 5 documents per query")
    expect(composer.pills(page)).to_have_count(5)

    # typed out, the sixth is found when it is sent; nothing is lost
    page.keyboard.type(" on reporting duties")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("6 are tagged. Remove 1.")
    expect(composer.pills(page)).to_have_count(6)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    expect(page.get_by_text("sent: []").first).to_be_visible()

    page.keyboard.press("Backspace")
    expect(composer.pills(page)).to_have_count(5)
    page.keyboard.press("Enter")
    assert len(composer.sent(page, 1)[0]["documents"]) == 5


def test_u3_enter_that_ends_an_input_method_does_not_send(page: Page) -> None:
    composer.field(page).click()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "規制", "selectionStart": 2, "selectionEnd": 2})
    page.evaluate(
        """() => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"""
    )
    session.send("Input.insertText", {"text": "規制"})
    expect(composer.field(page)).to_have_text("規制")
    expect(page.get_by_text("sent: []").first).to_be_visible()
    page.keyboard.press("Enter")
    assert composer.sent(page, 1)[0]["text"] == "規制"


def test_x4_titles_are_text_and_never_markup(page: Page) -> None:
    composer.write(page, "@<img")
    expect(composer.selected(page)).to_contain_text("<img src=x")
    page.keyboard.press("Enter")
    page.keyboard.type("@سياسة")
    page.keyboard.press("Enter")
    composer.tag(page, "risk", "🏦 Treasury")
    assert page.locator(".ppc-root img[src]").count() == 0
    page.keyboard.press("Enter")
    sent = composer.sent(page, 1)[0]
    assert sent["documents"] == ["d-4", "d-5", "d-6"]
    assert '<img src=x onerror="window.hacked=true"> Policy' in sent["text"]
    assert page.evaluate("window.hacked") is None


def test_u8_works_at_a_phones_width_in_the_dark(phone: Page) -> None:
    composer.field(phone).tap()
    phone.keyboard.type("@")
    expect(composer.suggestions(phone)).to_be_visible()
    listed, field = composer.suggestions(phone).bounding_box(), phone.locator(".ppc-box").bounding_box()
    assert listed is not None and field is not None
    assert listed["x"] >= 0 and listed["x"] + listed["width"] <= 390
    assert listed["y"] >= 0 and listed["y"] + listed["height"] <= field["y"]
    phone.keyboard.type("aml")
    composer.options(phone).first.tap()
    expect(composer.pills(phone)).to_have_count(1)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.get_by_role("button", name="Send").tap()
    assert composer.sent(phone, 1)[0]["documents"] == ["d-3"]
