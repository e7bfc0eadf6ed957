"""Every action with every outcome opens, and a message that cannot be drawn is one broken message (U2e)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import ask, audits, conversations
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.db import conversations as conversations_db
from policypal.domain.audits import (
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    OverallStatus,
    Severity,
)  # fmt: skip
from policypal.domain.changes import ChangeList
from policypal.domain.citations import Citation
from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.domain.events import ResponseEvent, error_event
from policypal.domain.users import User
from policypal.errors import ModelError, PolicyPalError, RunStopped
from policypal.ui import state
from policypal.ui.audits import coverage
from policypal.ui.chat import badges
from policypal.ui.markup import plain
from tests.ui.conftest import Desk, assert_healthy, labels, say, texts

_CLEAN = (
    "Audit this text against the Rulebook 2025: An institution keeps customer records for 8 years after the end of the "
    "relationship."
)
_BROKEN = "This message could not be shown"


class Told:
    """A conversation with one message and what came of it."""

    def __init__(self, app: Container, user: User) -> None:
        self._app, self._user, self.thread = app, user, ask.new_thread_id()
        conversations_db.create_conversation(app.db, user.id, self.thread)
        self.add("user", "What about it?")

    def add(self, role: str, content: str, payload: dict[str, object] | None = None) -> None:
        conversations_db.add_message(
            self._app.db, self._user.id, self.thread, role, content, run_id=str(uuid4()), payload=payload or {},
            idempotency_key=str(uuid4()),
        )  # fmt: skip

    def answer(self, action: Action, response: str, **more: object) -> None:
        event = ResponseEvent(action=action.value, response=response, thread_id=self.thread, **more)  # type: ignore[arg-type]
        self.add("assistant", response, event.model_dump(mode="json"))

    def error(self, error: PolicyPalError) -> None:
        event = error_event(error, self.thread)
        self.add("error", event.message, event.model_dump(mode="json"))


def _report(
    status: OverallStatus, target: Document, *findings: Finding, rows: tuple[CoverageRow, ...] | None = None
) -> AuditReport:
    return AuditReport(
        id=str(uuid4()), title="A text against the rulebook", overall_status=status, findings=findings, summary="What was found.",
        targets_checked=(target.display_title,), not_assessed=("Page 9 was empty.",), coverage=rows,
    )  # fmt: skip


def _finding(target: Document) -> Finding:
    return Finding(
        kind=FindingKind.CONFLICT, target_document=target.display_title, target_document_id=target.id, theme="Incidents",
        severity=Severity.HIGH, consequence="A fine.", source_quote="24 hours", target_quote="4 hours", target_page=4,
        suggestion="Say 4 hours.", confidence=0.9,
    )  # fmt: skip


def _cited(target: Document) -> Citation:
    return Citation(
        id=1, source_type="document", title=target.title, version=target.version, page=4, quote="4 hours", verified=True,
        document_id=target.id,
    )  # fmt: skip


def _some(told: Told, action: Action, target: Document) -> None:
    more: dict[str, object] = {"citations": [_cited(target)]}
    if action is Action.AUDIT:
        more["report"] = _report(OverallStatus.MAJOR_VIOLATIONS, target, _finding(target))
    if action is Action.COMPARE:
        more["changes"] = ChangeList(old_title="Old", new_title="New", changes=(), unchanged=3)
    told.answer(action, "Within 4 hours. 📄1", **more)


def _none(told: Told, action: Action, target: Document) -> None:
    told.answer(action, "Nothing was found.", report=_clean(action, OverallStatus.COMPLIANT, target))


def _clean(action: Action, status: OverallStatus, target: Document) -> AuditReport | None:
    return _report(status, target) if action is Action.AUDIT else None


def _cancelled(told: Told, action: Action, target: Document) -> None:
    told.answer(action, "Cancelled. Nothing was done.", cancelled=True)


def _not_assessed(told: Told, action: Action, target: Document) -> None:
    for status in OverallStatus:
        told.answer(action, "It could not be judged.", report=_clean(action, status, target))


def _stopped(told: Told, action: Action, target: Document) -> None:
    told.error(RunStopped())


def _failed(told: Told, action: Action, target: Document) -> None:
    told.error(ModelError())


def _empty(told: Told, action: Action, target: Document) -> None:
    told.answer(action, "", report=_clean(action, OverallStatus.COMPLIANT, target))


_OUTCOMES = (_some, _none, _cancelled, _not_assessed, _stopped, _failed, _empty)


def _expect_whole(tab: AppTest) -> None:
    """The conversation and its composer are there, and nothing of it is broken."""
    assert_healthy(tab)
    assert "What about it?" in texts(tab)
    assert _BROKEN not in texts(tab) and "Something went wrong" not in texts(tab)
    assert not tab.chat_input[0].disabled


@pytest.mark.parametrize("outcome", _OUTCOMES, ids=lambda o: o.__name__.strip("_"))
@pytest.mark.parametrize("action", Action, ids=str)
def test_u2e_every_action_opens_with_every_outcome(
    desk: Desk, samples: list[Document], action: Action, outcome: Callable[[Told, Action, Document], None]
) -> None:
    told = Told(*desk)
    outcome(told, action, samples[1])
    last = conversations.history(*desk, told.thread).messages[-1]
    said = plain(last.content) if last.role == "error" else last.content.partition(" 📄")[0]
    if report := last.payload.get("report"):  # a card tells the outcome; the words are the report's own page (U2c)
        said = "Incidents" if report["findings"] else (report["verdict_reason"] or "What was found.") if said else ""
    tab = desk.open(thread=told.thread)
    _expect_whole(tab)
    assert (said or "This answer is empty") in texts(tab)
    _expect_whole(tab.run())


def test_u2e_an_audit_without_findings_opens_fresh_again_and_as_a_report(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _CLEAN)
    (report,) = audits.list_reports(*desk)
    assert report.findings == ()
    for again in (tab, desk.open(thread=str(tab.session_state[state.THREAD]))):
        assert _BROKEN not in texts(again) and not again.error
        assert any(link.proto.label == "Open the audit report" for link in again.get("page_link"))
        assert not again.chat_input[0].disabled
    assert report.title in texts(desk.open("audit_reports"))
    assert report.summary in texts(desk.open("audit_reports", report=report.id)).replace("&#x27;", "'")


@pytest.mark.parametrize("status", OverallStatus, ids=str)
def test_u2e_a_report_without_findings_opens_whatever_its_verdict(
    desk: Desk, status: OverallStatus, samples: list[Document]
) -> None:
    for rows in (None, ()):
        kept = audits_db.save_report(desk.app.db, desk.user.id, _report(status, samples[1], rows=rows))
        tab = desk.open("audit_reports", report=kept.id)
        assert not tab.error
        assert "No findings" in texts(tab)


def test_u2e_a_message_that_cannot_be_drawn_is_one_broken_message(
    desk: Desk, samples: list[Document], caplog: pytest.LogCaptureFixture
) -> None:
    """What is stored may be of an older version, or damaged: here an answer whose citations are none."""
    told = Told(*desk)
    _some(told, Action.INQUIRE, samples[1])
    told.add("assistant", "Words that are still there.", {"citations": [{"id": "none"}], "report": {"title": 7}})
    _some(told, Action.SUMMARIZE, samples[1])
    broken = conversations.history(*desk, told.thread).messages[-2]
    tab = desk.open(thread=told.thread)
    assert [_BROKEN in e.value and broken.id[:8] in e.value for e in tab.error] == [True]
    assert broken.id[:8] in caplog.text
    assert texts(tab).count("Within 4 hours.") == 2
    assert _copied(tab)[1] == "Words that are still there."
    asked = len(tab.chat_message)
    assert len(say(tab, "How long must an institution keep customer records?").chat_message) == asked + 2


def test_u2e_a_damaged_note_of_pal_assist_is_one_broken_message_too(desk: Desk, samples: list[Document]) -> None:
    told = Told(*desk)
    told.add("pal_assist", "The second one", {"question": None})
    _some(told, Action.INQUIRE, samples[1])
    tab = desk.open(thread=told.thread)
    assert [_BROKEN in e.value for e in tab.error] == [True]
    assert "Within 4 hours." in texts(tab) and _copied(tab)[0] == "The second one"


def _copied(tab: AppTest) -> list[str]:
    return [base64.b64decode(code).decode() for code in re.findall(r'data-pp-copy="([^"]+)"', texts(tab))]


def test_u2e_a_history_that_cannot_be_read_leaves_the_composer(
    desk: Desk, samples: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told(*desk)
    monkeypatch.setattr(conversations, "history", lambda *_: 1 / 0)
    tab = desk.open(thread=told.thread)
    assert "Something went wrong" in tab.error[0].value
    assert not tab.chat_input[0].disabled


def test_u2e_one_tab_of_a_report_and_one_row_of_the_list_may_break_alone(
    desk: Desk, samples: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = CoverageRow(
        obligation="Keep records", target_document_id=samples[1].id, page=2, status=CoverageStatus.GAP, reason="None."
    )
    made = _report(OverallStatus.MAJOR_VIOLATIONS, samples[1], _finding(samples[1]), rows=(row,))
    kept = audits_db.save_report(desk.app.db, desk.user.id, made)
    monkeypatch.setattr(coverage, "card_html", lambda _: 1 / 0)
    tab = desk.open("audit_reports", report=kept.id)
    assert len(tab.error) == 1
    assert "Say 4 hours." in texts(tab) and "Delete for good" in labels(tab)
    monkeypatch.setattr(badges, "verdict", lambda *_: 1 / 0)
    assert len(desk.open("audit_reports").error) == 1
