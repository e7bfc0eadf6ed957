"""What a person leaves an audit with: tables, a report, the policy with tracked changes, and a pack of all of it (A8, A10)."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

from policypal.application import audits, library, reading, register
from policypal.application.container import Container
from policypal.audit.units import claims_of
from policypal.compare.redline.wording import redline
from policypal.db import provisions as provisions_db
from policypal.domain.audits import AuditReport, Finding, FindingKind
from policypal.domain.identifiers import is_uuid
from policypal.domain.provisions import Kind, Provision
from policypal.domain.register import Register
from policypal.domain.text import file_name
from policypal.domain.triage import Triage, TriageStatus
from policypal.domain.users import User
from policypal.errors import InvalidInput
from policypal.export.reports import coverage_csv, findings_csv, findings_xlsx, review_csv
from policypal.export.tracked import Edit, redline_document, tracked_copy
from policypal.export.word_report import findings_docx
from policypal.ingest.sniff import DOCX

AUTHOR = "PolicyPal audit"
FORMATS = ("csv", "xlsx", "docx")


def export(
    app: Container, user: User, report: AuditReport, extension: str, findings: Sequence[Finding], decided: Mapping[str, Triage]
) -> bytes:  # fmt: skip
    """The shown findings as a file, by its extension; with the rest of the report where the format has room (A8)."""
    if extension == "csv":
        return findings_csv(report, findings, decided)
    if extension == "docx":
        return findings_docx(report, findings, decided)
    sheet = register.sheet_of(_registers(app, user, report))
    return findings_xlsx(report, findings, decided, [sheet] if sheet else [])


def _registers(app: Container, user: User, report: AuditReport) -> list[Register]:
    """Of the regulations that are still in the library."""
    targets = [d.id for d in report.documents if d.id != report.source_document_id and is_uuid(d.id)]
    gone = reading.missing(app, user, targets)
    return [register.load(app, user, i) for i in targets if i not in gone]


def accepted(report: AuditReport, decided: Mapping[str, Triage]) -> list[Edit]:
    """The wordings that were accepted for the policy, in the order of the report; not those of false positives."""
    return [
        Edit(f.source_quote, decided[f.id].wording, is_addition=f.kind is FindingKind.GAP)
        for f in report.findings
        if f.id in decided and decided[f.id].wording and decided[f.id].status is not TriageStatus.FALSE_POSITIVE
    ]  # fmt: skip


def policy_with_changes(
    app: Container, user: User, report: AuditReport, decided: Mapping[str, Triage]
) -> tuple[bytes, list[Edit]]:
    """The policy as a Word document with the accepted wordings as tracked changes: a copy of its own file where that is one, else its text.
    The edits that are left out are those whose sentence does not stand in it word for word.

    Raises:
        InvalidInput: no wording was accepted, or a text was audited.
        NotFound: the policy is not in the library any more.
    """
    edits = accepted(report, decided)
    if not edits or not report.source_document_id:
        raise InvalidInput("Please accept a wording for a finding of a policy first.")
    document = library.get_document(app, user, report.source_document_id)
    provisions = provisions_db.load_provisions(app.db, user.id, document.id)
    edits = _after_sentences(edits, provisions)
    now = datetime.now(UTC)
    if document.media_type == DOCX:
        data = app.files.get(document.storage_key)
        return tracked_copy(data, edits, redline, author=AUTHOR, at=now)
    lines = [(" ".join(s.text.split()), s.kind is Kind.HEADING) for p in provisions for s in p.sentences]
    return redline_document(document.display_title, lines, edits, redline, author=AUTHOR, at=now)


def _after_sentences(edits: Sequence[Edit], provisions: Sequence[Provision]) -> list[Edit]:
    """No clause is added behind what says nothing itself, a heading or a line of the contents: then it comes at the end."""
    claims = {unit.text for unit in claims_of("", provisions) if unit.asserts}
    silent = {sentence.text for provision in provisions for sentence in provision.sentences} - claims
    return [replace(e, quote="") if e.is_addition and e.quote in silent else e for e in edits]


def audit_pack(app: Container, user: User, report: AuditReport, decided: Mapping[str, Triage]) -> bytes:
    """A ZIP with the whole report in every format, the registers of its targets, the policy with changes where a wording was accepted, and a
    manifest: the SHA-256 of each file and of each audited document, engine, models, versions of the prompts."""
    findings = audits.filter_findings(report)
    files = {f"report.{one}": export(app, user, report, one, findings, decided) for one in FORMATS}
    files["to-review.csv"] = review_csv(report, report.review)
    if report.coverage is not None:
        files["coverage.csv"] = coverage_csv(report.coverage)
    gone = reading.missing(app, user, [d.id for d in report.documents])
    for held in _registers(app, user, report):
        files[f"registers/{file_name(held.document.display_title)}.csv"] = register.csv_of(held, held.entries)
    left_out: list[Edit] = []
    if accepted(report, decided) and report.source_document_id and report.source_document_id not in gone:
        files["policy-with-changes.docx"], left_out = policy_with_changes(app, user, report, decided)
    files["manifest.json"] = _manifest(report, files, left_out)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in sorted(files.items()):
            pack.writestr(name, data)
    return stream.getvalue()


def _manifest(report: AuditReport, files: Mapping[str, bytes], left_out: Sequence[Edit]) -> bytes:
    told = {
        "title": report.title, "verdict": report.verdict, "created": report.created_at.isoformat() if report.created_at else None,
        "source": report.source_title, "focus": report.focus, "engine": report.engine, "models": report.models,
        "prompt_version": report.prompt_version, "cost_usd": str(report.cost_usd),
        "documents": [{"title": d.title, "sha256": d.sha256} for d in report.documents],
        "reading": [e.model_dump(mode="json") for e in report.reading],
        "changes_left_out": [e.quote for e in left_out],
        "files": {name: {"bytes": len(data), "sha256": sha256(data).hexdigest()} for name, data in sorted(files.items())},
    }  # fmt: skip
    return json.dumps(told, ensure_ascii=False, indent=2).encode()
