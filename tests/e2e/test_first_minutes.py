"""The newcomer's first minutes (R9): samples, a cited answer with its page, an audit, its CSV, and everything still there."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, expect_no_failure, new_tab, read_csv
from tests.e2e.conftest import close
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e

_QUESTION = "How soon must a major incident be reported to the Authority under the Rulebook 2025?"
_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook 2025."
expect.set_options(timeout=LIVE_MS)


def _ask(tab: Page, message: str) -> None:
    _start_writing(tab)
    tab.keyboard.type(message)
    tab.keyboard.press("Enter")


def _start_writing(tab: Page) -> None:
    field = tab.get_by_role("combobox", name="Message")
    expect(field).to_have_attribute("contenteditable", "true")
    field.click()


def _start_with_samples(tab: Page) -> None:
    tab.get_by_role("button", name="Skip for now").click()
    tab.get_by_role("button", name="Add sample documents").click()
    expect(tab.get_by_role("button", name="Audit the Growth Plan E-mail against").first).to_be_visible(
        timeout=PATIENCE_MS
    )


def _exported(tab: Page) -> list[dict[str, str]]:
    """The CSV of the open report; the menu is closed again."""
    tab.get_by_role("button", name="Export").click()
    with tab.expect_download() as download:
        tab.locator(".st-key-download_csv button").first.click()
    tab.keyboard.press("Escape")
    expect(tab.locator(".st-key-download_csv")).to_have_count(0)
    return read_csv(Path(download.value.path()).read_bytes())


def test_r9_newcomer_gets_a_cited_answer_and_an_audit_that_survive_a_restart(tab: Page, server: Server) -> None:
    _start_with_samples(tab)

    _ask(tab, _QUESTION)
    chip = tab.locator(".pp-cite").first
    expect(chip).to_be_visible(timeout=PATIENCE_MS)
    expect(tab).to_have_url(re.compile(r"\?thread=[0-9a-f-]{36}"))
    expect(tab.locator(".pp-badge", has_text="Exact provision").first).to_be_visible()

    # C3: the quote on hover, the page with the passage on click
    expect(chip.locator(".pp-tip")).to_be_hidden()
    chip.hover()
    expect(chip.locator(".pp-tip")).to_be_visible()
    expect(chip.locator(".pp-tip")).to_contain_text(re.compile(r"page \d+"))
    chip.click()
    panel = tab.locator(".st-key-sources_panel")
    picture = panel.locator("img")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 400
    assert _highlighted_pixels(picture.screenshot()) > 200
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)

    # U2: what is copied keeps its sources, and an answer is judged with one click
    assert re.search(r"\[\^1\]: Operational Conduct and Data Rulebook \(2025\), [\d.]+, page \d+: “", _copied(tab))
    tab.get_by_role("radio", name="Thumbs down").click()
    expect(tab.get_by_role("textbox", name="What was wrong?").first).to_be_visible()

    # A5, A8: the audit is a report, and its CSV holds what the page shows
    _ask(tab, _AUDIT)
    tab.get_by_role("link", name="Open the audit report").click(timeout=PATIENCE_MS)
    expect(tab.get_by_role("heading", name=re.compile("Group Conduct and Information Policy")).first).to_be_visible()
    told = tab.get_by_text(re.compile(r"^(\d+) of \1 findings\."))
    expect(told).to_be_visible()
    expect(tab.locator(".pp-finding-head")).to_have_count(1)  # the one that is open
    rows = _exported(tab)
    assert len(rows) == int(told.inner_text().split()[0]) > 0
    assert {row["Severity"] for row in rows} <= {"Critical", "High", "Medium", "Low"}

    # A8: a filter changes the table and the files, and takes nothing from the tabs beside it
    tab.get_by_role("button", name="Critical", exact=True).first.click()
    some = tab.get_by_text(re.compile(r"^\d+ of \d+ findings\."))
    expect(some).not_to_have_text(re.compile(f"^{len(rows)} of"))
    expect(tab.locator("[data-stale='true']")).to_have_count(0)
    critical = _exported(tab)
    assert critical == [row for row in rows if row["Severity"] == "Critical"] != rows
    assert some.inner_text().startswith(f"{len(critical)} of {len(rows)} findings.")
    tab.get_by_role("tab", name="Coverage").click()
    expect(tab.locator(".pp-heat").first).to_be_visible()
    tab.locator(".pp-cell-conflict[role=button]").first.click()
    expect(tab.locator("[data-pp-reveal^='coverage:']")).to_be_in_viewport()  # below the table, and not left there

    # M1, U6: everything is still there after the application was restarted
    tab.get_by_role("link", name="Chat", exact=True).click()
    expect(tab.locator(".pp-cite").first).to_be_visible()
    conversation = tab.url
    server.restart()
    tab.goto(conversation)
    expect(tab.get_by_text(_QUESTION, exact=True).first).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.locator(".pp-cite").first).to_be_visible()
    expect(tab.get_by_role("radio", name="Thumbs down").first).to_be_checked()
    expect_no_failure(tab, server)


def test_u1_every_page_can_be_opened_directly_after_a_restart(tab: Page, server: Server) -> None:
    """A direct URL runs a page without the frame; it must be guarded and work all the same."""
    server.restart()
    for page, heading in (("documents", "Documents"), ("audit_reports", "Audit reports"), ("settings", "Settings")):
        tab.goto(f"{server.url}/{page}")
        expect(tab.get_by_role("heading", name=heading, exact=True).first).to_be_visible()
    expect_no_failure(tab, server)


def test_u3_a_document_picked_with_the_keyboard_is_the_one_that_answers(window: BrowserContext, sampled: House) -> None:
    tab = new_tab(window, sampled.server).open()
    tab.write("@Rule")
    options = tab.page.get_by_role("listbox", name="Suggestions")
    expect(options).to_be_visible()
    wanted = "Operational Conduct and Data Rulebook (2023)"
    for _ in range(options.get_by_role("option").count()):
        if wanted in options.locator('[aria-selected="true"]').inner_text():
            break
        tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    expect(tab.field.locator(".ppc-pill")).to_have_text(re.compile(re.escape(wanted)))
    tab.page.keyboard.type("how soon must a major incident be reported?")
    tab.page.keyboard.press("Enter")
    tab.expect_answered()
    chips = tab.page.locator(".pp-cite")
    expect(chips.first).to_be_visible()
    expect(tab.field).to_have_text("")
    for chip in chips.all():
        expect(chip.locator(".pp-tip")).to_contain_text(wanted)
    tab.expect_healthy()
    close(tab.page)


def _copied(tab: Page) -> str:
    """The clipboard after a click on the answer's copy button."""
    tab.get_by_role("button", name="Copy").first.click()
    expect(tab.locator(".pp-copy-label").first).to_have_text("Copied")
    return str(tab.evaluate("navigator.clipboard.readText()"))


def _highlighted_pixels(png: bytes) -> int:
    """Pixels in the colour of a marker pen: much red and green, little blue."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    return sum(n for n, (r, g, b) in picture.getcolors(1 << 24) or [] if r > 200 and g > 180 and b < 190 and r - b > 50)
