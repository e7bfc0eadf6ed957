"""The message field in a real browser (U3): what is attached or pasted."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import composer_page as composer

pytestmark = pytest.mark.e2e


def test_u3_paste_is_plain_text(page: Page) -> None:
    composer.field(page).click()
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData('text/html', '<h1 onclick="x()">Big</h1><img src="https://example.org/x.png"><b>bold</b>');
            data.setData('text/plain', 'Big\\nbold');
            document.activeElement.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    expect(composer.field(page).locator("p")).to_have_count(2)
    expect(composer.field(page).locator("h1, b, img[src]")).to_have_count(0)
    page.keyboard.press("Enter")
    assert composer.sent(page, 1)[0]["text"] == "Big\nbold"


def test_u3_a_draft_file_is_attached_checked_and_sent(page: Page, tmp_path: Path) -> None:
    status = page.locator(".ppc-status")
    chosen = page.locator(".ppc-file-input")
    for name, size, complaint in (
        ("big.pdf", 5_000_001, "larger than 5 MB"),
        ("tool.exe", 9, "cannot be attached"),
        ("none.md", 0, "is empty"),
    ):
        path = tmp_path / name
        path.write_bytes(b"x" * size)
        chosen.set_input_files(path)
        expect(status).to_contain_text(complaint)
        expect(page.locator(".ppc-file")).to_have_count(0)

    draft = tmp_path / "Entwurf <b>ü.md"
    draft.write_bytes(b"# Draft\n" + bytes(range(256)) * 4_000)
    chosen.set_input_files(draft)
    expect(page.locator(".ppc-file-name")).to_have_text("Entwurf <b>ü.md")
    chosen.set_input_files(draft)
    expect(status).to_contain_text("Only one file")
    page.get_by_role("button", name="Remove Entwurf").click()
    expect(page.locator(".ppc-file")).to_have_count(0)
    chosen.set_input_files(draft)
    composer.write(page, "Audit this")
    page.keyboard.press("Enter")
    name, size, start = composer.sent(page, 1)[0]["files"][0]
    assert (name, size, start[:8]) == ("Entwurf <b>ü.md", draft.stat().st_size, "# Draft\n")
    expect(page.locator(".ppc-file")).to_have_count(0)
