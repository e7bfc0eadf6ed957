"""The verdict of an audit: computed from coverage, never from the absence of findings (A4)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.audit.verdict import (
    Circumstances,
    Tally,
    Verdict,
    of_another_subject,
    reach_verdict,
    taken_together,
    without_foreign_gaps,
)
from policypal.domain.audits import (
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    OverallStatus,
    Severity,
)
from policypal.domain.verdicts import headline, relabelled, relabelled_answer

RULE = "A bank must keep customer records for at least seven years after the end of the relationship."


def finding(severity: Severity = Severity.MEDIUM, **more: Any) -> Finding:
    values = {
        "kind": FindingKind.CONFLICT, "target_document": "Rule", "target_document_id": "t", "theme": "Records",
        "severity": severity, "consequence": "", "source_quote": "two years", "target_quote": RULE, "target_page": 1,
        "suggestion": "", "confidence": 0.9,
    }  # fmt: skip
    return Finding(**{**values, **more})


def row(status: CoverageStatus, obligation: str = RULE, quote: str = "We keep records for eight years.") -> CoverageRow:
    return CoverageRow(
        obligation=obligation, target_document_id="t", page=1, status=status, policy_quote=quote, reason="Because."
    )


def judged(*findings: Finding, tally: Tally, **met: Any) -> Verdict:
    return reach_verdict(findings, tally, Circumstances(**met))


ALL = Tally(obligations=8, judged=8, covered=8, related=8, rated=8, seeks_gaps=True)
SOME = Tally(obligations=82, judged=12, covered=3, related=20, rated=12)


@pytest.mark.parametrize(
    ("tally", "met", "status", "because"),
    [
        (ALL, {}, OverallStatus.COMPLIANT, ""),
        (Tally(8, 8, 7, 8, 8, True), {}, OverallStatus.NO_CONFLICT_FOUND, ""),
        (Tally(8, 7, 7, 8, 8, True), {}, OverallStatus.NO_CONFLICT_FOUND, ""),
        (SOME, {}, OverallStatus.NO_CONFLICT_FOUND, ""),
        (Tally(), {}, OverallStatus.CANNOT_BE_JUDGED, "no obligation was found"),
        (Tally(82), {}, OverallStatus.CANNOT_BE_JUDGED, "nothing in the text concerns these rules"),
        (Tally(82, related=4), {}, OverallStatus.CANNOT_BE_JUDGED, "nothing in it could be judged"),
        (Tally(82, 80, 0, 8, 82, True), {}, OverallStatus.CANNOT_BE_JUDGED, "another subject"),
        (ALL, {"unread": ["Rule: 6 of 162 passages were read."]}, OverallStatus.CANNOT_BE_JUDGED, "6 of 162"),
        (ALL, {"foreign": ["Loi"]}, OverallStatus.CANNOT_BE_JUDGED, "“Loi” is not in English"),
        (ALL, {"foreign": ["Loi"], "nothing_read": True}, OverallStatus.CANNOT_BE_JUDGED, "not in English"),
    ],
)
def test_a4_without_findings_the_verdict_is_what_was_judged(
    tally: Tally, met: dict[str, Any], status: OverallStatus, because: str
) -> None:
    verdict = judged(tally=tally, **met)
    assert verdict.status is status and because in verdict.reason
    assert bool(verdict.reason) == (status is OverallStatus.CANNOT_BE_JUDGED)
    assert (verdict.level == "high") == (status is OverallStatus.COMPLIANT), "finding nothing is no certainty"
    assert verdict.confidence < 1 and (verdict.confidence == 0) == (status is OverallStatus.CANNOT_BE_JUDGED)


def test_a4_findings_decide_by_their_severity_and_what_was_not_read_is_said() -> None:
    assert judged(finding(), tally=ALL).status is OverallStatus.MINOR_ISSUES
    grave = judged(finding(), finding(Severity.HIGH), tally=Tally(), unread=["Half was read."])
    assert (grave.status, grave.reason, grave.read_whole) == (OverallStatus.MAJOR_VIOLATIONS, "Half was read", False)
    assert grave.level == "medium"


def test_a4_gaps_tell_nothing_in_a_policy_about_another_subject() -> None:
    gap, conflict = finding(kind=FindingKind.GAP), finding()
    assert of_another_subject({"t": Tally(82, 82, 0, 8, 82, True)}) == {"t"}
    assert not of_another_subject({"t": Tally(82, 82, 0, 9, 82, True)})
    assert without_foreign_gaps([gap, conflict], {"t"}, Circumstances()) == [conflict]
    assert without_foreign_gaps([gap, conflict], {"another"}, Circumstances()) == [gap, conflict]
    assert without_foreign_gaps([gap, conflict], set(), Circumstances(nothing_read=True)) == [conflict]
    assert not Tally(82, 3, 0, 0, 3, True).is_of_another_subject, "a model that judged three says nothing of 82"


def test_a4_a_target_on_another_subject_says_nothing_of_the_others() -> None:
    strange, near = Tally(400, 400, 2, 8, 400, True), Tally(20, 20, 9, 18, 20, True)
    both = taken_together({"far": strange, "near": near})
    assert (both.obligations, both.judged, both.covered) == (420, 28, 11) and not both.is_of_another_subject
    alone = taken_together({"far": strange})
    assert judged(tally=alone).status is OverallStatus.CANNOT_BE_JUDGED and alone.judged == 8
    assert taken_together({}) == Tally()


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ((OverallStatus.NO_CONFLICT_FOUND, 12, 82, None, True), "No conflict found (12 of 82 judged)"),
        ((OverallStatus.MINOR_ISSUES, 82, 82, 0, True), "Minor Issues (82 of 82 judged, 0 covered)"),
        ((OverallStatus.MAJOR_VIOLATIONS, 1, 82, None, True), "Major Violations (1 of 82 judged)"),
        ((OverallStatus.COMPLIANT, 8, 8, 8, True), "Compliant (8 of 8 judged and covered)"),
        ((OverallStatus.CANNOT_BE_JUDGED, 0, 82, None, True), "Cannot be judged"),
        ((OverallStatus.CANNOT_BE_JUDGED, 3, 82, None, False), "Cannot be judged as a whole (3 of 82 judged)"),
    ],
)
def test_a4_a_verdict_reads_with_its_counts(told: Any, words: str) -> None:
    assert headline(*told) == words


STORED = {"title": "Before", "findings": (), "summary": "No conflict was found.", "targets_checked": ("Rule",)}


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ({"overall_status": "Compliant", "engine": "extractive"}, "Cannot be judged: this report is older"),
        ({"overall_status": "Not Assessed"}, "Cannot be judged: nothing could be compared"),
        ({"overall_status": "Compliant", "coverage": [row(CoverageStatus.COVERED)]}, "Compliant (1 of 1 judged"),
        ({"overall_status": "Compliant", "coverage": [row(CoverageStatus.COVERED, quote="")]}, "Cannot be judged"),
        (
            {"overall_status": "Compliant", "coverage": [row(CoverageStatus.COVERED)], "not_assessed": ["Rule: a sample of passages was read, not every page."]},
            "Cannot be judged as a whole (1 of 1 judged): not everything was read",
        ),
        (
            {"overall_status": "Compliant", "engine": "extractive", "coverage": [row(CoverageStatus.COVERED), row(CoverageStatus.PARTIAL)]},
            "No conflict found (1 of 2 judged)",
        ),
        ({"overall_status": "Minor Issues", "coverage": [row(CoverageStatus.GAP)]}, "Minor Issues (1 of 1 judged, 0 covered)"),
        ({"overall_status": "Major Violations"}, "Major Violations"),
    ],
)  # fmt: skip
def test_a5_a_report_of_before_gets_the_label_its_coverage_proves(stored: dict[str, Any], words: str) -> None:
    report = AuditReport(**STORED, **stored)
    assert report.verdict.startswith(words)
    again = AuditReport(**report.model_dump(mode="json"))
    assert again == report, "what was relabelled stays so"
    assert relabelled(report.model_dump())["overall_status"] == report.overall_status


def test_a5_an_answer_of_before_is_shown_with_the_honest_label() -> None:
    said = "✅ **Compliant**: No conflict was found. 1 document checked: Rule."
    payload = {"response": said, "report": {**STORED, "overall_status": "Compliant"}, "retrieval_confidence": "high"}
    honest = relabelled_answer(payload)
    assert honest is not None
    now, earlier, shown = honest
    assert now["response"] == said.replace(earlier, shown) and "Compliant" not in now["response"]
    assert now["response"].startswith("⊘ **Cannot be judged**")
    assert now["retrieval_confidence"] == "low" and now["report"]["overall_status"] == "Cannot be judged"
    assert relabelled_answer(now) is None and relabelled_answer({"response": "An answer."}) is None
