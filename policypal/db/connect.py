"""Which database: the settings' own server, or the embedded one (R2)."""

from __future__ import annotations

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.pool import Database
from policypal.domain.private import close, make_private
from policypal.errors import ConfigurationError


def connect(settings: Settings, process: str) -> tuple[EmbeddedPostgres | None, Database]:
    """The database of the settings, started if it is embedded, not yet opened, and the data folder closed to others.
    ``process`` as in :class:`Database`.

    Raises:
        DatabaseUnavailable, DiskFull: the embedded server cannot start.
        ConfigurationError: a connection address is malformed, which the message does not repeat; or the data folder cannot
            be made.
    """
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
