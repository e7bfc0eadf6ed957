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
from policypal.db import web_usage
from policypal.domain.users import User
from tests.support.openai_server import API_KEY, EMBEDDINGS, OpenAIServer, unauthorized
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


def test_r8_every_part_that_is_set_works_or_says_what_to_do(equipped: Container, someone: User) -> None:
    said = {part.name: components.check(equipped, someone, part.name) for part in components.components(equipped)}
    assert {name: checks[0].status for name, checks in said.items()} == {
        "model": "ok", "embeddings": "ok", "tavily": "ok", "exa": "problem", "supabase": "optional", "database": "ok",
    }  # fmt: skip
    assert "try again" in said["exa"][0].finding
    told = repr(said) + repr(components.components(equipped))
    assert not [secret for secret in equipped.settings.secrets if secret in told]
    assert API_KEY[-4:] not in told


def test_m7_trying_embeddings_is_charged_and_a_search_is_counted(equipped: Container, someone: User) -> None:
    components.check(equipped, someone, "embeddings")
    assert usage.this_month(equipped, someone).calls == 1
    before = web_usage.searches_this_month(equipped.db, someone.id).get("tavily", 0)
    components.check(equipped, someone, "tavily")
    assert web_usage.searches_this_month(equipped.db, someone.id)["tavily"] == before + 1


def test_r8_a_refused_key_is_said_in_words(equipped: Container, someone: User, model_server: OpenAIServer) -> None:
    model_server.script(EMBEDDINGS, unauthorized())
    (check,) = components.check(equipped, someone, "embeddings")
    assert (check.status, check.name) == ("problem", "Provider refused the key")


def test_r7_what_is_not_set_says_which_variable_sets_it(app: Container, user: User) -> None:
    missing = {part.name: part.setting for part in components.components(app) if not part.is_set}
    assert missing == {
        "model": "OPENAI_API_KEY", "embeddings": "OPENAI_API_KEY", "tavily": "TAVILY_API_KEY", "exa": "EXA_API_KEY",
        "supabase": "SUPABASE_URL and SUPABASE_KEY", "database": "DATABASE_URL",
    }  # fmt: skip
    assert [part.name for part in components.components(app) if components.can_be_checked(part)] == [
        "embeddings",
        "database",
    ]
    assert components.check(app, user, "exa")[0].status == "optional"


def test_u9_the_quota_shows_what_everybody_has_searched(equipped: Container, someone: User) -> None:
    components.check(equipped, someone, "tavily")
    status = usage.status(equipped, someone)
    assert [(w.label, w.quota) for w in status.web_search] == [("Tavily", 1000), ("Exa", 1000)]
    assert status.web_search[0].used >= 1 and "OpenAI engine" in status.engine_label
