"""Applies the SQL files of ``migrations/`` once each, in order, under a lock (R2)."""

from __future__ import annotations

import hashlib
from importlib import resources

import psycopg

from policypal.db.pool import translated_errors
from policypal.errors import ConfigurationError

_LOCK = 7_061_201  # any number that only PolicyPal's migrations use


def migrate(direct_conninfo: str) -> list[str]:
    """Bring the database up to date and return the names of the migrations that were applied now.

    Everything happens in one transaction under one lock, so that concurrent starts neither collide nor leave half a
    migration.

    Raises:
        DatabaseUnavailable: the server cannot be reached.
        ConfigurationError: an applied migration differs from its file, or pgvector cannot be installed.
    """
    with translated_errors(), psycopg.connect(direct_conninfo, prepare_threshold=None) as connection:
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


def _prepare(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    connection.execute("CREATE SCHEMA IF NOT EXISTS policypal")
    connection.execute("SELECT set_config('search_path', 'policypal, public, extensions', true)")
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except psycopg.errors.Error as error:
        raise ConfigurationError(
            "The pgvector extension is not available on this PostgreSQL server. Install pgvector 0.7 or later and run"
            " `python -m policypal migrate` again."
        ) from error
    connection.execute(
        "CREATE TABLE IF NOT EXISTS policypal.migrations ("
        " name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
    )


def _check_unchanged(name: str, applied: object, current: str) -> None:
    if applied != current:
        raise ConfigurationError(f"The migration {name} was changed after it had been applied to this database.")
