"""Documents that are hard to read by their nature: foreign, tiny, tables only, huge, circular, contradictory (A2-A6)."""

from __future__ import annotations

import time
from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.audits import AuditReport, CoverageStatus, OverallStatus
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import InterruptEvent, ResponseEvent
from policypal.domain.users import User
from tests.support.conversation import Speaker, answered_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE

FOREIGN = {
    "Aufbewahrung": (
        "Eine Bank muss Kundenunterlagen mindestens sieben Jahre nach dem Ende der Beziehung aufbewahren.\n"
        "Eine Bank darf Kundenunterlagen nicht ohne schriftliche Zustimmung des Kunden an Dritte weitergeben.\n"
        "Der Vorstand muss das Vorfallregister mindestens einmal im Jahr prüfen.\n"
    ),
    "Conservation": (
        "Une banque doit conserver les dossiers des clients pendant au moins sept ans après la fin de la relation.\n"
        "Une banque ne doit pas communiquer les dossiers des clients à des tiers sans l’accord écrit du client.\n"
        "Le conseil doit examiner le registre des incidents au moins une fois par an.\n"
    ),
    "保存规定": "银行必须在客户关系结束后至少保存客户记录七年。\n未经客户书面同意,银行不得向第三方披露客户记录。\n",
    "حفظ السجلات": (
        "يجب على البنك الاحتفاظ بسجلات العملاء لمدة سبع سنوات على الأقل بعد انتهاء العلاقة.\n"
        "لا يجوز للبنك الإفصاح عن سجلات العملاء لأطراف ثالثة دون موافقة خطية من العميل.\n"
    ),
}


@pytest.fixture
def keyless(app: Container) -> Speaker:
    user = User(id=str(uuid4()), email="b@example.org")
    users_db.ensure_user(app.db, user)
    return Speaker(app, user)


def report_of(response: ResponseEvent) -> AuditReport:
    assert response.report is not None
    return response.report


def audited(speaker: Speaker, *documents: Document) -> AuditReport:
    return report_of(answered_by(speaker.say("Audit this against the rules", *documents, action="audit")))


def assert_every_quote_stands_in(response: ResponseEvent, text: str) -> None:
    said = "".join(text.split())
    assert all(c.verified and "".join(c.quote.split()) in said for c in response.citations)


@pytest.mark.parametrize("title", FOREIGN)
def test_a2_a_document_in_another_language_is_quoted_or_nothing_is_claimed(keyless: Speaker, title: str) -> None:
    document = keyless.add(title, FOREIGN[title])
    for question in ("How long must customer records be kept?", FOREIGN[title].splitlines()[0]):
        response = keyless.anyway(keyless.say(question, document, action="inquire"))
        assert_every_quote_stands_in(response, FOREIGN[title])
        if not response.citations:
            assert response.retrieval_confidence == "low" and response.response.startswith("Nothing close was found")
    summary = keyless.anyway(keyless.say("Summarize this", document, action="summarize"))
    assert_every_quote_stands_in(summary, FOREIGN[title])


@pytest.mark.parametrize("title", FOREIGN)
def test_a4_rules_in_another_language_are_not_assessed_rather_than_met(keyless: Speaker, title: str) -> None:
    rule = keyless.add(title, FOREIGN[title])
    policy = keyless.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    report = audited(keyless, policy, rule)
    assert not report.findings and not report.coverage
    assert any(title in n and "not in English" in n for n in report.not_assessed), report.not_assessed
    assert report.overall_status is OverallStatus.CANNOT_BE_JUDGED
    assert report.verdict.startswith(f"Cannot be judged: “{title}” is not in English")


@pytest.mark.parametrize("title", FOREIGN)
def test_a4_a_source_in_another_language_is_not_called_in_breach(keyless: Speaker, title: str) -> None:
    policy = keyless.add(title, FOREIGN[title] * 20, type=DocumentType.COMPANY)
    report = audited(keyless, policy, keyless.add("Records Rule", RECORDS_RULE))
    assert any(title in n and "English" in n for n in report.not_assessed), report.not_assessed
    assert not report.findings, "that nothing is found in a language nobody reads is no gap"
    assert report.overall_status is OverallStatus.CANNOT_BE_JUDGED


def test_a1_a_document_of_one_line(keyless: Speaker) -> None:
    line = "A bank must keep customer records for at least seven years."
    one = keyless.add("One Line", line)
    asked = answered_by(keyless.say("How long must customer records be kept?", one))
    assert [c.quote for c in asked.citations] == [line]
    for action in ("summarize", "inquire"):
        assert line in keyless.anyway(keyless.say("What does it say?", one, action=action)).response
    other = keyless.add("Another Line", "A bank must keep customer records for at least five years.")
    compared = answered_by(keyless.say("Compare these", one, other, action="compare"))
    assert {c.document_id for c in compared.citations} == {one.id, other.id}
    policy = keyless.add("Our Line", "We keep customer records for two years.", type=DocumentType.COMPANY)
    (found,) = audited(keyless, policy, one).findings
    assert (found.source_quote, found.target_quote) == ("We keep customer records for two years.", line)


