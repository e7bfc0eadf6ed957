"""No page keeps anybody out: axe-core finds nothing worse than minor on any of them, in both themes and at both widths (U8)."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from policypal.application import audits, library
from tests.e2e.axe import violations
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House
from tests.e2e.conftest import new_window

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_QUESTION = "How soon must a major incident be reported to the Authority under the Rulebook 2025?"
_COMPARISON = "Compare the Rulebook 2023 with the Rulebook 2025."
_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook 2025."


@pytest.fixture(scope="module")
def addresses(sampled: House) -> dict[str, str]:
    """Every kind of page, by name; one that is added to the app belongs here. Research: test_research.py."""
    answer, redline = sampled.asked(_QUESTION), sampled.asked(_COMPARISON)
    sampled.asked(_AUDIT)
    report = audits.list_reports(sampled.app, sampled.user)[0]  # the newest: other tests audit in this library too
    rulebook = next(
        d for d in library.list_documents(sampled.app, sampled.user) if d.version == "2025" and d.pages == 8
    )
    passage = {"document": rulebook.id, "page": 4, "quote": "within 4 hours of classifying the event as major"}
    return {
        "chat": "/", "answer": f"/?thread={answer}", "card": f"/?thread={redline}", "result": f"/result?id={sampled.history(redline)[-1].id}", "documents": "/documents",
        "reader": f"/documents?{urlencode(passage)}", "no document": "/documents?document=unknown",
        "reports": "/audit_reports", "report": f"/audit_reports?report={report.id}", "settings": "/settings",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("width", "height", "theme"),
    [
        (1280, 720, "light"),
        (390, 844, "dark"),
        # colours depend on the theme alone and sizes on the width alone, so the two above see nearly everything
        pytest.param(1280, 720, "dark", marks=pytest.mark.faults),
        pytest.param(390, 844, "light", marks=pytest.mark.faults),
    ],
)
def test_u8_axe_finds_nothing_serious(
    sampled: House, browser: Browser, addresses: dict[str, str], width: int, height: int, theme: str
) -> None:
    context = new_window(browser, viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    failures = []
    for name, address in addresses.items():
        page.goto(sampled.server.url + address)
        if name == "answer":
            expect(page.locator("html[data-pp-listening]")).to_be_attached()
            page.locator(".pp-cite").first.click()
            expect(page.locator(".st-key-sources_panel img")).to_be_visible(timeout=PATIENCE_MS)
        failures += violations(page, name)
    context.close()
    assert failures == []
