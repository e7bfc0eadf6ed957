"""The verdict of an audit is earned, and a model's findings are held against their quotations (A4, A6, C2)."""

from __future__ import annotations

import csv
import io
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import audits, conversations
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.audits import AuditReport, CoverageStatus, OverallStatus
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from tests.support.conversation import Speaker, answered_by
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE

GARDENING = " ".join(
    f"The gardener of plot {n} waters the roses of bed {n} in the evening and cuts the hedge along the old wall."
    for n in range(80)
)
SEVEN_YEARS = "A bank must keep customer records for at least seven years after the end of the relationship."
ONE_DAY = "A bank must report every serious incident to the Authority within 24 hours after discovery."


@pytest.fixture
def keyless(app: Container) -> Speaker:
    user = User(id=str(uuid4()), email="v@example.org")
    users_db.ensure_user(app.db, user)
    return Speaker(app, user)


def audit(speaker: Speaker, message: str, *documents: Document) -> tuple[ResponseEvent, AuditReport]:
    response = speaker.anyway(speaker.say(message, *documents, action="audit"))
    assert response.report is not None
    return response, response.report


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("The weather is nice today.", "nothing in the text concerns these rules"),
        ("Our office is closed on Sundays. Lunch is at noon.", "nothing in the text concerns these rules"),
        ("We share customer data with any partner who asks.", ""),
        ("Wir geben die Daten der Kunden an jeden Partner weiter, der uns nach ihnen fragt und dafür bezahlt.", "not in English"),
    ],
)  # fmt: skip
def test_a4_a_text_of_which_nothing_can_be_judged_is_not_called_compliant(
    keyless: Speaker, text: str, because: str
) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    response, report = audit(keyless, f"Audit this text: {text}", rule)
    assert report.overall_status is OverallStatus.CANNOT_BE_JUDGED and because in report.verdict_reason
    assert (report.findings, report.judged, report.obligations) == ((), 0, 4)
    assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)
    assert "\n\n⊘ **Cannot be judged**: " in response.response and "Compliant" not in response.response


def test_a4_what_a_text_says_rightly_earns_no_more_than_was_judged(keyless: Speaker) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    text = "A bank keeps customer records for eight years after the end of the relationship."
    response, report = audit(keyless, f"Audit this text: {text}", rule)
    assert report.verdict == "No conflict found (1 of 4 judged)"
    assert "3 obligations were not judged" in report.summary and response.retrieval_confidence == "low"
    _, report = audit(
        keyless, f"Audit this text: {text.replace('eight', 'two')} The sun shines on the old harbour.", rule
    )
    assert report.verdict == "Major Violations (1 of 4 judged)"
    assert any("The sun shines" in p.source_quote for p in report.review), "what nobody judged is shown"


def test_a4_a_policy_that_states_every_rule_is_compliant(keyless: Speaker) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    copy = keyless.add("Our Copy", f"{RECORDS_RULE}\n{GARDENING}", type=DocumentType.COMPANY)
    response, report = audit(keyless, "Audit this", copy, rule)
    assert report.verdict == "Compliant (4 of 4 judged and covered)"
    assert response.retrieval_confidence == "high" and response.confidence_score < 1
    assert all(r.status is CoverageStatus.COVERED for r in report.coverage or ())


def test_a4_a_policy_about_another_subject_is_no_heap_of_gaps(keyless: Speaker) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    garden = keyless.add("Garden Rules", GARDENING, type=DocumentType.COMPANY)
    response, report = audit(keyless, "Audit this", garden, rule)
    assert report.overall_status is OverallStatus.CANNOT_BE_JUDGED and "another subject" in report.verdict_reason
    assert (report.judged, report.obligations) == (0, 4)
    assert report.findings == () and {r.status for r in report.coverage or ()} == {CoverageStatus.GAP}
    assert any("not called missing" in n for n in report.not_assessed), "what is left out is counted"
    assert response.retrieval_confidence == "low"


# With a model


def finding(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "conflict", "passage": 2, "source": 1, "theme": "Records", "severity": "Critical", "confidence": 0.9,
        "target_quote": SEVEN_YEARS,
        "source_quote": "We keep customer records for ten years after the end of the relationship.",
        "consequence": "Records are kept for 1 year, although 99 years are required; the fine is EUR 900 million.",
        "suggestion": "Keep them for 99 years.", **changes,
    }  # fmt: skip


def covered(obligation: str, quote: str, status: str = "Covered", **changes: Any) -> dict[str, Any]:
    return {
        "passage": 2, "obligation": obligation, "status": status, "source": 1, "source_quote": quote,
        "reason": "It says so.", **changes,
    }  # fmt: skip


TEN_YEARS = COMPANY_POLICY.replace("at least seven years", "ten years").replace("72 hours", "24 hours")


@pytest.fixture
def library(modeller: Speaker) -> tuple[Document, Document]:
    policy = modeller.add("Our Policy", TEN_YEARS, type=DocumentType.COMPANY)
    return policy, modeller.add("Records Rule", RECORDS_RULE)


def says(speaker: Speaker, findings: list[Any], coverage: list[Any], nothing_concerns: str = "") -> None:
    speaker.model_says(
        "AuditOutput", findings=findings, coverage=coverage, not_assessed=[], nothing_concerns=nothing_concerns
    )


