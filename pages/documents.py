"""The library (section D)."""

from __future__ import annotations

from policypal.ui.guard import require_user
from policypal.ui.views import documents

documents.show(require_user())
