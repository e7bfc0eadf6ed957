"""Stored audits and their findings (A5, A7, A8)."""

from __future__ import annotations

from policypal.ui.audits import page as audit_reports
from policypal.ui.guard import require_user

audit_reports.show(require_user())
