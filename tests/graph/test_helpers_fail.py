"""A helper call never costs the answer (M8, issue 12 item 10): where its model fails, the rules do its part and that is said."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policypal.application import conversations
from policypal.config import Settings
from policypal.db import usage
from policypal.domain.documents import Document
from tests.support import openai_server as behaviour
from tests.support.conversation import Speaker, answered_by, asked_by, failed_by
from tests.support.documents import OTHER_RULE, RECORDS_RULE
from tests.support.openai_server import OpenAIServer

QUESTION = "How long must records be kept under the Records Rule?"


@pytest.fixture
def record_rules(modeller: Speaker) -> tuple[Document, Document]:
    records, complaints = modeller.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    return records, complaints


def _server(speaker: Speaker) -> OpenAIServer:
    assert speaker.server is not None
    return speaker.server


def _without_waiting(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    from policypal.web.retries import RetryPolicy

    monkeypatch.setattr(speaker.app.engine, "_retries", RetryPolicy(sleep=lambda seconds: None))


@pytest.mark.usefixtures("record_rules")
def test_m8_a_provider_that_failed_once_is_not_waited_for_by_the_other_helpers(
    modeller: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_waiting(modeller, monkeypatch)
    server = _server(modeller)
    server.script("Route", *[behaviour.server_error()] * 3)
    response = modeller.anyway(modeller.say(QUESTION))
    assert [len(server.requests_for(output)) for output in ("Route", "SupportVerdicts")] == [3, 0]
    assert any("own rules" in n and "reading the request" in n for n in response.notices)


@pytest.mark.usefixtures("record_rules")
def test_m8_an_answer_that_only_is_malformed_does_not_keep_others_from_being_asked(modeller: Speaker) -> None:
    server = _server(modeller)
    server.script("Route", behaviour.not_json(), behaviour.not_json())
    response = modeller.anyway(modeller.say(QUESTION))
    failed = [e for e in modeller._trace(response.thread_id) if e.kind == "task" and "error" in e.detail]
    assert [(e.name, e.detail["error"]) for e in failed] == [("router", "model_output")]


@pytest.mark.usefixtures("record_rules")
def test_m7_what_the_failed_helper_cost_is_counted(modeller: Speaker) -> None:
    _server(modeller).script("Route", behaviour.not_json(), behaviour.not_json())
    response = modeller.anyway(modeller.say(QUESTION))
    booked = usage.usage_this_month(modeller.app.db, modeller.user.id)
    embedded = _embedding_tokens(modeller)
    assert response.tokens_used == booked.input_tokens + booked.output_tokens - embedded
    calls = modeller.calls(response.thread_id)
    assert calls["router"] == 2


def _embedding_tokens(speaker: Speaker) -> int:
    with speaker.app.db.as_user(speaker.user.id) as c:
        row = c.execute("SELECT sum(input_tokens)::int AS n FROM usage WHERE task = 'embed'").fetchone()
    assert row is not None
    return int(row["n"] or 0)


@pytest.mark.usefixtures("record_rules")
def test_m7_a_used_up_budget_is_not_taken_for_a_failure(modeller: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = modeller.app.settings.model_copy(update={"monthly_budget_usd": Decimal(0)})
    monkeypatch.setattr(modeller.app, "settings", settings)
    assert failed_by(modeller.say(QUESTION)).code == "budget_exceeded"
    assert _server(modeller).requests_for("Route") == []


def test_u2b_a_conversation_is_named_after_what_was_resolved(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    records, complaints = rules
    speaker.model_reads(kind="small_talk")
    hello = answered_by(speaker.say("hello"))
    assert _title(speaker, hello.thread_id) == "New conversation", "small talk is about nothing"
    speaker.model_reads(kind="action")
    speaker.anyway(speaker.say("How long must records be kept?", records, thread=hello.thread_id))
    assert _title(speaker, hello.thread_id) == "How long must records be kept · Records Rule"
    compared = answered_by(speaker.say("@Compare", records, complaints, action="compare"))
    assert _title(speaker, compared.thread_id) == "Compare · Records Rule × Complaints Rule"
    conversations.rename(speaker.app, speaker.user, compared.thread_id, "Mine")
    speaker.say("@Summarize", records, thread=compared.thread_id, action="summarize")
    assert _title(speaker, compared.thread_id) == "Mine"


def test_u2b_an_open_question_names_it_in_the_messages_words_until_it_is_answered(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    records, complaints = rules
    speaker.add("Harbour Rule", "A vessel must leave the harbour within 14 days.")
    question = asked_by(speaker.say("Compare this", records, action="compare"))
    assert _title(speaker, question.thread_id) == "Compare this"
    if question.interrupt_type == "doc_choice":
        speaker.reply(question, complaints.id)
    else:
        speaker.reply(question, None, complaints)
    assert _title(speaker, question.thread_id) == "Compare · Records Rule × Complaints Rule"


def _title(speaker: Speaker, thread: str) -> str:
    return conversations.history(speaker.app, speaker.user, thread).conversation.title


def test_r4_a_model_without_a_known_price_is_said_in_the_answer(
    modeller: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from policypal.llm.routing import ModelRoutes

    rule = modeller.add("Records Rule", RECORDS_RULE)
    known = answered_by(modeller.say("@Summarize", rule, action="summarize"))
    assert known.is_priced and known.cost_usd > 0
    monkeypatch.setattr(modeller.app.engine, "_routes", ModelRoutes({"default": "my-deployment"}))
    unknown = answered_by(modeller.say("@Summarize", rule, action="summarize"))
    assert unknown.tokens_used > 0 and not unknown.is_priced


def test_r3_settings_prices_and_embeddings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_PRICES", '{"my-model": {"input": 2, "output": 8}}')
    monkeypatch.setenv("POLICYPAL_EMBEDDING_MODEL", "nomic-embed-text")
    settings = Settings(_env_file=None)
    assert settings.prices["my-model"].output == Decimal(8) and settings.embedding_model == "nomic-embed-text"
