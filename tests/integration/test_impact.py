"""What a new version touches of the audits made with an earlier one (A9, D8)."""

from __future__ import annotations

import pytest

from policypal.application import ask, auditing, audits, impact
from policypal.application.auditing import NewAudit
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from tests.support.documents import add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

RULE = """1 Records

1.1 An institution must keep customer records for seven years after the end of the relationship.

1.2 An institution must answer complaints of customers within 15 working days.

1.3 An institution must appoint a compliance officer who reports to the board.
"""
STRICTER = RULE.replace("seven years", "nine years") + "\n1.4 An institution must test its backups every month.\n"
POLICY = """1 Our policy

1.1 Customer records are kept for five years after the end of the relationship.

1.2 Complaints of customers are answered within 10 working days.
"""


@pytest.fixture
def audited(app: Container, user: User) -> tuple[Document, Document]:
    """A policy and the rule it was audited against."""
    policy = add_text(app, user, "Our Policy", POLICY, type=DocumentType.COMPANY, version="2023")
    rule = add_text(app, user, "Records Rule", RULE, version="2023")
    thread = ask.new_thread_id()
    auditing.start(app, user, thread, NewAudit(policy.id, (rule.id,)))
    assert list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    return policy, rule


def test_a9_a_new_edition_lists_the_audits_obligations_and_clauses_it_touches(
    app: Container, user: User, audited: tuple[Document, Document]
) -> None:
    _, rule = audited
    newer = add_text(app, user, "Records Rule", STRICTER, version="2025")
    assert impact.of_version(app, user, rule) == [], "nothing is earlier than the first one"
    (found,) = impact.of_version(app, user, newer)
    (report,) = audits.list_reports(app, user)
    assert (found.report.id, found.older.id) == (report.id, rule.id)
    (touched,) = found.touched
    assert "seven years" in touched.before and "nine years" in touched.after
    assert "five years" in touched.other and touched.other_page == 1
    assert ["backups" in t.after for t in found.added] == [True]


def test_a9_a_new_policy_lists_the_rules_its_changed_clauses_were_held_against(
    app: Container, user: User, audited: tuple[Document, Document]
) -> None:
    changed = add_text(
        app, user, "Our Policy", POLICY.replace("five years", "nine years"), type=DocumentType.COMPANY, version="2025"
    )
    (found,) = impact.of_version(app, user, changed)
    assert {t.standing for t in found.touched} >= {"Conflict"} and found.added == ()
    assert all("five years" in t.before and "nine years" in t.after for t in found.touched)
    assert any("seven years" in t.other for t in found.touched)
