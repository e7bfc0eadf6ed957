"""``python -m policypal``."""

from __future__ import annotations

import sys

from policypal.cli import main

if __name__ == "__main__":
    sys.exit(main())
