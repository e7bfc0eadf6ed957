"""The provisions of documents and what analysts changed in their registers (D11, D12).

Rows of a deleted document are read through its row, which row-level security hides.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from policypal.db.documents import load_page_texts
from policypal.db.jobs import ready_without_job
from policypal.db.pool import Connection, Database, Values, delete, made, put, update
from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import RegisterChange

MOST_LABELLED = 200
"""Provisions looked up by one label; a part of a long regulation has about so many."""
MOST_DEFINING = MOST_UNDER = 20
_OPENING = 120
Found: TypeAlias = tuple[dict[str, list[Provision]], dict[tuple[str, int], str]]
"""Provisions by document id, and the texts of all pages they stand on."""
_HERE = "JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id WHERE p.document_id = %s AND p.user_id = %s"


def insert_provisions(
    c: Connection,
    user_id: str,
    document_id: str,
    provisions: Sequence[Provision],
    *,
    outline: Sequence[str],
    version: int,
) -> None:
    """Replace a document's provisions by what a reader of this ``version`` found, in the caller's transaction."""
    c.execute(*delete("provisions", document_id=document_id, user_id=user_id))
    rows = [
        {"ordinal": p.ordinal, "label": p.label, "headings": p.headings, "page": p.page, "sentences": _packed(p)}
        for p in provisions
    ]
    # one statement: a row at a time takes three times as long
    c.execute(
        "INSERT INTO provisions (document_id, user_id, ordinal, label, headings, page, sentences) SELECT %s, %s, t.*"
        " FROM jsonb_to_recordset(%s::jsonb) AS t(ordinal int, label text, headings text[], page int, sentences jsonb)",
        (document_id, user_id, json.dumps(rows)),
    )
    c.execute(*put("outlines", {"document_id": document_id}, user_id=user_id, titles=list(outline)))
    c.execute(*update("documents", {"id": document_id, "user_id": user_id}, reader_version=version))


def load_provisions(db: Database, user_id: str, document_id: str) -> list[Provision]:
    """The provisions of a document in reading order, with the words of their sentences."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            f"SELECT p.ordinal, p.label, p.headings, p.page, p.sentences FROM provisions p {_HERE} ORDER BY p.ordinal",
            (document_id, user_id),
        ).fetchall()
        pages = c.execute(f"SELECT p.number, p.text FROM pages p {_HERE}", (document_id, user_id)).fetchall()
    texts = {row["number"]: row["text"] for row in pages}
    return [_provision(row, texts) for row in rows]


def headings_of(db: Database, user_id: str, document_id: str) -> list[tuple[list[str], int, int]]:
    """The headings that lead to provisions, outermost first, in reading order; where the text below each begins (a table of contents
    names it before), and how many of its sentences bind somebody."""
    sql = (
        "SELECT p.headings, coalesce(min(p.page) FILTER (WHERE of.said > 0), min(p.page)) AS page, sum(of.duties)::int AS duties"
        " FROM provisions p CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE s->>4 <> %s) AS said,"
        " count(*) FILTER (WHERE s->>4 = ANY(%s)) AS duties FROM jsonb_array_elements(p.sentences) s) of"
        f" {_HERE} GROUP BY p.headings ORDER BY coalesce(min(p.ordinal) FILTER (WHERE of.said > 0), min(p.ordinal))"
    )
    rows = db.rows(user_id, sql, (Kind.HEADING.value, [k.value for k in Kind if k.binds], document_id, user_id))
    return [(row["headings"], row["page"], row["duties"]) for row in rows]


def latest_reading(db: Database, user_id: str, document_id: str) -> str:
    """What tells the readings of a document apart: the transaction that stored the outline, and the provisions with it; "" before the
    first one."""
    row = db.row(user_id, f"SELECT p.xmin::text AS written FROM outlines p {_HERE}", (document_id, user_id))
    return row["written"] if row else ""


def provisions_numbered(db: Database, user_id: str, document_id: str, ordinals: Sequence[int]) -> dict[int, Provision]:
    """The provisions of a document with these numbers, by their numbers."""
    sql = f"SELECT p.* FROM provisions p {_HERE} AND p.ordinal = ANY(%s)"
    found, _ = _by_document(db, user_id, sql, (document_id, user_id, list(ordinals)))
    return {p.ordinal: p for p in found.get(document_id, ())}


