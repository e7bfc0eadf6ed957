"""Which database: the settings' own server, or the embedded one (R2)."""

from __future__ import annotations

from policypal.config import Settings
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.pool import Database


def connect(settings: Settings) -> tuple[EmbeddedPostgres | None, Database]:
    """The database of the settings, started if it is embedded, not yet opened.

    Raises:
        DatabaseUnavailable: the embedded server cannot start.
    """
    if settings.database_url is not None:
        direct = settings.direct_url or settings.database_url
        return None, Database(settings.database_url.get_secret_value(), direct.get_secret_value())
    embedded = EmbeddedPostgres(settings.data_dir)
    return embedded, Database(embedded.start())
