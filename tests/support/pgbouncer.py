"""PgBouncer in front of an embedded server, where the program is installed; tests that need it are skipped elsewhere."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from tests.support.timeouts import LONGEST_WAIT_SECONDS

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")


@contextmanager
def pooler(conninfo: str, folder: Path, *, mode: str = "transaction", size: int = 5) -> Iterator[str]:
    """The address of a pooler that leads to ``conninfo``'s server."""
    assert PROGRAM is not None
    server = conninfo_to_dict(conninfo)
    port = _free_port()
    socket_folder = str(server["host"])
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npostgres = host={socket_folder} port={server.get('port', 5432)} dbname=postgres user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = {mode}\ndefault_pool_size = {size}\nlogfile = {folder / 'pgbouncer.log'}\n"
    )
    command = [PROGRAM, str(settings)]
    if (
        os.geteuid() == 0
    ):  # it refuses to run as root, and so does the server: as the server's user both reach the socket
        command[1:1] = ["-u", "pgserver"]
        folder.chmod(0o777)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_listens(port)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(port: int) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the pooler did not start"
            time.sleep(0.05)
