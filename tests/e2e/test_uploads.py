"""What only a real browser can hand in: a whole folder, a table filled by hand, an upload whose connection is lost (D1, D7)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS
from tests.e2e.server import Server
from tests.support import pdf_factory

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)


def _open_documents(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/documents")
    expect(tab.get_by_role("heading", name="Documents", exact=True).first).to_be_visible(timeout=PATIENCE_MS)
    panel = tab.locator(".st-key-add_panel details")
    expect(panel).to_be_visible()
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    expect(tab.get_by_test_id("stFileUploaderDropzone")).to_be_visible()


def _rule(subject: str) -> bytes:
    return pdf_factory.text_pdf([[f"A bank must keep its {subject} records for seven years."]], title=f"{subject} Rule")


def test_d1_a_folder_is_handed_in_with_its_folders_as_sets_and_a_title_typed_into_the_table(
    tab: Page, server: Server, tmp_path: Path
) -> None:
    for place, subject in (("HR", "Leave"), ("HR", "Conduct"), ("IT", "Backup"), ("IT", "Access")):
        path = tmp_path / "Policies" / place / f"{subject}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_rule(subject))
    (tmp_path / "Policies" / "movie.mp4").write_bytes(b"no document")
    _open_documents(tab, server)
    tab.get_by_text("A whole folder").click()
    expect(tab.get_by_text("Every readable file in the folder").first).to_be_visible()
    tab.locator("input[type=file][webkitdirectory]").set_input_files(tmp_path / "Policies")
    add = tab.locator(".st-key-add_documents button")
    expect(add).to_have_text("uploadAdd 4 documents", timeout=PATIENCE_MS)
    table = tab.get_by_test_id("stDataFrame")
    expect(table.locator("td", has_text="Access Rule")).to_have_count(1)
    table.scroll_into_view_if_needed()
    table.click(position={"x": 300, "y": 52})  # the title in the first row
    tab.keyboard.press("Enter")
    editor = tab.locator("#portal textarea")
    editor.fill("Typed by hand")
    editor.press("Enter")
    expect(table.locator("td", has_text="Typed by hand")).to_have_count(1)
    table.click(position={"x": 300, "y": 52})
    heads = [head.strip() for head in table.locator("th").all_text_contents()]
    for _ in range(heads.index("Tags") - heads.index("Title")):  # one more where there is something to be an edition of
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    editor.fill("staff, by hand")
    editor.press("Enter")
    expect(table.locator("td", has_text="staff, by hand")).to_have_count(1)
    tab.wait_for_timeout(700)  # the table hands over what was typed a moment later
    tab.get_by_text("Put files into sets named after their folders").click()
    add.click()
    expect(tab.get_by_text("4 documents added").first).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.get_by_role("button", name=re.compile("Typed by hand.*#staff · #by hand")).first).to_be_visible(
        timeout=PATIENCE_MS
    )
    for shown in ("HR", "IT"):
        expect(tab.get_by_text(shown, exact=True).first).to_be_visible(timeout=PATIENCE_MS)
    assert "Traceback" not in server.log()


def test_d7_a_connection_lost_during_an_upload_is_told_and_nothing_is_added(tab: Page, server: Server) -> None:
    _open_documents(tab, server)
    tab.route("**/_stcore/upload_file/**", lambda route: route.abort("connectionreset"))
    file = {"name": "lost.pdf", "mimeType": "application/pdf", "buffer": _rule("Lost")}
    tab.locator("input[type=file]").set_input_files(files=[file])
    expect(tab.get_by_text("Network Error").first).to_be_visible()
    expect(tab.locator(".st-key-add_documents")).to_have_count(0)
    tab.unroute("**/_stcore/upload_file/**")
    tab.locator("input[type=file]").set_input_files(files=[file])
    tab.locator(".st-key-add_documents button").click(timeout=PATIENCE_MS)
    expect(tab.get_by_text("1 document added").first).to_be_visible(timeout=PATIENCE_MS)
    assert "Traceback" not in server.log()
