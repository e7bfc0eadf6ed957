"""The monthly budget stops before spending, and the conversation can go on without a model (M7, U9)."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import pytest

from policypal.application import ask, budget, conversations, usage
from policypal.application.ask import Draft
from policypal.application.container import Container
from policypal.db import conversations as conversations_db
from policypal.db import usage as usage_db
from policypal.db import users as users_db
from policypal.domain.documents import Document
from policypal.domain.usage import Budget, ModelCall, Usage, first_of_next_month
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.graph.agent.state import WITHOUT_MODEL
from tests.support.conversation import Speaker, answered_by, asked_by, failed_by
from tests.support.openai_server import EMBEDDINGS, OpenAIServer

RULES = """Records Rules
1. A bank must keep transaction records for at least seven years.
2. A bank must report a loss of records to the supervisor within 3 days."""


@pytest.fixture
def speaker(model_app: Container, model_server: OpenAIServer) -> Speaker:
    model_server.reset()
    return Speaker(model_app, _someone(model_app), model_server)


@pytest.fixture
def rules(speaker: Speaker) -> Document:
    return speaker.add("Records Rules", RULES)


def _someone(app: Container) -> User:
    user = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(app.db, user)
    return user


def _spend(app: Container, user: User, dollars: str) -> None:
    call = ModelCall("answer", "openai", "gpt-4o", "1", Usage(1000, 100, Decimal(dollars)), 1.0)
    usage_db.add_usage(app.db, user.id, call, thread_id=None, run_id=None)


def _use_up(speaker: Speaker, *, continue_without_model: bool = False) -> None:
    budget.save(speaker.app, speaker.user, Decimal("0.01"), continue_without_model=continue_without_model)
    _spend(speaker.app, speaker.user, "0.02")
    assert speaker.server is not None
    speaker.server.reset()


def _requests(speaker: Speaker) -> list[str]:
    assert speaker.server is not None
    return [r.task for r in speaker.server.requests]


def test_m7_nothing_is_sent_once_the_budget_is_used_up(speaker: Speaker, rules: Document) -> None:
    _use_up(speaker)
    thread = ask.new_thread_id()
    failure = failed_by(speaker.say("How long are records kept?", rules, thread=thread, action="inquire"))
    assert failure.code == "budget_exceeded" and "without a model" in failure.message
    assert _requests(speaker) == []
    assert speaker.roles(thread) == ["user", "error"], "the message is kept"


def test_m7_a_small_question_is_asked_while_the_budget_covers_it(speaker: Speaker, rules: Document) -> None:
    budget.save(speaker.app, speaker.user, Decimal("0.50"), continue_without_model=False)
    answer = speaker.anyway(speaker.say("How long are records kept?", rules, action="inquire"))
    assert answer.engine == "openai" and answer.cost_usd > 0


def test_m7_the_next_call_counts_not_only_the_last_one(speaker: Speaker, rules: Document) -> None:
    """Half a cent is left, which the request for an audit with the larger model would exceed."""
    budget.save(speaker.app, speaker.user, Decimal("0.01"), continue_without_model=False)
    _spend(speaker.app, speaker.user, "0.005")
    failure = failed_by(speaker.say("Audit this: Records are kept for two years.", rules, action="audit"))
    assert failure.code == "budget_exceeded"
    assert "Judgements" not in _requests(speaker)


def test_m7_the_same_message_goes_on_without_a_model(speaker: Speaker, rules: Document) -> None:
    _use_up(speaker)
    thread = ask.new_thread_id()
    speaker.say("How long must transaction records be kept?", rules, thread=thread, action="inquire")
    ask.continue_without_model(speaker.app, speaker.user, thread)
    answer = answered_by(speaker.answered_in(thread))
    assert answer.engine == "extractive" and answer.cost_usd == 0
    assert "seven years" in answer.response and WITHOUT_MODEL in answer.notices
    assert speaker.roles(thread) == ["user", "error", "user", "assistant"]
    assert [m["role"] for m in speaker.state(thread)["messages"]] == ["user", "assistant"]
    assert _requests(speaker) == [], "not even the question was embedded by the provider"


def test_m7_only_what_the_budget_ended_goes_on(speaker: Speaker, rules: Document) -> None:
    thread = ask.new_thread_id()
    speaker.say("Summarize", rules, thread=thread, action="summarize")
    with pytest.raises(InvalidInput):
        ask.continue_without_model(speaker.app, speaker.user, thread)
    with pytest.raises(NotFound):
        ask.continue_without_model(speaker.app, _someone(speaker.app), thread)


def test_m8_a_message_is_sent_again_with_its_documents_and_its_action(speaker: Speaker, rules: Document) -> None:
    thread, other = ask.new_thread_id(), ask.new_thread_id()
    budget.save(speaker.app, speaker.user, Decimal("0.01"), continue_without_model=False)
    _spend(speaker.app, speaker.user, "0.02")
    assert failed_by(speaker.say("How long?", rules, thread=thread, action="inquire")).code == "budget_exceeded"
    budget.save(speaker.app, speaker.user, None, continue_without_model=False)
    ask.send_again(speaker.app, speaker.user, thread)
    answer = answered_by(speaker.answered_in(thread))
    assert answer.engine == "openai" and {c.document_id for c in answer.citations} == {rules.id}
    conversations_db.create_conversation(speaker.app.db, speaker.user.id, other)
    with pytest.raises(InvalidInput):
        ask.send_again(speaker.app, speaker.user, other)
    conversations_db.add_message(
        speaker.app.db, speaker.user.id, other, "user", "Go on", payload={"tagged_ids": [rules.id], "action": "summarize"},
        idempotency_key=str(uuid4()),
    )  # fmt: skip
    ask.send_again(speaker.app, speaker.user, other)
    assert "Records Rules" in answered_by(speaker.answered_in(other)).response, (
        "as it was sent, before anything was settled"
    )
    with pytest.raises(NotFound):
        ask.send_again(speaker.app, _someone(speaker.app), thread)


def test_m7_an_attached_draft_goes_on_without_a_model(speaker: Speaker, rules: Document) -> None:
    _use_up(speaker)
    thread = ask.new_thread_id()
    draft = Draft("memo.txt", "Our bank keeps transaction records for two years.")
    failed_by(speaker.say("Audit this memo", rules, thread=thread, action="audit", draft=draft))
    ask.continue_without_model(speaker.app, speaker.user, thread)
    answer = answered_by(speaker.answered_in(thread))
    assert answer.report is not None and answer.report.engine == "extractive"
    assert any("seven years" in f.target_quote for f in answer.report.findings)
    assert _requests(speaker) == []


def test_m7_g9_an_answer_to_a_question_goes_on_without_a_model(speaker: Speaker, rules: Document) -> None:
    thread = ask.new_thread_id()
    question = asked_by(speaker.say("Summarize", thread=thread, action="summarize"))
    _use_up(speaker)
    failure = failed_by(speaker.reply(question, [rules.id] if question.options else "Records Rules"))
    assert failure.code == "budget_exceeded"
    ask.continue_without_model(speaker.app, speaker.user, thread)
    answer = answered_by(speaker.answered_in(thread))
    assert answer.engine == "extractive" and "seven years" in answer.response
    assert speaker.pending(thread) is None and _requests(speaker) == []


def test_m7_a_turn_without_a_model_stays_so_after_a_question(speaker: Speaker, rules: Document) -> None:
    speaker.add("Harbour Rules", "A vessel must leave the harbour within 14 days.")
    thread = ask.new_thread_id()
    request = ask.Request(message="Summarize", action=ask.Action.SUMMARIZE, without_model=True)
    question = asked_by(speaker.send(request, thread))
    assert speaker.server is not None
    speaker.server.reset()
    answer = answered_by(speaker.reply(question, [rules.id] if question.options else "Records Rules"))
    assert answer.engine == "extractive" and _requests(speaker) == []


def test_u9_who_wants_it_goes_on_without_being_asked(speaker: Speaker, rules: Document) -> None:
    _use_up(speaker, continue_without_model=True)
    answer = answered_by(speaker.say("How long must transaction records be kept?", rules, action="inquire"))
    assert answer.engine == "extractive" and WITHOUT_MODEL in answer.notices
    assert _requests(speaker) == []


def test_m7_reading_a_document_is_not_paid_beyond_the_budget(speaker: Speaker) -> None:
    _use_up(speaker)
    with pytest.raises(AssertionError, match="budget"):
        speaker.add("Another", RULES.replace("seven", "nine"))
    assert EMBEDDINGS not in _requests(speaker)


def test_m7_embeddings_and_the_thread_of_a_call_are_recorded(speaker: Speaker, rules: Document) -> None:
    thread = ask.new_thread_id()
    speaker.anyway(speaker.say("How long are records kept?", rules, thread=thread, action="inquire"))
    with speaker.app.db.as_user(speaker.user.id) as c:
        rows = c.execute(
            "SELECT task, thread_id, cost_usd FROM usage WHERE user_id = %s", (speaker.user.id,)
        ).fetchall()
    embedded = [r for r in rows if r["task"] == "embed"]
    assert {str(r["thread_id"]) for r in embedded} == {"None", thread}, "the document's passages, and the question"
    assert all(r["cost_usd"] > 0 for r in rows)


def test_m5_a_failed_call_is_in_the_trace_and_in_the_usage(speaker: Speaker, rules: Document) -> None:
    assert speaker.server is not None
    speaker.model_says("Answer")
    speaker.server.on("Answer", lambda request: {"nonsense": True})
    before = usage.this_month(speaker.app, speaker.user)
    thread = ask.new_thread_id()
    event = speaker.say("How long are records kept?", rules, thread=thread, action="inquire")
    if event.type == "interrupt":
        event = speaker.reply(event, "continue")
    assert failed_by(event).code == "model_output"
    failed = [
        e
        for es in conversations.history(speaker.app, speaker.user, thread).traces.values()
        for e in es
        if "error" in e.detail
    ]
    assert [(e.kind, e.name, e.detail["error"]) for e in failed] == [("task", "answer", "model_output")]
    assert failed[0].detail["tokens"] > 0
    with speaker.app.db.as_user(speaker.user.id) as c:
        tried = c.execute(
            "SELECT count(*) AS n FROM usage WHERE user_id = %s AND task = 'answer'", (speaker.user.id,)
        ).fetchone()
    assert tried is not None and tried["n"] == 2, "the first attempt and the one with the validation error"
    assert usage.this_month(speaker.app, speaker.user).cost_usd > before.cost_usd


def test_u9_the_installation_bounds_every_user_and_all_together(
    model_app: Container, speaker: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_app.db.as_owner() as c:
        spent = c.execute("SELECT spent_by_all() AS usd").fetchone()
    assert spent is not None
    limit = spent["usd"] + Decimal("0.50")
    monkeypatch.setattr(model_app, "settings", model_app.settings.model_copy(update={"monthly_budget_usd": limit}))
    with pytest.raises(InvalidInput, match="POLICYPAL_MONTHLY_BUDGET_USD"):
        budget.save(model_app, speaker.user, limit + 1, continue_without_model=False)
    _spend(model_app, _someone(model_app), "0.49")
    assert not budget.load(model_app, speaker.user).is_used_up
    assert budget.load(model_app, speaker.user).is_nearly_used_up
    _spend(model_app, _someone(model_app), "0.01")
    assert budget.load(model_app, speaker.user).is_used_up


def test_r4b_where_no_price_is_known_tokens_are_limited(
    model_app: Container, speaker: Speaker, rules: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    from policypal.llm.routing import ModelRoutes

    with model_app.db.as_owner() as c:
        used = c.execute("SELECT unpriced_tokens_of_all() AS tokens").fetchone()
    assert used is not None
    limited = model_app.settings.model_copy(update={"monthly_budget_tokens": used["tokens"] + 2_000})
    monkeypatch.setattr(model_app, "settings", limited)
    monkeypatch.setattr(model_app.engine, "_routes", ModelRoutes({"default": "my-deployment"}))
    answered_by(speaker.say("Summarize", rules, action="summarize"))
    call = ModelCall("answer", "openai", "my-deployment", "1", Usage(1_900, 100), 1.0)
    usage_db.add_usage(model_app.db, _someone(model_app).id, call, thread_id=None, run_id=None)
    held = budget.load(model_app, speaker.user)
    assert held.is_used_up and held.spent_usd < Decimal("0.01")
    assert failed_by(speaker.say("Summarize again", rules, action="summarize")).code == "budget_exceeded"
    assert _requests(speaker).count("Summary") == 1
    monkeypatch.setattr(model_app.engine, "_routes", ModelRoutes())
    answered_by(speaker.say("Summarize again", rules, action="summarize"))  # its price is known


@pytest.mark.parametrize("amount", ["-0.01", "NaN", "Infinity", "1e9"])
def test_u9_an_amount_that_is_none_is_refused(app: Container, user: User, amount: str) -> None:
    with pytest.raises(InvalidInput):
        budget.save(app, user, Decimal(amount), continue_without_model=False)
    assert budget.load(app, user).own_usd is None


@pytest.mark.parametrize(
    ("spent", "nearly", "used_up"), [("0.79", False, False), ("0.80", True, False), ("1.00", True, True)]
)
def test_u9_people_are_warned_at_four_fifths(spent: str, nearly: bool, used_up: bool) -> None:
    one = Budget(own_usd=Decimal(1), spent_usd=Decimal(spent))
    assert (one.is_nearly_used_up, one.is_used_up) == (nearly, used_up)


def test_u9_no_limit_no_warning_and_zero_means_nothing_is_spent() -> None:
    unlimited, nothing = Budget(spent_usd=Decimal(99)), Budget(own_usd=Decimal(0))
    assert (unlimited.share, unlimited.is_used_up, unlimited.covers(Decimal(5))) == (None, False, True)
    assert nothing.is_used_up and not nothing.covers(Decimal("0.0001"))


def test_u9_months_begin_on_the_first() -> None:
    from datetime import date

    assert first_of_next_month(date(2026, 11, 22)) == date(2026, 12, 1)
    assert first_of_next_month(date(2026, 12, 31)) == date(2027, 1, 1)
    assert first_of_next_month(date(2027, 1, 1)) == date(2027, 2, 1)
