"""Stage 1 in the graph, on both engines: which action is meant, and what finding out costs (G2, G3; phase 2.2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policypal.application import ask
from policypal.domain.documents import Document, DocumentType
from policypal.domain.requests import Request
from policypal.errors import InvalidInput
from policypal.graph.agent import feedback
from tests.support.conversation import Speaker, answered_by, asked_by, labels
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE
from tests.support.openai_answers import number_of, said

WEB_NOTICE = feedback.WEB_NOT_CONFIGURED


@pytest.fixture
def rule(speaker: Speaker) -> Document:
    return speaker.add("Records Rule", RECORDS_RULE)


@pytest.mark.parametrize("written", ["@Summarize", "@summarise", "button"])
def test_g2_an_explicit_action_costs_no_model_call(speaker: Speaker, rule: Document, written: str) -> None:
    """Phase 2.2, test 1."""
    explicit = written == "button"
    event = speaker.say(
        "@Records Rule" if explicit else f"{written} @Records Rule", action="summarize" if explicit else None
    )
    response = answered_by(event)
    assert response.action == "summarize"
    assert speaker.calls(response.thread_id)["router"] == 0


@pytest.mark.parametrize("settled", [True, False])
def test_m10_a_question_costs_at_most_three_calls(modeller: Speaker, settled: bool) -> None:
    """Router, answer and the gate's reading; of a chosen action with tags no router (G2)."""
    rule = modeller.add("Records Rule", RECORDS_RULE)
    assert modeller.server is not None
    modeller.server.on(
        "Answer",
        lambda request: {
            "found": True,
            "sentences": [
                said("Customer records are kept for seven years by every bank.", number_of(request, "seven years"))
            ],
        },
    )
    asked = "How long must a bank keep customer records?"
    response = modeller.anyway(modeller.say(asked, rule, action="inquire") if settled else modeller.say(asked))
    calls = modeller.calls(response.thread_id)
    assert calls["router"] == (0 if settled else 1) and calls["answer"] == 1
    assert calls.total() <= (2 if settled else 3), calls


def test_g2_the_reading_sees_the_last_five_messages(speaker: Speaker, rule: Document) -> None:
    """Phase 2.2, test 3: in the one call there is."""
    thread = answered_by(speaker.say("What can you do? One")).thread_id
    for n in ("Two", "Three"):
        speaker.say(f"What can you do? {n}", thread=thread)
    speaker.anyway(speaker.say("@Summarize @Records Rule", thread=thread))
    before = speaker.calls(thread)["router"]
    speaker.say("Tell me about that document", thread=thread)
    assert speaker.calls(thread)["router"] - before == 1
    for prompt in speaker.prompts("Route")[-1:]:
        history = prompt.partition("<history")[2].partition("</history")[0]
        said = [line for line in history.splitlines() if line.startswith(("user: ", "assistant: "))]
        assert len(said) == 5, "the last five messages, not all eight"
        assert "One" not in history and "user: @Summarize @Records Rule" in said


@pytest.mark.parametrize(("message", "action"), [("Summarize the Records Rule", "summarize"),
                         ("Compare the Records Rule with the Complaints Rule", "compare"),
                         ("Audit this text against the Records Rule: We delete all records after a day.", "audit")])  # fmt: skip
def test_g0_a_leading_imperative_wins_over_the_model(modeller: Speaker, message: str, action: str) -> None:
    modeller.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    modeller.model_reads(kind="help", action="inquire", confidence="low", requested_actions=[], documents=[])
    response = answered_by(modeller.say(message))
    assert response.action == action
    (prompt,) = modeller.prompts("Route")
    assert f"The action is settled: {action}." in prompt
    assert "We delete all records" not in prompt, "a text to be audited asks for nothing"


def test_a2_a_question_is_searched_for_as_it_was_read(modeller: Speaker) -> None:
    rule = modeller.add("Records Rule", RECORDS_RULE)
    modeller.model_reads(
        documents=[rule.id], question="How long must customer records be kept under the Records Rule?",
        queries=["retention period of customer data"], title="Retention",
    )  # fmt: skip
    response = modeller.anyway(modeller.say("Wie lange muss man das aufheben?"))
    assert modeller.state(response.thread_id)["search_query"].startswith("How long must customer records be kept")
    (prompt,) = modeller.prompts("Answer")
    assert "<question>\nWie lange muss man das aufheben?\n</question>" in prompt, (
        "the model answers the person's own words"
    )
    assert response.title.startswith("Retention")
    later = modeller.anyway(modeller.say("And who decides?", thread=response.thread_id))
    assert "Give no title." in modeller.prompts("Route")[-1] and later.title


