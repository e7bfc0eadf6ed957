"""Comparing two versions through the whole graph: the change list, its citations, its place in the run log (A3, C2)."""

from __future__ import annotations

from policypal.application import ask, conversations
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.domain.changes import ChangeKind
from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.domain.events import ResponseEvent
from policypal.domain.users import User
from tests.support.documents import OTHER_RULE, RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

NEWER = (
    RECORDS_RULE.replace("24 hours", "4 hours")
    .replace("once a year", "twice a year")
    .replace("Section 2. ", "Section 3. ")
)


def compared(app: Container, user: User, message: str, *documents: Document) -> tuple[ResponseEvent, str]:
    thread = ask.new_thread_id()
    ask.send(
        app, user, thread, Request(message=message, action=Action.COMPARE, document_ids=tuple(d.id for d in documents))
    )
    event = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]
    assert isinstance(event, ResponseEvent), event
    return event, thread


def test_a3_two_versions_get_a_cited_change_list_whichever_is_named_first(any_app: Container, any_user: User) -> None:
    old = add_text(any_app, any_user, "Records Rule", RECORDS_RULE, version="2023")
    new = add_text(any_app, any_user, "Records Rule", NEWER, version="2025")
    response, thread = compared(any_app, any_user, "Please", new, old)
    assert response.changes is not None
    assert (response.changes.old_title, response.changes.new_title) == ("Records Rule (2023)", "Records Rule (2025)")
    assert [c.kind for c in response.changes.changes] == [ChangeKind.CHANGED, ChangeKind.CHANGED]
    cited = {c.id: c for c in response.citations}
    incident = response.changes.changes[0]
    assert (
        "24 hours" in cited[incident.old_citation or 0].quote
        and cited[incident.old_citation or 0].document_id == old.id
    )
    assert (
        "4 hours" in cited[incident.new_citation or 0].quote and cited[incident.new_citation or 0].document_id == new.id
    )
    assert "~~24~~ **4** hours" in response.response
    traces = [e for entries in conversations.history(any_app, any_user, thread).traces.values() for e in entries]
    told = next(e.detail for e in traces if "quotes" in e.detail)
    assert told["quotes"].endswith("0 unverified") and "verified" in told["quotes"]


def test_a3_a_topic_narrows_the_change_list(app: Container, user: User) -> None:
    old = add_text(app, user, "Records Rule", RECORDS_RULE, version="2023")
    new = add_text(app, user, "Records Rule", NEWER, version="2025")
    response, _ = compared(app, user, "Compare what they say about the incident register", old, new)
    assert response.changes is not None
    assert all("register" in "".join(p.text for p in c.parts) for c in response.changes.changes)


def test_a3_other_documents_get_no_change_list(app: Container, user: User) -> None:
    one, other = add_text(app, user, "Records Rule", RECORDS_RULE), add_text(app, user, "Complaints", OTHER_RULE)
    response, _ = compared(app, user, "Please", one, other)
    assert response.changes is None
    assert "What changed" not in response.response
