"""`doctor`, `migrate`, `worker`, signals and failures nobody foresaw (section K, R2, R8, D5, X3, X4)."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from policypal.application import wiring
from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from tests.support import pdf_factory
from tests.support.cli import Cli
from tests.support.openai_server import API_KEY, OpenAIServer, hangs

UNREACHABLE = "postgresql://ada:tiger-in-the-tank@127.0.0.1:9/library"


@pytest.fixture(scope="module")
def conninfo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("cli-installation")
    server = EmbeddedPostgres(folder)
    yield folder, server.start()
    server.stop()


@pytest.fixture(scope="module")
def cli(conninfo: tuple[Path, str]) -> Cli:
    return Cli(conninfo[0])


def test_r8_r2_a_fresh_folder_is_examined_migrated_and_examined_again(cli: Cli) -> None:
    before = cli.run("doctor", "--json")
    migrated = cli.run("migrate", "--json")
    after = cli.run("doctor", "--json")
    assert (before.code, migrated.code, after.code) == (0, 0, 0)
    assert all(set(line) == {"name", "status", "finding", "advice"} for line in before.lines)
    tables = [next(c for c in o.lines if c["name"] == "Tables")["status"] for o in (before, after)]
    assert tables == ["optional", "ok"]
    assert migrated.last["applied"]


def test_r2_two_commands_may_start_a_fresh_folder_at_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    fresh = Cli(tmp_path_factory.mktemp("cli-fresh"))
    both = [fresh.start("documents", "--json") for _ in range(2)]
    ends = [(process.communicate(timeout=120), process.returncode) for process in both]
    assert [(output, code) for (output, _), code in ends] == [("", 0), ("", 0)]


def test_r8_x3_the_doctor_reports_an_unreachable_database_without_its_password(cli: Cli) -> None:
    outcome = cli.run(
        "doctor", DATABASE_URL=UNREACHABLE, OPENAI_API_KEY=API_KEY, OPENAI_BASE_URL="http://127.0.0.1:9/v1"
    )
    assert outcome.code == 1
    assert "✗ Database" in outcome.text
    assert "✗ Language model" in outcome.text
    assert "✓ Data folder" in outcome.text
    assert "tiger" not in outcome.text + outcome.stderr
    assert API_KEY not in outcome.text + outcome.stderr


def test_x3_a_database_that_is_away_is_a_typed_error_and_its_password_is_nowhere(cli: Cli) -> None:
    outcome = cli.run("documents", "--json", DATABASE_URL=UNREACHABLE)
    log = (cli.data_dir / "policypal.log").read_text(encoding="utf-8")
    assert (outcome.code, outcome.last["code"], outcome.last["retryable"]) == (1, "database_unavailable", True)
    assert "tiger" not in outcome.text + outcome.stderr + log


def test_x4_unusable_settings_are_named(cli: Cli) -> None:
    typed = cli.run("documents", "--json", POLICYPAL_MAX_PAGES="many")
    doctor = cli.run("doctor", "--json", POLICYPAL_MAX_PAGES="many")
    assert (typed.code, typed.last["code"], doctor.code) == (1, "configuration", 1)
    assert "POLICYPAL_MAX_PAGES" in typed.last["message"]
    assert "POLICYPAL_MAX_PAGES" in doctor.last["finding"]


def test_x4_a_data_folder_that_is_a_file_is_a_typed_error(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    outcome = cli.run("documents", "--json", "--data-dir", file)
    assert (outcome.code, outcome.last["code"]) == (1, "configuration")


def test_x4_what_nobody_foresaw_is_typed_and_its_traceback_is_in_the_log_only(
    cli: Cli, conninfo: tuple[Path, str]
) -> None:
    wiring.migrate_installation(Settings(data_dir=cli.data_dir, _env_file=None))
    with psycopg.connect(conninfo[1], autocommit=True) as c:
        c.execute("ALTER TABLE policypal.sets RENAME TO sets_gone")
        try:
            outcome = cli.run("documents", "--json")
        finally:
            c.execute("ALTER TABLE policypal.sets_gone RENAME TO sets")
    log = (cli.data_dir / "policypal.log").read_text(encoding="utf-8")
    assert (outcome.code, outcome.last["code"], outcome.last["type"]) == (1, "unexpected", "error")
    assert "Traceback" not in outcome.text + outcome.stderr
    assert "policypal.log" in outcome.stderr
    assert "Traceback" in log
    assert "UndefinedTable" in log


def test_d5_a_worker_reads_what_ingest_only_queued_and_ends_politely(
    cli: Cli, conninfo: tuple[Path, str], tmp_path: Path
) -> None:
    path = tmp_path / "queued.pdf"
    path.write_bytes(pdf_factory.text_pdf([["Every branch must lock its vault at night."]]))
    queued = cli.run("ingest", path, "--type", "company", "--json")
    assert (queued.code, queued.last["status"]) == (0, "queued")
    worker = cli.start("worker")
    try:
        assert _final_status(conninfo[1], queued.last["id"]) == "ready"
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=30) == 0
    finally:
        worker.kill()
        worker.communicate()


def _final_status(conninfo: str, document_id: str) -> str:
    deadline = time.monotonic() + 60
    with psycopg.connect(conninfo, autocommit=True) as c:
        while True:
            row = c.execute("SELECT status FROM policypal.documents WHERE id = %s", (document_id,)).fetchone()
            assert row is not None
            if row[0] in ("ready", "failed") or time.monotonic() > deadline:
                return str(row[0])
            time.sleep(0.1)


def test_k_ctrl_c_stops_the_run_with_its_own_last_event(cli: Cli) -> None:
    with OpenAIServer() as server:
        server.script("*", hangs(2.0))
        run = cli.start(
            "ask", "How are vaults locked?", "--json", OPENAI_API_KEY=API_KEY, OPENAI_BASE_URL=server.base_url
        )
        assert run.stdout is not None
        first = json.loads(run.stdout.readline())
        run.send_signal(signal.SIGINT)
        rest, errors = run.communicate(timeout=60)
    last = json.loads(rest.splitlines()[-1])
    assert first["type"] == "status"
    assert (run.returncode, last["type"], last["code"]) == (1, "error", "run_stopped"), errors
    assert last["thread_id"]
    assert "Traceback" not in errors
