"""Stored audits and their findings (A5, A7, A8)."""

from __future__ import annotations

from policypal.ui.guard import require_user
from policypal.ui.views import audit_reports

audit_reports.show(require_user())
