"""No page keeps anybody out: axe-core finds nothing serious on any of them, in both themes and at both widths (U8)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from policypal.application import audits, intake, library, sample_documents
from policypal.application.container import build_container
from policypal.config import Settings
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, introduce
from tests.e2e.conftest import Server

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_QUESTION = "How soon must a major incident be reported to the Authority under the Rulebook 2025?"
_COMPARISON = "Compare the Rulebook 2023 with the Rulebook 2025."
_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook 2025."
_EXCEPTIONS: dict[str, str] = {}
"""Of Streamlit's own widgets, which we cannot change: "rule selector" of axe-core, and why it keeps nobody out."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    """A library with samples, three conversations and an audit report."""
    folder = tmp_path_factory.mktemp("access") / "data"
    app = build_container(Settings(data_dir=folder, _env_file=None), run_worker=True)
    user = introduce(app)
    added = sample_documents.add_samples(app, user)
    intake.wait_until_final(app, user, [d.id for d in added], timeout_seconds=90)
    server = Server(folder)
    yield House(server, app)
    server.stop()
    app.close()


@pytest.fixture(scope="module")
def addresses(house: House) -> dict[str, str]:
    """Every kind of page, by name; one that is added to the app belongs here."""
    answer, redline = house.asked(_QUESTION), house.asked(_COMPARISON)
    house.asked(_AUDIT)
    (report,) = audits.list_reports(house.app, house.user)
    rulebook = next(d for d in library.list_documents(house.app, house.user) if d.version == "2025" and d.pages == 8)
    passage = {"document": rulebook.id, "page": 4, "quote": "within 4 hours of classifying the event as major"}
    return {
        "chat": "/", "answer": f"/?thread={answer}", "redline": f"/?thread={redline}", "documents": "/documents",
        "reader": f"/documents?{urlencode(passage)}", "no document": "/documents?document=unknown",
        "reports": "/audit_reports", "report": f"/audit_reports?report={report.id}", "research": "/research", "settings": "/settings",
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
    house: House, browser: Browser, addresses: dict[str, str], width: int, height: int, theme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    failures = []
    for name, address in addresses.items():
        page.goto(house.server.url + address)
        _settle(page)
        if name == "answer":
            page.locator(".pp-cite").first.click()
            expect(page.locator(".st-key-sources_panel img")).to_be_visible(timeout=PATIENCE_MS)
            _settle(page)
        failures += [f"{name}: {failure}" for failure in _violations(page)]
    context.close()
    assert failures == []


def _settle(page: Page) -> None:
    """The script has run, nothing is a placeholder any more, and nothing is half faded in."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE_MS)
    expect(page.get_by_test_id("stMainBlockContainer").locator("h1, h2, .stAlert").first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_function(
        "document.getAnimations().every(a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"
    )


def _violations(page: Page) -> list[str]:
    """What axe-core calls serious or critical: rule, element and what is wrong with it."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{rule['id']} {node['target']}: {node['failureSummary']}"
        for rule in found if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"] if f"{rule['id']} {node['target'][-1]}" not in _EXCEPTIONS
    ]  # fmt: skip
