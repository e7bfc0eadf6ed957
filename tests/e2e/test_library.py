"""The library in a browser: found, selected with the keyboard, deleted, undone, exported (D3, D10, U8)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from policypal.application import intake, profile, sample_documents
from policypal.application.container import local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.users import Profile
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, expect_at_rest
from tests.e2e.server import Server
from tests.support.timeouts import LONGEST_WAIT_SECONDS

pytestmark = pytest.mark.e2e

_OPEN = '[class*="st-key-docrow_"] button'
expect.set_options(timeout=LIVE_MS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """An app whose library holds the samples."""
    folder = tmp_path_factory.mktemp("library") / "data"
    app = build_container(Settings(data_dir=folder, _env_file=None), run_worker=True)
    try:
        user = local_analyst(app)
        profile.save(app, user, Profile(asked=True))
        added = sample_documents.add_samples(app, user)
        intake.wait_until_final(app, user, [d.id for d in added], timeout_seconds=LONGEST_WAIT_SECONDS)
    finally:
        app.close()
    running = Server(folder)
    yield running
    running.stop()


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
    rows_of_file = _csv(Path(download.value.path()).read_bytes())
    titles = [f"{r['title']} ({r['version']})" for r in rows_of_file]
    assert len(titles) == len(shown)
    assert all(line.startswith(title) for title, line in zip(titles, shown, strict=True))
    tab.reload()
    expect(hit).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.locator(_OPEN)).to_have_count(2)
    assert tab.locator(_OPEN).all_inner_texts() == shown
    tab.get_by_role("button", name="Clear filters").click()
    expect(rows).to_have_count(5)
    _assert_no_failure(tab, server)


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
    _assert_no_failure(tab, server)


def test_d8_what_changed_is_one_click_from_the_document(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/documents?q=rulebook+2023")
    expect(tab.get_by_text("Superseded by 2025").first).to_be_visible(timeout=PATIENCE_MS)
    tab.get_by_role("button", name=re.compile(r"Rulebook \(2023\)")).first.click()
    expect(tab.get_by_role("heading", name=re.compile(r"Rulebook \(2023\)")).first).to_be_visible()
    expect_at_rest(tab)
    tab.get_by_role("button", name="What changed since 2023?").first.click()
    expect(tab.get_by_text(re.compile(r"@Compare .*Rulebook \(2023\) with .*Rulebook \(2025\)")).first).to_be_visible()
    expect(tab.locator(".pp-cite").first).to_be_visible(timeout=PATIENCE_MS)
    _assert_no_failure(tab, server)


def _csv(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def _assert_no_failure(tab: Page, server: Server) -> None:
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    assert "Traceback" not in server.log()
