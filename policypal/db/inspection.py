"""What a database server is and what it still lacks, without changing it (R8)."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from policypal.db.migrate import migration_files
from policypal.db.pool import translated_errors
from policypal.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """``server`` and ``vector`` are versions; ``vector`` is None where pgvector is not installed on the machine.
    ``pending`` names the migrations that have not been applied. ``may_create_vector`` is False where pgvector is there but
    not in this database, and this user may not put it there."""

    server: str
    server_number: int
    vector: str | None
    pending: tuple[str, ...]
    may_create_vector: bool = True


def inspect(conninfo: str, *, timeout_seconds: int = 5) -> DatabaseFacts:
    """Look at a server.

    Raises:
        DatabaseUnavailable: it cannot be reached, or it refuses the user.
        ConfigurationError: ``conninfo`` is not a connection address; it is not repeated, it may hold a password.
    """
    try:
        psycopg.conninfo.conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        raise ConfigurationError("DATABASE_URL or DIRECT_URL is not a PostgreSQL connection address.") from None
    with (
        translated_errors(),
        psycopg.connect(conninfo, connect_timeout=timeout_seconds, prepare_threshold=None) as connection,
    ):
        return DatabaseFacts(
            server=connection.execute("SHOW server_version").fetchone()[0],  # type: ignore[index]
            server_number=connection.info.server_version,
            vector=_vector(connection),
            pending=_pending(connection),
            may_create_vector=_may_create_vector(connection),
        )


def _vector(connection: psycopg.Connection[tuple[object, ...]]) -> str | None:
    """The installed version of pgvector, else the one that would be installed."""
    row = connection.execute(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    return str(row[0]) if row else None


def _may_create_vector(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    """Whether it is there, or can be tried: the trial is rolled back, because other servers have other rules than
    PostgreSQL's own (Supabase lets its administrator create it)."""
    row = connection.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row and row[0]:
        return True
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege:
        return False
    except psycopg.DatabaseError:  # not available, which is told apart from this
        return True
    return True


def _pending(connection: psycopg.Connection[tuple[object, ...]]) -> tuple[str, ...]:
    names = [name for name, _ in migration_files()]
    row = connection.execute("SELECT to_regclass('policypal.migrations') IS NOT NULL").fetchone()
    if not row or not row[0]:
        return tuple(names)
    applied = {r[0] for r in connection.execute("SELECT name FROM policypal.migrations").fetchall()}
    return tuple(name for name in names if name not in applied)
