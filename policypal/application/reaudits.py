"""Auditing the same again after a change: what to send, and what became of the findings (A9, D8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from policypal.application import library
from policypal.application.container import Container
from policypal.audit.finding_changes import FindingChanges, finding_changes
from policypal.db import audits as audits_db
from policypal.domain.audits import PASTED_TEXT, AuditReport, AuditSubject, ReportOverview
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.users import User
from policypal.domain.versions import version_families


@dataclass(frozen=True, slots=True)
class Reaudit:
    """What to audit again: the latest versions of what a report was made from. ``source`` is None where a text was
    audited; ``gone`` are the titles of documents that are not in the library any more."""

    source: Document | None
    text: str
    targets: tuple[Document, ...]
    gone: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether there is something to audit and something to audit it against, and all of it has been read."""
        documents = [*self.targets, *([self.source] if self.source else [])]
        all_read = all(d.status is DocumentStatus.READY for d in documents)
        return bool(self.targets) and bool(self.source or self.text) and all_read


def again(app: Container, user: User, report: AuditReport) -> Reaudit:
    """The report's source and targets as they would be audited today."""
    documents = library.list_documents(app, user)
    latest = _latest(documents)
    known = {d.id for d in documents}
    targets = [d.id for d in report.documents if d.id != report.source_document_id]
    source = latest.get(report.source_document_id or "")
    gone = tuple(d.title for d in report.documents if d.id not in known)
    text = "" if report.source_document_id else report.source_text or ""
    found = dict.fromkeys(latest[i].id for i in targets if i in latest)
    by_id = {d.id: d for d in documents}
    return Reaudit(source, text, tuple(by_id[i] for i in found), gone)


def resting_on_earlier(app: Container, user: User, document_id: str) -> list[tuple[AuditReport, Document]]:
    """The latest version of each audit that was made from an earlier version of this document, with that one; the latest first (D8)."""
    documents = library.list_documents(app, user)
    family = version_families(documents).get(document_id, ())
    position = next((n for n, d in enumerate(family) if d.id == document_id), len(family))
    earlier = {d.id: d for d in family[position + 1 :]}
    if not earlier:
        return []
    audited = audits_db.list_subjects(app.db, user.id)
    latest = latest_of(audited, documents)
    subjects = [s for s in audited if s.report_id in latest and earlier.keys() & set(s.document_ids)]
    found = ((audits_db.find_report(app.db, user.id, s.report_id), s) for s in subjects)
    return [
        (report, next(earlier[i] for i in s.document_ids if i in earlier)) for report, s in found if report is not None
    ]


def report_before(app: Container, user: User, report: AuditReport) -> AuditReport | None:
    """The latest earlier audit of the same source against the same targets, in whatever versions."""
    subjects = audits_db.list_subjects(app.db, user.id)
    own = next((n for n, s in enumerate(subjects) if s.report_id == report.id), len(subjects))
    roots = _roots(library.list_documents(app, user)) if subjects[own + 1 :] else {}
    for subject in subjects[own + 1 :]:  # the latest first
        if _audited(subject, roots) == _audited(subjects[own], roots):
            return audits_db.find_report(app.db, user.id, subject.report_id)
    return None


def latest_ids(app: Container, user: User) -> set[str]:
    """The reports that no later audit of the same source against the same targets, in whatever versions, follows (A5)."""
    return latest_of(audits_db.list_subjects(app.db, user.id), library.list_documents(app, user))


def latest_of(subjects: Iterable[AuditSubject], documents: Sequence[Document]) -> set[str]:
    """:func:`latest_ids` of a person's audits, the latest first, and library, for who has loaded both."""
    roots = _roots(documents)
    latest: dict[object, str] = {}
    for subject in subjects:
        latest.setdefault(_audited(subject, roots), subject.report_id)
    return set(latest.values())


def versions_of(app: Container, user: User, report: AuditReport) -> list[ReportOverview]:
    """The audits of the same source against the same targets, in whatever versions, this one included; the latest first (A5)."""
    roots = _roots(library.list_documents(app, user))
    subjects = {s.report_id: _audited(s, roots) for s in audits_db.list_subjects(app.db, user.id)}
    return [o for o in audits_db.list_overviews(app.db, user.id) if subjects.get(o.id) == subjects.get(report.id)]


def changes(app: Container, user: User, before: AuditReport, report: AuditReport) -> FindingChanges:
    """What became of the findings of ``before`` in ``report``."""
    return finding_changes(before.findings, report.findings, _roots(library.list_documents(app, user)))


def _audited(subject: AuditSubject, roots: Mapping[str, str]) -> tuple[str, frozenset[str], str]:
    """What was audited against what and limited to what, whatever the versions; a pasted text is the same as itself only."""
    source = subject.source_document_id
    targets = frozenset(roots.get(i, i) for i in subject.target_ids)
    text = subject.text_digest if subject.source_title == PASTED_TEXT else subject.source_title
    return (roots.get(source, source) if source else text), targets, " ".join(subject.focus.casefold().split())


def _roots(documents: Sequence[Document]) -> dict[str, str]:
    return {i: family[-1].id for i, family in version_families(documents).items()}


def _latest(documents: Sequence[Document]) -> dict[str, Document]:
    families = version_families(documents)
    return {d.id: families.get(d.id, (d,))[0] for d in documents}
