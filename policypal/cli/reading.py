"""``documents`` and ``search``: what is in the library."""

from argparse import Namespace

from policypal.application import library
from policypal.application import register as register_app
from policypal.application.budget import charged_search
from policypal.cli import EXIT_RESPONSE
from policypal.cli.output import Output, table
from policypal.cli.records import document_record, passage_record, register_record
from policypal.cli.session import application
from policypal.domain.documents import Document
from policypal.domain.register import Register, RegisterEntry
from policypal.domain.text import counted
from policypal.errors import InvalidInput


def documents(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        found = library.list_documents(app, user)
    if out.json:
        for document in found:
            out.show(document_record(document), "")
    elif found:
        out.text(table([("STATUS", "TYPE", "PAGES", "SET", "TITLE"), *(_row(d) for d in found)]))
    else:
        out.remark("The library is empty. Add documents with `ingest`, or the samples with `demo`.")
    return EXIT_RESPONSE


def _row(d: Document) -> tuple[str, ...]:
    reason = f": {d.reason}" if d.reason else ""
    return d.status.value, d.type.value, str(d.pages), d.set_name or "", d.display_title + reason


def search(args: Namespace, out: Output) -> int:
    if not args.query.strip():
        raise InvalidInput("Please say what to search for.")
    with application(args) as (app, user):
        ids = [library.find_by_title(app, user, title).id for title in args.doc] or None
        hits = charged_search(app, user).find(user.id, args.query, document_ids=ids, limit=args.k)
    for rank, hit in enumerate(hits, 1):
        head = f"{rank}. {hit.passage.document_label}, p. {hit.passage.page} (score {hit.score:.2f})"
        out.show(passage_record(rank, hit), f"{head}\n{hit.passage.text}\n")
    if not hits:
        out.remark("Nothing found.")
    return EXIT_RESPONSE


_FILES = {"csv": register_app.csv_of, "xlsx": register_app.xlsx_of}


def register(args: Namespace, out: Output) -> int:
    out.check_screen(args.format, args.output)
    with application(args) as (app, user):
        document = library.find_by_title(app, user, args.document)
        if args.with_model:
            otherwise = register_app.read_by_model(app, user, document.id)
            out.remark(f"The model reads {otherwise} entries otherwise than the rules.")
        if args.by_rules:
            register_app.forget_reading_by_model(app, user, document.id)
        found = register_app.load(app, user, document.id)
        if args.format in _FILES:
            found = register_app.with_notes(app, user, found)
    if args.format not in _FILES:
        _tell(found, out, as_json=out.json or args.format == "json")
        return EXIT_RESPONSE
    data = _FILES[args.format](found, found.entries)
    out.file(data, args.output, f"the register of {document.display_title}")
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
    out.text(table([("PROVISION", "PAGE", "KIND", "BINDS", "OBLIGATION"), *(_entry_row(e) for e in found.counting)]))
    out.remark(
        f"{len(found.counting)} obligations and prohibitions; {counted(len(found.parties), 'party', 'parties')} named."
    )


def _entry_row(e: RegisterEntry) -> tuple[str, ...]:
    return e.label, str(e.page or ""), e.kind.value, e.party[:40], " ".join(e.full.split())[:160]
