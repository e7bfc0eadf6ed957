"""A new audit from the form: the same run as a message's, with its scope told before (A4, U6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policypal.application import ask, auditing, audits, conversations, library, register, sets
from policypal.application.auditing import NewAudit
from policypal.application.container import Container
from policypal.domain.audits import PASTED_TEXT
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS


@pytest.fixture
def policy(app: Container, user: User) -> Document:
    return add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)


@pytest.fixture
def rule(app: Container, user: User) -> Document:
    return add_text(app, user, "Records Rule", RECORDS_RULE, version="2023")


def _started(app: Container, user: User, wanted: NewAudit) -> str:
    thread = ask.new_thread_id()
    auditing.start(app, user, thread, wanted)
    assert list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    return thread


def test_a4_an_audit_is_started_and_kept_like_that_of_a_message(
    app: Container, user: User, policy: Document, rule: Document
) -> None:
    wanted = NewAudit(policy.id, (rule.id,))
    thread = _started(app, user, wanted)
    auditing.start(app, user, thread, wanted)  # the second click
    (report,) = audits.list_reports(app, user)
    assert (report.source_document_id, report.targets_checked) == (policy.id, (rule.display_title,))
    told = conversations.history(app, user, thread).messages
    assert [m.role for m in told] == ["user", "assistant"]
    assert told[0].content == f"Audit {policy.display_title} against {rule.display_title}."


def test_a4_a_pasted_text_is_audited_as_a_text_within_its_focus(app: Container, user: User, rule: Document) -> None:
    words = "Records of customers are kept for two years and are then destroyed."
    _started(app, user, NewAudit(None, (rule.id,), words, "records"))
    (report,) = audits.list_reports(app, user)
    assert (report.source_title, report.source_text, report.focus) == (PASTED_TEXT, words, "records")


def test_a4_the_scope_is_that_of_the_register_as_the_analyst_left_it(
    app: Container, user: User, rule: Document
) -> None:
    wanted = NewAudit(None, (rule.id,))
    found = auditing.workload(app, user, wanted)
    counting = register.load(app, user, rule.id).counting
    assert found.obligations == len(counting) == sum(n for _, n in found.parties) == sum(n for _, n in found.kinds) > 0
    assert found.regulations == ((rule.display_title, len(counting), rule.pages),)
    register.change(app, user, rule.id, counting[0].entry, is_struck=True)
    assert auditing.workload(app, user, wanted).obligations == len(counting) - 1


@pytest.mark.parametrize("focus", ["", "records", "lunch menus"])
def test_a4_the_report_counts_what_the_form_announced(app: Container, user: User, policy: Document, focus: str) -> None:
    text = f"{RECORDS_RULE}\n\n9. The supervisory authority must publish its decisions on records every year."
    rule = add_text(app, user, "Records Code", text)
    wanted = NewAudit(policy.id, (rule.id,), focus=focus)
    found = auditing.workload(app, user, wanted)
    assert found.obligations == auditing.estimate(app, user, wanted).obligations
    _started(app, user, wanted)
    (report,) = audits.list_reports(app, user)
    assert report.obligations == found.obligations
    assert bool(found.obligations) == (focus != "lunch menus")
    assert found.obligations < len(register.load(app, user, rule.id).counting), "no policy can do an authority's duty"


def test_a4_a_set_stands_for_its_regulations_and_superseded_ones_are_not_offered(
    app: Container, user: User, policy: Document, rule: Document
) -> None:
    newer = add_text(app, user, "Records Rule", RECORDS_RULE.replace("seven", "nine"), version="2025")
    library.move_to_set(app, user, [policy.id, newer.id], "Banking")
    documents = auditing.auditable(app, user)
    assert {d.id for d in documents} == {policy.id, newer.id}
    (banking,) = sets.list_sets(app, user)
    assert auditing.regulations_of(documents, [banking.id, newer.id]) == (newer.id,)


def test_a4_a_newer_version_that_could_not_be_read_does_not_hide_the_older_one(
    app: Container, user: User, rule: Document
) -> None:
    newer = add_text(app, user, "Records Rule", RECORDS_RULE.replace("seven", "nine"), version="2025")
    assert newer.id in {d.id for d in auditing.auditable(app, user)}
    with app.db.as_user(user.id) as c:
        c.execute("UPDATE documents SET status = 'failed' WHERE id = %s", (newer.id,))
    assert {d.id for d in auditing.auditable(app, user)} == {rule.id}


def test_a4_what_cannot_be_audited_is_refused_and_no_conversation_begins(
    app: Container, user: User, policy: Document, rule: Document
) -> None:
    good = NewAudit(policy.id, (rule.id,))
    gone = "00000000-0000-4000-8000-00000000dead"
    refused = [
        (replace(good, target_ids=()), InvalidInput), (replace(good, source_id=None, text=" "), InvalidInput),
        (replace(good, target_ids=(policy.id,)), InvalidInput), (replace(good, target_ids=(gone,)), NotFound),
    ]  # fmt: skip
    for wanted, error in refused:
        with pytest.raises(error):
            auditing.start(app, user, ask.new_thread_id(), wanted)
    assert conversations.list_conversations(app, user) == []
