"""Questions and answers, on both engines (G1, G7–G9, C5; phases 3.1–3.5 and 3.8).

What the source checks in React is checked here in the events of a run and in the stored conversation; the widgets
themselves are in tests/ui and tests/e2e.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from policypal.application import ask, conversations
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import StatusEvent
from policypal.domain.interrupts import Answer
from policypal.errors import NoPendingQuestion, RunInProgress
from policypal.graph.agent import feedback
from tests.support.conversation import Speaker, answered_by, asked_by, labels
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE
from tests.support.questions import DRAFT, NONSENSE, ambiguous, nothing_searchable, weak_evidence
from tests.support.timeouts import LONGEST_WAIT_SECONDS

# 3.2: questions about the action


def test_p32_an_unclear_message_is_asked_about_and_the_chosen_action_is_carried_out(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    question = asked_by(
        speaker.say("Have a look at @Records Rule", draft=ask.Draft("mail.txt", DRAFT)), "action_choice"
    )
    assert {"Summarize", "Audit"} <= set(labels(question))
    assert (question.allow_multiple, question.expects) == (False, None)
    response = answered_by(speaker.reply(question, "audit"))
    assert response.action == "audit" and response.report is not None
    assert speaker.nodes[:2] == ["confirm_intent", "doc_resolver"] and speaker.nodes[-2:] == [
        "audit",
        "format_response",
    ]
    assert speaker.calls(question.thread_id)["router"] == 1


# 3.3: questions about documents


def test_p33_one_of_several_regulations_is_picked(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}", action="audit"), "doc_choice")
    assert [o.id for o in question.options or []] == [rules[1].id, rules[0].id, "all"]
    response = answered_by(speaker.reply(question, rules[0].id))
    assert [d.id for d in response.documents] == [rules[0].id]
    assert [n for n in speaker.nodes if n != "plan_audit"][-4:] == [
        "retrieve", "check_retrieval_confidence", "audit", "format_response",
    ]  # fmt: skip


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
    speaker.model_reads(documents=[])
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


def test_c5_weak_evidence_is_shown_as_the_nearest_passages_and_never_asked_about(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """A2, C5: over a tagged document and over the library, with a model and without; the model's claim is not shown."""
    weak_evidence(speaker)
    for message in (f"@Inquire @Complaints Rule {NONSENSE}", f"@Inquire {NONSENSE}"):
        response = answered_by(speaker.say(message))
        assert response.response.startswith("Nothing close (searched"), response.response
        assert "The nearest provisions:" in response.response and "zebra" not in response.response.lower()
        assert response.citations and all(c.verified for c in response.citations)
        assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)
        assert speaker.calls(response.thread_id)["router"] <= 1
    assert [d.id for d in answered_by(speaker.say(f"@Inquire @Complaints Rule {NONSENSE}")).documents] == [rules[1].id]


def test_c5_a_model_is_not_asked_without_evidence_before_the_person_is(modeller: Speaker) -> None:
    nothing_searchable(modeller)
    question = asked_by(modeller.say(f"@Inquire {NONSENSE}"), "retrieval_low")
    assert [o.id for o in question.options or []] == ["tag_docs", "continue"], (
        "the web is not offered unless configured"
    )
    records = modeller.add("Records Rule", RECORDS_RULE)
    response = answered_by(modeller.reply(question, "tag_docs", records))
    assert [d.id for d in response.documents] == [records.id]
    assert modeller.calls(question.thread_id)["answer"] == 1


def test_c5_continuing_carries_the_disclaimer(modeller: Speaker) -> None:
    nothing_searchable(modeller)
    question = asked_by(modeller.say(f"@Inquire {NONSENSE}"), "retrieval_low")
    response = answered_by(modeller.reply(question, "continue"))
    assert feedback.DISCLAIMER in response.notices
    assert modeller.nodes == ["confirm_retrieval", "inquire", "format_response"]


def test_c5_choosing_to_tag_without_a_document_asks_which(modeller: Speaker) -> None:
    nothing_searchable(modeller)
    question = asked_by(modeller.say(f"@Inquire {NONSENSE}"), "retrieval_low")
    again = asked_by(modeller.reply(question, "tag_docs"), "text_input")
    assert again.expects == "document"
    records = modeller.add("Records Rule", RECORDS_RULE)
    response = answered_by(modeller.reply(again, "Records Rule"))
    assert [d.id for d in response.documents] == [records.id]


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
    list(ask.events(speaker.app, speaker.user, question.thread_id, timeout_seconds=LONGEST_WAIT_SECONDS))
    note = speaker.history(question.thread_id)[1]
    assert note.payload["answer"]["value"] == chosen
    said = conversations.history(speaker.app, speaker.user, question.thread_id).messages[-1].content
    assert (said == feedback.WEB_SETUP) is (chosen == "setup")
