"""The conversation with the agent, end to end, on both engines (G1–G12, A2, C1, C2, U6)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from policypal.application import ask, conversations, library, reading
from policypal.application.ask import Draft, Request
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentType
from policypal.domain.events import Event, InterruptEvent, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import (
    InvalidInput,
    NoPendingQuestion,
    NotFound,
    QuestionPending,
    RunInProgress,
    TooManyDocuments,
)
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS


def follow(app: Container, user: User, thread: str) -> tuple[list[Event], Event]:
    told = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert [e.type for e in told if e.type != "status"] == [told[-1].type], "exactly one terminal event, at the end"
    return told, told[-1]


def say(app: Container, user: User, message: str, *, thread: str | None = None, **more: object) -> tuple[str, Event]:
    thread = thread or ask.new_thread_id()
    ask.send(app, user, thread, Request(message=message, **more))  # type: ignore[arg-type]
    return thread, follow(app, user, thread)[1]


def reply(app: Container, user: User, thread: str, answer: Answer, interrupt_id: str | None = None) -> Event:
    ask.resume(app, user, thread, answer, interrupt_id=interrupt_id)
    return follow(app, user, thread)[1]


def answered(event: Event) -> ResponseEvent:
    assert isinstance(event, ResponseEvent), event
    return event


def answered_anyway(app: Container, user: User, event: Event) -> ResponseEvent:
    """The protocol server's vectors are crude, so that the specified thresholds may ask before they answer."""
    if isinstance(event, InterruptEvent) and event.interrupt_type == "retrieval_low":
        event = reply(app, user, event.thread_id, Answer(type="retrieval_low", value="continue"))
    return answered(event)


def asked(event: Event) -> InterruptEvent:
    assert isinstance(event, InterruptEvent), event
    return event


def test_a2_a_question_is_answered_with_verified_quotes(any_app: Container, any_user: User) -> None:
    document = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    _, event = say(any_app, any_user, "How long must customer records be kept?", document_ids=(document.id,))
    response = answered(event)
    assert response.action == "inquire"
    assert response.engine == any_app.engine.name
    assert response.documents[0].id == document.id
    assert response.citations and all(c.verified for c in response.citations)
    page = reading.open_page(any_app, any_user, document.id, 1).text
    for c in response.citations:
        assert page[c.start : c.end] == c.quote
        assert c.marker in response.response


