"""The verdict of an audit is earned, and a model's findings are held against their quotations (A4, A6, C2)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import audits, conversations
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.audits import AuditReport, CoverageStatus, OverallStatus
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from policypal.export.reports import findings_csv
from tests.support.conversation import Speaker, answered_by
from tests.support.documents import RECORDS_RULE

GARDENING = " ".join(
    f"The gardener of plot {n} waters the roses of bed {n} in the evening and cuts the hedge along the old wall."
    for n in range(80)
)


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
    assert report.findings == () and {r.status for r in report.coverage or ()} == {CoverageStatus.NOT_JUDGED}
    assert any("not called missing" in n for n in report.not_assessed), "what is left out is counted"
    assert response.retrieval_confidence == "low"


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
    assert b"Cannot be judged" in findings_csv(stored, ())
    again = answered_by(keyless.say("Audit this text: The weather is nice today.", rule, action="audit"))
    assert again.report is not None and again.report.judged == 0
