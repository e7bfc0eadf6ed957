"""Commands as processes of their own that need not load the libraries first: this process has, and divides for each.

Reads one JSON object per line, {"args", "env", "cwd", "stdout", "stderr"}, and answers each with the exit code of the
command. Most of a short command's time is loading; a test pays for it once.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    import policypal.application.container
    import policypal.graph.agent.agent  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(wanted: dict[str, Any]) -> None:
    """The command, with its own folder, environment and streams, as if it had been started; does not return."""
    for name, number, flags in (
        (os.devnull, 0, os.O_RDONLY),
        (wanted["stdout"], 1, os.O_WRONLY),
        (wanted["stderr"], 2, os.O_WRONLY),
    ):
        os.dup2(os.open(name, flags), number)
    os.chdir(wanted["cwd"])
    os.environ.clear()
    os.environ.update(wanted["env"])
    sys.argv = ["policypal", *wanted["args"]]
    code = 1
    try:
        from policypal.__main__ import leave
        from policypal.cli import main as command

        leave(command(wanted["args"]))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
