"""What the doctor finds, and that it keeps secrets (R8, X3)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import SecretStr

from policypal.application import doctor
from policypal.application.doctor import Check, examine, is_usable
from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.inspection import DatabaseFacts, inspect
from policypal.errors import ConfigurationError, ModelAuthenticationFailed, ModelError
from policypal.services.llm.provider_access import ProviderAccess
from policypal.services.llm.reachability import check_reachable
from tests.support.gotrue_server import GoTrueServer
from tests.support.web_servers import TavilyServer

SECRETS = ("tiger-in-the-tank", "sk-secret-1", "tvly-secret-2", "exa-secret-3", "supa-secret-4")


def _settings(folder: Path, **more: Any) -> Settings:
    return Settings(data_dir=folder, _env_file=None, **more)


def _named(checks: list[Check], name: str) -> Check:
    return next(c for c in checks if c.name == name)


@pytest.fixture(scope="module")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> list[Check]:
    return examine(_settings(tmp_path_factory.mktemp("doctor")))


def test_r8_a_fresh_keyless_installation_is_usable(keyless: list[Check]) -> None:
    assert is_usable(keyless)
    assert "embedded" in _named(keyless, "Database").finding
    assert "wordllama" in _named(keyless, "Embeddings").finding
    assert _named(keyless, "pgvector").status == "ok"


def test_r8_what_is_missing_comes_with_what_to_do(keyless: list[Check]) -> None:
    assert "OPENAI_API_KEY" in _named(keyless, "Language model").advice
    assert "ocrmypdf" in _named(keyless, "Text recognition").advice
    assert "migrate" in _named(keyless, "Tables").advice


def test_r8_every_problem_is_found_in_one_go_and_no_secret_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a-file"
    file.touch()
    checks = examine(
        _settings(
            file,
            database_url=f"postgresql://ada:{SECRETS[0]}@127.0.0.1:9/x",
            openai_api_key=SECRETS[1],
            openai_base_url="http://127.0.0.1:9/v1",
            tavily_api_key=SECRETS[2],
            tavily_base_url="http://127.0.0.1:9",
            exa_api_key=SECRETS[3],
            exa_base_url="http://127.0.0.1:9",
            supabase_key=SECRETS[4],
        )
    )
    problems = {c.name for c in checks if c.status == "problem"}
    assert problems == {"Data folder", "Database", "Language model", "Sign-in"}
    assert not is_usable(checks)
    assert not [s for s in SECRETS if any(s in part for c in checks for part in (c.finding, c.advice))]


def test_r7_the_doctor_tells_which_search_provider_answers(tmp_path: Path) -> None:
    with TavilyServer() as tavily:
        settings = _settings(tmp_path, **tavily.overrides(), exa_api_key="key", exa_base_url="http://127.0.0.1:9")
        there, gone = doctor._web_search(settings)
    assert (there.status, "Tavily answers" in there.finding) == ("ok", True)
    assert (gone.status, "Exa does not answer" in gone.finding) == ("warning", True)
    assert [r.method for r in tavily.requests] == ["HEAD"], "no search was spent"
    assert "authorization" not in tavily.requests[0].headers


@pytest.mark.parametrize(("free", "status"), [(5_000_000_000, "ok"), (500_000_000, "warning"), (50_000_000, "problem")])
def test_r8_a_full_disk_is_a_problem(free: int, status: str) -> None:
    assert doctor._disk(free).status == status


@pytest.mark.parametrize(
    ("vector", "status"), [("0.8.5", "ok"), ("0.7.0", "ok"), ("0.10.1", "ok"), ("0.6.2", "problem"), (None, "problem")]
)
def test_r2_pgvector_must_be_new_enough(vector: str | None, status: str) -> None:
    assert doctor._vector(DatabaseFacts("18.4", 180004, vector, ())).status == status


@pytest.mark.parametrize(("number", "status"), [(180004, "ok"), (150000, "ok"), (140012, "problem")])
def test_r2_the_server_must_be_new_enough(number: int, status: str) -> None:
    assert doctor._server(DatabaseFacts("x", number, "0.8.0", ()), "external").status == status


def test_x3_an_address_that_is_none_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as error:
        inspect(f"nonsense {SECRETS[0]}")
    assert SECRETS[0] not in error.value.message


class _Visited(BaseHTTPRequestHandler):
    status = 200
    keys: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        type(self).keys.append(self.headers["Authorization"])
        self.send_response(self.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def _provider(status: int) -> Iterator[tuple[str, list[str | None]]]:
    keys: list[str | None] = []
    handler = type("Handler", (_Visited,), {"status": status, "keys": keys})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", keys
    finally:
        server.shutdown()
        server.server_close()


def _access(url: str) -> ProviderAccess:
    return ProviderAccess(SecretStr(SECRETS[1]), url, 60.0)


@pytest.mark.parametrize("status", [200, 404, 302])
def test_r8_a_provider_that_answers_is_reachable_and_a_redirect_does_not_carry_the_key_on(status: int) -> None:
    with _provider(status) as (url, keys):
        check_reachable(_access(url))
    assert keys == [f"Bearer {SECRETS[1]}"]


@pytest.mark.parametrize(("status", "error"), [(401, ModelAuthenticationFailed), (503, ModelError)])
def test_r8_a_provider_that_refuses_or_fails_is_told_apart(status: int, error: type[ModelError]) -> None:
    with _provider(status) as (url, _), pytest.raises(ModelError) as raised:
        check_reachable(_access(url))
    assert type(raised.value) is error


def test_r8_an_address_that_is_no_web_address_is_a_configuration_problem() -> None:
    with pytest.raises(ConfigurationError):
        check_reachable(_access("file:///etc"))


def test_r8_an_examination_leaves_the_running_database_alone(tmp_path: Path) -> None:
    """The app's own process may ask the doctor while the app is at work on the same embedded server."""
    server = EmbeddedPostgres(tmp_path)
    conninfo = server.start()
    try:
        assert is_usable(doctor._database(_settings(tmp_path)))
        assert inspect(conninfo).vector
    finally:
        server.stop()


def test_r6_the_doctor_tells_whether_people_sign_in_and_who_may(tmp_path: Path) -> None:
    assert "local analyst" in doctor._sign_in(_settings(tmp_path))[0].finding
    with GoTrueServer() as accounts:
        settings = _settings(tmp_path, **accounts.overrides())
        assert "everybody may create" in doctor._sign_in(settings)[0].finding
        accounts.takes_sign_ups = False
        assert "invitation" in doctor._sign_in(settings)[0].finding
        for wrong in ({"supabase_key": "sb_publishable_other"}, {"supabase_url": "http://127.0.0.1:9"}):
            (check,) = doctor._sign_in(_settings(tmp_path, **{**accounts.overrides(), **wrong}))
            assert check.status == "problem" and "SUPABASE_KEY" in check.advice
