"""The library (section D)."""

from __future__ import annotations

from policypal.ui.documents import page as documents
from policypal.ui.guard import require_user

documents.show(require_user())
