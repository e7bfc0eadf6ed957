"""The pages in Streamlit's own test runner, on a real container with the embedded PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import audits, conversations, intake, library, profile, sample_documents, trash
from policypal.application.container import Container, local_analyst
from policypal.domain.conversations import Message
from policypal.domain.documents import Document
from policypal.domain.users import Profile, User
from policypal.ui import deps, state
from tests.architecture.source_files import ROOT
from tests.support.timeouts import LONGEST_WAIT_SECONDS

OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session")
def ui_app(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[Container]:
    """The container the pages build for themselves, from the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLICYPAL_DATA_DIR", str(tmp_path_factory.mktemp("interface")))
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))  # no developer's .env
        container = deps.container()
        yield container
        container.close()
        deps._container.clear()  # the next session builds its own


def _wait_for_run(app: Container, user: User, thread_id: str) -> None:
    """A test before may have left while its answer was being made."""
    until = time.monotonic() + 30
    while app.runner.live_run(user.id, thread_id) and time.monotonic() < until:
        time.sleep(0.1)


@pytest.fixture
def analyst(ui_app: Container) -> User:
    """The local analyst with a profile and nothing else but, perhaps, the samples."""
    user = local_analyst(ui_app)
    for conversation in conversations.list_conversations(ui_app, user):
        _wait_for_run(ui_app, user, conversation.thread_id)
        conversations.delete(ui_app, user, conversation.thread_id)
    for report in audits.list_reports(ui_app, user):
        audits.delete(ui_app, user, report.id)
    trash.delete(ui_app, user, [d.id for d in library.list_documents(ui_app, user) if not d.is_sample])
    trash.purge(ui_app, user, [d.document.id for d in trash.list_deleted(ui_app, user)])
    profile.save(ui_app, user, Profile(asked=True))
    return user


@pytest.fixture
def samples(ui_app: Container, analyst: User) -> list[Document]:
    """The sample documents, ready."""
    added = sample_documents.add_samples(ui_app, analyst)
    return intake.wait_until_final(ui_app, analyst, [d.id for d in added], timeout_seconds=LONGEST_WAIT_SECONDS)


@pytest.fixture
def no_documents(ui_app: Container, analyst: User) -> None:
    sample_documents.remove_samples(ui_app, analyst)


class Desk(NamedTuple):
    """The installation and who works at it, as the functions of the application are called with; and its browser tabs."""

    app: Container
    user: User

    def open(self, name: str = "chat", **query: str) -> AppTest:
        """Open a page by its script's name, with query parameters: a new browser tab."""
        tab = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
        if name != "chat":
            tab.run()
            tab.switch_page(f"pages/{name}.py")
        tab.query_params.update(query)
        tab.session_state[state.PLAIN_COMPOSER] = True  # this runner cannot type into a component
        tab.run()
        assert_healthy(tab)
        return tab

    def messages(self, tab: AppTest) -> list[Message]:
        """Those of the conversation that the tab shows."""
        return conversations.history(*self, str(tab.session_state[state.THREAD])).messages

    def added(self) -> list[Document]:
        """The documents that are no samples, when all of them have been read."""
        mine = [d.id for d in library.list_documents(*self) if not d.is_sample]
        return intake.wait_until_final(*self, mine, timeout_seconds=LONGEST_WAIT_SECONDS)


@pytest.fixture
def desk(ui_app: Container, analyst: User) -> Desk:
    return Desk(ui_app, analyst)


@pytest.fixture
def open_page(desk: Desk) -> OpenPage:
    return desk.open


def texts(tab: AppTest) -> str:
    """Everything a page shows as text or HTML, the style sheet left out."""
    parts = [str(e.value) for kind in ("markdown", "caption", "error", "success", "info") for e in getattr(tab, kind)]
    parts += [e.proto.body for e in tab.get("html") if "<style>" not in e.proto.body]
    return "\n".join(parts)


def labels(tab: AppTest) -> list[str]:
    return [b.label for b in tab.button]


def assert_healthy(tab: AppTest) -> None:
    """No traceback: Streamlit's own exception box is not on the page (U8)."""
    assert not tab.exception, tab.exception


def settle(tab: AppTest, seconds: float = 30.0) -> AppTest:
    """Look again, as the browser does while a run goes on, until the composer says that it is over."""
    deadline = time.monotonic() + seconds
    while tab.chat_input[0].placeholder.startswith("Working"):
        assert time.monotonic() < deadline, texts(tab)
        time.sleep(0.1)
        tab.run()
        assert_healthy(tab)
    return tab


def say(tab: AppTest, message: str) -> AppTest:
    """Send a message and wait for what comes of it."""
    tab.chat_input[0].set_value(message).run()
    assert_healthy(tab)
    return settle(tab)


def press(tab: AppTest, label: str) -> AppTest:
    """Press the button of this label or key."""
    next(b for b in tab.button if label in (b.label, b.key)).click().run()
    assert_healthy(tab)
    return tab
