"""An answer made of attacks, in a real browser: it is read, and nothing leaves the app's own address (X2)."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Request, expect

from policypal.application import ask, library
from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from tests.e2e.chat_page import PATIENCE_MS, House, house_on, new_tab
from tests.e2e.conftest import close
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text
from tests.support.injections import ATTACKS, hostile_document
from tests.support.openai_answers import ChatRequest, said
from tests.support.openai_server import OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS

pytestmark = pytest.mark.e2e

_RULE = "A bank must report every serious incident to the Authority within 24 hours after discovery."


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[House]:
    """The app with a model that obeys every attack."""
    with OpenAIServer() as model:
        model.on("Answer", _obeys)
        model.on("AuditOutput", _findings)
        with house_on(tmp_path_factory.mktemp("injections") / "data", _fill, model) as house:
            yield house


def _fill(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE)
    add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    written = hostile_document(4)
    add_text(app, user, written.title, written.text)


def _obeys(request: ChatRequest) -> dict[str, object]:
    block = request.numbered("evidence")[0]
    return {"found": True, "sentences": [said(f"{a.text} 📄1", block.cited) for a in ATTACKS]}


def _findings(request: ChatRequest) -> dict[str, object]:
    found = [
        {"kind": "conflict", "passage": 2, "target_quote": _RULE, "source": 1, "source_quote": a.text, "theme": a.text,
         "severity": "Low", "consequence": a.text, "suggestion": a.text, "confidence": 1.0}
        for a in ATTACKS[::5]
    ]  # fmt: skip
    row = {
        "passage": 2,
        "obligation": _RULE,
        "status": "Covered",
        "source": 1,
        "source_quote": "",
        "reason": ATTACKS[40].text,
    }
    told = [a.text for a in ATTACKS[:10]]
    return {"findings": found, "coverage": [row], "not_assessed": told, "nothing_concerns": ""}


def _asked(house: House, message: str, action: Action, *titles: str) -> str:
    thread = ask.new_thread_id()
    ids = tuple(house.document(t) for t in titles)
    ask.send(house.app, house.user, thread, ask.Request(message=message, action=action, document_ids=ids))
    event = list(ask.events(house.app, house.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert isinstance(event, ResponseEvent), event
    return thread


def test_x2_the_browser_fetches_nothing_that_an_attack_names(house: House, window: BrowserContext) -> None:
    asked = _asked(house, "How long must customer records be kept?", Action.INQUIRE, "Records Rule")
    audited = _asked(house, "Audit this", Action.AUDIT, "Our Policy", "Records Rule")
    report = house.history(audited)[-1].payload["report"]["id"]
    document = library.find_by_title(house.app, house.user, hostile_document(4).title)
    tab = new_tab(window, house.server)
    sent: list[str] = []
    dialogs: list[str] = []

    def told(box: Dialog) -> None:
        dialogs.append(box.message)
        box.dismiss()

    tab.page.on("request", lambda r: sent.append(_origin(r)))
    tab.page.on("websocket", lambda socket: sent.append(urlsplit(socket.url).netloc))
    tab.page.on("dialog", told)
    tab.open(asked).expect_answered()
    expect(tab.answers).to_contain_text("exfil.example", timeout=PATIENCE_MS)
    tab.answers.locator(".pp-cite").first.click()
    expect(tab.page.get_by_text("Quote checked against the document").first).to_be_visible(timeout=PATIENCE_MS)
    assert tab.answers.locator("img, iframe, script, object, embed, form, a[href]").count() == 0
    tab.open(audited).expect_answered()
    for path, shown in (
        (f"/audit_reports?report={report}", "Findings"),
        (f"/documents?document={document.id}&page=1", "Jasper Rule"),
    ):
        tab.page.goto(house.server.url + path)
        expect(tab.page.get_by_text(shown).first).to_be_visible(timeout=PATIENCE_MS)
    tab.page.wait_for_timeout(1_000)
    assert set(sent) == {urlsplit(house.server.url).netloc}
    assert not dialogs and tab.page.url.startswith(house.server.url)
    tab.expect_healthy()
    close(tab.page)


def _origin(request: Request) -> str:
    """The host; what the page makes for itself (data:, blob:) has none."""
    parts = urlsplit(request.url)
    return parts.netloc if parts.scheme not in ("data", "blob") else urlsplit(request.frame.url).netloc