def test_g2_without_history_there_is_nothing_to_look_at_again(speaker: Speaker, rule: Document) -> None:
    speaker.model_reads(confidence="low", alternatives=["inquire", "summarize"])
    question = asked_by(speaker.say("Tell me about that document"), "action_choice")
    assert question.message == "Please specify which action you would like to perform."
    assert len(labels(question)) >= 2
    assert speaker.calls(question.thread_id)["router"] == 1


def test_g0_of_two_actions_the_first_is_done_and_the_second_is_offered(speaker: Speaker, rule: Document) -> None:
    speaker.model_reads(action="summarize", requested_actions=["summarize", "compare"])
    policy = speaker.add("Incident Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    speaker.model_reads(documents=[rule.id])
    done = answered_by(speaker.say("Summarize the Records Rule and then compare our policy with it"))
    assert done.action == "summarize" and done.request is not None
    assert done.request.documents == (rule.id,)
    (then,) = done.request.queue
    assert (then.action, then.words) == ("compare", "compare our policy with it")
    speaker.model_reads(documents=[policy.id, rule.id])
    compared = answered_by(speaker.say(then.words, thread=done.thread_id, action=then.action))
    assert compared.request is not None and set(compared.request.documents) == {policy.id, rule.id}
    assert compared.request.queue == ()


def test_g0_two_actions_on_one_document_read_it_twice(speaker: Speaker, rule: Document) -> None:
    speaker.model_reads(action="summarize", requested_actions=["summarize", "audit"])
    done = answered_by(speaker.say("Summarize and audit @Records Rule"))
    assert done.request is not None and done.request.documents == (rule.id,)
    assert [q.words for q in done.request.queue] == ["audit @Records Rule"]


def test_g0_a_request_that_was_set_is_carried_out_whatever_the_words_say(speaker: Speaker, rule: Document) -> None:
    policy = speaker.add("Incident Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    first = answered_by(speaker.say("Summarize the Records Rule"))
    set_ = Request(action="audit", sources=(policy.id,), targets=(rule.id,), focus="incidents")
    given = ask.Request(message="Summarize the Records Rule", as_read=set_)
    event = answered_by(speaker.send(given, first.thread_id))
    assert event.action == "audit" and event.report is not None and event.request is not None
    assert (event.request.sources, event.request.targets, event.request.focus) == (
        (policy.id,),
        (rule.id,),
        "incidents",
    )
    assert speaker.calls(first.thread_id)["router"] == 1, "only the first message was read"
    with pytest.raises(InvalidInput):
        speaker.send(ask.Request(message="x", as_read=set_.model_copy(update={"targets": (policy.id,)})))


@pytest.mark.parametrize(
    "message",
    [
        "Summarize what @Records Rule says about incidents",
        "Summarize the record keeping requirements in the Records Rule",
    ],
)
def test_g2_summarize_x_about_y_is_a_question(speaker: Speaker, rule: Document, message: str) -> None:
    """Phase 2.2, step 4. On the OpenAI engine the prompt says so; what it answers is the model's."""
    speaker.model_reads(action="inquire", alternatives=["inquire", "summarize"])
    response = speaker.anyway(speaker.say(message))
    assert response.action == "inquire"
    if speaker.server is not None:
        (sent,) = speaker.server.requests_for("Route")
        assert "Summarize X about topic Y" in str(sent.messages[0]["content"])


@pytest.mark.parametrize(
    ("message", "kind", "words"),
    [
        ("Hello!", "small_talk", feedback.GREETING),
        ("Thank you", "small_talk", feedback.GREETING),
        ("What can you do?", "help", feedback.CAPABILITIES),
    ],
)
def test_g2_small_talk_and_help_get_an_answer_and_no_search(
    speaker: Speaker, rule: Document, message: str, kind: str, words: str
) -> None:
    speaker.model_reads(kind=kind)
    response = answered_by(speaker.say(message))
    assert response.response == words
    assert response.citations == [] and response.documents == []
    assert speaker.nodes == ["intent_resolver", "format_response"]
    assert speaker.calls(response.thread_id) == {"router": 1}


def test_g2_thanks_in_a_conversation_are_answered_without_telling_everything_again(
    speaker: Speaker, rule: Document
) -> None:
    speaker.model_reads(kind="small_talk")
    first = answered_by(speaker.say("Hello!"))
    assert answered_by(speaker.say("Thanks a lot!", thread=first.thread_id)).response == feedback.GLADLY


@pytest.mark.parametrize("word", ["latest", "recent", "current", "now", "today", "this year", "last year"])
def test_g3_a_temporal_word_asks_for_the_web_whatever_the_model_thinks(
    speaker: Speaker, rule: Document, word: str
) -> None:
    """Phase 2.2, test 4, by the keyword scan. Without a provider the answer says what it rests on (R7)."""
    response = speaker.anyway(speaker.say(f"@Inquire What must a bank report to the Authority {word}?", rule))
    assert WEB_NOTICE in response.notices
    assert speaker.calls(response.thread_id)["router"] == 0


def test_g3_years_come_from_the_clock(speaker: Speaker, rule: Document) -> None:
    this_year = datetime.now(UTC).year
    for year, wanted in ((this_year, True), (this_year - 1, True), (this_year - 3, False), (this_year + 2, False)):
        response = speaker.anyway(speaker.say(f"@Inquire What must a bank report to the Authority in {year}?", rule))
        assert (WEB_NOTICE in response.notices) is wanted, year


def test_g3_a_year_that_belongs_to_a_documents_name_asks_for_nothing(speaker: Speaker) -> None:
    year = str(datetime.now(UTC).year)
    edition = speaker.add("Records Rule", RECORDS_RULE, version=year)
    response = speaker.anyway(
        speaker.say(f"@Inquire How long does the Records Rule {year} require records to be kept?")
    )
    assert WEB_NOTICE not in response.notices
    assert [d.id for d in response.documents] == [edition.id]


@pytest.mark.parametrize(
    "text",
    [
        "As of today we keep the records of our customers for two years.",
        "We now delete customer records after two years. This is still in force.",
    ],
)
def test_g3_a_temporal_word_inside_an_audited_text_asks_for_nothing(
    speaker: Speaker, rule: Document, text: str
) -> None:
    response = speaker.anyway(speaker.say(f"@Audit this text against @Records Rule:\n\n{text}"))
    assert WEB_NOTICE not in response.notices
    asked = speaker.anyway(speaker.say(f"@Audit this text against @Records Rule as it stands today:\n\n{text}"))
    assert WEB_NOTICE in asked.notices


def test_g3_still_enforced_asks_for_the_web(speaker: Speaker, rule: Document) -> None:
    """Phase 2.2, test 4, by the engine's own judgement."""
    speaker.model_reads(needs_web=True)
    response = speaker.anyway(speaker.say("Is @Records Rule still enforced?"))
    assert WEB_NOTICE in response.notices


def test_g3_compare_drops_the_web_with_a_notice(speaker: Speaker, rule: Document) -> None:
    """Phase 2.4a, test 2."""
    other = speaker.add("Complaints Rule", OTHER_RULE)
    response = answered_by(speaker.say("@Compare", rule, other, web=True))
    assert response.notices == [feedback.COMPARE_WITHOUT_WEB]
    assert "web_search" not in speaker.nodes


def test_a4_of_several_policies_each_has_a_report_of_its_own(speaker: Speaker, rule: Document) -> None:
    incident = speaker.add("Incident Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    access = speaker.add("Access Policy", COMPANY_POLICY.replace("72", "48"), type=DocumentType.COMPANY)
    speaker.model_reads(action="audit", documents=[incident.id, access.id, rule.id])
    done = answered_by(speaker.say("Audit the Incident Policy and the Access Policy against the Records Rule"))
    assert done.request is not None and done.report is not None
    first, (then,) = done.request.sources[0], done.request.queue
    assert then.request is not None and {first, *then.request.sources} == {incident.id, access.id}
    assert done.report.source_document_id == first and then.request.targets == (rule.id,)
    given = ask.Request(message=then.words, as_read=then.request)
    second = answered_by(speaker.send(given, done.thread_id))
    assert second.request is not None and second.request.queue == () and second.report is not None
    assert second.report.source_document_id == then.request.sources[0]
