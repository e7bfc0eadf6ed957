"""Processes of this machine, by their numbers."""

from __future__ import annotations

import os
import sys


def is_running(pid: int) -> bool:
    """Whether a process with this number exists on this machine; on Windows, where asking would end it, always True."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it belongs to somebody else
    return True
