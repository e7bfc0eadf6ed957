"""The keyless audit: sure findings, what is shown to review, coverage, verdict; and the task's prompt (A4, A6, X2)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import resources

import pytest

from policypal.audit.engine import NEAREST, Audit, audit
from policypal.audit.register import entries_of
from policypal.audit.units import Unit, claims_of, in_scope, read_text, rules_of
from policypal.audit.verdict import Circumstances, reach_verdict, taken_together
from policypal.domain.audits import CoverageStatus, Finding, FindingKind, Severity
from policypal.domain.register import RegisterChange
from policypal.domain.verdicts import OverallStatus
from policypal.llm.task import TaskContext
from policypal.search.embeddings import Vectors, WordLlamaEmbedder
from tests.support.documents import POOL_RULES

EMBEDDER = WordLlamaEmbedder()
CONTEXT = TaskContext(EMBEDDER)

LAW = """Article 5
Principles
1. Personal data shall be:
(a) processed lawfully, fairly and in a transparent manner in relation to the data subject;
(b) collected for specified, explicit and legitimate purposes;
(c) kept no longer than is necessary for the purposes for which the personal data are processed.

Article 12
Requests
3. The controller shall answer a request of the data subject in any event within one month of receipt of the request.
4. The supervisory authority shall reply to requests for consultation within eight weeks.

Article 33
Notification of a breach
1. The controller shall notify a personal data breach to the supervisory authority not later than 72 hours after having become aware of it.
"""

POLICY = """Breaches of personal data are notified to the supervisory authority within 72 hours of becoming aware of it.

Personal data is processed lawfully and fairly and in a transparent manner in relation to the data subject.

A request of the data subject is answered within three weeks of its receipt.

