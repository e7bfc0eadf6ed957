"""Reading a document in the browser: a link to a passage, the keyboard, searching, the address to send on (D9, C3)."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from policypal.application import library, notes
from policypal.domain.documents import Document
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, expect_at_rest, expect_keys
from tests.e2e.conftest import close
from tests.e2e.settled import wait_until

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_TAGS_LOOK_LIKE_THE_PAGE = """() => [...document.querySelectorAll("iframe[title*='streamlit_tags']")].every((frame) => {
    const inside = frame.contentDocument, field = inside.querySelector(".rti--input"), page = document.querySelector("[data-testid='stMain'] input");
    return field && getComputedStyle(field).fontSize === getComputedStyle(page).fontSize && [...inside.fonts].some((face) => face.status === "loaded");
})"""
_QUOTE = "within 4 hours of classifying the event as major"


@pytest.fixture(scope="module")
def house(sampled: House) -> House:
    return sampled


@pytest.fixture(scope="module")
def document(house: House) -> Document:
    every = library.list_documents(house.app, house.user)
    return next(d for d in every if d.title.endswith("Rulebook") and d.version == "2025")


def _open(window: BrowserContext, house: House, **query: str | int) -> Page:
    page = window.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{house.server.url}/documents?{urlencode(query)}")
    return page


def test_d9_a_link_a_search_and_the_keyboard_lead_to_the_passage(
    window: BrowserContext, house: House, document: Document
) -> None:
    page = _open(window, house, document=document.id, page=4, quote=_QUOTE)
    mark = page.locator(".pp-page-text mark")
    expect(mark).to_have_text(_QUOTE, timeout=PATIENCE_MS)
    expect(mark).to_be_in_viewport()
    expect(_picture(page, 4, "with the passage highlighted")).to_be_visible()
    listed = page.get_by_role("navigation", name="Outline of this document")
    expect(listed.locator('[aria-current="page"]')).to_have_text(re.compile("^4 "))

    page.locator("h1").click()  # the arrow keys belong to nothing else now
    page.keyboard.press("ArrowRight")
    expect(_picture(page, 5)).to_be_visible()
    expect(mark).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(_picture(page, 4)).to_be_visible()

    field = page.get_by_role("textbox", name="Search in this document")
    field.fill("CLASSIFYING   the event as maj")
    field.press("Enter")
    expect(page.get_by_text("1 place on 1 page").first).to_be_visible()
    page.locator(".pp-hits button").focus()
    page.keyboard.press("Enter")
    expect(mark).to_have_text("classifying the event as maj")
    expect(_picture(page, 4, "with the passage highlighted")).to_be_visible()

    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".pp-copy-label")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{house.server.url}/documents?")
    page.goto(copied)
    expect(mark).to_have_text("classifying the event as maj")
    expect_keys(page)
    listed.get_by_role("button", name=re.compile("Part 4 Incident")).click()
    expect(_picture(page, 3)).to_be_visible()
    assert "page=3" in page.url and "start=" not in page.url
    expect(page.get_by_test_id("stException")).to_have_count(0)
    close(page)


def test_d10_what_is_typed_into_the_details_is_there_after_a_look_at_the_pages(
    window: BrowserContext, house: House, document: Document
) -> None:
    page = _open(window, house, document=document.id)
    expect(_picture(page, 1)).to_be_visible(timeout=PATIENCE_MS)
    # its fields for tags run the page again when they have loaded, which takes back a click that leads to another page
    fields = page.locator("iframe[title*='streamlit_tags']")
    assert fields.count() == 0
    page.get_by_role("tab", name="Details").click()
    expect(fields).to_have_count(2)
    wait_until(page, _TAGS_LOOK_LIKE_THE_PAGE)
    title = page.get_by_role("textbox", name="Title")
    title.fill("Rulebook, corrected")
    title.press("Tab")
    expect_at_rest(page)
    page.get_by_role("tab", name="Read").click()
    expect(_picture(page, 1)).to_be_visible()
    page.get_by_role("tab", name="Details").click()
    expect(title).to_have_value("Rulebook, corrected")
    expect(title).to_be_visible()
    close(page)


def _picture(page: Page, number: int, more: str = "") -> Locator:
    return page.get_by_alt_text(re.compile(f"^Page {number} of .*{more}$"))


def test_d12_an_entry_of_the_register_is_struck_in_its_table_and_taken_back(
    window: BrowserContext, house: House, document: Document
) -> None:
    page = _open(window, house, document=document.id)
    page.get_by_role("tab", name="Register").click()
    counted = page.get_by_text(re.compile(r"80 obligations and prohibitions"))
    expect(counted).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_test_id("stDataFrame").click(position={"x": 25, "y": 60}, force=True)
    expect(page.get_by_text(re.compile("79 obligations and prohibitions.*1 struck or merged"))).to_be_visible(
        timeout=PATIENCE_MS
    )
    page.get_by_role("button", name=re.compile(r"Changed \(1\)")).click()
    page.get_by_role("button", name="As read").click()
    expect(counted).to_be_visible(timeout=PATIENCE_MS)


def test_d15_a_note_is_made_at_its_provision_found_in_the_list_and_deleted_from_the_keyboard(
    window: BrowserContext, house: House, document: Document
) -> None:
    page = _open(window, house, document=document.id, page=4)
    expect_keys(page)
    handle = page.get_by_role("button", name="Choose 4.6 for a note or a question")
    handle.click()
    expect(handle).to_have_attribute("aria-pressed", "true")
    page.locator(".st-key-provision_panel").get_by_role("textbox", name="Note").fill("Ours says 72 hours")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".pp-provision-note").get_by_text("Ours says 72 hours")).to_be_visible()
    expect(page.locator(".pp-noted")).to_contain_text("4.6 An institution must inform")

    page.get_by_role("tab", name="Notes").click()
    expect(page.get_by_role("button", name="Page 4", exact=True)).to_be_visible()
    expect_at_rest(page)
    page.keyboard.press("j")
    wait_until(page, "() => Boolean(document.activeElement.closest('[class*=\"st-key-note_row_listed\"]'))")
    page.keyboard.press("Enter")
    expect(page.locator(".pp-page-text mark")).to_contain_text("4.6 An institution must inform")
    page.get_by_role("tab", name="Notes").click()
    expect(page.get_by_role("button", name="Page 4", exact=True)).to_be_visible()
    expect_at_rest(page)
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_role("button", name="Delete this note").click()
    noted = page.locator(".pp-provision-note").get_by_text("Ours says 72 hours")
    expect(page.get_by_role("status").get_by_text("Note deleted.").first).to_be_visible()
    expect(noted.locator("visible=true")).to_have_count(0)
    page.locator(".st-key-note_undo_listed").get_by_role("button", name="Undo").click()
    expect(noted.locator("visible=true").first).to_be_visible()
    expect(page.get_by_text("Note deleted.")).to_have_count(0)
    expect_at_rest(page)
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_role("button", name="Delete this note").click()
    expect(page.get_by_text("Nothing noted yet")).to_be_visible()
    close(page)


def test_d15_notes_on_an_earlier_edition_stand_at_the_same_words_and_lead_back_to_others(
    window: BrowserContext, house: House, document: Document
) -> None:
    every = library.list_documents(house.app, house.user)
    earlier = next(d for d in every if d.title == document.title and d.version == "2023")
    numbers = {
        p.provision.label: p.provision.ordinal
        for page in (3, 4)
        for p in notes.on_page(house.app, house.user, earlier.id, page)
    }
    made = [notes.add(house.app, house.user, earlier.id, numbers[n], f"Seen at {n}") for n in ("4.1", "4.3")]
    page = _open(window, house, document=document.id)
    page.get_by_role("tab", name="Notes").click()
    cards = page.locator("[class*='st-key-note_row_listed']")
    expect(cards.filter(has_text="made on edition 2023")).to_contain_text("Seen at 4.1", timeout=PATIENCE_MS)
    for_earlier = cards.filter(has_text="for the earlier edition 2023")
    expect(for_earlier).to_contain_text("Seen at 4.3")
    for_earlier.get_by_role("button", name=re.compile(r"^Page \d of edition 2023$")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("(2023)")
    expect(page.locator(".pp-page-text mark")).to_contain_text("4.3 An institution")
    for note in made:
        notes.delete(house.app, house.user, note)
    close(page)
