"""Connections, transactions and the translation of driver errors (R2, X1)."""

import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row
from psycopg.sql import SQL, Composable, Composed, Identifier, Placeholder
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout
from pydantic import TypeAdapter

from policypal.errors import DatabaseUnavailable, DiskFull

Connection: TypeAlias = psycopg.Connection[dict[str, Any]]
Row: TypeAlias = dict[str, Any]
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
Kind = TypeVar("Kind")

SEARCH_PATH = "policypal, public, extensions"
_ENTER = "SELECT set_config('search_path', %s, true)"
_ENTER_AS_USER = _ENTER + ", set_config('app.user_id', %s, true), set_config('role', 'policypal_app', true)"
_WITHOUT_WAITING = ", set_config('synchronous_commit', 'off', true)"
ENTER_QUEUE = _ENTER + _WITHOUT_WAITING
"""What a crash of the database server takes from the queue, the sweep and the documents' own state bring back."""

SESSION: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
"""How PolicyPal connects. ``prepare_threshold`` None, not 0: 0 would prepare at once and break behind a transaction pooler.
Autocommit, so that a transaction is what :meth:`Database.as_user` makes one, and no more."""

_NEEDED_DISK_BYTES = 2 * 16 * 1024 * 1024
"""PostgreSQL writes its log in pieces of 16 MB; without room for the next ones it ends instead of saying why."""


_CHECKED_FOR_SECONDS = 1.0
_checked: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()


def check_if_idle(connection: psycopg.Connection[Any]) -> None:
    """Replace a connection that died while it lay in its pool. One that answered a second ago is believed: asking before
    each of a turn's forty transactions would be a third of their round trips."""
    if time.monotonic() - _checked.get(connection, float("-inf")) > _CHECKED_FOR_SECONDS:
        ConnectionPool.check_connection(connection)
        _checked[connection] = time.monotonic()


