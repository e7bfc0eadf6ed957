"""``documents`` and ``search``: what is in the library."""

from __future__ import annotations

from argparse import Namespace

from policypal.application import library
from policypal.application.budget import charged_search
from policypal.cli import EXIT_RESPONSE
from policypal.cli.output import Output, table
from policypal.cli.records import document_record, passage_record
from policypal.cli.session import application
from policypal.domain.documents import Document
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
