"""Applies the SQL files of ``migrations/`` once each, in order, under a lock (R2)."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources

import psycopg

from policypal.db.pool import server_text, translated_errors
from policypal.errors import ConfigurationError

_LOCK = 7_061_201  # any number that only PolicyPal's migrations use


def migrate(direct_conninfo: str) -> list[str]:
    """Bring the database up to date and return the names of the migrations that were applied now.

    Everything happens in one transaction under one lock, so that concurrent starts neither collide nor leave half a
    migration. Raises DatabaseUnavailable: the server cannot be reached; ConfigurationError: an applied migration
    differs from its file, pgvector is missing, or the user lacks a right."""
    with translated_errors(), _rights_named(), psycopg.connect(direct_conninfo, prepare_threshold=None) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _prepare(connection)
        rows = connection.execute("SELECT name, sha256 FROM policypal.migrations").fetchall()
        applied = {str(name): str(digest) for name, digest in rows}
        fresh = []
        for name, sql in migration_files():
            digest = hashlib.sha256(sql.encode()).hexdigest()
            if name in applied:
                _check_unchanged(name, applied[name], digest)
                continue
            connection.execute(sql)  # a file of ours, not user input
            connection.execute("INSERT INTO policypal.migrations (name, sha256) VALUES (%s, %s)", (name, digest))
            fresh.append(name)
        return fresh


def migration_files() -> list[tuple[str, str]]:
    """Names and texts of all migrations, in order."""
    folder = resources.files("policypal.db") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [(f.name, f.read_text(encoding="utf-8")) for f in files]


@contextmanager
def _rights_named() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            "The database user may not create PolicyPal's tables and role: it needs CREATE on the database (for the schema"
            f" policypal), CREATEROLE (for the role policypal_app), or to own what is there already. ({server_text(error)})"
        ) from error


def _prepare(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    _create_schema(connection)
    connection.execute("SELECT set_config('search_path', 'policypal, public, extensions', true)")
    _create_extension(connection)
    connection.execute(
        "CREATE TABLE IF NOT EXISTS policypal.migrations ("
        " name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
    )


def _create_schema(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    # asked first: IF NOT EXISTS needs the right even where there is nothing to create
    row = connection.execute("SELECT to_regnamespace('policypal') IS NULL").fetchone()
    if row and row[0]:
        connection.execute("CREATE SCHEMA IF NOT EXISTS policypal")


def _create_extension(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    row = connection.execute(
        "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),"
        " (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')"
    ).fetchone()
    installed, available = row or (None, None)
    if installed is not None:
        return
    if available is None:
        raise ConfigurationError(
            "pgvector is not on this PostgreSQL server. Install pgvector 0.7 or later there, then run"
            " `python -m policypal migrate` again."
        )
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"pgvector {available} is on this server, but the database user may not create it in this database. Run"
            " CREATE EXTENSION vector; there once as a superuser, then `python -m policypal migrate` again."
            f" ({server_text(error)})"
        ) from error


def _check_unchanged(name: str, applied: object, current: str) -> None:
    if applied != current:
        raise ConfigurationError(f"The migration {name} was changed after it had been applied to this database.")
