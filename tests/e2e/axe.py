"""axe-core on a page: what keeps somebody out (U8)."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.chat_page import expect_at_rest
from tests.e2e.settled import wait_until

EXCEPTIONS: dict[str, str] = {}
"""Of Streamlit's own widgets, which we cannot change: "rule selector" of axe-core, and why it keeps nobody out."""


def violations(page: Page, name: str) -> list[str]:
    """What axe-core calls moderate or worse and what stays so: the page's name, rule, element and what is wrong with it."""
    _settle(page)
    for pause in _PAUSES_MS:
        page.wait_for_timeout(pause)
        if not (found := _found(page, name)):
            break
    return found


_PAUSES_MS = (0, 1_000, 1_000, 1_000, 1_000)
"""A label may get its words after its field: the script that draws them is loaded when the first one is needed."""


def _found(page: Page, name: str) -> list[str]:
    response = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [
        f"{name}: {rule['id']} {node['target']}: {node['failureSummary']}"
        for rule in response["violations"] if rule["impact"] in ("moderate", "serious", "critical")
        for node in rule["nodes"] if f"{rule['id']} {node['target'][-1]}" not in EXCEPTIONS
    ]  # fmt: skip


def _settle(page: Page) -> None:
    """The script has run, nothing is a placeholder any more, and nothing is half faded in."""
    expect_at_rest(page)
    expect(page.get_by_test_id("stMainBlockContainer").locator("h1, h2, .stAlert").first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    wait_until(
        page,
        "document.getAnimations().every(a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)",
    )
