"""What nobody should send: each is a typed error or a clear question, and nothing is changed (G9, X1, X4), on both engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from pydantic import ValidationError

from policypal.application import ask, library
from policypal.application.ask import MAX_MESSAGE_CHARACTERS, Draft, Request
from policypal.db import conversations as conversations_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.interrupts import Answer
from policypal.errors import InvalidInput, NoPendingQuestion, NotFound, PolicyPalError, TooManyDocuments
from tests.support.conversation import Speaker, answered_by, asked_by, failed_by
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE
from tests.support.questions import NONSENSE, nothing_searchable

LONG = "records " * 25_000  # 200 kB
HOSTILE = "\x00\ud800\x07\x1b[2J\u202e"


@pytest.fixture
def rules(speaker: Speaker) -> tuple[Document, Document]:
    records, complaints = speaker.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    return records, complaints


def refused(speaker: Speaker, error: type[PolicyPalError], thread: str, *answers: Answer) -> None:
    """Each answer is refused with this error, and leaves everything as it was."""
    before, open_question = speaker.everything(thread), speaker.pending(thread)
    for answer in answers:
        with pytest.raises(error) as told:
            ask.resume(speaker.app, speaker.user, thread, answer)
        assert told.value.message and told.value.title
        assert speaker.everything(thread) == before, answer
    assert speaker.pending(thread) == open_question


def unsendable(speaker: Speaker, error: type[PolicyPalError], *requests: Request) -> None:
    """Each message is refused with this error before a conversation begins."""
    before = speaker.everything()
    for request in requests:
        thread = ask.new_thread_id()
        with pytest.raises(error) as told:
            ask.send(speaker.app, speaker.user, thread, request)
        assert told.value.message and told.value.title
        assert speaker.everything() == before, request
        assert speaker.pending(thread) is None


# A resume of the wrong thread


def test_g9_a_resume_of_an_unknown_thread_is_not_found(speaker: Speaker) -> None:
    refused(speaker, NotFound, ask.new_thread_id(), Answer(type="cancel"), Answer(type="text_input", value="x"))


@pytest.mark.parametrize("thread", ["", "x", "0" * 36, "../../etc/passwd", "'; DROP TABLE runs; --", "\x00" * 36, LONG])
def test_g9_a_resume_of_what_is_no_id_is_not_found(speaker: Speaker, thread: str) -> None:
    before = speaker.everything()
    with pytest.raises(NotFound):
        ask.resume(speaker.app, speaker.user, thread, Answer(type="cancel"))
    with pytest.raises(NotFound):
        ask.send(speaker.app, speaker.user, thread, Request(message="Hello there"))
    assert speaker.everything() == before


def test_x1_a_resume_of_somebody_elses_thread_is_not_found(
    speaker: Speaker, rules: tuple[Document, Document], another: Callable[[], Speaker]
) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"))
    thread, stranger = question.thread_id, another()
    before = speaker.everything(thread)
    with pytest.raises(NotFound):
        ask.resume(stranger.app, stranger.user, thread, Answer(type="cancel"), interrupt_id=question.interrupt_id)
    with pytest.raises(NotFound):
        ask.send(stranger.app, stranger.user, thread, Request(message="Hello there"))
    assert stranger.pending(thread) is None
    assert speaker.everything(thread) == before
    assert len(answered_by(speaker.reply(question, "Complaints Rule")).documents) == 2


def test_g9_a_resume_of_a_finished_thread_says_that_nothing_is_open(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    thread = answered_by(speaker.say("@Summarize @Records Rule")).thread_id
    answers = Answer(type="cancel"), Answer(type="doc_choice", value="all"), Answer(type="text_input", value="x")
    refused(speaker, NoPendingQuestion, thread, *answers)


def test_g9_a_resume_of_a_thread_that_never_started_does_not_start_it(speaker: Speaker) -> None:
    """LangGraph itself would run such a thread from its beginning."""
    thread = str(uuid4())
    conversations_db.create_conversation(speaker.app.db, speaker.user.id, thread)
    refused(speaker, NoPendingQuestion, thread, Answer(type="cancel"), Answer(type="action_choice", value="audit"))
    assert speaker.calls(thread) == {}


def test_g9_an_answer_that_was_given_is_not_taken_again(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"))
    answered_by(speaker.reply(question, "Complaints Rule"))
    before = speaker.everything(question.thread_id)
    with pytest.raises(NoPendingQuestion):
        speaker.reply(question, "Complaints Rule")
    assert speaker.everything(question.thread_id) == before


# An answer that does not fit the question


def test_g7_only_offered_actions_are_taken(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    thread = asked_by(speaker.say("Have a look at @Records Rule"), "action_choice").thread_id
    refused(
        speaker, InvalidInput, thread,
        Answer(type="action_choice", value="delete_everything"),
        Answer(type="action_choice", value=["summarize", "audit"]),
        Answer(type="action_choice", value=""),
        Answer(type="action_choice", value=[]),
        Answer(type="action_choice"),
        Answer(type="action_choice", document_ids=[rules[0].id]),
        Answer(type="action_choice", value=LONG),
        Answer(type="action_choice", value=f"audit{HOSTILE}x"),
        Answer(type="doc_choice", value="audit"),
        Answer(type="text_input", value="audit"),
        Answer(type="retrieval_low", value="continue"),
    )  # fmt: skip


def test_g7_only_offered_documents_are_taken(
    speaker: Speaker, rules: tuple[Document, Document], another: Callable[[], Speaker]
) -> None:
    foreign = another().add("Foreign Rule", RECORDS_RULE)
    policy = speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    thread = asked_by(speaker.say("@Audit @Our Policy"), "doc_choice").thread_id
    refused(
        speaker, InvalidInput, thread,
        Answer(type="doc_choice", value=policy.id),
        Answer(type="doc_choice", value=foreign.id),
        Answer(type="doc_choice", value=str(uuid4())),
        Answer(type="doc_choice", value=[rules[0].id, foreign.id]),
        Answer(type="doc_choice", value="Records Rule"),
        Answer(type="doc_choice", document_ids=[rules[0].id]),
        Answer(type="doc_choice", value=[]),
        Answer(type="action_choice", value="audit"),
    )  # fmt: skip


def test_g7_a_text_question_takes_one_text_or_own_documents(
    speaker: Speaker, rules: tuple[Document, Document], another: Callable[[], Speaker]
) -> None:
    foreign = another().add("Foreign Rule", RECORDS_RULE)
    thread = asked_by(speaker.say("@Compare @Records Rule"), "text_input").thread_id
    refused(
        speaker, InvalidInput, thread,
        Answer(type="text_input"),
        Answer(type="text_input", value=" \n\t "),
        Answer(type="text_input", value="\x00\ud800"),
        Answer(type="text_input", value=["Complaints Rule", "Records Rule"]),
        Answer(type="text_input", value=LONG),
        Answer(type="doc_choice", value=rules[1].id),
    )  # fmt: skip
    refused(
        speaker, NotFound, thread,
        Answer(type="text_input", value="", document_ids=[foreign.id]),
        Answer(type="text_input", value="this", document_ids=[str(uuid4())]),
        Answer(type="text_input", value="this", document_ids=["\x00", "x"]),
    )  # fmt: skip


def test_g7_weak_evidence_takes_only_what_it_offered(modeller: Speaker) -> None:
    nothing_searchable(modeller)
    thread = asked_by(modeller.say(f"@Inquire {NONSENSE}"), "retrieval_low").thread_id
    refused(
        modeller, InvalidInput, thread,
        Answer(type="retrieval_low", value="web_search"),  # not configured, so not offered
        Answer(type="retrieval_low", value="nonsense"),
        Answer(type="retrieval_low", value=["continue", "tag_docs"]),
        Answer(type="retrieval_low"),
        Answer(type="text_input", value="continue"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [{"type": "bogus", "value": "x"}, {"type": "doc_choice", "value": 7}, {"type": "doc_choice", "value": {"id": "x"}},
     {"type": "doc_choice", "value": [1, 2]}, {"type": "text_input", "value": "x", "document_ids": "abc"}, {"value": "x"}],
)  # fmt: skip
def test_g7_a_value_of_another_type_is_no_answer(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Answer(**given)


def test_g7_an_unreadable_name_is_asked_for_again(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """Control characters do not break anything, and what they surround is still understood."""
    question = asked_by(speaker.say("@Compare @Records Rule"))
    again = asked_by(speaker.reply(question, f"Qwertz{HOSTILE} Circular"), "text_input")
    assert "I could not find" in again.message and "\x00" not in again.message
    response = answered_by(speaker.reply(again, "Complaints\x00 Rule\x07"))
    assert {d.id for d in response.documents} == {d.id for d in rules}


def test_g9_a_hostile_cancel_is_a_cancel(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"))
    event = speaker.answer(question, Answer(type="cancel", value=HOSTILE, document_ids=["x"]))
    assert answered_by(event).cancelled


# A message that cannot be used


def test_x4_200_kilobytes_are_refused_with_advice(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    composed = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": LONG}]}]}
    unsendable(
        speaker, InvalidInput,
        Request(message=LONG), Request(message=LONG, document_ids=(rules[0].id,)), Request(composer=composed),
    )  # fmt: skip


def test_x4_a_message_of_the_greatest_length_is_answered(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    message = "@Summarize @Records Rule " + "please " * ((MAX_MESSAGE_CHARACTERS - 30) // 7)
    assert answered_by(speaker.say(message, rules[0])).action == "summarize"


def test_x4_a_draft_of_200_kilobytes_is_audited(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    draft = Draft(
        f"mail{HOSTILE}.txt", "We report every serious incident to the Authority within 72 hours.\x00\n" * 3_000
    )
    response = answered_by(speaker.say("@Audit @Records Rule", draft=draft))
    assert response.report is not None and "\x00" not in response.report.source_title


def test_x4_nothing_but_control_characters_is_no_message(speaker: Speaker) -> None:
    unsendable(
        speaker, InvalidInput,
        Request(message=""), Request(message=" \n\t "), Request(message="\x00\x00"), Request(message="\x01\x02\x1b\x7f"),
        Request(message="\ud800"), Request(composer={"type": "doc", "content": []}), Request(composer={"type": "nonsense"}),
        Request(message="Hello there", idempotency_key="a\x00b"),
    )  # fmt: skip


def test_x4_control_characters_are_removed_and_the_rest_is_answered(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    response = answered_by(speaker.say("@Summarize\x00 @Records Rule\x07 \x1bplease\ud800"))
    said = speaker.history(response.thread_id)[0].content
    assert said == "@Summarize @Records Rule please"
    assert [d.id for d in response.documents] == [rules[0].id]


def test_g4_six_documents_are_refused(speaker: Speaker) -> None:
    six = speaker.add_all({f"Rule {w}": f"Rule {w} obliges every firm to keep register {w}." for w in "ABCDEF"})
    unsendable(speaker, TooManyDocuments, Request(message="Summarize", document_ids=tuple(d.id for d in six)))


def test_g4_six_chosen_documents_are_refused_and_the_question_stays(speaker: Speaker) -> None:
    six = speaker.add_all({f"Rule {w}": f"Rule {w} obliges every firm to keep register {w}." for w in "ABCDEF"})
    event = speaker.say("@Audit We keep registers only when we feel like it, which is rarely: never mind the rest.")
    question = asked_by(event, "doc_choice")
    assert len(question.options or []) == 6, "six do not fit into one request, so “All of these” is not offered"
    refused(
        speaker, TooManyDocuments, question.thread_id, Answer(type="doc_choice", value=[d.id for d in six]),
    )  # fmt: skip
    assert answered_by(speaker.reply(question, [d.id for d in six[:2]])).report is not None


# Documents that are not there, or not mine


def test_x1_a_tag_of_somebody_elses_document_is_not_found(
    speaker: Speaker, rules: tuple[Document, Document], another: Callable[[], Speaker]
) -> None:
    foreign = another().add("Foreign Rule", RECORDS_RULE, set_name="Foreign Set")
    assert foreign.set_id is not None
    tag = {"type": "mention", "attrs": {"id": foreign.id, "label": "Foreign Rule", "category": "document"}}
    set_tag = {"type": "mention", "attrs": {"id": foreign.set_id, "label": "Foreign Set", "category": "set"}}
    unsendable(
        speaker, NotFound,
        Request(message="Summarize", document_ids=(foreign.id,)),
        Request(message="Summarize", document_ids=(rules[0].id, foreign.id)),
        Request(message="Summarize", set_ids=(foreign.set_id,)),
        Request(composer={"type": "doc", "content": [{"type": "paragraph", "content": [tag]}]}),
        Request(composer={"type": "doc", "content": [{"type": "paragraph", "content": [set_tag]}]}),
    )  # fmt: skip


def test_x1_the_name_of_somebody_elses_document_is_only_a_word(
    speaker: Speaker, rules: tuple[Document, Document], another: Callable[[], Speaker]
) -> None:
    foreign = another().add("Foreign Circular", RECORDS_RULE)
    speaker.model_reads(documents=[foreign.id], unknown=["Foreign Circular"]
    )  # fmt: skip
    question = asked_by(speaker.say("@Summarize the Foreign Circular"), "text_input")
    again = asked_by(speaker.reply(question, "@Foreign Circular"), "text_input")
    assert speaker.state(again.thread_id)["resolved_doc_ids"] == []


def test_d10_tags_of_deleted_documents_and_sets_are_not_found(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    gone = speaker.add("Gone Rule", "A firm must keep gone things for nine years.", set_name="Gone Set")
    library.delete(speaker.app, speaker.user, gone.id)
    assert gone.set_id is not None
    unsendable(
        speaker, NotFound,
        Request(message="Summarize", document_ids=(gone.id,)),
        Request(message="What must a firm keep?", set_ids=(gone.set_id,)),  # empty now: not the whole library instead
        Request(message="@Summarize @Gone Set"),
    )  # fmt: skip


def test_d10_an_offered_document_deleted_meanwhile_cannot_be_chosen(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    question = asked_by(speaker.say("@Audit @Our Policy"), "doc_choice")
    library.delete(speaker.app, speaker.user, rules[1].id)
    refused(
        speaker, NotFound, question.thread_id,
        Answer(type="doc_choice", value=rules[1].id), Answer(type="doc_choice", value=["all"]),
    )  # fmt: skip
    assert answered_by(speaker.reply(question, rules[0].id)).report is not None


def test_d10_a_tagged_document_deleted_during_a_question_is_a_typed_error(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    thread = answered_by(speaker.say("@Summarize @Records Rule")).thread_id
    question = asked_by(speaker.say("@Summarize", *rules, web=True, thread=thread), "action_choice")
    library.delete(speaker.app, speaker.user, rules[1].id)
    error = failed_by(speaker.reply(question, "without_web"))
    assert error.code == "not_found" and "Complaints Rule" in error.message
    assert speaker.state(thread)["conversation_docs"] == {"Records Rule": rules[0].id}
    assert speaker.pending(thread) is None
    assert answered_by(speaker.say("@Summarize @Records Rule", thread=thread)).citations, "the thread is not stuck"


def test_m8_a_model_that_is_down_is_a_typed_error_and_loses_nothing(modeller: Speaker) -> None:
    """Phase 2.6, test 6: an error event instead of an endless wait; the message is kept and the thread goes on."""
    from tests.support.openai_server import unauthorized

    assert modeller.server is not None
    modeller.add("Records Rule", RECORDS_RULE)
    modeller.server.script("Answer", unauthorized())
    thread = ask.new_thread_id()
    error = failed_by(modeller.say("How long must records be kept?", thread=thread))
    assert error.code == "model_authentication" and error.thread_id == thread
    assert modeller.roles(thread) == ["user", "error"]
    assert modeller.anyway(modeller.say("How long must records be kept?", thread=thread)).response
    assert modeller.roles(thread)[:3] == ["user", "error", "user"]
