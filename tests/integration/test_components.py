"""The parts of an installation can be tried from its settings, without a secret being shown (R8, U9, X3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from policypal.application import components, usage
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.db import web_cache
from policypal.domain.users import User
from tests.support.openai_server import API_KEY, OpenAIServer
from tests.support.web_servers import TavilyServer


@pytest.fixture(scope="module")
def tavily() -> Iterator[TavilyServer]:
    with TavilyServer() as server:
        yield server


@pytest.fixture(scope="module")
def equipped(
    tmp_path_factory: pytest.TempPathFactory, model_server: OpenAIServer, tavily: TavilyServer
) -> Iterator[Container]:
    """An installation with a model, Tavily, and an Exa that does not answer."""
    more = {"exa_api_key": "exa-secret", "exa_base_url": "http://127.0.0.1:9", **tavily.overrides()}
    settings = Settings(
        data_dir=Path(tmp_path_factory.mktemp("equipped")), _env_file=None, **model_server.overrides(**more)
    )
    container = build_container(settings, run_worker=False)
    yield container
    container.close()


@pytest.fixture
def someone(equipped: Container, model_server: OpenAIServer) -> User:
    model_server.reset()
    user = User(id=str(uuid4()), email="")
    users_db.ensure_user(equipped.db, user)
    return user


def test_x3_what_is_set_is_told_without_its_secrets(equipped: Container) -> None:
    told = components.components(equipped)
    assert [part.label for part in told if part.is_set] == [
        "Language model", "Embeddings", "Web search: Tavily", "Web search: Exa",
    ]  # fmt: skip
    assert not [secret for secret in equipped.settings.secrets if secret in repr(told)]
    assert API_KEY[-4:] not in repr(told)


def test_r7_what_is_not_set_says_which_variable_sets_it(app: Container, user: User) -> None:
    missing = {part.label: part.setting for part in components.components(app) if not part.is_set}
    assert missing == {
        "Language model": "OPENAI_API_KEY", "Embeddings": "OPENAI_API_KEY", "Web search: Tavily": "TAVILY_API_KEY",
        "Web search: Exa": "EXA_API_KEY", "Sign-in and file store": "SUPABASE_URL and SUPABASE_KEY",
        "Database": "DATABASE_URL",
    }  # fmt: skip
    assert [p.label for p in components.components(app) if p.is_built_in] == ["Embeddings", "Database"]


def test_u9_the_quota_shows_what_everybody_has_searched(equipped: Container, someone: User) -> None:
    assert web_cache.claim_search(equipped.db, someone.id, "tavily", 1000)
    status = usage.status(equipped, someone)
    assert [(w.label, w.quota) for w in status.web_search] == [("Tavily", 1000), ("Exa", 1000)]
    assert status.web_search[0].used >= 1 and "OpenAI engine" in status.engine_label