def test_a4_an_empty_answer_of_a_model_is_no_compliance(modeller: Speaker, library: tuple[Document, Document]) -> None:
    says(modeller, [], [], "Everything is fine.")
    response, report = audit(modeller, "Audit this", *library)
    assert report.verdict == "Cannot be judged: none of the 4 obligations was judged"
    assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)


def test_f2_invented_figures_and_figures_that_agree_count_for_nothing(
    modeller: Speaker, library: tuple[Document, Document]
) -> None:
    late = finding(
        target_quote=ONE_DAY, source_quote="We report every serious incident to the Authority within 24 hours after discovery.",
        consequence="Nobody is told in time.", suggestion="Report within 5 minutes.", theme="Incidents",
    )  # fmt: skip
    gap = finding(
        kind="gap", target_quote="The board must review the incident register at least once a year.", severity="Low",
        source_quote="", consequence="The board meets 7 times.", suggestion="Add it.",
    )  # fmt: skip
    says(modeller, [finding(), late, gap], [covered(SEVEN_YEARS, TEN_YEARS.splitlines()[2])])
    response, report = audit(modeller, "Audit this", *library)
    assert [f.severity.value for f in report.findings] == ["Low"], "what its quotations contradict counts for nothing"
    assert report.overall_status is OverallStatus.MINOR_ISSUES
    assert [f.theme for f in report.contradicted] == ["Records", "Incidents"]
    assert all("do not conflict" in f.support for f in report.contradicted)
    for words in ("99 years", "900 million", "5 minutes", "7 times"):
        assert words not in response.response and words not in report.model_dump_json()
    assert "replaced by a neutral sentence" in report.findings[0].support
    assert "Contradicted by their own quotations" in response.response
    stored = audits.get_report(modeller.app, modeller.user, report.id)
    assert stored.contradicted == report.contradicted and stored.verdict == report.verdict
    (listed,) = audits.list_overviews(modeller.app, modeller.user)
    assert sum(listed.counts.values()) == 1 and listed.headline == report.headline
    rows = list(
        csv.DictReader(io.StringIO(audits.export_csv(stored, audits.filter_findings(stored)).decode("utf-8-sig")))
    )
    assert [(r["Severity"], r["Verdict"]) for r in rows] == [("Low", report.verdict)]


def test_m9_a_finding_on_a_rule_that_stands_nowhere_is_counted_and_said(
    modeller: Speaker, library: tuple[Document, Document]
) -> None:
    says(modeller, [finding(target_quote="A bank must paint its vault green every Tuesday."), finding(passage=99)], [])
    _, report = audit(modeller, "Audit this", *library)
    assert report.verdict == "Cannot be judged: 2 findings named rules that do not stand in the targets"
    assert any("left out" in n and n.endswith(": 2.") for n in report.not_assessed)


def test_b6_words_of_another_modal_verb_are_no_quotation_of_the_rule(
    modeller: Speaker, library: tuple[Document, Document]
) -> None:
    turned = "A bank may disclose customer records to third parties without the written consent of the customer."
    says(modeller, [finding(target_quote=turned)], [covered(turned, "We do not disclose customer records")])
    _, report = audit(modeller, "Audit this", *library)
    assert not report.findings and report.judged == 0


def test_a4_a_text_is_judged_where_the_models_rows_say_so(modeller: Speaker) -> None:
    rule, other = modeller.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    text = "We keep customer records for ten years after the end of the relationship."
    says(modeller, [], [covered(SEVEN_YEARS, text)])
    _, report = audit(modeller, f"Audit this text: {text}", rule, other)
    assert (report.judged, report.obligations, report.coverage) == (1, 6, None)
    assert report.overall_status is not OverallStatus.COMPLIANT


# Reports of before


def test_a5_a_report_stored_before_is_listed_opened_and_told_with_the_honest_label(keyless: Speaker) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    response, report = audit(keyless, "Audit this text: The weather is nice today.", rule)
    with keyless.app.db.as_owner() as c:  # as an earlier version stored it
        c.execute(
            "UPDATE audit_reports SET overall_status = 'Compliant', body = body - ARRAY['judged', 'obligations', 'covered',"
            " 'read_whole', 'verdict_reason'] WHERE id = %s",
            (report.id,),
        )
        c.execute(
            "UPDATE messages SET content = replace(content, '⊘ **Cannot be judged**', '✅ **Compliant**'), payload ="
            " jsonb_set(payload #- '{report,judged}', '{report,overall_status}', '\"Compliant\"') WHERE thread_id = %s",
            (response.thread_id,),
        )
    stored = audits.get_report(keyless.app, keyless.user, report.id)
    assert stored.verdict.startswith("Cannot be judged: this report is older")
    (listed,) = audits.list_overviews(keyless.app, keyless.user)
    assert listed.overall_status is OverallStatus.CANNOT_BE_JUDGED and listed.headline == "Cannot be judged"
    told = conversations.history(keyless.app, keyless.user, response.thread_id).messages[-1]
    assert "\n\n⊘ **Cannot be judged**" in told.content and "Compliant" not in told.content
    assert told.payload["retrieval_confidence"] == "low"
    assert b"Cannot be judged" in audits.export_csv(stored, ())
    again = answered_by(keyless.say("Audit this text: The weather is nice today.", rule, action="audit"))
    assert again.report is not None and again.report.judged == 0
