"""The grammar of the command line (section K). Imports nothing heavy: ``--help`` answers at once."""

from __future__ import annotations

import argparse
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from policypal import __version__

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

TYPES = ("regulatory", "company")
ACTIONS = ("summarize", "inquire", "compare", "audit")
ANSWERS = (
    "doc_choice", "action_choice", "text_input", "retrieval_low", "plan_choice", "plan_approval", "budget_approval", "cancel",
)  # fmt: skip
FORMATS = ("csv", "xlsx", "docx")
REGISTER_FORMATS = ("json", "csv", "xlsx")
MAX_RESULTS = 100
_WITHOUT_OPTIONS = (
    ("documents", "reading:documents", "List the library."),
    ("worker", "installation:worker", "Read queued documents until stopped."),
    ("migrate", "installation:migrate", "Bring the database up to date."),
    ("doctor", "installation:doctor", "Tell what is configured and reachable, and what to do about the rest."),
    ("demo", "installation:demo", "Add the sample documents, ask a question and run an audit."),
)

_EXIT_CODES = "Exit codes: 0 a response, 3 a question (answer it with `resume`), 1 an error, 2 a wrong command."


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command that was typed, as its parser understands it. Raises SystemExit: with 2 for a misspelt command,
    with 0 after a help text."""
    return build_parser().parse_args(arguments)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m policypal",
        description="PolicyPal on the command line: documents in, cited answers and audit reports out.",
        epilog=_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"PolicyPal {__version__}")
    _add_shared(parser)
    parser.set_defaults(json=False, data_dir=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (_ingest, _ask, _resume, _search, _register, _audit, _audits, _research):
        add(commands)
    for name, function, help in _WITHOUT_OPTIONS:
        _command(commands, name, function, help)
    return parser


def _add_shared(parser: argparse.ArgumentParser) -> None:
    """Options that mean the same before and after the command. SUPPRESS keeps the later parser from resetting them."""
    where = "where database and files are kept (default: POLICYPAL_DATA_DIR, else .policypal)"
    parser.add_argument("--data-dir", type=Path, default=argparse.SUPPRESS, metavar="FOLDER", help=where)
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON object per line")


def _command(commands: Commands, name: str, function: str, help: str, epilog: str = "") -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help, description=help, epilog=epilog, allow_abbrev=False)
    _add_shared(parser)
    parser.set_defaults(command=function)
    return parser


def _ingest(commands: Commands) -> None:
    parser = _command(commands, "ingest", "ingest:ingest", "Add files, or all files of folders, to the library.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--type", required=True, choices=TYPES, help="regulatory source or company policy")
    parser.add_argument("--title", default="", help="for a single file (default: taken from the document)")
    parser.add_argument("--version", default="", help="version or year")
    parser.add_argument("--set", default="", metavar="SET", help="set to put it in; created on first use")
    parser.add_argument("--alias", action="append", default=[], help="another name, for a single file; repeatable")
    parser.add_argument(
        "--password",
        help="opens encrypted PDFs, and is not stored; `-` asks for it or reads it from stdin, which keeps it out of the list of"
        " processes, as POLICYPAL_PDF_PASSWORD does",
    )
    parser.add_argument("--wait", action="store_true", help="read the files now and tell how each of them ended")


def _ask(commands: Commands) -> None:
    told = "Ask for a summary, an answer, a comparison or an audit."
    parser = _command(commands, "ask", "asking:ask", told, _EXIT_CODES)
    parser.add_argument("message", metavar="MESSAGE")
    _add_documents(parser)
    parser.add_argument("--set", action="append", default=[], metavar="NAME", help="all documents of a set; repeatable")
    parser.add_argument("--action", choices=ACTIONS, help="instead of letting PolicyPal recognise it")
    parser.add_argument("--web", action="store_true", help="search the web as well")
    parser.add_argument("--without-model", action="store_true", help="quotations and templates only, at no cost")
    parser.add_argument("--thread", type=thread_id, metavar="ID", help="go on with this conversation")


def _resume(commands: Commands) -> None:
    told = (
        "Answer the question a conversation or a research thread waits with; without --type, go on with research that was"
        " interrupted."
    )
    parser = _command(commands, "resume", "asking:resume", told, _EXIT_CODES)
    parser.add_argument("thread", type=thread_id, metavar="THREAD")
    parser.add_argument("--type", choices=ANSWERS, help="the question's interrupt_type, or cancel")
    parser.add_argument("--value", action="append", default=[], help="an option's id or label, or a text; repeatable")


def _search(commands: Commands) -> None:
    parser = _command(commands, "search", "reading:search", "Find passages, best first.")
    parser.add_argument("query", metavar="QUERY")
    _add_documents(parser)
    parser.add_argument("-k", type=_result_count, default=10, metavar="N", help="how many passages (default: 10)")


def _register(commands: Commands) -> None:
    parser = _command(commands, "register", "reading:register", "Show or export a document's register of obligations.")
    parser.add_argument("document", metavar="DOCUMENT", help="title, alias or id")
    read = parser.add_mutually_exclusive_group()
    read.add_argument("--with-model", action="store_true", help="have the model read which entries oblige, and whom")
    read.add_argument("--by-rules", action="store_true", help="forget what the model has read")
    parser.add_argument("--format", choices=REGISTER_FORMATS, default="", help="default: a table to read")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def _audit(commands: Commands) -> None:
    parser = _command(commands, "audit", "audits:audit", "Audit a document or a file against others.", _EXIT_CODES)
    parser.add_argument("--source", required=True, metavar="TITLE|FILE", help="what is audited")
    parser.add_argument("--against", required=True, action="append", metavar="TITLE", help="a regulation; repeatable")
    parser.add_argument("--focus", default="", metavar="TEXT", help="only obligations on this subject")
    parser.add_argument("--estimate", action="store_true", help="tell what it would take, and do nothing")


def _audits(commands: Commands) -> None:
    audits = commands.add_parser("audits", help="List, show and export audit reports.", allow_abbrev=False)
    _add_shared(audits)
    kinds = audits.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _command(kinds, "list", "audits:list_reports", "List the audit reports, latest first.")
    show = _command(kinds, "show", "audits:show", "Show a report with its findings.")
    show.add_argument("id", metavar="ID")
    export = _command(kinds, "export", "audits:export", "Write a report's findings to a file.")
    export.add_argument("id", metavar="ID")
    export.add_argument("--format", required=True, choices=FORMATS)
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def _research(commands: Commands) -> None:
    start = _command(commands, "research", "asking:start", "Write a report from the library and the web.", _EXIT_CODES)
    start.add_argument("goal", metavar="GOAL")
    start.add_argument("--mode", choices=("auto", "plan"), default="auto", help="plan asks first (default: auto)")
    _add_documents(start)
    start.add_argument("--without-model", action="store_true", help="quotations and templates only, at no cost")


def _add_documents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--doc", action="append", default=[], metavar="TITLE", help="title, alias or id; repeatable")


def thread_id(text: str) -> str:
    """The canonical form of a conversation's id."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not the id of a conversation") from None


def _result_count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_RESULTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_RESULTS}")
    return int(text)
