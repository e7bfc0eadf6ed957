"""Workers and their one direct session: after a restart of the database, struck off, and seen from outside (D5, R8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from policypal.application import doctor, intake, processing
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db.jobs import QueueState, queue_state
from policypal.domain.documents import DocumentStatus, DocumentType
from policypal.errors import PolicyPalError
from policypal.ui.documents.ingestion_progress import nobody_reads
from tests.support.database_server import restart
from tests.support.pdf_factory import text_pdf
from tests.support.timeouts import LONGEST_WAIT_SECONDS

_LISTENING = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Container]:
    """An application with a worker, on a server that may be ill-treated."""
    app = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=True, process="policypal-app")
    yield app
    app.close()


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def _count(app: Container, sql: str) -> int:
    try:
        with app.db.as_owner() as c:
            row = c.execute(sql).fetchone()
    except PolicyPalError:  # the server is not there yet
        return -1
    return int(row["n"]) if row else 0


def _add(app: Container, sentence: str) -> str:
    upload = intake.Upload(filename="rule.pdf", data=text_pdf([[sentence]]), type=DocumentType.COMPANY)
    return intake.add_document(app, local_analyst(app), upload).id


def test_d5_workers_listen_again_and_read_after_the_database_was_restarted(reader: Container) -> None:
    _until(lambda: _count(reader, _LISTENING) == 1)
    assert reader.embedded is not None
    restart(reader.embedded, seconds_down=2)
    _until(lambda: _count(reader, _LISTENING) == 1)
    added = _add(reader, "Every branch must lock its vault at night.")
    (document,) = intake.wait_until_final(reader, local_analyst(reader), [added])
    assert document.status is DocumentStatus.READY
    state = queue_state(reader.db)
    assert state is not None and (state.processes, state.waiting) == (1, 0)


def test_d5_a_worker_others_took_for_dead_is_at_work_again(reader: Container) -> None:
    workers = "SELECT count(*) AS n FROM procrastinate_workers"
    _until(lambda: _count(reader, workers) == 2)
    with reader.db.as_owner() as c:
        c.execute("DELETE FROM procrastinate_workers")
    _until(lambda: _count(reader, workers) == 2)
    intake.wait_until_final(reader, local_analyst(reader), [_add(reader, "Records are kept for five years.")])


def test_d5_one_direct_session_per_process_and_every_connection_has_its_name(reader: Container) -> None:
    _until(lambda: _count(reader, _LISTENING) == 1)
    named = "SELECT count(*) AS n FROM pg_stat_activity WHERE backend_type = 'client backend'"
    of_app = _count(reader, f"{named} AND application_name = 'policypal-app'")
    assert of_app == _count(reader, named) <= 8
    assert _count(reader, _LISTENING) == 1
    with psycopg.connect(reader.db.direct_conninfo) as c:
        assert c.execute("SHOW application_name").fetchone() == ("policypal-app",)


def test_d5_r8_documents_nobody_reads_are_noticed_and_what_to_do_is_said(tmp_path: Path) -> None:
    app = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=False)
    try:
        analyst = local_analyst(app)
        assert processing.unread_seconds(app, analyst) is None, "nothing waits"
        _add(app, "Vaults are locked at night.")
        with app.db.as_owner() as c:
            c.execute("UPDATE documents SET queued_at = now() - interval '52 seconds'")
        assert processing.unread_seconds(app, analyst) == pytest.approx(52, abs=5)
        (seen,) = doctor._worker(Settings(data_dir=tmp_path, run_worker=False, _env_file=None))
        assert (seen.status, seen.measured["live_processes"], seen.measured["waiting_documents"]) == ("warning", 0, 1)
        assert "python -m policypal worker" in seen.advice
        with app.db.as_owner() as c:
            c.execute("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now()), (now())")
        assert processing.unread_seconds(app, analyst) is None, "somebody reads"
        (alive,) = doctor._worker(Settings(data_dir=tmp_path, run_worker=False, _env_file=None))
        assert (alive.status, alive.measured["live_processes"]) == ("ok", 1)
        with app.db.as_owner() as c:
            c.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '30 seconds'")
        assert processing.unread_seconds(app, analyst) == pytest.approx(30, abs=5)
    finally:
        app.close()


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (QueueState(0, None, 0, None), "optional"),
        (QueueState(1, 1.0, 3, 9.0), "ok"),
        (QueueState(0, 52.0, 3, 60.0), "warning"),
    ],
)
def test_r8_a_stopped_app_with_nothing_to_read_is_no_problem(state: QueueState, status: str) -> None:
    assert doctor._reading(state, runs_with_app=True).status == status


def test_d4_the_page_says_for_how_long_nobody_has_read() -> None:
    assert "for 52 s" in nobody_reads(52.3, runs_here=False)
    assert "policypal worker" in nobody_reads(52.3, runs_here=False)
    assert "restart PolicyPal" in nobody_reads(52.3, runs_here=True)
