"""What a task costs is charged attempt by attempt, and nothing is sent that the account does not cover (M7, M8)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policypal.domain.usage import Usage
from policypal.domain.users import Profile
from policypal.errors import BudgetExceeded, ModelError, ModelOutputInvalid
from policypal.llm.prices import Tokens, cost_of, expected_cost
from tests.support import openai_server as behaviour
from tests.support.judge_task import GOOD, Naps, engine_for, judge
from tests.support.ledger import Ledger
from tests.support.openai_server import OpenAIServer


def test_m7_a_good_answer_is_booked_once_as_it_is_told(server: OpenAIServer) -> None:
    ledger = Ledger()
    told = judge(engine_for(server), account=ledger)
    (call,) = ledger.calls
    assert (call.task, call.engine, call.model, call.prompt_version) == ("test_claim", "openai", told.model, "7+p2")
    assert call.usage == told.usage


def test_m7_a_retry_after_an_unusable_answer_costs_both(server: OpenAIServer, naps: Naps) -> None:
    ledger = Ledger()
    server.script("Judgement", behaviour.says("no JSON at all"), behaviour.answers(GOOD))
    told = judge(engine_for(server, naps), account=ledger)
    assert len(ledger.calls) == 2
    assert sum((call.usage for call in ledger.calls), start=Usage()) == told.usage


def test_m7_a_task_that_fails_has_been_paid_for(server: OpenAIServer, naps: Naps) -> None:
    ledger = Ledger()
    server.script("Judgement", behaviour.says("nonsense"), behaviour.says("nonsense again"))
    with pytest.raises(ModelOutputInvalid):
        judge(engine_for(server, naps), account=ledger)
    assert len(ledger.calls) == 2
    assert ledger.spent > 0


@pytest.mark.parametrize("reply", [behaviour.cut_off(), behaviour.refuses()], ids=["cut off", "refused"])
def test_m7_a_cut_off_or_declined_answer_has_been_paid_for(
    server: OpenAIServer, naps: Naps, reply: behaviour.Behaviour
) -> None:
    ledger = Ledger()
    server.script("Judgement", reply)
    with pytest.raises(ModelError):
        judge(engine_for(server, naps), account=ledger)
    assert ledger.spent > 0


def test_m7_nothing_is_sent_that_the_account_does_not_cover(server: OpenAIServer) -> None:
    with pytest.raises(BudgetExceeded):
        judge(engine_for(server), account=Ledger(limit=Decimal(0)))
    assert server.requests == []


def test_m7_a_retry_that_is_not_covered_any_more_is_not_made(server: OpenAIServer, naps: Naps) -> None:
    judge(engine_for(server, naps))
    sent = sum(len(str(m["content"])) for m in server.requests[0].messages)
    server.script("Judgement", behaviour.says("no JSON at all"), behaviour.answers(GOOD))
    with pytest.raises(BudgetExceeded):
        judge(engine_for(server, naps), account=Ledger(limit=expected_cost("gpt-6-luna", sent, 1_000)))
    assert len(server.requests) == 2


def test_m7_what_a_request_is_expected_to_cost_is_not_less_than_what_it_does(server: OpenAIServer) -> None:
    ledger = Ledger()
    judge(engine_for(server), text="The institution must notify the regulator. " * 200, account=ledger)
    sent = sum(len(str(m["content"])) for m in server.requests[0].messages)
    assert ledger.spent <= expected_cost("gpt-6-luna", sent, 1_000)
    assert expected_cost("local-model", sent, 1_000) == cost_of("local-model", Tokens(sent)) == 0


def test_m7_the_whole_profile_reaches_the_model(server: OpenAIServer) -> None:
    longest = Profile(company="C" * 200, country="L" * 200, industry="I" * 200, description="d " * 998 + "end")
    judge(engine_for(server), profile=longest)
    system = server.requests[0].messages[0]["content"]
    for said in (longest.company, longest.country, longest.industry, longest.description):
        assert said in system