Personal data is kept no longer than is necessary for the purposes of the processing."""

RULES = """1. Records of training must be kept for at least five years.
2. Access rights must be reviewed at least once every six months.
3. A bank must report to the Agency each cash payment over EUR 10,000.
4. An advertisement must not describe an investment as guaranteed or free of risk.
5. Staff must not accept gifts of a supplier.
6. The first copy of the statement must be provided free of charge.
7. The bank shall not engage a subcontractor without the prior consent of the customer.
8. Visitors must be escorted in the machine hall.
9. The deposit may not exceed 20 % of the annual rent.
10. Staff should lock their desks in the evening."""


def register(law: str, **changes: RegisterChange) -> list[Unit]:
    return rules_of("law", entries_of(read_text(law), changes))


def audited(source: str, law: str = LAW, mode: str = "text", focus: str = "") -> Audit:
    claims = claims_of("", read_text(source))
    return audit(
        "policy" if mode == "policy" else "text",
        claims,
        register(law),
        {"law": "The Law"},
        EMBEDDER,
        focus,
    )


def found(source: str, law: str = RULES) -> list[Finding]:
    return audited(source, law).findings


@pytest.mark.parametrize(
    ("claim", "rule", "severity"),
    [
        ("Records of training are kept for three years.", "1.", Severity.HIGH),
        ("Access rights are reviewed once every two years.", "2.", Severity.MEDIUM),
        ("The bank reports each cash payment over EUR 15,000 to the Agency.", "3.", Severity.HIGH),
        ("This investment is risk-free, and the return is guaranteed.", "4.", Severity.CRITICAL),
        ("Staff may accept gifts of a supplier.", "5.", Severity.CRITICAL),
        ("The bank charges 12 EUR for the first copy of the statement.", "6.", Severity.HIGH),
        ("The bank engages a subcontractor without asking for the consent of the customer.", "7.", Severity.CRITICAL),
        ("Visitors are not escorted in the machine hall.", "8.", Severity.HIGH),
        ("The deposit is 30 % of the annual rent.", "9.", Severity.HIGH),
    ],
)
def test_a4_what_breaks_a_rule_by_figure_by_negation_or_by_promise_is_found(
    claim: str, rule: str, severity: Severity
) -> None:
    (finding,) = found(claim)
    assert finding.target_quote.startswith(rule) and finding.source_quote == claim
    assert finding.severity is severity and finding.kind is FindingKind.CONFLICT
    assert finding.delta.startswith("Source: ") and f"→ {rule.rstrip('.')}: " in finding.delta


@pytest.mark.parametrize(
    "claim",
    [
        "Records of training are kept for seven years.",
        "Access rights are reviewed every quarter.",
        "The bank reports each cash payment over EUR 5,000 to the Agency.",
        "No investment is free of risk; returns are not guaranteed.",
        "Staff may not accept gifts of a supplier.",
        "Staff must never accept gifts of a supplier.",
        "The first copy of the statement costs nothing.",
        "The bank engages a subcontractor only with the prior consent of the customer.",
        "The bank never engages a subcontractor without the consent of the customer.",
        "Visitors do not enter the machine hall before an escort has come.",
        "The deposit is 20 % of the annual rent.",
        "Our office is closed for 90 days, and the canteen charges 12 EUR.",
        "Records of training may be kept for three years longer.",
        "Desks are not locked in the evening.",
    ],
)
def test_a4_what_keeps_the_rules_or_is_about_something_else_is_accused_of_nothing(claim: str) -> None:
    assert found(claim) == []


def test_a4_a_deadline_missed_towards_an_authority_is_critical() -> None:
    (finding,) = found("We notify a personal data breach to the supervisory authority within ten days.", LAW)
    assert finding.severity is Severity.CRITICAL and finding.target_label == "Art. 33(1)"
    assert "ten days" in finding.consequence and "72 hours" in finding.consequence


def test_a4_a_rule_to_delete_limits_how_long_something_is_kept() -> None:
    law = "A bank must delete customer records within three years after the end of the relationship."
    (finding,) = found("We keep customer records for five years after the end of the relationship.", law)
    assert finding.delta == "Source: five years → Rule: three years"
    assert found("We keep customer records for two years after the end of the relationship.", law) == []


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("Where a visitor is not escorted in the machine hall, the alarm sounds.", "Visitors must be escorted in the machine hall."),
        ("A visitor, which is a person who does not work here, is escorted in the machine hall.", "Visitors must be escorted in the machine hall."),
        ("The duty to escort visitors in the machine hall does not apply to the yard.", "Visitors must be escorted in the machine hall."),
    ],
)  # fmt: skip
def test_a4_what_a_clause_of_its_own_denies_the_sentence_does_not(claim: str, rule: str) -> None:
    assert found(claim, rule) == []


def test_a4_a_policy_that_says_nothing_of_a_duty_has_gaps_of_full_confidence_at_most() -> None:
    result = audited("Flour is weighed. " * 300, RULES, mode="policy")
    assert all(0 <= f.confidence <= 1 for f in result.findings) and taken_together(result.tallies).is_of_another_subject


def test_a4_against_a_regulation_on_another_subject_nothing_is_missing_and_nothing_judged() -> None:
    policy = (resources.files("policypal.samples") / "sources" / "policy-2025.md").read_text(encoding="utf-8")
    result = audited(policy, POOL_RULES, mode="policy")
    tally = taken_together(result.tallies)
    assert result.findings == [] and tally.obligations == 10 and tally.is_of_another_subject
    assert {row.status for row in result.coverage} == {CoverageStatus.NOT_JUDGED}
    verdict = reach_verdict(result.findings, tally, Circumstances())
    assert verdict.status is OverallStatus.CANNOT_BE_JUDGED and "another subject" in verdict.reason
    assert len(result.review) < 10, "nor is it a heap to review"


def test_a4_a_gap_that_rules_see_is_never_told_as_certain() -> None:
    gaps = [f for f in audited(POLICY, mode="policy").findings if f.kind is FindingKind.GAP]
    assert gaps and all(f.confidence < 0.75 and f.title.startswith("No passage found") for f in gaps)


@pytest.mark.parametrize("contents", ["1 Records\n2 Visitors", "1 Records .... 2\n2 Visitors .... 2"])
def test_a4_what_a_document_says_of_itself_before_its_contents_is_no_claim(contents: str) -> None:
    body = "1 Records\n\nRecords are kept.\n\n2 Visitors\n\nVisitors are escorted.\n"
    front = "Group Policy of the Bank\n\nApproved by the Board.\n\nDocument number P-7, version 4.2.\n\nContents\n\n"
    claims = [u.text for u in claims_of("p", read_text(f"{front}{contents}\n\n{body}"))]
    assert claims == ["Records are kept.", "Visitors are escorted."]
    kept = [u.text for u in claims_of("p", read_text(f"Group Policy of the Bank\n\nApproved by the Board.\n\n{body}"))]
    assert kept == ["Approved by the Board.", *claims], "without contents nothing tells a front from a text"


def test_a4_in_a_policy_captions_are_neither_reviewed_nor_the_nearest_passage() -> None:
    source = f"{POLICY}\n\nPurposes of the collection of personal data, specified and explicit\n\nEverybody helps."
    result = audited(source, mode="policy")
    shown = {p.source_quote for p in result.review} | {row.policy_quote for row in result.coverage}
    assert "Everybody helps." in shown and not any(quote.startswith("Purposes") for quote in shown)
    assert any(p.source_quote.startswith("Purposes") for p in audited(source).review), "a note has no other form"


def test_a4_where_figures_cannot_be_told_apart_nothing_is_sure() -> None:
    law = "A complaint must be acknowledged within 3 days and answered within 20 days."
    assert found("A complaint is acknowledged and answered within 10 days.", law) == []
    assert len(found("A complaint is acknowledged within 3 days and answered within 30 days.", law)) == 1


def test_a4_every_claim_is_shown_beside_the_rules_nearest_to_it_but_for_what_is_a_finding() -> None:
    result = audited("Records of training are kept for three years. Guests are accompanied near the machines.", RULES)
    assert [f.target_label for f in result.findings] == ["1"]
    guests = [p for p in result.review if p.source_quote.startswith("Guests")]
    assert len(guests) == NEAREST and "8. Visitors must be escorted in the machine hall." in [
        p.target_quote for p in guests
    ]
    training = [p for p in result.review if p.source_quote.startswith("Records")]
    assert len(training) == NEAREST - 1 and "1" not in [p.target_label for p in training]
    assert all(0 <= p.relation <= 1 for p in result.review)


def test_d11_an_item_of_a_list_is_shown_with_its_introduction() -> None:
    pairs = audited("Personal data is collected for explicit purposes.").review
    assert pairs[0].target_quote.startswith("(b)") and pairs[0].target_introduction == "Personal data shall be:"


def test_d12_the_audit_rests_on_the_register_as_the_analyst_left_it() -> None:
    entries = entries_of(read_text(RULES), {})
    struck = RegisterChange(entries[0].entry, entries[0].text, is_struck=True)
    rules = register(RULES, **{struck.entry: struck})
    claims = claims_of("", read_text("Records of training are kept for three years."))
    assert audit("text", claims, rules, {"law": "L"}, EMBEDDER).findings == []
    added = RegisterChange("x", "Loans must be approved by two directors.", is_added=True)
    assert register(RULES, x=added)[-1].text == added.text


def test_a4_rules_for_the_regulator_do_not_bind_the_firm() -> None:
    law = "The supervisory authority shall reply to requests for consultation within eight weeks."
    result = audited("We reply to requests for consultation within ten weeks.", law)
    assert result.findings == [] and result.review == []
    assert result.not_assessed == ["The Law: no obligation was found in it."]


def test_a6_a_company_secretary_is_no_authority() -> None:
    law = "The secretary must keep the register of members for six years. The ombudsman must answer every complaint in writing."
    assert len(in_scope(register(law))) == 2
    public = (
        f"{law} The supervisory authority shall publish a report every year. The Secretary of State must publish rules."
    )
    assert [u.party for u in in_scope(register(public))] == ["secretary"]


def test_a6_every_obligation_of_the_firm_gets_one_coverage_row() -> None:
    result = audited(POLICY, mode="policy")
    missing = [row for row in result.coverage if row.status is CoverageStatus.GAP]
    assert [row.obligation for row in missing] == ["(b) collected for specified, explicit and legitimate purposes;"]
    assert missing[0].policy_quote and missing[0].policy_page == 1
    listed = [row.obligation for row in result.coverage]
    assert len(listed) == len(set(listed)) and not any("consultation" in obligation for obligation in listed)
    gaps = [f for f in result.findings if f.kind is FindingKind.GAP]
    assert [f.target_quote for f in gaps] == [missing[0].obligation]
    (tally,) = result.tallies.values()
    assert tally.obligations == len(listed) and tally.seeks_gaps


def test_a6_a_conflict_is_a_row_and_a_finding_of_the_same_obligation() -> None:
    result = audited(POLICY.replace("within 72 hours", "within ten days"), mode="policy")
    rows = [row for row in result.coverage if row.status is CoverageStatus.CONFLICT]
    findings = [f for f in result.findings if f.kind is FindingKind.CONFLICT]
    assert len(rows) == len(findings) == 1 and rows[0].obligation == findings[0].target_quote


def test_a4_text_mode_seeks_no_gaps() -> None:
    result = audited(POLICY)
    assert result.findings == [] and result.coverage == []


@pytest.mark.parametrize(
    ("source", "law", "status"),
    [
        ("The weather is nice today. The canteen serves soup.", LAW, OverallStatus.CANNOT_BE_JUDGED),
        ("Kind regards, Anna Weber", LAW, OverallStatus.CANNOT_BE_JUDGED),
        (POLICY, LAW, OverallStatus.NO_CONFLICT_FOUND),
        (
            "Access rights must be reviewed at least once every six months.",
            RULES.splitlines()[1],
            OverallStatus.COMPLIANT,
        ),
        ("Access rights are reviewed once every two years.", RULES.splitlines()[1], OverallStatus.MINOR_ISSUES),
    ],
)
def test_a4_compliant_is_only_what_was_judged_and_covered(source: str, law: str, status: OverallStatus) -> None:
    result = audited(source, law)
    assert reach_verdict(result.findings, taken_together(result.tallies), Circumstances()).status is status


def test_a4_nothing_to_audit_is_no_error() -> None:
    assert audited("").findings == [] and taken_together(audited("").tallies).obligations > 0
    assert audited("Hello", law=" ").review == []


def test_a4_only_the_focus_counts() -> None:
    text = "A personal data breach is notified to the supervisory authority within 30 days."
    assert len(audited(text, focus="breach").findings) == 1
    aside = audited(text, focus="salaries")
    assert aside.findings == [] and "salaries" in aside.not_assessed[0]


def test_a4_the_audit_is_deterministic_and_embeds_every_text_once() -> None:
    seen: list[str] = []

    class Counting(WordLlamaEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            seen.extend(texts)
            return super().embed(texts)

    def run() -> Audit:
        return audit("policy", claims_of("", read_text(POLICY)), register(LAW), {"law": "L"}, Counting())

    first, second = run(), run()
    assert seen and len(seen) == 2 * len(set(seen))
    assert (first.review, first.coverage, first.tallies) == (second.review, second.coverage, second.tallies)


def test_a4_a_long_policy_against_a_long_regulation_takes_seconds() -> None:
    subjects = [
        "outsourcing",
        "capital",
        "training",
        "complaints",
        "liquidity",
        "audit",
        "security",
        "lending",
        "records",
    ]
    law = "\n".join(
        f"{i}. A firm must review its {subjects[i % 9]} arrangement {i} within {i % 90 + 2} days of a change."
        for i in range(1, 1200)
    )
    policy = "\n".join(f"We review the {subjects[i % 9]} arrangement {i} within {i % 50} days." for i in range(600))
    rules, claims = register(law), claims_of("p", read_text(policy))
    started = time.process_time()
    result = audit("policy", claims, rules, {"law": "L"}, EMBEDDER)
    assert time.process_time() - started < 30
    assert result.coverage and 0 < len(result.review) <= 4_000
