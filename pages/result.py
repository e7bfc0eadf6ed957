"""A summary or a comparison, whole (U2c)."""

from __future__ import annotations

from policypal.ui.chat import result_page as result
from policypal.ui.guard import require_user

result.show(require_user())
