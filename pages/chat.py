"""The conversation with PolicyPal (U2)."""

from __future__ import annotations

from policypal.ui.chat import page as chat
from policypal.ui.guard import require_user

chat.show(require_user())
