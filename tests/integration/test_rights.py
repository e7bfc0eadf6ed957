"""Missing rights and extensions, a full disk and an open folder are told as what they are (R2, R8, X4, X6)."""

from __future__ import annotations

import logging
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from policypal.application import doctor
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.migrate import _create_extension, migrate
from policypal.db.pool import Database, server_text
from policypal.db.probe import probe
from policypal.errors import ConfigurationError, DatabaseUnavailable, DiskFull
from tests.support.cli import Cli


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    embedded = EmbeddedPostgres(tmp_path_factory.mktemp("rights"))
    yield embedded.start()
    embedded.stop()


def _as(server: str, role: str, rights: str, *, may_create: bool = True) -> str:
    """The address of a database of its own for a user of its own."""
    with psycopg.connect(server, autocommit=True) as c:
        c.execute(sql.SQL("CREATE ROLE {} LOGIN " + rights).format(sql.Identifier(role)))
        c.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(role)))
        if may_create:
            c.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(*[sql.Identifier(role)] * 2))
    return make_conninfo(server, user=role, dbname=role)


def test_r8_pgvector_that_is_there_but_may_not_be_created_is_not_called_missing(server: str, tmp_path: Path) -> None:
    address = _as(server, "ada", "CREATEROLE")
    with pytest.raises(ConfigurationError, match=r"may not create it.*CREATE EXTENSION vector.*superuser.*42501"):
        migrate(address)
    checks = doctor._database(Settings(data_dir=tmp_path, database_url=address, _env_file=None))
    vector = next(c for c in checks if c.name == "pgvector")
    assert (vector.status, "superuser" in vector.advice) == ("problem", True)
    with psycopg.connect(make_conninfo(server, dbname="ada"), autocommit=True) as c:
        c.execute("CREATE EXTENSION vector")
    assert migrate(address), "once it is there, the user needs no more"


class _WithoutVector:
    """What a server answers that knows no extension of this name."""

    def execute(self, query: str) -> _WithoutVector:
        assert "pg_available_extensions" in query
        return self

    def fetchone(self) -> tuple[None, None]:
        return None, None


def test_r8_pgvector_that_is_missing_is_called_missing() -> None:
    with pytest.raises(ConfigurationError, match="pgvector is not on this PostgreSQL server"):
        _create_extension(_WithoutVector())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("role", "rights", "may_create"), [("grace", "CREATEROLE", False), ("alan", "NOCREATEROLE", True)]
)
def test_r8_a_user_who_may_not_create_schema_or_role_is_told_so(
    server: str, role: str, rights: str, may_create: bool
) -> None:
    address = _as(server, role, rights, may_create=may_create)
    with psycopg.connect(make_conninfo(server, dbname=role), autocommit=True) as c:
        c.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if role == "alan":  # the role is of the whole server, and other tests have made it
            c.execute("REASSIGN OWNED BY policypal_app TO postgres")
    with pytest.raises(ConfigurationError, match=r"needs CREATE on the database.*CREATEROLE.*42501"):
        migrate(address)


def test_r8_a_user_who_may_not_work_as_the_applications_role_is_told_so(server: str) -> None:
    build = make_conninfo(server, dbname="postgres")
    migrate(build)
    with psycopg.connect(server, autocommit=True) as c:
        c.execute("CREATE ROLE bob LOGIN")
        c.execute("GRANT USAGE ON SCHEMA policypal TO bob")
    with pytest.raises(ConfigurationError, match="GRANT policypal_app TO bob"):
        probe(Database(make_conninfo(server, user="bob")))


def test_x3_x4_what_the_server_says_is_kept_and_passwords_are_not() -> None:
    told = server_text(psycopg.OperationalError("cannot open postgresql://ada:tiger@host/x with password=tiger or so"))
    assert "tiger" not in told and "postgresql://ada:***@host/x" in told
    with pytest.raises(DatabaseUnavailable, match=r"DATABASE_URL.*Connection refused"):
        probe(Database("postgresql://ada:tiger@127.0.0.1:9/library"))


def test_x4_a_full_disk_is_called_a_full_disk(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database(server, folder=tmp_path)
    db.open()
    try:
        raising = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
        with pytest.raises(DiskFull) as full, db.as_owner() as c:
            c.execute(raising)
        assert (full.value.code, "Make room" in full.value.message) == ("disk_full", True)
        with pytest.raises(DatabaseUnavailable), db.as_owner() as c:
            c.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
        monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
        with pytest.raises(DiskFull), db.as_owner() as c:  # a server whose log finds no room ends without saying why
            c.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    finally:
        db.close()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_x6_data_folder_log_and_socket_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert Cli(tmp_path).run("documents", "--data-dir", folder).code == 0
    assert (_mode(folder), _mode(folder / "policypal.log")) == (0o700, 0o600)
    app = build_container(Settings(data_dir=folder, _env_file=None), run_worker=False)
    try:
        assert _mode(folder) == 0o700
        with app.db.as_owner() as c:  # what the server does every five minutes, by the whole path of its files
            assert c.execute("SELECT checkpoint_lsn FROM pg_control_checkpoint()").fetchone()
        with psycopg.connect(app.db.direct_conninfo, autocommit=True) as direct:
            direct.execute("CHECKPOINT")
    finally:
        app.close()
    assert _mode(folder) == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_x6_an_open_data_folder_is_closed_and_that_is_told(
    server: str, tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(mode)
    with caplog.at_level(logging.WARNING):
        build_container(Settings(data_dir=tmp_path, database_url=server, _env_file=None), run_worker=False).close()
    assert _mode(tmp_path) == 0o700
    assert "is now closed" in caplog.text


def test_x6_a_socket_whose_path_would_be_too_long_lies_in_a_folder_of_its_own(tmp_path: Path) -> None:
    embedded = EmbeddedPostgres(tmp_path / ("long" * 25))
    try:
        folder = Path(str(psycopg.conninfo.conninfo_to_dict(embedded.start())["host"]))
        assert tmp_path not in folder.parents
        assert _mode(folder.parent.parent) == 0o700
    finally:
        embedded.stop()
