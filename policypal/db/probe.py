"""Tries the connections PolicyPal works with, as it works with them (R2, R8). The doctor, every start and the readiness
route ask here, so that what one of them finds good is good for the others."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from policypal.db.migrate import migration_files
from policypal.db.pool import SESSION, Connection, Database, enter_as_user, server_text, translated_errors, unavailable
from policypal.errors import ConfigurationError

TIMEOUT_SECONDS = 5
NOTIFY_SECONDS = 1.0
_CHANNEL = "policypal_probe"
_POOLED = "DATABASE_URL"


def probe(db: Database) -> None:
    """Open a connection of each kind and use it for what it is there for. Raises DatabaseUnavailable: one cannot be
    opened, the message tells which, and what the server said; ConfigurationError: one opens but is of the wrong kind,
    or its user lacks a right."""
    probe_pooled(db)
    probe_direct(db)


def probe_pooled(db: Database) -> None:
    """A transaction of the kind all pages and commands make. Raises as :func:`probe`."""
    with _connection(db.conninfo, _POOLED) as connection:
        is_migrated = connection.execute("SELECT to_regclass('policypal.migrations') IS NOT NULL AS done").fetchone()
        if is_migrated is None or not is_migrated["done"]:
            return
        try:
            with connection.transaction():
                enter_as_user(connection, "")
                connection.execute("SELECT 1 FROM users LIMIT 1")
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject) as error:
            name = connection.info.user
            raise ConfigurationError(
                f"The database user “{name}” may not work as the role policypal_app. As its owner or a superuser, run"
                f" GRANT policypal_app TO {name}; ({server_text(error)})"
            ) from error


def probe_direct(db: Database) -> None:
    """A session that keeps what was set in it and hears notifications. Raises as :func:`probe`.

    Behind a transaction pooler one connection alone would look like a session, because nobody else takes its place at the
    server. A second one does, for the moment of the test.
    """
    name = _name_of_direct(db)
    with _connection(db.direct_conninfo, name) as session:
        token = secrets.token_hex(8)
        session.execute("SELECT set_config('policypal.probe', %s, false)", (token,))
        session.execute(f"LISTEN {_CHANNEL}")
        with _taking_its_place(db.direct_conninfo, name):
            row = session.execute("SELECT current_setting('policypal.probe', true) AS kept").fetchone()
            if row is None or row["kept"] != token:
                raise _not_a_session(db, name)
            session.execute("SELECT pg_notify(%s, %s)", (_CHANNEL, token))
            heard = session.notifies(timeout=NOTIFY_SECONDS, stop_after=1)
            if token not in {notification.payload for notification in heard}:
                raise _not_a_session(db, name)


@contextmanager
def _taking_its_place(conninfo: str, name: str) -> Iterator[None]:
    """Another connection holds a transaction. Where a pooler has a single connection to the server, the first would wait
    for it: the server ends it after a moment."""
    with _connection(conninfo, name) as other:
        other.execute("BEGIN")
        other.execute("SET LOCAL idle_in_transaction_session_timeout = '3s'")
        try:
            yield
        finally:
            with suppress(psycopg.Error):  # the server has ended it
                other.execute("ROLLBACK")


@contextmanager
def _connection(conninfo: str, name: str) -> Iterator[Connection]:
    """As the pool opens its own. The time-out is for opening; an address that sets its own keeps it."""
    options: dict[str, Any] = {**SESSION, "row_factory": dict_row}
    if "connect_timeout" not in conninfo_to_dict(conninfo):
        options["connect_timeout"] = TIMEOUT_SECONDS
    try:
        connection = psycopg.connect(conninfo, **options)
    except psycopg.OperationalError as error:
        raise unavailable(error, f"The database at {name}") from error
    with translated_errors(), connection:
        yield connection


def _name_of_direct(db: Database) -> str:
    return "DIRECT_URL" if db.direct_conninfo != db.conninfo else _POOLED


def _not_a_session(db: Database, name: str) -> ConfigurationError:
    same = "" if name == "DIRECT_URL" else " and DIRECT_URL is not set, or is the same address"
    return ConfigurationError(
        f"{name} leads to a transaction pooler{same}: what is set in one transaction is gone in the next, and notifications"
        " are not heard. Set DIRECT_URL to a direct or session connection (at Supabase port 5432), which migrations and the"
        " workers' LISTEN need."
    )


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


def inspect(db: Database) -> DatabaseFacts:
    """Look at the server. Raises DatabaseUnavailable: it cannot be reached, or it refuses the user."""
    with _connection(db.direct_conninfo, _name_of_direct(db)) as connection:
        (row,) = connection.execute(
            "SELECT current_setting('server_version') AS server, to_regclass('policypal.migrations') IS NOT NULL AS is_migrated,"
            " (SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector') AS vector,"
            " EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') AS has_vector"
        ).fetchall()
        applied = connection.execute("SELECT name FROM policypal.migrations").fetchall() if row["is_migrated"] else []
        names = {r["name"] for r in applied}
        pending = tuple(name for name, _ in migration_files() if name not in names)
        may_create = row["has_vector"] or _may_create_vector(connection)
        return DatabaseFacts(row["server"], connection.info.server_version, row["vector"], pending, may_create)


def _may_create_vector(connection: Connection) -> bool:
    """Whether it can be tried: the trial is rolled back, because other servers have other rules than PostgreSQL's own
    (Supabase lets its administrator create it)."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege:
        return False
    except psycopg.DatabaseError:  # not available, which is told apart from this
        return True
    return True
