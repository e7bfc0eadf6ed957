"""The test page with nothing but the message field (``apps/composer_app.py``), as its tests use it."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.chat_page import LIVE_MS

WAIT = LIVE_MS


def field(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Message")


def suggestions(page: Page) -> Locator:
    """The list of suggestions."""
    return page.get_by_role("listbox", name="Suggestions")


def options(page: Page) -> Locator:
    return suggestions(page).get_by_role("option")


def selected(page: Page) -> Locator:
    """The option the arrows have reached."""
    return suggestions(page).locator('[aria-selected="true"]')


def pills(page: Page) -> Locator:
    """Tags in the text."""
    return field(page).locator(".ppc-pill")


def write(page: Page, text: str) -> None:
    field(page).click()
    page.keyboard.type(text)


def tag(page: Page, query: str, label: str) -> None:
    """Take the first suggestion, which is to be ``label``."""
    page.keyboard.type(f"@{query}")
    expect(selected(page)).to_contain_text(label)
    page.keyboard.press("Enter")


def sent(page: Page, count: int, timeout: int = WAIT) -> list[dict[str, Any]]:
    """What Python has read, when it has read ``count`` messages."""
    shown = page.get_by_text("sent: ")
    expect(shown).to_contain_text(re.compile(r'(?:"text"[\s\S]*){' + str(count) + "}"), timeout=timeout)
    messages = json.loads(shown.inner_text().removeprefix("sent: "))
    assert len(messages) == count
    return list(messages)


def content(page: Page) -> list[dict[str, Any]]:
    """The TipTap JSON of what was sent, when there is any."""
    shown = page.get_by_text("json: ")
    expect(shown).to_contain_text('"doc"')
    return list(json.loads(shown.inner_text().removeprefix("json: ")))


def switch(page: Page, label: str) -> None:
    """Use a checkbox or button without taking the focus away from the message."""
    page.evaluate(
        """label => {
            const named = [...document.querySelectorAll('label, button')].find(e => e.innerText.trim() === label);
            (named.querySelector('input') ?? named).click();
        }""",
        label,
    )


def switch_and_wait(page: Page, label: str) -> None:
    """Use a checkbox or button; back when the page has run for it and the caret is in the message again."""
    runs = page.get_by_text(re.compile(r"^runs: \d+$"))
    before = runs.inner_text()
    switch(page, label)
    expect(runs).not_to_have_text(before, timeout=WAIT)
    expect(field(page)).to_be_focused(timeout=WAIT)


def polls(page: Page) -> int:
    """How often the page has refreshed itself."""
    return int(page.get_by_text(re.compile(r"^polls: \d+$")).inner_text().split()[1])
