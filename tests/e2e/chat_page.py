"""The chat in a browser tab: what a person does and sees there. Shared by the tests of runs and of PalAssist."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, WebSocketRoute, expect

from policypal.application import ask, conversations, intake, library, profile, sample_documents
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.conversations import Message
from policypal.domain.users import Profile, User
from tests.e2e.server import Server
from tests.support.openai_server import API_KEY, OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS

PATIENCE_MS = 1_000 * LONGEST_WAIT_SECONDS
"""For whatever the app has to do first, such as loading its models on a busy machine; it usually takes a second."""
LIVE_MS = 60_000
"""For what appears by itself: two seconds on a quiet machine."""


@dataclass(frozen=True)
class House:
    """The app in a process of its own, and this process on the same data: another window on the same conversations."""

    server: Server
    app: Container

    @property
    def user(self) -> User:
        return local_analyst(self.app)

    def begin(self, message: str, *document_ids: str) -> str:
        """Send a message in this process; the thread's id."""
        thread = ask.new_thread_id()
        ask.send(self.app, self.user, thread, ask.Request(message=message, document_ids=document_ids))
        return thread

    def asked(self, message: str, *document_ids: str) -> str:
        """A conversation whose latest run has ended."""
        thread = self.begin(message, *document_ids)
        assert list(ask.events(self.app, self.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        return thread

    def document(self, title: str) -> str:
        """The id of the document with this title."""
        return library.find_by_title(self.app, self.user, title).id

    def history(self, thread: str) -> list[Message]:
        return conversations.history(self.app, self.user, thread).messages

    def roles(self, thread: str) -> list[str]:
        return [m.role for m in self.history(thread)]


@contextmanager
def house_on(
    folder: Path, fill: Callable[[Container, User], object], model: OpenAIServer | None = None, **settings: Any
) -> Iterator[House]:
    """A house with what ``fill`` puts into it, keyless without a ``model``. The local analyst is not asked for a profile
    any more."""
    overrides = model.overrides(**settings) if model else settings
    keys = {"OPENAI_API_KEY": API_KEY, "OPENAI_BASE_URL": model.base_url} if model else {}
    app = build_container(Settings(data_dir=folder, _env_file=None, **overrides), run_worker=True)
    user = local_analyst(app)
    profile.save(app, user, Profile(asked=True))
    fill(app, user)
    server = Server(folder, **keys)
    yield House(server, app)
    server.stop()
    app.close()


def add_samples(app: Container, user: User) -> None:
    """The sample documents, read."""
    added = sample_documents.add_samples(app, user)
    intake.wait_until_final(app, user, [d.id for d in added], timeout_seconds=LONGEST_WAIT_SECONDS)


def expect_at_rest(page: Page) -> None:
    """The page's script has run, and nothing is left that it is going to replace."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE_MS)
    expect(page.locator("[data-stale='true']")).to_have_count(0)


def expect_keys(page: Page) -> None:
    """At rest, and the keys are heard: what listens to them comes a moment after the words of the page, later on a busy machine."""
    expect_at_rest(page)
    expect(page.locator("html[data-pp-listening]")).to_be_attached(timeout=PATIENCE_MS)


def expect_no_failure(page: Page, server: Server) -> None:
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert "Traceback" not in server.log()


def read_csv(data: bytes) -> list[dict[str, str]]:
    """The rows of a file that Excel, too, opens as UTF-8."""
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


class Tab:
    """A browser tab on one conversation."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self._server = server
        self._held: list[tuple[WebSocketRoute, Any]] | None = None
        page.set_default_timeout(PATIENCE_MS)

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("combobox", name="Message")

    @property
    def question(self) -> Locator:
        return self.page.locator(".st-key-pal_assist")

    @property
    def notes(self) -> Locator:
        return self.page.locator(".pp-note")

    @property
    def steps(self) -> Locator:
        return self.page.locator(".pp-steps")

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Stop")

    @property
    def answers(self) -> Locator:
        """What the assistant has said."""
        return self.page.get_by_label("Chat message from assistant")

    def open(self, thread: str = "") -> Tab:
        self.page.goto(self._server.url + (f"/?thread={thread}" if thread else ""))
        expect(self.field).to_be_visible(timeout=PATIENCE_MS)
        return self

    def write(self, text: str) -> None:
        expect(self.field).to_have_attribute("contenteditable", "true", timeout=PATIENCE_MS)
        self.field.click()
        self.page.keyboard.type(text)

    def send(self, text: str) -> None:
        self.write(text)
        self.page.keyboard.press("Enter")

    def press(self, label: str) -> None:
        """A button of PalAssist."""
        self.question.get_by_role("button", name=label, exact=True).click()

    def thread(self) -> str:
        self.page.wait_for_url("**/?thread=*")
        return self.page.url.rpartition("thread=")[2]

    def expect_question(self, text: str) -> None:
        expect(self.question).to_contain_text(text, timeout=PATIENCE_MS)

    def expect_answered(self, count: int = 1) -> None:
        expect(self.answers).to_have_count(count, timeout=PATIENCE_MS)
        expect(self.question).to_have_count(0)
        expect(self.stop).to_have_count(0)
        expect_at_rest(self.page)  # the composer is ready before all of the answer is drawn

    def expect_healthy(self) -> None:
        expect_no_failure(self.page, self._server)

    def can_be_held_back(self) -> None:
        """Before the tab is opened: let :meth:`hold_back` reach its connection."""

        def route(browser_side: WebSocketRoute) -> None:
            server_side = browser_side.connect_to_server()
            browser_side.on_message(server_side.send)
            server_side.on_message(lambda data: self._arrived(browser_side, data))

        self.page.route_web_socket("**/_stcore/stream", route)

    def hold_back(self) -> None:
        """From now on the tab hears nothing from the app, as on a bad line; what it says still arrives there."""
        self._held = []

    def let_go(self) -> None:
        held, self._held = self._held or [], None
        for browser_side, data in held:
            browser_side.send(data)

    def _arrived(self, browser_side: WebSocketRoute, data: Any) -> None:
        if self._held is None:
            browser_side.send(data)
        else:
            self._held.append((browser_side, data))


def new_tab(window: BrowserContext, server: Server) -> Tab:
    """A further tab, on the same conversations."""
    return Tab(window.new_page(), server)