def test_a2_the_keyless_answer_holds_the_fact(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    add_text(app, user, "Complaints Rule", OTHER_RULE)
    _, event = say(app, user, "Within how many hours must a serious incident be reported?")
    response = answered(event)
    assert "24 hours" in response.response
    assert response.citations[0].document_id == document.id
    assert response.tokens_used == 0


def test_g12_events_come_in_order(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    ask.send(app, user, thread, Request(message="How long must records be kept according to the Records Rule?"))
    told, last = follow(app, user, thread)
    assert isinstance(last, ResponseEvent)
    nodes = list(dict.fromkeys(e.node for e in told if e.type == "status"))
    assert nodes == ["intent_resolver", "doc_resolver", "validate_inputs", "retrieve", "check_retrieval_confidence", "inquire", "format_response"]  # fmt: skip
    found = [e.docs_found for e in told if e.type == "status" and e.docs_found]
    assert [d.title for d in found[0]] == ["Records Rule"]


def test_m1_history_is_kept_once_and_named(any_app: Container, any_user: User) -> None:
    document = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, _ = say(any_app, any_user, "How long must records be kept?", document_ids=(document.id,))
    say(any_app, any_user, "Who reviews the incident register?", thread=thread, document_ids=(document.id,))
    told = conversations.history(any_app, any_user, thread)
    assert [m.role for m in told.messages] == ["user", "assistant", "user", "assistant"]
    assert told.conversation.title == "How long must records be kept · Records Rule"
    state = any_app.agent._graph.compile(checkpointer=any_app.checkpoints.saver(any_user.id)).get_state(
        {"configurable": {"thread_id": thread}}
    )
    assert [m["role"] for m in state.values["messages"]] == ["user", "assistant", "user", "assistant"]
    assert state.values["conversation_docs"] == {"Records Rule": document.id}
    with any_app.db.as_owner() as c:
        row = c.execute("SELECT count(*) AS n FROM checkpoints WHERE thread_id = %s", (thread,)).fetchone()
    assert row == {"n": 1}, "superseded checkpoints are pruned (M2)"


def test_m5_every_node_and_task_is_in_the_trace(any_app: Container, any_user: User) -> None:
    document = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, _ = say(any_app, any_user, "How long must records be kept?", document_ids=(document.id,))
    told = conversations.history(any_app, any_user, thread)
    (run_id,) = {m.run_id for m in told.messages if m.run_id}
    names = [(e.kind, e.name) for e in told.traces[run_id]]
    for node in ("intent_resolver", "retrieve", "inquire", "format_response"):
        assert ("node", node) in names
    for task in ("router", "answer"):
        assert names.count(("task", task)) == 1


def test_g11_a_follow_up_refers_to_the_documents_before(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    add_text(app, user, "Complaints Rule", OTHER_RULE)
    thread, _ = say(app, user, "How long must records be kept?", document_ids=(document.id,))
    _, event = say(app, user, "Who reviews the incident register in that rule?", thread=thread)
    assert [d.id for d in answered(event).documents] == [document.id]


def test_g6_compare_with_one_document_asks_for_another_and_goes_on(any_app: Container, any_user: User) -> None:
    one = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    two = add_text(any_app, any_user, "Complaints Rule", OTHER_RULE)
    thread, event = say(any_app, any_user, "@Compare @Records Rule", action=Action.COMPARE, document_ids=(one.id,))
    question = asked(event)
    assert (question.interrupt_type, question.expects) == ("text_input", "document")
    assert ask.pending(any_app, any_user, thread) == question
    response = answered(reply(any_app, any_user, thread, Answer(type="text_input", value="@Complaints Rule")))
    assert {d.id for d in response.documents} == {one.id, two.id}
    assert ask.pending(any_app, any_user, thread) is None
    roles = [m.role for m in conversations.history(any_app, any_user, thread).messages]
    assert roles == ["user", "pal_assist", "assistant"]


def test_g8_cancel_gives_the_specific_feedback_and_frees_the_thread(any_app: Container, any_user: User) -> None:
    one = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, event = say(any_app, any_user, "@Compare @Records Rule", action=Action.COMPARE, document_ids=(one.id,))
    asked(event)
    response = answered(reply(any_app, any_user, thread, Answer(type="cancel")))
    assert response.response == "Compare requires at least 2 documents. Please @tag them and try again."
    assert response.cancelled
    _, again = say(any_app, any_user, "How long must records be kept?", thread=thread, document_ids=(one.id,))
    assert answered_anyway(any_app, any_user, again).citations


def test_g9_answers_nobody_asked_for_change_nothing(any_app: Container, any_user: User) -> None:
    one = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, event = say(any_app, any_user, "How long must records be kept?", document_ids=(one.id,))
    answered(event)
    before = conversations.history(any_app, any_user, thread).messages
    with pytest.raises(NoPendingQuestion):
        ask.resume(any_app, any_user, thread, Answer(type="cancel"))
    with pytest.raises(NotFound):
        ask.resume(any_app, any_user, ask.new_thread_id(), Answer(type="cancel"))
    assert conversations.history(any_app, any_user, thread).messages == before


def test_g9_a_question_is_answered_once_whoever_clicks(any_app: Container, any_user: User) -> None:
    one = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, event = say(any_app, any_user, "@Compare @Records Rule", action=Action.COMPARE, document_ids=(one.id,))
    question = asked(event)

    def click(_: int) -> str:
        try:
            ask.resume(any_app, any_user, thread, Answer(type="cancel"), interrupt_id=question.interrupt_id)
            return "accepted"
        except (NoPendingQuestion, RunInProgress):
            return "refused"

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(click, range(4)))
    assert sorted(outcomes) == ["accepted", "refused", "refused", "refused"]
    follow(any_app, any_user, thread)
    roles = [m.role for m in conversations.history(any_app, any_user, thread).messages]
    assert roles == ["user", "pal_assist", "assistant"]


def test_g9_a_new_message_while_a_question_is_open_is_refused(any_app: Container, any_user: User) -> None:
    one = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread, event = say(any_app, any_user, "@Compare @Records Rule", action=Action.COMPARE, document_ids=(one.id,))
    question = asked(event)
    with pytest.raises(QuestionPending):
        ask.send(any_app, any_user, thread, Request(message="Something else"))
    assert ask.pending(any_app, any_user, thread) == question
    assert len(conversations.history(any_app, any_user, thread).messages) == 1


def test_g1_no_model_call_is_repeated_by_an_interrupt(model_app: Container, model_server: object) -> None:
    server = model_server
    server.reset()  # type: ignore[attr-defined]
    user = User(id=str(uuid4()), email="x@example.org")
    users_db.ensure_user(model_app.db, user)
    add_text(model_app, user, "Records Rule", RECORDS_RULE)
    add_text(model_app, user, "Complaints Rule", OTHER_RULE)
    server.reset()  # type: ignore[attr-defined]
    server.on("Route", lambda request: {  # type: ignore[attr-defined]
        "kind": "action", "action": "compare", "confidence": "low", "alternatives": ["compare", "audit"],
    })  # fmt: skip
    thread, event = say(model_app, user, "Have a look at these")
    assert asked(event).interrupt_type == "action_choice"
    event = reply(model_app, user, thread, Answer(type="action_choice", value="compare"))
    assert asked(event).interrupt_type == "text_input"
    event = reply(model_app, user, thread, Answer(type="text_input", value="Records Rule"))
    assert asked(event).interrupt_type == "text_input"
    response = answered(reply(model_app, user, thread, Answer(type="text_input", value="Complaints Rule")))
    assert response.tokens_used > 0
    counts = {task: len(server.requests_for(task)) for task in ("Route", "Comparison")}  # type: ignore[attr-defined]
    assert counts == {"Route": 1, "Comparison": 1}


def test_g2_help_gets_the_capabilities_without_a_search(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE)
    _, event = say(app, user, "What can you do?")
    assert "Summarize" in answered(event).response and "Audit" in answered(event).response


def test_g4_more_than_five_documents_are_refused_before_anything_runs(app: Container, user: User) -> None:
    ids = tuple(add_text(app, user, f"Rule {n}", f"Rule {n} says: a bank must keep register {n}.").id for n in range(6))
    with pytest.raises(TooManyDocuments):
        ask.send(app, user, ask.new_thread_id(), Request(message="Summarize", document_ids=ids))
    assert conversations.list_conversations(app, user) == []


def test_u6_the_same_click_twice_is_one_message(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    request = Request(message="How long must records be kept?", document_ids=(document.id,), idempotency_key="click-1")
    ask.send(app, user, thread, request)
    follow(app, user, thread)
    ask.send(app, user, thread, request)
    assert [m.role for m in conversations.history(app, user, thread).messages] == ["user", "assistant"]


def test_u6_the_same_click_six_times_at_once_is_one_message(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    request = Request(message="How long must records be kept?", document_ids=(document.id,), idempotency_key="at once")
    with ThreadPoolExecutor(6) as clicks:
        for sent in [clicks.submit(ask.send, app, user, thread, request) for _ in range(6)]:
            sent.result(LONGEST_WAIT_SECONDS)
    assert follow(app, user, thread)[1].type == "response"
    assert [m.role for m in conversations.history(app, user, thread).messages] == ["user", "assistant"]


def test_x1_another_users_thread_is_not_found(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread, _ = say(app, user, "How long must records be kept?", document_ids=(document.id,))
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other)
    with pytest.raises(NotFound):
        conversations.history(app, other, thread)
    with pytest.raises(NotFound):
        ask.send(app, other, thread, Request(message="Hello there"))
    with pytest.raises(NotFound):
        ask.resume(app, other, thread, Answer(type="cancel"))
    with pytest.raises(NotFound):
        conversations.delete(app, other, thread)
    assert ask.pending(app, other, thread) is None
    assert list(ask.events(app, other, thread)) == []
    with pytest.raises(NotFound):
        ask.send(app, other, ask.new_thread_id(), Request(message="Summarize", document_ids=(document.id,)))


def test_x4_an_id_that_is_none_is_not_found(app: Container, user: User) -> None:
    for bad in ("x", "'; DROP TABLE runs; --", "../../etc", "0" * 36):
        with pytest.raises(NotFound):
            conversations.history(app, user, bad)
        with pytest.raises(NotFound):
            ask.send(app, user, bad, Request(message="Hello there"))
        with pytest.raises(NotFound):
            ask.resume(app, user, bad, Answer(type="cancel"))
        with pytest.raises(NotFound):
            conversations.delete(app, user, bad)
        with pytest.raises(NotFound):
            ask.send(app, user, ask.new_thread_id(), Request(message="Hello", document_ids=(bad,)))
        assert ask.pending(app, user, bad) is None


def test_m1_deleting_a_conversation_deletes_its_checkpoints(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread, _ = say(app, user, "How long must records be kept?", document_ids=(document.id,))
    conversations.delete(app, user, thread)
    with app.db.as_owner() as c:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "messages", "execution_traces", "runs"):
            row = c.execute(f"SELECT count(*) AS n FROM {table} WHERE thread_id::text = %s", (thread,)).fetchone()
            assert row == {"n": 0}, table


def test_c5_weak_evidence_is_shown_as_such_without_a_question(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE)
    _, event = say(app, user, "Which vaccination does the zebra in the aquarium need?")
    response = answered(event)
    assert response.response.startswith("Nothing close (searched")
    assert response.retrieval_confidence == "low" and response.citations


def test_a2_without_any_document_the_keyless_engine_says_that_it_cannot(app: Container, user: User) -> None:
    _, event = say(app, user, "What is the capital requirement for banks?")
    response = answered(event)
    assert response.retrieval_confidence == "low" and response.confidence_score == 0.0
    assert not response.citations


def test_r7_explicit_web_search_without_a_provider_is_asked_about(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread, event = say(app, user, "How long must records be kept?", document_ids=(document.id,), web=True)
    question = asked(event)
    assert [o.id for o in question.options or []] == ["without_web", "setup"]
    with pytest.raises(InvalidInput):
        ask.resume(app, user, thread, Answer(type="action_choice", value="nonsense"))
    assert answered(reply(app, user, thread, Answer(type="action_choice", value="without_web"))).citations


def test_a4_a_text_in_the_message_is_audited(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    message = "Audit this email: We report every serious incident to the Authority within 72 hours after discovery."
    _, event = say(app, user, message, document_ids=(document.id,))
    response = answered(event)
    assert response.action == "audit" and response.report is not None
    (finding,) = response.report.findings
    assert "72 hours" in finding.source_quote and "24 hours" in finding.target_quote
    assert response.report.overall_status == "Major Violations"
    assert response.coverage is None
    page = reading.open_page(app, user, document.id, finding.target_page).text
    assert page[finding.target_start : finding.target_end] == finding.target_quote


def test_a4_an_attached_draft_is_audited(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    draft = Draft("mail.txt", "We keep customer records for two years after the end of the relationship.")
    _, event = say(app, user, "Audit the attached draft", document_ids=(document.id,), draft=draft)
    report = answered(event).report
    assert report is not None and report.source_title == "mail.txt"
    assert any("seven years" in f.target_quote for f in report.findings)


def test_a5_an_audit_is_stored_with_its_inputs(app: Container, user: User) -> None:
    from policypal.application import audits

    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    _, event = say(app, user, "Audit @Our Policy against @Records Rule")
    response = answered(event)
    assert response.report is not None
    (stored,) = audits.list_reports(app, user)
    assert stored.id == response.report.id
    assert {(d.id, d.sha256) for d in stored.documents} == {(rule.id, rule.sha256), (policy.id, policy.sha256)}
    assert stored.engine == "extractive" and stored.prompt_version and stored.seconds >= 0
    assert stored.findings == response.report.findings
    library.delete(app, user, rule.id)
    assert audits.get_report(app, user, stored.id).findings == stored.findings, "reports keep their quotes (D10)"


def test_g6_an_audit_without_target_offers_the_regulations(app: Container, user: User) -> None:
    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    add_text(app, user, "Complaints Rule", OTHER_RULE)
    thread, event = say(
        app,
        user,
        "Audit this email: We report serious incidents to the Authority within 72 hours.",
        action=Action.AUDIT,
    )
    question = asked(event)
    assert question.interrupt_type == "doc_choice"
    assert {o.label for o in question.options or []} == {"Records Rule", "Complaints Rule", "All of these"}
    response = answered(reply(app, user, thread, Answer(type="doc_choice", value=rule.id)))
    assert response.report is not None and response.report.targets_checked == ("Records Rule",)
