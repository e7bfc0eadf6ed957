"""Tries the connections PolicyPal works with, as it works with them (R2, R8). The doctor, every start and the readiness
route ask here, so that what one of them finds good is good for the others."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from policypal.db.pool import SESSION, Connection, Database, enter_as_user, server_text, translated_errors, unavailable
from policypal.errors import ConfigurationError

TIMEOUT_SECONDS = 5
NOTIFY_SECONDS = 1.0
_CHANNEL = "policypal_probe"
_POOLED = "DATABASE_URL"


def probe(db: Database) -> None:
    """Open a connection of each kind and use it for what it is there for.

    Raises:
        DatabaseUnavailable: one cannot be opened; the message tells which, and what the server said.
        ConfigurationError: one opens but is of the wrong kind, or its user lacks a right.
    """
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
