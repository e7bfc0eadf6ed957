"""The OpenAI engine against a server that misbehaves: retries, then typed errors (M8, X3, X4)."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from policypal.errors import (
    ModelAuthenticationFailed,
    ModelError,
    ModelOutputInvalid,
    ModelQuotaExceeded,
    ModelRateLimited,
    ModelTimeout,
)
from tests.support import openai_server as behaviour
from tests.support.judge_task import GOOD, JUDGE, Claim, Judgement, Naps, engine_for, judge
from tests.support.openai_server import API_KEY, OpenAIServer

BUSY = [
    (behaviour.rate_limited(), ModelRateLimited),
    (behaviour.server_error(500), ModelError),
    (behaviour.server_error(503), ModelError),
    (behaviour.breaks_off(), ModelError),
]


@pytest.mark.parametrize(("bad", "error"), BUSY)
def test_m8_transient_failures_are_retried_twice_then_typed(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour, error: type[ModelError]
) -> None:
    server.script("Judgement", *[bad] * 4)
    with pytest.raises(error) as raised:
        judge(engine_for(server, naps))
    assert type(raised.value) is error
    assert raised.value.retryable
    assert len(server.requests) == 3
    assert len(naps.taken) == 2


@pytest.mark.parametrize(("bad", "_error"), BUSY)
def test_m8_a_transient_failure_is_survived(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour, _error: type[ModelError]
) -> None:
    server.script("Judgement", bad, bad)
    assert judge(engine_for(server, naps)).output.verdict == "yes"
    assert len(server.requests) == 3


def test_m8_waits_grow(server: OpenAIServer, naps: Naps) -> None:
    server.script("Judgement", *[behaviour.server_error()] * 2)
    judge(engine_for(server, naps))
    assert 0.5 < naps.taken[0] < naps.taken[1] < 3


def test_m8_retry_after_is_respected_and_capped(server: OpenAIServer, naps: Naps) -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    server.script("Judgement", behaviour.rate_limited("3"), behaviour.rate_limited(in_an_hour))
    judge(engine_for(server, naps))
    assert naps.taken == [3.0, 10.0]


@pytest.mark.parametrize("nonsense", ["soon", "nan", "-5", "inf", ""])
def test_m8_a_nonsensical_retry_after_does_no_harm(server: OpenAIServer, naps: Naps, nonsense: str) -> None:
    server.script("Judgement", behaviour.rate_limited(nonsense))
    judge(engine_for(server, naps))
    assert 0 <= naps.taken[0] <= 10


def test_m8_time_out_is_retried_twice_then_said(server: OpenAIServer, naps: Naps) -> None:
    server.script("Judgement", *[behaviour.hangs(5)] * 3)
    started = time.perf_counter()
    with pytest.raises(ModelTimeout):
        judge(engine_for(server, naps, model_timeout_seconds=0.2))
    assert len(server.requests) == 3
    assert time.perf_counter() - started < 2


def test_m8_an_answer_that_may_be_long_is_waited_for(server: OpenAIServer, naps: Naps) -> None:
    """M5: an audit of eighty obligations is written for longer than a title."""
    server.script("Judgement", behaviour.hangs(0.6), behaviour.hangs(0.6))
    result = judge(engine_for(server, naps, model_timeout_seconds=0.3), task=replace(JUDGE, length=10))
    assert result.output.verdict == "yes" and len(server.requests) == 1


def test_m8_a_valid_answer_that_the_task_complains_about_is_asked_for_again(server: OpenAIServer, naps: Naps) -> None:
    def doubtful(given: Claim, output: Judgement) -> str:
        return "" if output.reasons else f"- reasons: give one for “{given.text}”"

    server.script("Judgement", behaviour.answers({**GOOD, "reasons": []}))
    assert judge(engine_for(server, naps), task=replace(JUDGE, complaint=doubtful)).output.reasons == GOOD["reasons"]
    assert "- reasons: give one for “It must.”" in str(server.requests[1].messages[-1]["content"])
    server.script("Judgement", *[behaviour.answers({**GOOD, "reasons": []})] * 2)
    with pytest.raises(ModelOutputInvalid):
        judge(engine_for(server, naps), task=replace(JUDGE, complaint=doubtful))


def test_m8_no_server_at_all_is_said(naps: Naps) -> None:
    with OpenAIServer() as server:
        engine = engine_for(server, naps)
    with pytest.raises(ModelError, match="cannot be reached") as raised:
        judge(engine)
    assert raised.value.retryable
    assert len(naps.taken) == 2


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (behaviour.quota_exhausted(), ModelQuotaExceeded),
        (behaviour.fails(402), ModelQuotaExceeded),
        (behaviour.unauthorized(), ModelAuthenticationFailed),
        (behaviour.fails(403, "unsupported_country"), ModelAuthenticationFailed),
    ],
)
def test_m8_quota_and_key_problems_are_never_retried(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour, error: type[ModelError]
) -> None:
    server.script("Judgement", bad)
    with pytest.raises(error) as raised:
        judge(engine_for(server, naps))
    assert not raised.value.retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (behaviour.fails(404, "model_not_found"), "does not offer the model “gpt-6-luna”"),
        (behaviour.fails(400, "context_length_exceeded"), "too long"),
        (behaviour.fails(400, "content_filter"), "declined"),
        (behaviour.fails(400, "invalid_request_error"), "HTTP 400"),
        (behaviour.refuses(), "declined"),
        (behaviour.filtered(), "declined"),
        (behaviour.cut_off(), "length limit"),
    ],
)
def test_m8_what_would_happen_again_is_not_retried(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour, words: str
) -> None:
    server.script("Judgement", bad)
    with pytest.raises(ModelError, match=words) as raised:
        judge(engine_for(server, naps))
    assert not raised.value.retryable
    assert len(server.requests) == 1


def test_m8_a_cut_off_answer_is_an_invalid_output(server: OpenAIServer) -> None:
    server.script("Judgement", behaviour.cut_off())
    with pytest.raises(ModelOutputInvalid):
        judge(engine_for(server))


UNUSABLE = {
    "wrong schema": behaviour.wrong_schema(),
    "out of range": behaviour.says('{"verdict": "yes", "certainty": 7}'),
    "not a number": behaviour.says('{"verdict": "yes", "certainty": NaN}'),
    "prose": behaviour.not_json(),
    "blank": behaviour.says("  "),
    "nested too deeply": behaviour.says("[" * 100_000),
    "no finish reason": behaviour.says(json.dumps(GOOD), finish_reason=None),
    "tool call": behaviour.says(json.dumps(GOOD), finish_reason="tool_calls"),
    "malformed body": behaviour.malformed_json(),
    "empty body": behaviour.empty_body(),
    "html": behaviour.sends(b"<html>maintenance</html>", content_type="text/html"),
    "null": behaviour.sends(b"null"),
    "list": behaviour.sends(b"[]"),
    "no choices": behaviour.sends(b'{"id": "1", "choices": []}'),
    "null choices": behaviour.sends(b'{"id": "1", "choices": null}'),
    "choices of strings": behaviour.sends(b'{"choices": ["a"]}'),
    "no message": behaviour.sends(b'{"choices": [{"index": 0, "finish_reason": "stop"}]}'),
    "null content": behaviour.sends(
        b'{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": null}}]}'
    ),
    "error in a success": behaviour.sends(json.dumps({"error": {"message": f"bad key {API_KEY}"}}).encode()),
}


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_m8_an_unusable_answer_is_asked_for_once_more_then_typed(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour
) -> None:
    server.script("Judgement", bad, bad)
    with pytest.raises(ModelOutputInvalid) as raised:
        judge(engine_for(server, naps))
    assert raised.value.retryable
    assert len(server.requests) == 2
    assert naps.taken == []


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_m8_an_unusable_answer_is_survived(server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour) -> None:
    server.script("Judgement", bad)
    assert judge(engine_for(server, naps)).output.verdict == "yes"
    assert len(server.requests) == 2


def test_m8_the_second_request_carries_the_validation_error(server: OpenAIServer, naps: Naps) -> None:
    server.script("Judgement", behaviour.says('{"verdict": "perhaps", "certainty": 7}'))
    judge(engine_for(server, naps))
    *before, echo, correction = server.requests[1].messages
    assert before == server.requests[0].messages
    assert echo == {"role": "assistant", "content": '{"verdict": "perhaps", "certainty": 7}'}
    assert "verdict: Input should be 'yes' or 'no'" in correction["content"]
    assert "certainty: Input should be less than or equal to 1" in correction["content"]


def test_m8_the_correction_survives_a_transient_failure(server: OpenAIServer, naps: Naps) -> None:
    server.script("Judgement", behaviour.wrong_schema(), behaviour.server_error(), behaviour.rate_limited())
    judge(engine_for(server, naps))
    assert [len(r.messages) for r in server.requests] == [2, 4, 4, 4]


def test_m8_at_most_four_requests_whatever_happens(server: OpenAIServer, naps: Naps) -> None:
    bad = [behaviour.server_error(), behaviour.wrong_schema(), behaviour.rate_limited(), behaviour.malformed_json()]
    server.script("Judgement", *bad)
    with pytest.raises(ModelOutputInvalid):
        judge(engine_for(server, naps))
    assert len(server.requests) == 4


# What is told (X3, X4)

ALL_BAD = [
    behaviour.rate_limited(),
    behaviour.quota_exhausted(),
    behaviour.unauthorized(),
    behaviour.server_error(),
    behaviour.fails(400, "invalid_request_error"),
    behaviour.fails(404),
    behaviour.malformed_json(),
    UNUSABLE["error in a success"],
]


@pytest.mark.parametrize("bad", ALL_BAD)
def test_x3_neither_error_nor_log_repeats_the_key(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    server.script("Judgement", *[bad] * 3)
    with caplog.at_level("WARNING"), pytest.raises(ModelError) as raised:
        judge(engine_for(server, naps))
    assert API_KEY not in json.dumps(raised.value.as_dict())
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    assert caplog.text
    assert API_KEY not in caplog.text


@pytest.mark.parametrize("bad", ALL_BAD)
def test_x4_every_failure_has_a_title_a_sentence_and_says_whether_to_retry(
    server: OpenAIServer, naps: Naps, bad: behaviour.Behaviour
) -> None:
    server.script("Judgement", *[bad] * 3)
    with pytest.raises(ModelError) as raised:
        judge(engine_for(server, naps))
    shown = raised.value.as_dict()
    assert shown["title"]
    assert str(shown["message"]).endswith(".")
    assert isinstance(shown["retryable"], bool)
