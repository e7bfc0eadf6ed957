"""The pages in Streamlit's own test runner, on a real container with the embedded PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import audits, conversations, library, profile
from policypal.application.container import Container, local_analyst
from policypal.domain.users import Profile, User
from policypal.ui import deps
from tests.architecture.source_files import ROOT

Page = Callable[..., AppTest]


@pytest.fixture(scope="session")
def ui_app(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[Container]:
    """The container the pages build for themselves, from the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLICYPAL_DATA_DIR", str(tmp_path_factory.mktemp("interface")))
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))  # no developer's .env
        container = deps.container()
        yield container
        container.close()
        deps._container.clear()


@pytest.fixture
def analyst(ui_app: Container) -> User:
    """The local analyst with nothing: no documents, conversations, reports or profile."""
    user = local_analyst(ui_app)
    for conversation in conversations.list_conversations(ui_app, user):
        conversations.delete(ui_app, user, conversation.thread_id)
    for report in audits.list_reports(ui_app, user):
        audits.delete(ui_app, user, report.id)
    for document in library.list_documents(ui_app, user):
        library.delete(ui_app, user, document.id)
    profile.save(ui_app, user, Profile(asked=True))
    return user


@pytest.fixture
def page(analyst: User) -> Page:
    """Open a page by name, with query parameters."""

    def opened(name: str = "chat", **query: str) -> AppTest:
        test = AppTest.from_file(str(Path(ROOT) / "app.py"), default_timeout=30)
        test.query_params.update(query)
        return test.run() if name == "chat" else test.switch_page(f"pages/{name}.py").run()

    return opened


def texts(test: AppTest) -> str:
    """Everything a page shows as text or HTML."""
    parts = [str(e.value) for kind in ("markdown", "caption", "error", "success", "info") for e in getattr(test, kind)]
    parts += [e.proto.body for e in test.get("html") if "<style>" not in e.proto.body]
    return "\n".join(parts)