def test_a2_a_document_of_tables_only(keyless: Speaker) -> None:
    rows = [("Customer records", "7 years"), ("Complaint files", "5 years"), ("Telephone recordings", "6 months")]
    lines = ["Record | Retention period | Owner", "--- | --- | ---", *(f"{a} | {b} | Compliance" for a, b in rows)]
    table = keyless.add("Retention Table", "\n".join(lines) + "\n")
    response = keyless.anyway(keyless.say("What is the retention period for telephone recordings?", table))
    assert "6 months" in response.response and response.citations
    assert_every_quote_stands_in(response, "\n".join(lines))
    report = audited(keyless, keyless.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY), table)
    assert not report.coverage
    assert any("Retention Table" in n for n in report.not_assessed)


SUBJECTS = ("vault keys", "loan files", "fee tables", "signature cards", "branch plans", "cash counts", "staff rosters", "audit trails",
            "card stocks", "server rooms")  # fmt: skip
VERBS = ("record", "review", "store", "seal", "label", "count", "inspect", "number", "archive", "photograph")
PARTIES = (
    "branch manager",
    "treasurer",
    "auditor",
    "cashier",
    "steward",
    "registrar",
    "custodian",
    "controller",
    "clerk",
    "warden",
)


def test_a6_two_thousand_obligations_are_all_in_the_coverage(keyless: Speaker) -> None:
    duties = [
        f"{n}. The {PARTIES[n // 100 % 10]} must {VERBS[n // 10 % 10]} the {SUBJECTS[n % 10]} of region {n} every {n % 27 + 3} days."
        for n in range(1, 2001)
    ]
    rule = keyless.add("Long Rule", "\n\n".join(duties))
    policy = keyless.add("Our Policy", COMPANY_POLICY * 40, type=DocumentType.COMPANY)
    started = time.process_time()
    response = answered_by(keyless.say("Audit this against the rules", policy, rule, action="audit"))
    assert time.process_time() - started < 30
    report = report_of(response)
    assert report.coverage is not None and len(report.coverage) == 2000
    assert {" ".join(r.obligation.split()).partition(". ")[2] for r in report.coverage} == {
        d.partition(". ")[2] for d in duties
    }
    assert sum(e.obligations for e in report.extents) == 2000
    assert len(response.response) < 60_000 and len(report.findings) < 2000


def test_a4_a_source_equal_to_its_target_is_covered(keyless: Speaker) -> None:
    rule = keyless.add("Records Rule", RECORDS_RULE)
    text = RECORDS_RULE + "\nThis copy was made for the staff handbook.\n"
    report = audited(keyless, keyless.add("Our Copy", text, type=DocumentType.COMPANY), rule)
    assert report.findings == () and report.overall_status is OverallStatus.COMPLIANT
    for row in report.coverage or ():
        assert row.status is CoverageStatus.COVERED and row.policy_quote == row.obligation
    report = report_of(answered_by(keyless.say(f"Audit this e-mail:\n\n{RECORDS_RULE}", rule, action="audit")))
    assert report.findings == ()


def test_g6_a_document_cannot_be_audited_against_itself(keyless: Speaker) -> None:
    policy = keyless.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    event = keyless.say("Audit this against itself", policy, policy, action="audit")
    assert isinstance(event, InterruptEvent) and "regulation" in event.message


def test_a4_contradictory_regulations_are_judged_each_by_its_own_rule(keyless: Speaker) -> None:
    home = keyless.add(
        "Home Rule", "A bank must delete customer records within three years after the end of the relationship."
    )
    host = keyless.add(
        "Host Rule", "A bank must keep customer records for at least seven years after the end of the relationship."
    )
    both = "We keep customer records for five years after the end of the relationship."
    report = audited(keyless, keyless.add("Between", both, type=DocumentType.COMPANY), home, host)
    assert {f.target_document_id for f in report.findings} == {home.id, host.id}
    follows = "We keep customer records for eight years after the end of the relationship."
    report = audited(keyless, keyless.add("Follows Host", follows, type=DocumentType.COMPANY), home, host)
    assert {f.target_document_id for f in report.findings} == {home.id}
    report = audited(keyless, keyless.add("Follows Host 2", follows + " We file it.", type=DocumentType.COMPANY), host)
    assert report.findings == ()
