"""Leaving with an audit: accepted wordings as tracked changes, and the pack (A8, A10)."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from hashlib import sha256

import pytest
from docx import Document as WordDocument

from policypal.application import audit_files, intake, trash, triage
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.domain.audits import FindingKind
from policypal.domain.documents import Document, DocumentType
from policypal.domain.triage import TriageChange
from policypal.domain.users import User
from policypal.errors import InvalidInput
from tests.integration.test_reaudits import audited
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

CLAIM, WORDING = "Records are kept for five years.", "Records are kept for seven years."


@pytest.fixture
def rule(app: Container, user: User) -> Document:
    return add_text(app, user, "Records Rule", RECORDS_RULE)


def _changed(data: bytes) -> tuple[list[str], list[str]]:
    """What is deleted and what is inserted."""
    body = WordDocument(io.BytesIO(data)).element.body
    return tuple([m.xpath("string()") for m in body.xpath(f".//w:{kind}[w:r]")] for kind in ("del", "ins"))  # type: ignore[return-value]


def test_a10_accepted_wordings_are_changes_in_a_copy_of_the_policys_own_file(
    app: Container, user: User, rule: Document
) -> None:
    word = WordDocument()
    word.add_paragraph(CLAIM)
    held = io.BytesIO()
    word.save(held)
    added = intake.add_document(app, user, Upload("policy.docx", held.getvalue(), DocumentType.COMPANY))
    (policy,) = intake.wait_until_final(app, user, [added.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    report = audited(app, user, policy, rule, CLAIM)
    with pytest.raises(InvalidInput, match="accept a wording"):
        audit_files.policy_with_changes(app, user, report, triage.load(app, user, report))
    triage.change(app, user, report.id, [report.findings[0].id], TriageChange(wording=WORDING))
    made, left_out = audit_files.policy_with_changes(app, user, report, triage.load(app, user, report))
    assert left_out == [] and _changed(made) == (["five"], ["seven"])


def test_a10_another_policy_becomes_a_word_document_and_the_pack_holds_everything(
    app: Container, user: User, rule: Document
) -> None:
    policy = add_text(app, user, "Our Policy", f"1 Records\n\n{CLAIM}\n", type=DocumentType.COMPANY)
    report = audited(app, user, policy, rule, CLAIM)
    triage.change(app, user, report.id, [report.findings[0].id], TriageChange(wording=WORDING))
    decided = triage.load(app, user, report)
    pack = zipfile.ZipFile(io.BytesIO(audit_files.audit_pack(app, user, report, decided)))
    assert _changed(pack.read("policy-with-changes.docx")) == (["five"], ["seven"])
    manifest = json.loads(pack.read("manifest.json"))
    assert {d["sha256"] for d in manifest["documents"]} == {policy.sha256, rule.sha256}
    files = set(pack.namelist()) - {"manifest.json"}
    assert {"report.csv", "report.xlsx", "report.docx", "to-review.csv", "registers/Records-Rule.csv"} < files
    assert {n: f["sha256"] for n, f in manifest["files"].items()} == {
        n: sha256(pack.read(n)).hexdigest() for n in files
    }

    drifted = {i: replace(t, wording=WORDING) for i, t in decided.items()}
    other = report.model_copy(
        update={"findings": tuple(f.model_copy(update={"source_quote": "It is not there."}) for f in report.findings)}
    )
    told = zipfile.ZipFile(io.BytesIO(audit_files.audit_pack(app, user, other, drifted)))
    assert json.loads(told.read("manifest.json"))["changes_left_out"] == ["It is not there."]

    trash.delete(app, user, [policy.id, rule.id])
    left = zipfile.ZipFile(io.BytesIO(audit_files.audit_pack(app, user, report, decided))).namelist()
    assert "report.docx" in left and "policy-with-changes.docx" not in left, (
        "what is kept can be taken away all the same"
    )


def test_a10_no_clause_is_added_behind_a_heading_or_a_line_of_the_contents(
    app: Container, user: User, rule: Document
) -> None:
    policy = add_text(
        app, user, "Our Policy", f"Contents\n\n1 Records\n2 Visitors\n\n1 Records\n\n{CLAIM}\n\n2 Visitors\n\nAll are escorted.\n",
        type=DocumentType.COMPANY,
    )  # fmt: skip
    report = audited(app, user, policy, rule, CLAIM)
    triage.change(app, user, report.id, [report.findings[0].id], TriageChange(wording="Logs are kept."))
    decided = triage.load(app, user, report)
    for quote, before in (("Contents", "All are escorted."), (CLAIM, CLAIM)):
        gap = report.findings[0].model_copy(update={"kind": FindingKind.GAP, "source_quote": quote})
        made, _ = audit_files.policy_with_changes(app, user, report.model_copy(update={"findings": (gap,)}), decided)
        told = [p.xpath("string()") for p in WordDocument(io.BytesIO(made)).element.body.xpath("./w:p")]
        assert told[told.index("Logs are kept.") - 1] == before
