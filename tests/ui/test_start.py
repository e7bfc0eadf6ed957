"""Where a day begins: what waits and what was worked on last (T4), and the palette (U10)."""

from __future__ import annotations

from datetime import date, timedelta

from policypal.application import ask, audits, start, triage
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.domain.documents import Document
from policypal.domain.triage import TriageStatus
from policypal.domain.users import User
from policypal.ui import state
from tests.ui.conftest import Desk, labels, press, say, texts

_AUDIT = "Audit the Group Conduct and Information Policy against the Rulebook {}."


def _audited(app: Container, user: User, edition: str) -> None:
    thread = ask.new_thread_id()
    ask.send(app, user, thread, ask.Request(message=_AUDIT.format(edition)))
    assert ask.wait(app, user, thread, 60)


def test_t4_a_newcomer_is_told_what_this_is(desk: Desk, samples: list[Document]) -> None:
    """Until there is something to go on with: other tests of this installation may have left work."""
    is_new = not start.overview(*desk).recent
    assert ("Ask your policies and regulations" in texts(desk.open())) == is_new


def test_t4_what_waits_is_counted_and_recent_work_is_one_click_away(desk: Desk, samples: list[Document]) -> None:
    _audited(*desk, "2025")
    (report,) = audits.list_reports(*desk)
    first, second, third, *rest = [f.id for f in report.findings]
    yesterday = date.today() - timedelta(days=1)
    triage.change(*desk, report.id, [first], {"due_on": yesterday})
    triage.change(*desk, report.id, [second], {"status": TriageStatus.RESOLVED})
    accepted = {"status": TriageStatus.ACCEPTED_RISK, "reason": "Small.", "expires_on": yesterday}
    triage.change(*desk, report.id, [third], accepted)  # type: ignore[arg-type]

    found = start.overview(*desk)
    waiting = triage.waiting(*desk, [report.id])
    assert found.overdue == sum(w.triage.is_overdue(date.today()) for w in waiting) == 2
    assert found.open_findings == sum(not w.triage.status.is_closed for w in waiting) == 1 + len(rest)
    assert {w.kind for w in found.recent} >= {"conversation", "report"}

    tab = desk.open()
    assert "Ask your policies" not in texts(tab) and f">{found.open_findings}</div>" in texts(tab)
    assert any("overdue" in link.proto.label for link in tab.get("page_link"))
    assert any(report.title[:20] in label for label in labels(tab))


def test_t4_audits_of_an_edition_that_was_superseded_since_wait(desk: Desk, samples: list[Document]) -> None:
    _audited(*desk, "2023")
    assert start.overview(*desk).outdated == ()  # the newer edition was there: the older one was meant
    (report,) = audits.list_reports(*desk)
    with desk.app.db.as_user(desk.user.id) as c:
        c.execute("UPDATE audit_reports SET created_at = created_at - interval '1 year' WHERE id = %s", (report.id,))
    assert start.overview(*desk).outdated == (report.id,)
    assert len(audits_db.list_subjects(desk.app.db, desk.user.id)) == 1


def test_u10_the_palette_finds_documents_reports_and_conversations(desk: Desk, samples: list[Document]) -> None:
    thread = str(say(desk.open(), "When must an incident be reported?").session_state[state.THREAD])
    tab = desk.open()
    press(tab, "palette")
    (field,) = (s for s in tab.selectbox if s.key == "palette_choice")
    assert "New chat" in field.options
    assert f"Document · {samples[0].display_title}" in field.options
    assert any(o.startswith("Conversation · When must an incident") for o in field.options)
    assert thread
