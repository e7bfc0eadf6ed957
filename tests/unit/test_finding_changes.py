"""What became of findings from one audit to the next (A9)."""

from __future__ import annotations

from policypal.audit.finding_changes import finding_changes
from policypal.domain.audits import Finding, FindingKind, Severity

RULE = "A firm must report a major incident within 4 hours."


def finding(rule: str = RULE, claim: str = "Incidents are reported within 24 hours.", **more: object) -> Finding:
    values: dict[str, object] = {
        "kind": FindingKind.CONFLICT, "target_document": "Rulebook", "target_document_id": "old", "theme": "Incidents",
        "severity": Severity.HIGH, "consequence": "", "source_quote": claim, "target_quote": rule, "target_page": 1,
        "suggestion": "", "confidence": 0.9,
    }  # fmt: skip
    return Finding(**{**values, **more})  # type: ignore[arg-type]


def test_a9_findings_are_opened_closed_changed_or_unchanged() -> None:
    records = finding("Records must be kept for seven years.", "Records are kept for three years.")
    training = finding("Staff must be trained every year.", "Staff is trained when it joins.")
    before = [finding(), records]
    after = [finding(claim="Incidents are reported within 12 hours."), training]
    found = finding_changes(before, after)
    assert found.opened == (training,)
    assert found.closed == (records,)
    assert found.changed == ((before[0], after[0]),)
    assert found.unchanged == ()


def test_a9_white_space_is_no_change_and_severity_is_one() -> None:
    same = finding(claim="Incidents  are reported\nwithin 24 hours.")
    assert finding_changes([finding()], [same]).unchanged == (same,)
    worse = finding(severity=Severity.CRITICAL)
    assert finding_changes([finding()], [worse]).changed == ((finding(), worse),)


def test_a9_of_a_gap_only_the_rule_counts() -> None:
    gap = finding(kind=FindingKind.GAP, claim="The nearest passage.")
    other = finding(kind=FindingKind.GAP, claim="Something else entirely came nearest this time.")
    assert finding_changes([gap], [other]).unchanged == (other,)
    assert finding_changes([gap], [finding(claim=other.source_quote)]).closed == (gap,), "a conflict is no gap"


def test_a9_editions_of_a_target_are_one_and_other_documents_are_not() -> None:
    new = finding(target_document_id="new")
    assert finding_changes([finding()], [new], {"new": "old", "old": "old"}).unchanged == (new,)
    assert finding_changes([finding()], [new]).opened == (new,)


def test_a9_each_finding_is_paired_once_with_the_one_most_like_it() -> None:
    four, twelve = finding(), finding(RULE.replace("4", "12"), "Incidents are reported within 36 hours.")
    found = finding_changes([twelve, four], [four, twelve])
    assert found.unchanged == (four, twelve) and not found.opened and not found.closed
    assert finding_changes([four], [four, four]).opened == (four,)
