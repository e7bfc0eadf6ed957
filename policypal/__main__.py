"""``python -m policypal``."""

import logging
import os
import sys
import threading

from policypal.cli import main


def leave(code: int) -> None:
    """End the process. A step that was abandoned may still wait in native code for its provider; Python would tear its
    thread down there, which aborts the process instead of ending it with ``code``. The database is closed by now."""
    if any(thread.daemon for thread in threading.enumerate()):
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    leave(main())
