"""Connections, transactions and the translation of driver errors (R2, X1)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from policypal.errors import DatabaseUnavailable

Connection: TypeAlias = psycopg.Connection[dict[str, Any]]

_SEARCH_PATH = "policypal, public, extensions"
_ENTER_AS_USER = (
    "SELECT set_config('search_path', %s, true), set_config('app.user_id', %s, true),"
    " set_config('role', 'policypal_app', true)"
)
_WITHOUT_WAITING = _ENTER_AS_USER + ", set_config('synchronous_commit', 'off', true)"


_CHECKED_FOR_SECONDS = 1.0
_checked: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()


def check_if_idle(connection: psycopg.Connection[Any]) -> None:
    """Replace a connection that died while it lay in its pool. One that answered a second ago is believed: asking before
    each of a turn's forty transactions would be a third of their round trips."""
    if time.monotonic() - _checked.get(connection, float("-inf")) > _CHECKED_FOR_SECONDS:
        ConnectionPool.check_connection(connection)
        _checked[connection] = time.monotonic()


class Database:
    """A pool for PolicyPal's queries.

    ``conninfo`` may be a transaction pooler: nothing here outlives a transaction. ``direct_conninfo`` is a session
    connection for what must (migrations, LISTEN/NOTIFY, the checkpointer); it defaults to ``conninfo``.
    """

    def __init__(self, conninfo: str, direct_conninfo: str | None = None, *, max_size: int = 10) -> None:
        self.conninfo = conninfo
        self.direct_conninfo = direct_conninfo or conninfo
        self._pool = ConnectionPool(
            conninfo,
            min_size=1,
            max_size=max_size,
            timeout=10,
            open=False,
            check=check_if_idle,
            # None, not 0: 0 would prepare at once and break behind a transaction pooler
            kwargs={"prepare_threshold": None, "row_factory": dict_row},
            connection_class=psycopg.Connection[dict[str, Any]],
        )

    def open(self) -> None:
        """Open the pool.

        Raises:
            DatabaseUnavailable: no connection within ten seconds.
        """
        with translated_errors():
            self._pool.open(wait=True, timeout=10)

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def as_user(self, user_id: str, *, durable: bool = True, with_deleted: bool = False) -> Iterator[Connection]:
        """One transaction in which row-level security shows only ``user_id``'s rows (X1), deleted documents not among them
        unless ``with_deleted`` (D10).

        ``durable`` False does not wait for the disk at the commit: the next durable commit makes it last, too, and until
        then a crash of the database server (not of this process) may lose it. For steps on the way to such a commit.
        """
        with translated_errors(), self._pool.connection() as connection, connection.transaction():
            connection.execute(_ENTER_AS_USER if durable else _WITHOUT_WAITING, (_SEARCH_PATH, user_id))
            if with_deleted:
                connection.execute("SELECT set_config('app.deleted_documents', 'shown', true)")
            yield connection

    @contextmanager
    def as_owner(self) -> Iterator[Connection]:
        """One transaction outside row-level security; only for housekeeping that serves no user's request."""
        with translated_errors(), self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT set_config('search_path', %s, true)", (_SEARCH_PATH,))
            yield connection

    def version(self) -> tuple[str, str]:
        """The versions of PostgreSQL and pgvector, for the doctor (R8)."""
        with self.as_owner() as connection:
            row = connection.execute(
                "SELECT current_setting('server_version') AS server,"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector"
            ).fetchone()
        assert row is not None
        return row["server"], row["vector"] or "missing"


def enter_as_user(connection: psycopg.Connection[Any], user_id: str) -> None:
    """Until the end of the transaction, row-level security shows only ``user_id``'s rows; for connections of another pool."""
    connection.execute(_ENTER_AS_USER, (_SEARCH_PATH, user_id))


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn the driver's "cannot connect" errors into :class:`DatabaseUnavailable`; others are bugs and pass."""
    try:
        yield
    except (psycopg.OperationalError, PoolTimeout) as error:
        raise DatabaseUnavailable from error


def session_conninfo(conninfo: str, *, durable: bool = True) -> str:
    """``conninfo`` with PolicyPal's search path, for libraries that write unqualified table names. ``durable`` as in
    :meth:`Database.as_user`."""
    options = f"-c search_path={_SEARCH_PATH.replace(' ', '')}" + ("" if durable else " -c synchronous_commit=off")
    return psycopg.conninfo.make_conninfo(conninfo, options=options)