def provisions_on(db: Database, user_id: str, places: Collection[tuple[str, int]]) -> Found:
    """By document id: the provisions that stand on these (document id, page), in reading order; and the texts of all pages they
    stand on."""
    ids, pages = [document for document, _ in places], [page for _, page in places]
    sql = (
        "SELECT DISTINCT ON (p.document_id, p.ordinal) p.* FROM unnest(%s::uuid[], %s::int[]) AS w(document_id, page)"
        " JOIN documents d ON d.id = w.document_id AND d.user_id = %s"
        " CROSS JOIN LATERAL (SELECT coalesce(max(b.ordinal), 0) AS ordinal FROM provisions b"
        "  WHERE b.document_id = w.document_id AND b.page < w.page) AS before"  # once per page; in a condition, once per provision
        " JOIN provisions p ON p.document_id = w.document_id AND p.user_id = d.user_id AND p.page <= w.page"
        "  AND p.ordinal >= before.ordinal ORDER BY p.document_id, p.ordinal"
    )
    return _by_document(db, user_id, sql, (ids, pages, user_id))


def provisions_labelled(db: Database, user_id: str, labels: Sequence[str], document_ids: Sequence[str] | None) -> Found:
    """By document id: the provisions with one of these ``labels`` and what they are divided into ("Art. 17" also finds "Art. 17(1)"),
    and what stands under a heading that has it; and the texts of their pages. ``document_ids`` None looks through the whole
    library."""
    sql = (
        "WITH named AS MATERIALIZED (SELECT p.document_id, p.ordinal, p.headings, p.sentences->0->>4 = 'heading' AS opens"
        "  FROM provisions p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id WHERE p.user_id = %(user)s"
        "  AND (%(ids)s::uuid[] IS NULL OR p.document_id = ANY(%(ids)s::uuid[]))"
        "  AND (upper(p.label) = ANY(%(labels)s) OR upper(p.label) LIKE ANY(%(inner)s)))"
        " SELECT DISTINCT ON (p.document_id, p.ordinal) p.* FROM named n"
        " JOIN provisions p ON p.user_id = %(user)s AND p.document_id = n.document_id AND (p.ordinal = n.ordinal"
        "  OR (n.opens AND p.ordinal > n.ordinal AND p.headings[1:cardinality(n.headings)] = n.headings))"
        " ORDER BY p.document_id, p.ordinal LIMIT %(most)s"
    )
    wanted = [label.upper() for label in labels]
    inner, ids = [f"{label}(%" for label in wanted], None if document_ids is None else list(document_ids)
    values = {"user": user_id, "ids": ids, "most": MOST_LABELLED, "labels": wanted, "inner": inner}
    return _by_document(db, user_id, sql, values)


def provisions_under(db: Database, user_id: str, document_id: str, heading: str) -> Found:
    """The first provisions of a document below a heading, as :func:`provisions_labelled` gives them."""
    sql = f"SELECT p.* FROM provisions p {_HERE} AND %s = ANY(p.headings) ORDER BY p.ordinal LIMIT %s"
    return _by_document(db, user_id, sql, (document_id, user_id, heading, MOST_UNDER))


def load_reading(db: Database, user_id: str, document_id: str) -> tuple[list[Page], list[str]]:
    """What the reader of provisions needs of a stored document: its pages and the titles of its outline."""
    with db.as_user(user_id) as c:
        row = c.execute(f"SELECT p.titles FROM outlines p {_HERE}", (document_id, user_id)).fetchone()
        pages = c.execute(f"SELECT p.number, p.text FROM pages p {_HERE} ORDER BY p.number", (document_id, user_id))
        return [Page(**p) for p in pages.fetchall()], list(row["titles"]) if row else []


def documents_to_read(db: Database, version: int, *, task: str) -> list[tuple[str, str]]:
    """(user id, document id) of ready documents whose provisions an older reader made, and that no job of ``task`` waits for."""
    return ready_without_job(db, "reader_version < %s", version, task)


def load_changes(db: Database, user_id: str, document_id: str) -> dict[str, RegisterChange]:
    """What was changed in the register of a document, by the entry it concerns."""
    sql = f"SELECT p.* FROM register_changes p {_HERE} ORDER BY p.created_at, p.id"
    return {change.entry: change for change in made(RegisterChange, db.rows(user_id, sql, (document_id, user_id)))}


