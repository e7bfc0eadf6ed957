"""Work on the installation itself rather than on anybody's documents (R2)."""

from __future__ import annotations

from policypal.application.wiring import migrate_all
from policypal.config import Settings
from policypal.db.connect import connect


def migrate(settings: Settings) -> list[str]:
    """Bring the database of the settings up to date without starting the application; the migrations applied now.
    Raises DatabaseUnavailable, ConfigurationError: with what to do about it."""
    embedded, db = connect(settings, "policypal-cli")
    try:
        return migrate_all(db)
    finally:
        if embedded is not None:
            embedded.stop()
