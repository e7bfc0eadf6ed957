"""The library in a browser: found, selected with the keyboard, deleted, undone, exported (D3, D10, U8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, add_samples, expect_at_rest, expect_no_failure, house_on, read_csv
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

_OPEN = '[class*="st-key-docrow_"] button'
expect.set_options(timeout=LIVE_MS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """An app whose library holds the samples."""
    with house_on(tmp_path_factory.mktemp("library") / "data", add_samples) as house:
        yield house.server


def test_d3_what_is_typed_filters_at_once_and_stands_in_the_address(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/documents")
    rows = tab.locator('[class*="st-key-docrow_"]')
    expect(rows).to_have_count(5, timeout=PATIENCE_MS)
    tab.get_by_role("searchbox", name="Search").press_sequentially("major incident 24 hours")
    hit = tab.locator(".pp-hit mark").first
    expect(hit).to_be_visible()
    expect(tab).to_have_url(re.compile(r"q=major\+incident"))
    expect(tab.get_by_text("2 of 5 documents").first).to_be_visible()
    expect(tab.locator(_OPEN)).to_have_count(2)
    shown = tab.locator(_OPEN).all_inner_texts()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Export").click()
    rows_of_file = read_csv(Path(download.value.path()).read_bytes())
    titles = [f"{r['title']} ({r['version']})" for r in rows_of_file]
    assert len(titles) == len(shown)
    assert all(line.startswith(title) for title, line in zip(titles, shown, strict=True))
    tab.reload()
    expect(hit).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.locator(_OPEN)).to_have_count(2)
    assert tab.locator(_OPEN).all_inner_texts() == shown
    tab.get_by_role("button", name="Clear filters").click()
    expect(rows).to_have_count(5)
    expect_no_failure(tab, server)


def test_d10_documents_are_deleted_and_taken_back_with_the_keyboard(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/documents?type=company")
    rows = tab.locator('[class*="st-key-docrow_"]')
    expect(rows).to_have_count(2, timeout=PATIENCE_MS)
    tab.get_by_role("button", name="Select", exact=True).click()
    boxes = tab.get_by_role("checkbox", name=re.compile("^Select "))
    expect(boxes).to_have_count(2)
    for number in range(2):
        boxes.nth(number).focus()
        tab.keyboard.press("Space")
        expect(tab.get_by_text(f"{number + 1} selected").first).to_be_visible()
        expect_at_rest(tab)
    tab.get_by_role("button", name="Delete").focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("button", name="Delete 2 documents").focus()
    tab.keyboard.press("Enter")
    undo = tab.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    expect(rows).to_have_count(0)
    undo.focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("stToast")).to_contain_text("Restored")
    expect(rows).to_have_count(2)
    expect_no_failure(tab, server)
