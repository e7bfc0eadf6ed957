"""The conversation with PolicyPal (U2)."""

from __future__ import annotations

from policypal.ui.guard import require_user
from policypal.ui.views import chat

chat.show(require_user())
