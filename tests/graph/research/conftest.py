"""Research on either engine: on the library alone, and with a web of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from tests.support.conversation import Speaker
from tests.support.openai_server import OpenAIServer
from tests.support.research_library import LIBRARY
from tests.support.research_world import Analyst, Web, analyst


def with_rules(person: Analyst) -> Analyst:
    """Two rules and a policy in the library."""
    Speaker(person.app, person.user).add_all(LIBRARY)
    return person


@pytest.fixture
def librarian(any_app: Container, request: pytest.FixtureRequest) -> Analyst:
    """Somebody with a small library and no web, on the keyless engine and again on the OpenAI engine."""
    server = request.getfixturevalue("model_server") if any_app.engine.name == "openai" else None
    return with_rules(analyst(any_app, server))


@pytest.fixture
def keyless(app: Container) -> Analyst:
    """The same, on the keyless engine only."""
    return with_rules(analyst(app))


@pytest.fixture
def modeller(model_app: Container, model_server: OpenAIServer) -> Analyst:
    """The same, on the OpenAI engine only."""
    model_server.reset()
    return with_rules(analyst(model_app, model_server))


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with Web() as servers:
        yield servers


@pytest.fixture(scope="module")
def keyless_web_app(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Iterator[Container]:
    yield from _application(tmp_path_factory, web)


@pytest.fixture(scope="module")
def model_web_app(
    tmp_path_factory: pytest.TempPathFactory, web: Web, model_server: OpenAIServer
) -> Iterator[Container]:
    yield from _application(tmp_path_factory, web, **model_server.overrides())


def _application(factory: pytest.TempPathFactory, web: Web, **overrides: object) -> Iterator[Container]:
    settings = Settings(data_dir=factory.mktemp("research"), _env_file=None, **web.overrides(**overrides))
    app = build_container(settings, run_worker=True, private_web_hosts=frozenset({web.site.host}))
    yield app
    app.close()


@pytest.fixture(params=["keyless", "openai"])
def surfer(request: pytest.FixtureRequest, web: Web) -> Analyst:
    """Somebody with a web and an empty library, on either engine."""
    web.reset()
    server: OpenAIServer | None = None
    if request.param == "openai":
        server = request.getfixturevalue("model_server")
        server.reset()
    app: Container = request.getfixturevalue("keyless_web_app" if server is None else "model_web_app")
    return analyst(app, server, web)


@pytest.fixture
def keyless_surfer(keyless_web_app: Container, web: Web) -> Analyst:
    """The same, on the keyless engine only."""
    web.reset()
    return analyst(keyless_web_app, None, web)
