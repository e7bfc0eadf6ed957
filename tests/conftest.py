"""Fixtures shared by all tests: a real PostgreSQL, a whole application, a fresh user per test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from xdist.scheduler import LoadFileScheduling

from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.domain.users import User
from tests.architecture.source_files import ROOT
from tests.support.openai_server import OpenAIServer, openai_server

__all__ = ["openai_server"]

_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DATABASE_URL", "DIRECT_URL", "TAVILY_API_KEY", "EXA_API_KEY", "SUPABASE_URL",
         "SUPABASE_KEY", "SUPABASE_SERVICE_KEY", "SUPABASE_BUCKET", "LANGSMITH_API_KEY", "LANGSMITH_TRACING", "POLICYPAL_DATA_DIR")  # fmt: skip


class _Houses(LoadFileScheduling):
    """A file's tests stay together in one process: they share an application and its database. Browser tests keep two processes
    busy, those of the apps that many files share and those of files with an app of their own: more browsers at once only wait for
    each other."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if not file.startswith("tests/e2e/"):
            return file
        shares = re.search(r"\b(sampled|composer_page)\b", (ROOT / file).read_text(encoding="utf-8"))
        return "apps of many files" if shares else "apps of one file"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    return _Houses(config, log)


@pytest.fixture(scope="session", autouse=True)
def _no_keys_from_outside() -> Iterator[None]:
    """A developer's own keys must not change what the tests do, nor be spent by them."""
    with pytest.MonkeyPatch.context() as patch:
        for key in _KEYS:
            patch.delenv(key, raising=False)
        yield


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("policypal")


@pytest.fixture(scope="session")
def app(data_dir: Path, _no_keys_from_outside: None) -> Iterator[Container]:
    """The keyless application on an embedded PostgreSQL, with a worker."""
    container = build_container(Settings(data_dir=data_dir, _env_file=None), run_worker=True)
    yield container
    container.close()


@pytest.fixture(scope="session")
def model_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def model_app(
    tmp_path_factory: pytest.TempPathFactory, model_server: OpenAIServer, _no_keys_from_outside: None
) -> Iterator[Container]:
    """The application with the OpenAI engine and embeddings, against the local protocol server."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("openai"), _env_file=None, **model_server.overrides())
    container = build_container(settings, run_worker=True)
    yield container
    container.close()


@pytest.fixture(params=["keyless", "openai"])
def any_app(request: pytest.FixtureRequest) -> Container:
    """The application on either engine: what it promises holds on both (R4)."""
    container: Container = request.getfixturevalue("app" if request.param == "keyless" else "model_app")
    if request.param == "openai":
        request.getfixturevalue("model_server").reset()
    return container


@pytest.fixture
def any_user(any_app: Container) -> User:
    return _new_user(any_app)


@pytest.fixture
def user(app: Container) -> User:
    """Somebody new: row-level security keeps tests apart."""
    return _new_user(app)


def _new_user(app: Container) -> User:
    someone = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(app.db, someone)
    return someone
