"""What a model writes about two quotations is held against them (A4, C2)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.audit.checked import agreeing_figures, checked_finding, checked_row
from policypal.domain.audits import CoverageRow, CoverageStatus, Finding, FindingKind, Severity
from policypal.gate.figures import missing_figures

TEN = "Customer records are kept for ten years after the end of the relationship."
FIVE = "An institution must keep customer records for at least five years after the end of the relationship."


def finding(**more: Any) -> Finding:
    values = {
        "kind": FindingKind.CONFLICT, "target_document": "Rulebook (2025)", "target_document_id": "t", "theme": "Records",
        "severity": Severity.CRITICAL, "consequence": "Records are lost.", "source_quote": TEN, "target_quote": FIVE,
        "target_page": 1, "suggestion": "Keep them.", "confidence": 0.9,
    }  # fmt: skip
    return Finding(**{**values, **more})


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Records are kept for ten years, five are required.", []),
        ("Records are kept for 10 years.", []),
        ("Rule 4.3 of page 7 is broken.", []),
        ("Nobody on behalf of the bank keeps one.", []),
        ("Records are kept for only 1 year, although 99 years are required.", ["1 year", "99 years"]),
        ("The regulator must fine the bank EUR 900 million.", ["EUR 900 million"]),
        ("Only three customers are affected.", ["three"]),
        ("It ends on 31 March 2027.", ["31 March 2027"]),
        ("It must be done in May 2027.", ["May 2027", "2027"]),
        ("Four fifths, or 80 %, are lost.", ["Four", "80 %"]),
        ("Keep them twice as long.", ["twice"]),
        ("Keep them for ⁹⁶ hours.", ["96 hours"]),
        ("Keep them for XCVI hours.", ["96 hours"]),
        ("Hundreds of files are lost.", ["Hundreds of"]),
        ("Records are kept for at most five years.", ["five years"]),
    ],
)
def test_c2_a_figure_must_stand_in_a_quotation_or_a_label(sentence: str, missing: list[str]) -> None:
    assert missing_figures(sentence, [TEN, FIVE, "4.3", "page 7"]) == missing


def test_a4_an_invented_figure_is_replaced_by_a_neutral_sentence_and_the_finding_says_so() -> None:
    told = checked_finding(finding(consequence="The bank is fined EUR 900 million."), [])
    assert told.consequence == "The source and the requirement, as quoted, do not agree."
    assert told.suggestion == "Keep them." and told.support.startswith("The consequence named figures")
    both = checked_finding(finding(kind=FindingKind.GAP, consequence="99 years.", suggestion="Keep for 12 days."), [])
    assert "99" not in both.consequence and "12" not in both.suggestion and "and the suggestion" in both.support
    strange = checked_finding(
        finding(consequence="The board of Quellmar Holdings must resign.", delta="Kept in Zurich."), []
    )
    assert "Quellmar" not in strange.consequence and strange.delta == "" and "names" in strange.support
    true = finding(consequence="Rule 6.1 wants five years, the policy says ten.")
    assert checked_finding(true, ["6.1 "]) == true


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        (TEN, FIVE),
        ("We report it to the Authority within eight hours.", "It must be reported to the Authority within ten hours."),
        ("The policy is reviewed every six months.", "The policy must be reviewed at least once a year."),
    ],
)
def test_a4_figures_that_do_not_conflict_are_an_objection(source: str, rule: str) -> None:
    assert "the figures quoted do not conflict" in agreeing_figures(source, rule)


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("Customer records are kept for four years.", FIVE),
        ("Customers are told within eight hours.", "The Authority must be told within ten hours."),
        ("Records are not kept for ten years.", FIVE),
        (
            "Records are kept for ten years.",
            "Records must be kept for at least five years and reviewed within 30 days.",
        ),
        ("Records are kept.", FIVE),
        ("No figure here.", "None there."),
    ],
)
def test_a4_what_the_figures_do_not_settle_is_no_objection(source: str, rule: str) -> None:
    assert agreeing_figures(source, rule) == ""


def test_a6_a_row_of_the_coverage_has_no_invented_figure() -> None:
    row = CoverageRow(
        obligation=FIVE, target_document_id="t", page=1, status=CoverageStatus.COVERED, policy_quote=TEN,
        reason="Kept for 99 years.",
    )  # fmt: skip
    assert checked_row(row, []).reason == "Rated “Covered” by the passage quoted."
    true = row.model_copy(update={"reason": "Ten years are more than five."})
    assert checked_row(true, []) == true
