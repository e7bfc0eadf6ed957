"""The command line: the same functions as the pages, as a stable contract (section K).

stdout carries data only; logs and remarks go to stderr. Exit codes: 0 a response, 3 a question (its payload is the last
line), 1 an error (typed, the last line with ``--json``), 2 a command that cannot be understood.
"""

import contextlib
import logging
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from policypal.cli.logs import log_file, log_to_stderr
from policypal.cli.output import Output
from policypal.cli.parser import parse
from policypal.errors import PolicyPalError, RunStopped

logger = logging.getLogger(__name__)

Command = Callable[[Namespace, Output], int]

EXIT_RESPONSE, EXIT_ERROR, EXIT_USAGE, EXIT_QUESTION = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code. Nothing is raised but ``SystemExit(2)`` for a misspelt command."""
    args = parse(arguments)
    out = Output(sys.stdout, json=args.json)
    log_to_stderr()
    # a polite end, with the database closed, however the process is asked to go
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.redirect_stdout(sys.stderr):  # whatever a library prints is not data
        return _guarded(args, out)


def _guarded(args: Namespace, out: Output) -> int:
    """Every failure leaves as a typed error (X4)."""
    try:
        return _command(args.command)(args, out)
    except PolicyPalError as error:
        logger.info("`%s` ended with %s", args.command, error.code, exc_info=True)
        out.error(error)
    except KeyboardInterrupt:
        out.error(RunStopped("Stopped. What was stored stays stored, and documents that wait stay queued."))
    except BrokenPipeError:
        out.abandon()  # the reader, `head` for example, has seen enough
    except Exception:  # the last line of defence: the traceback goes to the log file, never on the screen
        logger.exception("unexpected failure of `%s`", args.command)
        out.error(PolicyPalError())
        if (log := log_file()) is not None:
            out.remark(f"The details are in {log}.")
    return EXIT_ERROR


def _command(name: str) -> Command:
    """The function behind "module:function". Imported late, so that ``--help`` does not load a database driver."""
    module, function = name.split(":")
    command: Command = getattr(import_module(f"policypal.cli.{module}"), function)
    return command
