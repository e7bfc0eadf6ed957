"""Profile, engine, usage (U9)."""

from __future__ import annotations

from policypal.ui.guard import require_user
from policypal.ui.settings import page as settings

settings.show(require_user())
