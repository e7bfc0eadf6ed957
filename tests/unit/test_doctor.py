"""What the doctor finds, and that it keeps secrets (R8, X3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from policypal.application import doctor
from policypal.application.doctor import Check, examine, is_usable
from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres, connect
from policypal.db.pool import Database
from policypal.db.probe import DatabaseFacts, inspect
from policypal.errors import ConfigurationError
from tests.support import openai_server as behaviour
from tests.support.gotrue_server import GoTrueServer
from tests.support.openai_server import OpenAIServer
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
    assert "make ocr" in _named(keyless, "Text recognition").advice
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


def test_x3_an_address_that_is_none_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as error:
        connect(_settings(tmp_path, database_url=f"nonsense {SECRETS[0]}"), "test")
    assert SECRETS[0] not in error.value.message


@pytest.fixture
def provider() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def test_r8_the_doctor_has_each_model_answer_and_says_what_it_takes(tmp_path: Path, provider: OpenAIServer) -> None:
    small, large = doctor._language_model(_settings(tmp_path, **provider.overrides()))
    assert small.status == large.status == "ok"
    assert "gpt-6-luna answers" in small.finding and "json_schema, no temperature, reasoning effort" in small.finding
    assert "$0.10 and $0.50 per million tokens" in small.finding
    assert [r.task for r in provider.requests] == ["_Words", "_Words"]


def test_r4b_the_doctor_finds_out_what_an_endpoint_does_not_take(tmp_path: Path, provider: OpenAIServer) -> None:
    provider.rejected = ("temperature", "response_format")
    (check,) = doctor._language_model(_settings(tmp_path, **provider.overrides(models={"default": "llama3"})))
    assert check.status == "ok" and "tools, no temperature" in check.finding
    assert "price is unknown" in check.finding and "POLICYPAL_PRICES" in check.advice


def test_m11_an_unknown_price_is_a_warning_where_there_is_a_budget_and_none_once_it_is_given(
    tmp_path: Path, provider: OpenAIServer
) -> None:
    asked = provider.overrides(models={"default": "llama3"}, monthly_budget_usd=5)
    assert doctor._language_model(_settings(tmp_path, **asked))[0].status == "warning"
    priced = _settings(tmp_path, **asked, prices={"llama3": {"input": 2, "output": 8.5}})
    (check,) = doctor._language_model(priced)
    assert check.status == "ok" and "$2.00 and $8.50 per million" in check.finding


@pytest.mark.parametrize(
    ("bad", "words", "requests"),
    [
        (behaviour.unauthorized(), "refused the key", 1),
        (behaviour.server_error(503), "a problem of its own", 1),
        (behaviour.fails(404), "does not offer the model “gpt-6-luna”", 2),
        (behaviour.not_json(), "not in the agreed form", 3),
    ],
)
def test_r8_a_model_that_does_not_answer_is_a_problem_in_one_sentence(
    tmp_path: Path, provider: OpenAIServer, bad: behaviour.Behaviour, words: str, requests: int
) -> None:
    provider.script("_Words", *[bad] * (2 if requests == 3 else 1))
    check, *others = doctor._language_model(_settings(tmp_path, **provider.overrides()))
    assert check.status == "problem" and words in check.finding and check.advice
    assert len(provider.requests) == requests, "whether the next model is asked depends on whose fault it was"
    assert all(c.status == "ok" for c in others)


def test_r3_the_doctor_embeds_one_word_and_says_which_model_it_is(tmp_path: Path, provider: OpenAIServer) -> None:
    (there,) = doctor._embeddings(_settings(tmp_path, **provider.overrides()))
    assert (there.status, there.finding) == ("ok", "text-embedding-3-small, 1536 dimensions, at the model provider")
    provider.has_embeddings = False
    (without,) = doctor._embeddings(_settings(tmp_path, **provider.overrides()))
    assert without.status == "optional", "nothing has to be done"
    assert (
        "wordllama-256" in without.finding
        and "has no embedding model called “text-embedding-3-small”" in without.finding
    )
    assert "POLICYPAL_EMBEDDING_MODEL" in without.advice
    (wanted,) = doctor._embeddings(_settings(tmp_path, **provider.overrides(embedding_model="nomic")))
    assert wanted.status == "warning", "what was asked for is not there"
    before = len(provider.requests)
    (built_in,) = doctor._embeddings(_settings(tmp_path, **provider.overrides(embedding_model="built-in")))
    assert built_in.status == "ok" and "on this machine" in built_in.finding
    assert len(provider.requests) == before
    (keyless,) = doctor._embeddings(_settings(tmp_path, embedding_model="nomic"))
    assert keyless.status == "warning" and "OPENAI_API_KEY" in keyless.finding


def test_r8_an_examination_leaves_the_running_database_alone(tmp_path: Path) -> None:
    """The app's own process may ask the doctor while the app is at work on the same embedded server."""
    server = EmbeddedPostgres(tmp_path)
    conninfo = server.start()
    try:
        assert is_usable(doctor._database(_settings(tmp_path)))
        assert inspect(Database(conninfo)).vector
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
