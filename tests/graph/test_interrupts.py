"""Questions and answers, on both engines (G1, G7–G9, C5; phases 3.1–3.5 and 3.8, and the eight end-to-end steps of 3.7).

What the source checks in React is checked here in the events of a run and in the stored conversation; the widgets
themselves are in tests/ui and tests/e2e.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from policypal.application import ask, conversations
from policypal.application.ask import Request
from policypal.application.container import build_container
from policypal.domain.documents import Document, DocumentType
from policypal.errors import NoPendingQuestion, QuestionPending, RunInProgress
from policypal.graph.agent import feedback
from policypal.graph.events import StatusEvent
from policypal.graph.interrupts import Answer
from tests.support.conversation import Speaker, answered_by, asked_by, labels
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE

DRAFT = "We report every serious incident to the Authority within 72 hours after discovery."
NONSENSE = "Which vaccination does the zebra in the aquarium need?"


@pytest.fixture
def rules(speaker: Speaker) -> tuple[Document, Document]:
    records, complaints = speaker.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    return records, complaints


def several(speaker: Speaker, *actions: str) -> None:
    speaker.model_says(
        "Intent", action=actions[0], multi_action=True, requested_actions=list(actions), alternatives=list(actions)
    )


def ambiguous(speaker: Speaker, *documents: Document) -> None:
    candidates = [d.id for d in documents]
    speaker.model_says(
        "Resolution", candidates=candidates, confidence="medium", has_reference=True, allow_multiple=True
    )


def weak_evidence(speaker: Speaker) -> None:
    """Searched with this, nothing is found that is like it; the keyless engine searches with the message itself."""
    speaker.model_says("SearchQuery", query="zebra aquarium vaccination")


# 3.2: questions about the action


def test_p32_several_actions_are_asked_about_and_the_chosen_one_is_carried_out(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    question = asked_by(speaker.say(f"Summarize and audit this email against @Records Rule: {DRAFT}"), "action_choice")
    assert set(labels(question)) == {"Summarize", "Audit"}
    assert (question.allow_multiple, question.expects) == (False, None)
    response = answered_by(speaker.reply(question, "audit"))
    assert response.action == "audit" and response.report is not None
    assert speaker.nodes[:2] == ["confirm_intent", "doc_resolver"] and speaker.nodes[-2:] == [
        "audit",
        "format_response",
    ]
    assert speaker.calls(question.thread_id)["intent"] == 1


# 3.3: questions about documents


def test_p33_one_of_several_regulations_is_picked(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}", action="audit"), "doc_choice")
    assert [o.id for o in question.options or []] == [rules[1].id, rules[0].id, "all"]
    response = answered_by(speaker.reply(question, rules[0].id))
    assert [d.id for d in response.documents] == [rules[0].id]
    assert speaker.nodes[-4:] == ["retrieve", "check_retrieval_confidence", "audit", "format_response"]


def test_p33_several_documents_are_chosen_where_several_are_allowed(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    third = speaker.add("Outsourcing Rule", "A firm must notify the Authority 30 days before outsourcing.")
    ambiguous(speaker, *rules, third)
    question = asked_by(speaker.say("Summarize the regulation", action="summarize"), "doc_choice")
    assert question.allow_multiple
    response = answered_by(speaker.reply(question, [rules[0].id, third.id]))
    assert {d.id for d in response.documents} == {rules[0].id, third.id}


# 3.4: questions about what is missing


def test_p34_a_comparison_with_one_document_asks_for_the_second(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"), "text_input")
    assert question.message == "Compare requires at least 2 documents. Please tag the additional document."
    assert (question.options, question.expects) == (None, "document")
    response = answered_by(speaker.reply(question, "", rules[1]))
    assert {d.id for d in response.documents} == {d.id for d in rules}


def test_p34_an_audit_without_a_text_asks_for_it(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Audit @Records Rule"), "text_input")
    assert question.message.startswith("Please enter the text you would like to audit")
    assert question.expects == "text"
    response = answered_by(speaker.reply(question, DRAFT))
    assert response.report is not None and response.report.source_title == "Text in the message"
    assert [d.id for d in response.documents] == [rules[0].id]


def test_p34_an_audit_without_a_target_offers_the_regulations(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    policy = speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    question = asked_by(speaker.say("@Audit @Our Policy"), "doc_choice")
    assert labels(question) == ["Complaints Rule", "Records Rule", "All of these"]
    response = answered_by(speaker.reply(question, ["all"]))
    assert {d.id for d in response.documents} == {policy.id, *(d.id for d in rules)}


def test_p34_a_summary_without_a_document_asks_for_one(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    speaker.model_says("Resolution")
    question = asked_by(speaker.say("@Summarize please"))
    if question.interrupt_type == "text_input":
        assert question.message == "Please tag the document you would like to summarize."
        response = answered_by(speaker.reply(question, "Records Rule"))
    else:  # the keyless engine offers the two there are
        response = answered_by(speaker.reply(question, rules[0].id))
    assert [d.id for d in response.documents] == [rules[0].id]


@pytest.mark.parametrize("choice", ["without_web", "setup"])
def test_r7_a_web_search_that_is_not_configured_is_asked_about(
    speaker: Speaker, rules: tuple[Document, Document], choice: str
) -> None:
    question = asked_by(speaker.say("@Inquire @Web Search How long must records be kept?", rules[0]), "action_choice")
    assert [o.id for o in question.options or []] == ["without_web", "setup"]
    response = speaker.anyway(speaker.reply(question, choice))
    if choice == "setup":
        assert response.response == feedback.WEB_SETUP and not response.citations
    else:
        assert response.citations and "web_search" not in speaker.nodes


# C5: weak evidence


def test_c5_weak_evidence_is_asked_about_and_another_document_can_be_tagged(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    weak_evidence(speaker)
    question = asked_by(speaker.say(f"@Inquire @Complaints Rule {NONSENSE}"), "retrieval_low")
    assert [o.id for o in question.options or []] == ["tag_docs", "continue"], (
        "the web is not offered unless configured"
    )
    response = speaker.anyway(speaker.reply(question, "tag_docs", rules[0]))
    assert [d.id for d in response.documents] == [rules[0].id]
    calls = speaker.calls(question.thread_id)
    assert (calls["rewrite_query"], calls["resolve_documents"], calls["answer"]) == (1, 1, 1)


def test_c5_continuing_carries_the_disclaimer(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    weak_evidence(speaker)
    question = asked_by(speaker.say(f"@Inquire @Complaints Rule {NONSENSE}"), "retrieval_low")
    response = answered_by(speaker.reply(question, "continue"))
    assert feedback.DISCLAIMER in response.notices
    assert speaker.nodes == ["confirm_retrieval", "inquire", "format_response"]


def test_c5_choosing_to_tag_without_a_document_asks_which(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    weak_evidence(speaker)
    question = asked_by(speaker.say(f"@Inquire @Complaints Rule {NONSENSE}"), "retrieval_low")
    again = asked_by(speaker.reply(question, "tag_docs"), "text_input")
    assert again.expects == "document"
    response = speaker.anyway(speaker.reply(again, "Records Rule"))
    assert [d.id for d in response.documents] == [rules[0].id]


# G8: cancelling, with the exact words of the feature specification

CANCELLED = {
    "intent": "I wasn't sure which action to perform. Try again using @Summarize, @Inquire, @Compare, or @Audit.",
    "documents": "I can't proceed with Summarize without a specific document.",
    "compare": "Compare requires at least 2 documents. Please @tag them and try again.",
    "audit target": "I need a regulation document to run Audit. Please @tag one and try again.",
    "audit text": "I need the text you'd like to audit. Please include it with a @tagged regulation document.",
    "web": feedback.WEB_CANCELLED,
    "evidence": feedback.RETRIEVAL_CANCELLED,
}


def _asked(speaker: Speaker, rules: tuple[Document, Document], source: str, thread: str | None = None):  # type: ignore[no-untyped-def]
    if source == "intent":
        return speaker.say("Summarize and audit @Records Rule", thread=thread)
    if source == "documents":
        ambiguous(speaker, *rules)
        return speaker.say("Summarize the regulation", action="summarize", thread=thread)
    if source == "audit target":
        speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
        return speaker.say("@Audit @Our Policy", thread=thread)
    if source == "evidence":
        weak_evidence(speaker)
        return speaker.say(f"@Inquire @Complaints Rule {NONSENSE}", thread=thread)
    message = {"compare": "@Compare @Records Rule", "audit text": "@Audit @Records Rule"}.get(source, "@Summarize")
    return speaker.say(message, rules[0], web=source == "web", thread=thread)


@pytest.mark.parametrize("source", CANCELLED)
def test_g8_cancelling_gives_the_words_of_its_source_and_frees_the_thread(
    speaker: Speaker, rules: tuple[Document, Document], source: str
) -> None:
    question = asked_by(_asked(speaker, rules, source))
    thread = question.thread_id
    calls = speaker.calls(thread)
    response = speaker.cancel(question)
    assert (response.response, response.cancelled, response.citations) == (CANCELLED[source], True, [])
    assert speaker.nodes[-1] == "format_response" and len(speaker.nodes) == 2
    assert speaker.calls(thread) == calls, "a cancel asks no model"
    assert speaker.pending(thread) is None
    assert speaker.state(thread).get("conversation_docs", {}) == {}
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant"]
    assert [m["content"] for m in speaker.state(thread)["messages"]][-1] == CANCELLED[source]
    fresh = answered_by(speaker.say("@Summarize @Records Rule", thread=thread))
    assert fresh.citations and not fresh.cancelled
    assert "confirm_inputs" not in speaker.nodes and speaker.nodes[0] == "intent_resolver"


def test_g8_a_document_named_as_unknown_is_cancelled_for_its_action(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    speaker.model_says("Resolution", unresolved_names=["XYZ Guidelines"], confidence="low", has_reference=True)
    for action in ("Inquire", "Summarize"):
        question = asked_by(speaker.say("What about the XYZ Guidelines?", action=action.lower()), "text_input")
        assert speaker.cancel(question).response == f"I can't proceed with {action} without a specific document."


# G1: each task is paid for once, however many questions come between


def test_g1_one_question_costs_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    several(speaker, "summarize", "audit")
    question = asked_by(speaker.say("Summarize and audit the Records Rule"), "action_choice")
    response = answered_by(speaker.reply(question, "summarize"))
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "summarize": 1, "thread_title": 1,
    }  # fmt: skip


def test_g1_two_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    several(speaker, "summarize", "audit")
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say("Summarize and audit the regulation"), "action_choice")
    which = asked_by(speaker.reply(question, "summarize"), "doc_choice")
    response = answered_by(speaker.reply(which, rules[1].id))
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "summarize": 1, "thread_title": 1,
    }  # fmt: skip


def test_g1_three_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """action_choice → doc_choice → retrieval_low."""
    several(speaker, "inquire", "summarize")
    ambiguous(speaker, *rules)
    weak_evidence(speaker)
    message = f"Tell me what the regulation says on this, and summarize it. {NONSENSE}"
    question = asked_by(speaker.say(message), "action_choice")
    which = asked_by(speaker.reply(question, "inquire"), "doc_choice")
    weak = asked_by(speaker.reply(which, rules[1].id), "retrieval_low")
    response = answered_by(speaker.reply(weak, "continue"))
    assert response.action == "inquire"
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "rewrite_query": 1, "answer": 1, "thread_title": 1,
    }  # fmt: skip
    assert speaker.roles(response.thread_id) == ["user", *["pal_assist"] * 3, "assistant"]


def test_g1_four_nested_questions_with_typed_answers_cost_no_second_call(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """action_choice → text_input for an unknown name → text_input for the second document → again, after a typing error."""
    several(speaker, "compare", "audit")
    speaker.model_says("Resolution", unresolved_names=["XYZ Guidelines"], confidence="low", has_reference=True)
    event = speaker.say("Compare and audit the XYZ Guidelines")
    event = speaker.reply(asked_by(event, "action_choice"), "compare")
    event = speaker.reply(asked_by(event, "text_input"), "Records Rule")
    event = speaker.reply(asked_by(event, "text_input"), "Qwertz Circular")
    event = speaker.reply(asked_by(event, "text_input"), "Complaints Rule")
    response = answered_by(event)
    assert {d.id for d in response.documents} == {d.id for d in rules}
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "compare": 1, "thread_title": 1,
    }  # fmt: skip


# 3.5 and G9: answers nobody asked for


def test_p35_after_an_answer_only_the_rest_of_the_graph_runs(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"))
    assert [e.node for e in speaker.told if isinstance(e, StatusEvent)][-1] == "confirm_inputs"
    answered_by(speaker.reply(question, "Complaints Rule"))
    assert speaker.nodes == [
        "confirm_inputs", "doc_resolver", "validate_inputs", "retrieve", "check_retrieval_confidence", "compare",
        "format_response",
    ]  # fmt: skip
    found = [e.docs_found for e in speaker.told if isinstance(e, StatusEvent) and e.docs_found]
    assert [d.title for d in found[0]] == ["Records Rule", "Complaints Rule"]


# 3.7: the eight end-to-end steps


def test_p37_step_1_an_ambiguous_message_is_asked_about(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}"), "doc_choice")
    statuses = [e.message for e in speaker.told if isinstance(e, StatusEvent)]
    assert statuses[:2] == ["Clarifying intent...", "Finding documents..."]
    assert speaker.told[-1] is question or speaker.told[-1] == question


def test_p37_step_2_the_picked_document_leads_to_the_answer(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}"), "doc_choice")
    response = answered_by(speaker.reply(question, rules[0].id))
    statuses = [e.message for e in speaker.told if isinstance(e, StatusEvent)]
    assert "Validating request..." in statuses and "Auditing against regulations..." in statuses
    assert response.report is not None


def test_p37_step_3_several_actions_end_in_the_chosen_one(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("Summarize and audit @Records Rule"), "action_choice")
    assert answered_by(speaker.reply(question, "summarize")).action == "summarize"


def test_p37_step_4_a_typed_answer_goes_on_with_the_run(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"), "text_input")
    response = answered_by(speaker.reply(question, "the complaints rule"))
    assert response.action == "compare" and len(response.documents) == 2
    note = speaker.history(response.thread_id)[1]
    assert (note.role, note.content) == ("pal_assist", "the complaints rule")
    assert note.payload["question"]["message"] == question.message, "question and answer stay as an audit note (U2)"
    assert note.payload["answer"]["value"] == "the complaints rule"


def test_p37_step_5_after_a_cancel_the_next_message_starts_afresh(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    thread = answered_by(speaker.say("@Summarize @Complaints Rule")).thread_id
    question = asked_by(speaker.say("@Compare @Records Rule", thread=thread))
    assert speaker.cancel(question).cancelled
    response = answered_by(speaker.say("@Summarize @Records Rule", thread=thread))
    assert response.notices == [] and [d.id for d in response.documents] == [rules[0].id]
    assert speaker.nodes[0] == "intent_resolver"
    assert set(speaker.state(thread)["conversation_docs"]) == {"Complaints Rule", "Records Rule"}


def test_p37_step_6_an_open_question_is_there_again_in_another_process(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """3.8 too: restored from the checkpoint with the same words; once answered, nothing is open."""
    question = asked_by(speaker.say("@Compare @Records Rule"))
    thread = question.thread_id
    elsewhere = build_container(speaker.app.settings, run_worker=False)
    try:
        there = Speaker(elsewhere, speaker.user, speaker.server)
        assert there.pending(thread) == question
        assert there.roles(thread) == ["user"]
        response = answered_by(there.reply(question, "Complaints Rule"))
        assert len(response.documents) == 2
        assert there.pending(thread) is None
    finally:
        elsewhere.close()
    assert speaker.pending(thread) is None
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant"]


def test_p37_step_7_a_nested_question_shows_its_own_words(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    first = asked_by(speaker.say("Compare the regulation", action="compare"), "doc_choice")
    second = asked_by(speaker.reply(first, rules[0].id), "text_input")
    assert second.interrupt_id != first.interrupt_id
    assert second.message == "Compare requires at least 2 documents. Please tag the additional document."
    assert speaker.pending(first.thread_id) == second
    with pytest.raises(NoPendingQuestion):
        speaker.reply(first, rules[1].id)
    assert len(answered_by(speaker.reply(second, "Complaints Rule")).documents) == 2


def test_p37_step_8_a_message_right_after_a_cancel_is_not_lost(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """No waiting in between: the cancelled run is either finished, or the message is refused as "still working"."""
    question = asked_by(speaker.say("@Compare @Records Rule"))
    thread = question.thread_id
    ask.resume(speaker.app, speaker.user, thread, Answer(type="cancel"), interrupt_id=question.interrupt_id)
    for _ in range(200):
        try:
            event = speaker.send(Request(message="@Summarize @Records Rule"), thread)
            break
        except (RunInProgress, QuestionPending):
            list(ask.events(speaker.app, speaker.user, thread, timeout_seconds=1))
    assert answered_by(event).action == "summarize"
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant", "user", "assistant"]
    contents = [m.content for m in speaker.history(thread)]
    assert contents[2] == CANCELLED["compare"] and contents[3] == "@Summarize @Records Rule"


def test_g9_two_tabs_answer_differently_and_one_counts(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Summarize", rules[0], web=True), "action_choice")

    def answer(value: str) -> str:
        given = Answer(type="action_choice", value=value)
        try:
            ask.resume(speaker.app, speaker.user, question.thread_id, given, interrupt_id=question.interrupt_id)
        except (NoPendingQuestion, RunInProgress):
            return "refused"
        return value

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(answer, ["without_web", "setup"]))
    assert outcomes.count("refused") == 1
    (chosen,) = set(outcomes) - {"refused"}
    list(ask.events(speaker.app, speaker.user, question.thread_id, timeout_seconds=60))
    note = speaker.history(question.thread_id)[1]
    assert note.payload["answer"]["value"] == chosen
    said = conversations.history(speaker.app, speaker.user, question.thread_id).messages[-1].content
    assert (said == feedback.WEB_SETUP) is (chosen == "setup")