class Database:
    """The process's one pool, for everything but what needs a session.

    ``conninfo`` may be a transaction pooler: nothing here outlives a transaction. ``direct_conninfo`` is a session
    connection for what must (migrations, LISTEN); it defaults to ``conninfo``. ``process`` names the process in the
    server's ``pg_stat_activity``. ``folder`` is where an embedded server keeps its data, to tell a full disk.
    """

    def __init__(
        self,
        conninfo: str,
        direct_conninfo: str | None = None,
        *,
        max_size: int = 10,
        process: str = "policypal",
        folder: Path | None = None,
    ) -> None:
        self.conninfo = make_conninfo(conninfo, application_name=process)
        self.direct_conninfo = make_conninfo(direct_conninfo or conninfo, application_name=process)
        self.process = process
        self._folder = folder
        self.pool = ConnectionPool(
            self.conninfo,
            min_size=1,
            max_size=max_size,
            timeout=10,
            open=False,
            configure=_ids_are_strings,
            check=check_if_idle,
            kwargs={**SESSION, "row_factory": dict_row},
            connection_class=psycopg.Connection[dict[str, Any]],
        )

    def open(self) -> None:
        """Open the pool. Raises DatabaseUnavailable: no connection within ten seconds."""
        with self.translated_errors():
            self.pool.open(wait=True, timeout=10)

    def close(self) -> None:
        self.pool.close()

    @contextmanager
    def as_user(self, user_id: str, *, durable: bool = True, with_deleted: bool = False) -> Iterator[Connection]:
        """One transaction in which row-level security shows only ``user_id``'s rows (X1), deleted documents not among them
        unless ``with_deleted`` (D10).

        ``durable`` False does not wait for the disk at the commit: the next durable commit makes it last, too, and until
        then a crash of the database server (not of this process) may lose it. For steps on the way to such a commit.
        """
        with self._transaction(_entering(durable), SEARCH_PATH, user_id) as connection:
            if with_deleted:
                connection.execute("SELECT set_config('app.deleted_documents', 'shown', true)")
            yield connection

    def rows(self, user_id: str, sql: str | Composed, values: Values = ()) -> list[Row]:
        """All rows of one statement, in a transaction of its own (:meth:`as_user`)."""
        with self.as_user(user_id) as c:
            return c.execute(sql, values).fetchall()

    def row(self, user_id: str, sql: str | Composed, values: Values = ()) -> Row | None:
        """The first row of one statement, None where there is none."""
        with self.as_user(user_id) as c:
            return c.execute(sql, values).fetchone()

    def run(self, user_id: str, sql: str | Composed, values: Values = ()) -> int:
        """Carry out one statement; how many rows it concerned."""
        with self.as_user(user_id) as c:
            return c.execute(sql, values).rowcount

    @contextmanager
    def as_owner(self, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction outside row-level security; only for housekeeping that serves no user's request."""
        with self._transaction(_ENTER if durable else ENTER_QUEUE, SEARCH_PATH) as connection:
            yield connection

    @contextmanager
    def _transaction(self, enter: str, *arguments: str) -> Iterator[Connection]:
        with self.translated_errors(), self.pool.connection() as connection, connection.transaction():
            connection.execute(enter, arguments)
            yield connection

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """As the function of this name; a lost embedded server is a full disk where its disk is full."""
        try:
            with translated_errors():
                yield
        except DatabaseUnavailable as error:
            if self._folder is not None and is_disk_full(self._folder):
                raise DiskFull from error
            raise

    def version(self) -> tuple[str, str]:
        """The versions of PostgreSQL and pgvector, for the doctor (R8)."""
        with self.as_owner() as connection:
            row = connection.execute(
                "SELECT current_setting('server_version') AS server,"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector"
            ).fetchone()
        assert row is not None
        return row["server"], row["vector"] or "missing"


def _ids_are_strings(connection: psycopg.Connection[Any]) -> None:
    """Ids are strings everywhere outside the database."""
    connection.adapters.register_loader("uuid", TextLoader)


NOW = SQL("now()")


def insert(table: str, **values: Any) -> tuple[Composed, Row]:
    """The statement and its values that add a row. A value may be SQL, such as :data:`NOW`."""
    columns, given = _listed(map(Identifier, values)), _listed(map(_value, values, values.values()))
    return SQL("INSERT INTO {} ({}) VALUES ({})").format(Identifier(table), columns, given), values


def add(table: str, **values: Any) -> tuple[Composed, Row]:
    """As :func:`insert`, but a row whose unique key is there already changes nothing."""
    sql, given = insert(table, **values)
    return sql + SQL(" ON CONFLICT DO NOTHING"), given


def put(table: str, key: Mapping[str, Any], **values: Any) -> tuple[Composed, Row]:
    """As :func:`insert`, but the row that has the unique ``key`` gets the other ``values``."""
    sql, given = insert(table, **key, **values)
    changed = _listed(SQL("{0} = excluded.{0}").format(Identifier(name)) for name in values)
    return sql + SQL(" ON CONFLICT ({}) DO UPDATE SET {}").format(_listed(map(Identifier, key)), changed), given


def _listed(parts: Iterable[Composable]) -> Composed:
    return SQL(", ").join(parts)


def update(table: str, key: Mapping[str, Any], **values: Any) -> tuple[Composed, Row]:
    """The statement and its values that change the rows with this ``key``; a list in it stands for several ids."""
    changed = _listed(SQL("{} = {}").format(Identifier(n), _value(n, v)) for n, v in values.items())
    return SQL("UPDATE {} SET {} WHERE {}").format(Identifier(table), changed, _where(key)), {**values, **_keyed(key)}


def delete(table: str, **key: Any) -> tuple[Composed, Row]:
    """The statement and its values that delete the rows with this ``key``."""
    return SQL("DELETE FROM {} WHERE {}").format(Identifier(table), _where(key)), _keyed(key)


def _value(name: str, value: Any) -> Composable:
    return value if isinstance(value, Composable) else Placeholder(name)


def _where(key: Mapping[str, Any]) -> Composed:
    one, several = SQL("{} = {}"), SQL("{} = ANY({}::uuid[])")
    return SQL(" AND ").join(
        (several if isinstance(value, list) else one).format(Identifier(name), Placeholder(f"key_{name}"))
        for name, value in key.items()
    )


def _keyed(key: Mapping[str, Any]) -> Row:
    return {f"key_{name}": value for name, value in key.items()}


def made(kind: type[Kind], rows: Iterable[Mapping[str, Any]]) -> list[Kind]:
    """The rows as objects of the ``kind`` whose fields are called like their columns; other columns are left out."""
    read = _adapter(kind).validate_python  # type: ignore[arg-type]  # a class has a hash
    return [read(row) for row in rows]


def made_one(kind: type[Kind], row: Mapping[str, Any] | None) -> Kind | None:
    return None if row is None else made(kind, [row])[0]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def enter_as_user(connection: psycopg.Connection[Any], user_id: str, *, durable: bool = True) -> None:
    """Until the end of the transaction, row-level security shows only ``user_id``'s rows; ``durable`` as in
    :meth:`Database.as_user`."""
    connection.execute(_entering(durable), (SEARCH_PATH, user_id))


def _entering(durable: bool) -> str:
    return _ENTER_AS_USER if durable else _ENTER_AS_USER + _WITHOUT_WAITING


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn the driver's "cannot connect" errors into :class:`DatabaseUnavailable` and a full disk into
    :class:`DiskFull`; others are bugs and pass."""
    try:
        yield
    except psycopg.errors.DiskFull as error:
        raise DiskFull from error
    except (psycopg.OperationalError, PoolTimeout) as error:
        raise unavailable(error) from error


def unavailable(error: Exception, subject: str = "The database") -> DatabaseUnavailable:
    """The error with what server or driver said, for whoever has to repair it. ``subject`` is what was tried."""
    return DatabaseUnavailable(
        f"{subject} cannot be reached. Your work is kept; please try again in a moment. ({server_text(error)})"
    )


def server_text(error: Exception) -> str:
    """SQLSTATE, where there is one, and what server or driver said, in one line and without passwords (X3)."""
    told = " ".join(str(error).split()) or type(error).__name__
    for secret in _SECRETS:
        told = secret.sub(r"\1***", told)
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    return (f"{state}: {told}" if state else told)[:_MOST_TEXT]


_SECRETS = (
    re.compile(r"(password\s*=\s*)(?:'[^']*'|\S+)", re.IGNORECASE),
    re.compile(r"(://[^\s:/@]{0,200}:)[^\s@]+(?=@)"),
)
_MOST_TEXT = 400


def is_disk_full(folder: Path) -> bool:
    """Whether an embedded server in ``folder`` has too little room to go on."""
    try:
        return shutil.disk_usage(folder).free < _NEEDED_DISK_BYTES
    except OSError:
        return False


@contextmanager
def session(direct_conninfo: str) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    """A connection of its own with PolicyPal's search path, for libraries that write unqualified table names. The path is
    set afterwards and not asked for in the connection's ``options``, which PgBouncer refuses."""
    with translated_errors(), psycopg.connect(direct_conninfo, **SESSION, row_factory=dict_row) as connection:
        use_search_path(connection)
        yield connection


def use_search_path(connection: psycopg.Connection[Any]) -> None:
    """For a session's whole life; what a pool of sessions is configured with."""
    connection.execute("SELECT set_config('search_path', %s, false)", (SEARCH_PATH,))
    connection.commit()
