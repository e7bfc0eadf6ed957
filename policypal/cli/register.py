"""``register``: the obligations of a document (D12)."""

from __future__ import annotations

from argparse import Namespace

from policypal.application import library
from policypal.application import register as register_app
from policypal.cli import EXIT_RESPONSE
from policypal.cli.output import Output, table, write_file
from policypal.cli.records import register_record
from policypal.cli.session import application
from policypal.domain.register import Register, RegisterEntry
from policypal.domain.text import counted
from policypal.errors import InvalidInput

_FILES = {"csv": register_app.csv_of, "xlsx": register_app.xlsx_of}


def register(args: Namespace, out: Output) -> int:
    if args.output is None and args.format == "xlsx" and out.is_terminal:
        raise InvalidInput("An xlsx file is not for the screen. Please name a file with -o.")
    with application(args) as (app, user):
        document = library.find_by_title(app, user, args.document)
        found = register_app.load(app, user, document.id)
    if args.format not in _FILES:
        _tell(found, out, as_json=out.json or args.format == "json")
        return EXIT_RESPONSE
    data = _FILES[args.format](found, found.entries)
    if args.output is None:
        out.data(data)
    else:
        write_file(args.output, data)
        out.remark(f"Wrote the register of {document.display_title} to {args.output}.")
    return EXIT_RESPONSE


def _tell(found: Register, out: Output, *, as_json: bool) -> None:
    if as_json:
        for entry in found.entries:
            out.line(register_record(entry))
        return
    if not found.is_current:
        out.remark("This document is still being read again; older entries are shown.")
    if not found.counting:
        out.remark("No sentence of this document obliges anybody, as far as it could be read.")
        return
    out.text(table([("PROVISION", "PAGE", "KIND", "BINDS", "OBLIGATION"), *(_row(e) for e in found.counting)]))
    out.remark(
        f"{len(found.counting)} obligations and prohibitions; {counted(len(found.parties), 'party', 'parties')} named."
    )


def _row(e: RegisterEntry) -> tuple[str, ...]:
    return e.label, str(e.page or ""), e.kind.value, e.party[:40], " ".join(e.full.split())[:160]
