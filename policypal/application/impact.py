"""What a new version of a document touches: audits that rest on an earlier one, their obligations and policy clauses (A9, D8)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.application import reaudits
from policypal.application.container import Container
from policypal.compare.redline.changes import FoundChange, align
from policypal.db import provisions as provisions_db
from policypal.domain.audits import AuditReport
from policypal.domain.changes import Change, ChangeKind
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.text.clauses import Clause, clauses_of

_TOUCHING = (ChangeKind.CHANGED, ChangeKind.REMOVED)


@dataclass(frozen=True, slots=True)
class Touched:
    """A changed clause with what an audit held it against: ``other`` and its page are "" and None where there was nothing. ``standing`` is
    how the audit judged the two. ``after`` is "" where the clause is gone, ``before`` where it is new; ``change`` tells both word by word."""

    change: Change
    before: str
    after: str
    page: int | None
    other: str = ""
    other_page: int | None = None
    standing: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """Of one audit, made with ``older``."""

    report: AuditReport
    older: Document
    touched: tuple[Touched, ...]
    added: tuple[Touched, ...]
    """Obligations that the earlier version does not have; of a policy none are listed."""


def of_version(app: Container, user: User, document: Document) -> list[Impact]:
    """Every latest audit that rests on an earlier version of this document, and what of it changed since. Raises NotFound: it is gone."""
    found = []
    aligned: dict[str, tuple[FoundChange, ...]] = {}
    new = _clauses(app, user, document)
    for report, older in reaudits.resting_on_earlier(app, user, document.id):
        if older.id not in aligned:
            aligned[older.id] = align(_clauses(app, user, older), new).changes
        changes = aligned[older.id]
        touching = [c for c in changes if c.change.kind in _TOUCHING]
        is_source = report.source_document_id == older.id
        touched = _of_policy(report, touching) if is_source else _of_rules(report, older.id, touching)
        fresh = [] if is_source else _new_duties(changes, new)
        found.append(Impact(report, older, tuple(dict.fromkeys(touched)), tuple(fresh)))
    return found


def _clauses(app: Container, user: User, document: Document) -> list[Clause]:
    return clauses_of(provisions_db.load_provisions(app.db, user.id, document.id))


def _of_rules(report: AuditReport, older_id: str, changes: Iterable[FoundChange]) -> Iterator[Touched]:
    """Changed obligations of a regulation with the policy clause that was beside each; of an audit without a coverage its findings."""
    held = [
        (r.page, r.start, r.end, r.policy_quote, r.policy_page, r.status.value)
        for r in report.coverage or () if r.target_document_id == older_id
    ] or [
        (f.target_page, f.target_start, f.target_end, f.source_quote, f.source_page, f.kind.value.capitalize())
        for f in report.findings if f.target_document_id == older_id
    ]  # fmt: skip
    for found in changes:
        for page, start, end, other, other_page, standing in held:
            if _stands_in(found, page, start, end):
                yield Touched(found.change, *_words(found), page, other, other_page, standing)


def _of_policy(report: AuditReport, changes: Iterable[FoundChange]) -> Iterator[Touched]:
    """Changed clauses of a policy with the rule that each was held against."""
    for found in changes:
        for f in report.findings:
            if f.source_page and _stands_in(found, f.source_page, f.source_start, f.source_end):
                yield Touched(
                    found.change,
                    *_words(found),
                    f.source_page,
                    f.target_quote,
                    f.target_page,
                    f.kind.value.capitalize(),
                )
        before = _bare(_words(found)[0])
        for r in report.coverage or ():
            if r.policy_quote and _bare(r.policy_quote) in before:
                yield Touched(found.change, *_words(found), r.policy_page, r.obligation, r.page, r.status.value)


def _new_duties(changes: Iterable[FoundChange], new: Sequence[Clause]) -> list[Touched]:
    binding = {(p.page, p.start) for c in new if c.kind.binds for p in c.places}
    return [
        Touched(found.change, "", _words(found)[1], found.new[0].page) for found in changes
        if found.change.kind is ChangeKind.ADDED and any((p.page, p.start) in binding for p in found.new)
    ]  # fmt: skip


def _stands_in(found: FoundChange, page: int, start: int | None, end: int | None) -> bool:
    if start is None or end is None:
        return False
    return any(p.page == page and p.start < end and start < p.end for p in found.old)


def _words(found: FoundChange) -> tuple[str, str]:
    """Of the old and of the new version."""
    parts = found.change.parts
    before = "".join(p.text for p in parts if p.op != "added")
    after = "".join(p.text for p in parts if p.op != "removed")
    is_gone = found.change.kind is ChangeKind.REMOVED
    return " ".join(before.split()), "" if is_gone else " ".join(after.split())


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" “”\"'….").casefold()
