"""No page keeps anybody out: axe-core finds nothing serious on any of them, in both themes and at both widths (U8)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from policypal.application import audits, intake, library, sample_documents
from policypal.application.container import build_container
from policypal.config import Settings
from tests.e2e.axe import violations
from tests.e2e.chat_page import LIVE_MS, PATIENCE_MS, House, introduce
from tests.e2e.conftest import Server, new_window
from tests.support.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.e2e

expect.set_options(timeout=LIVE_MS)
_QUESTION = "How soon must a major incident be reported to the Authority under the Rulebook 2025?"
_COMPARISON = "Compare the Rulebook 2023 with the Rulebook 2025."
_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook 2025."


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    """A library with samples, three conversations and an audit report."""
    folder = tmp_path_factory.mktemp("access") / "data"
    app = build_container(Settings(data_dir=folder, _env_file=None), run_worker=True)
    user = introduce(app)
    added = sample_documents.add_samples(app, user)
    intake.wait_until_final(app, user, [d.id for d in added], timeout_seconds=PATIENCE_SECONDS)
    server = Server(folder)
    yield House(server, app)
    server.stop()
    app.close()


@pytest.fixture(scope="module")
def addresses(house: House) -> dict[str, str]:
    """Every kind of page, by name; one that is added to the app belongs here. Research: test_research.py."""
    answer, redline = house.asked(_QUESTION), house.asked(_COMPARISON)
    house.asked(_AUDIT)
    (report,) = audits.list_reports(house.app, house.user)
    rulebook = next(d for d in library.list_documents(house.app, house.user) if d.version == "2025" and d.pages == 8)
    passage = {"document": rulebook.id, "page": 4, "quote": "within 4 hours of classifying the event as major"}
    return {
        "chat": "/", "answer": f"/?thread={answer}", "redline": f"/?thread={redline}", "documents": "/documents",
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
    house: House, browser: Browser, addresses: dict[str, str], width: int, height: int, theme: str
) -> None:
    context = new_window(browser, viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    failures = []
    for name, address in addresses.items():
        page.goto(house.server.url + address)
        if name == "answer":
            expect(page.locator("html[data-pp-listening]")).to_be_attached()
            page.locator(".pp-cite").first.click()
            expect(page.locator(".st-key-sources_panel img")).to_be_visible(timeout=PATIENCE_MS)
        failures += violations(page, name)
    context.close()
    assert failures == []
