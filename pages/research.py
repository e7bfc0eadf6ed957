"""Reports from a broad prompt, with their sources, versions and forks (section W)."""

from __future__ import annotations

from policypal.ui.guard import require_user
from policypal.ui.research import page as research

research.show(require_user())
