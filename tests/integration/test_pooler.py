"""Everything but LISTEN and migrations works behind a transaction pooler, and what does not is refused in words (R2, R8)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from policypal.application import ask, doctor, wiring
from policypal.application.container import local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.pool import Database
from policypal.db.probe import probe
from policypal.errors import ConfigurationError
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.pgbouncer import PROGRAM, pooler
from tests.support.timeouts import LONGEST_WAIT_SECONDS

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed")


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = EmbeddedPostgres(tmp_path_factory.mktemp("pooled"))
    yield server.start()
    server.stop()


@pytest.fixture(scope="module")
def pooled(direct: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pooler(direct, tmp_path_factory.mktemp("pgbouncer")) as address:
        yield address


def _settings(folder: Path, database: str, direct: str | None) -> Settings:
    return Settings(data_dir=folder, database_url=database, direct_url=direct, _env_file=None)


def test_r2_documents_jobs_answers_and_checkpoints_go_through_the_pooler(
    direct: str, pooled: str, tmp_path: Path
) -> None:
    app = build_container(_settings(tmp_path, pooled, direct), run_worker=True)
    try:
        user = local_analyst(app)
        rule = add_text(app, user, "Records Rule", RECORDS_RULE)
        thread = ask.new_thread_id()
        for question in ("How long are records kept?", "And when is an incident reported?"):
            ask.send(app, user, thread, ask.Request(message=question, document_ids=(rule.id,)))
            last = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
            assert last.type == "response"
        with Database(direct, process="looker").pool as pool, pool.connection() as c:
            row = c.execute(
                "SELECT count(*) FILTER (WHERE query LIKE 'LISTEN%%') AS listening, count(*) AS sessions FROM"
                " pg_stat_activity WHERE application_name = 'policypal-cli' AND client_addr IS NULL"
            ).fetchone()
        assert row is not None and row["listening"] == 1
    finally:
        app.close()


@pytest.mark.parametrize("with_direct_url", [False, True])
def test_r8_a_transaction_pooler_for_a_session_is_refused_by_doctor_start_and_migrate(
    pooled: str, tmp_path: Path, with_direct_url: bool
) -> None:
    settings = _settings(tmp_path, pooled, f"{pooled}?sslmode=disable" if with_direct_url else None)
    (seen,) = doctor._database(settings)
    assert (seen.status, "transaction pooler" in seen.finding) == ("problem", True)
    for start in (lambda: build_container(settings, run_worker=False), lambda: wiring.migrate_installation(settings)):
        with pytest.raises(ConfigurationError, match="transaction pooler") as refusal:
            start()
        assert ("DIRECT_URL is not set" in refusal.value.message) is not with_direct_url


def test_r8_a_pooler_with_a_single_connection_is_told_from_a_session(direct: str, tmp_path: Path) -> None:
    with pooler(direct, tmp_path, size=1) as address, pytest.raises(ConfigurationError, match="transaction pooler"):
        probe(Database(address))


def test_r8_a_session_pooler_is_a_session(direct: str, tmp_path: Path) -> None:
    with pooler(direct, tmp_path, mode="session") as address:
        probe(Database(address))
        assert wiring.migrate_installation(_settings(tmp_path, address, None)) is not None
