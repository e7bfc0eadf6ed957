"""The headers of every response let PolicyPal work and others not frame it (X6), and readiness is told (R8)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from policypal.application import library
from tests.e2e.chat_page import PATIENCE_MS, House, expect_at_rest, new_tab
from tests.e2e.conftest import close
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e
_FRAMING = '<iframe src="{}"></iframe>'


def test_x6_every_page_works_under_the_content_security_policy_and_asks_no_other_host(
    window: BrowserContext, sampled: House
) -> None:
    tab = new_tab(window, sampled.server)
    refused: list[str] = []
    own = (sampled.server.url, sampled.server.url.replace("http", "ws"), "data:", "blob:")
    tab.page.on("request", lambda request: None if request.url.startswith(own) else refused.append(request.url))  # X2
    tab.page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    tab.open()
    tab.send("How long must records be kept?")  # the composer is a component without a frame, citations have one
    tab.expect_answered()
    document = library.list_documents(sampled.app, sampled.user)[0].id
    for path in ("documents", f"documents?document={document}", "audit_reports", "research", "settings"):
        tab.page.goto(f"{sampled.server.url}/{path}")
        expect(tab.page.get_by_test_id("stMain").get_by_role("heading").first).to_be_visible(timeout=PATIENCE_MS)
        expect_at_rest(tab.page)
        tab.page.wait_for_load_state("networkidle")
    assert refused == []
    close(tab.page)


def test_x6_other_sites_cannot_frame_policypal(window: BrowserContext, sampled: House) -> None:
    page = window.new_page()
    page.route(
        "**/elsewhere", lambda route: route.fulfill(body=_FRAMING.format(sampled.server.url), content_type="text/html")
    )
    page.goto("http://localhost:9/elsewhere")
    page.wait_for_timeout(1_000)
    assert page.frames[1].url.startswith("chrome-error"), "the browser shows its own page instead"
    page.close()


@pytest.fixture
def misled(tmp_path: Path, browser: Browser) -> Iterator[Server]:
    """A replica whose address of the database is wrong."""
    server = Server(tmp_path / "data", DATABASE_URL="postgresql://ada:tiger-in-the-tank@127.0.0.1:9/library")
    yield server
    server.stop()


def test_r8_a_replica_that_cannot_work_is_not_ready_and_keeps_its_secrets(sampled: House, misled: Server) -> None:
    assert _ready(sampled.server) == (200, True, None)
    assert _ready(misled) == (503, False, "database_unavailable")
    assert "tiger" not in misled.log()


def _ready(server: Server) -> tuple[int, bool, str | None]:
    try:
        with urllib.request.urlopen(f"{server.url}/policypal/ready", timeout=60) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        status, body = refusal.code, refusal.read()
    assert b"tiger" not in body and b"127.0.0.1" not in body
    record = json.loads(body)
    return status, record["ready"], record["problem"]