def save_change(db: Database, user_id: str, document_id: str, change: RegisterChange) -> None:
    """Store what an entry was changed to; the latest change of an entry counts."""
    sql = (
        "INSERT INTO register_changes (id, user_id, document_id, entry, text, is_added, is_struck, merged_into, kind, party, note)"
        " VALUES (gen_random_uuid(), %(user)s, %(document)s, %(entry)s, %(text)s, %(is_added)s, %(is_struck)s, %(merged_into)s,"
        " %(kind)s, %(party)s, %(note)s)"
        " ON CONFLICT (document_id, entry) DO UPDATE SET is_struck = EXCLUDED.is_struck, merged_into = EXCLUDED.merged_into,"
        " kind = EXCLUDED.kind, party = EXCLUDED.party, note = EXCLUDED.note, text = EXCLUDED.text, updated_at = now()"
    )
    db.run(user_id, sql, {"user": user_id, "document": document_id, **asdict(change)})


def delete_change(db: Database, user_id: str, document_id: str, entry: str) -> None:
    """Take a change back: the entry is again as it was read; what was added is gone."""
    db.run(user_id, *delete("register_changes", document_id=document_id, user_id=user_id, entry=entry))


def provisions_defining(db: Database, user_id: str, term: str, document_ids: Collection[str]) -> Found:
    """By document id: the provisions with a definition that begins with a term, at most a few; and the texts of their pages."""
    sql = (
        "SELECT DISTINCT ON (p.document_id, p.ordinal) p.* FROM provisions p"
        " JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id"
        " CROSS JOIN LATERAL jsonb_array_elements(p.sentences) AS s(place)"
        " JOIN pages g ON g.document_id = p.document_id AND g.number = (s.place->>1)::int"
        " WHERE p.user_id = %s AND p.document_id = ANY(%s::uuid[]) AND s.place->>4 = 'definition' AND position(%s IN"
        "  lower(regexp_replace(substr(g.text, (s.place->>2)::int + 1, %s), '[[:space:]]+', ' ', 'g'))) > 0"
        " ORDER BY p.document_id, p.ordinal LIMIT %s"
    )
    return _by_document(db, user_id, sql, (user_id, list(document_ids), term.lower(), _OPENING, MOST_DEFINING))


def label_places(
    db: Database, user_id: str, places: Collection[tuple[str, int]]
) -> dict[tuple[str, int], list[tuple[int, str]]]:
    """For each (document id, page): where the provisions on it begin, with their labels, in reading order. That of one that begins
    before the page stands at 0."""
    found, _ = provisions_on(db, user_id, places)
    starts: dict[tuple[str, int], list[tuple[int, str]]] = {place: [] for place in places}
    for document, provisions in found.items():
        for provision in provisions:
            for page in {s.page for s in provision.sentences} & {p for d, p in places if d == document}:
                first = min(s.start for s in provision.sentences if s.page == page)
                starts[document, page].append((first if page == provision.page else 0, provision.label))
    return starts


def count_provisions(db: Database, user_id: str, document_ids: Sequence[str]) -> int:
    """How many provisions the documents have that say more than a heading."""
    sql = (
        "SELECT count(*) AS found FROM provisions p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id"
        " WHERE p.user_id = %s AND p.document_id = ANY(%s::uuid[]) AND p.sentences->-1->>4 <> 'heading'"
    )
    row = db.row(user_id, sql, (user_id, list(document_ids)))
    return int(row["found"]) if row else 0


def _by_document(db: Database, user_id: str, sql: str, values: Values) -> Found:
    rows = db.rows(user_id, sql, values)
    places = {(row["document_id"], sentence[1]) for row in rows for sentence in row["sentences"]}
    texts = load_page_texts(db, user_id, sorted(places))
    found: dict[str, list[Provision]] = {}
    for row in rows:
        document = row["document_id"]
        pages = {page: text for (owner, page), text in texts.items() if owner == document}
        found.setdefault(document, []).append(_provision(row, pages))
    return found, texts


def _packed(provision: Provision) -> list[list[object]]:
    return [
        [s.number, s.page, s.start, s.end, s.kind, s.introduction, s.introduces, s.party] for s in provision.sentences
    ]


def _provision(row: Mapping[str, Any], texts: Mapping[int, str]) -> Provision:
    sentences = tuple(
        ProvisionSentence(number, page, start, end, texts[page][start:end], Kind(kind), introduction, introduces, party)
        for number, page, start, end, kind, introduction, introduces, party in row["sentences"]
        if page in texts
    )
    return Provision(row["ordinal"], row["label"], tuple(row["headings"]), row["page"], sentences)
