"""Any endpoint that speaks the protocol: what it refuses is left out, once per model (R4b, issue 12 item 9)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from policypal.errors import ModelError, ModelOutputInvalid
from policypal.llm.capabilities import Capabilities, Form
from tests.support import openai_server as behaviour
from tests.support.judge_task import GOOD, Judgement, Naps, engine_for, judge
from tests.support.openai_server import OpenAIServer


def _parameters(server: OpenAIServer) -> list[list[str]]:
    return [sorted(set(r.body) - {"messages", "model", "stream"}) for r in server.requests]


def test_r4b_a_refused_temperature_is_left_out_from_then_on(server: OpenAIServer) -> None:
    server.rejected = ("temperature",)
    engine = engine_for(server, models={"test_claim": "llama3.1:8b"})
    assert judge(engine).output.verdict == "yes"
    assert judge(engine).output.verdict == "yes"
    assert ["temperature" in names for names in _parameters(server)] == [True, False, False]
    assert engine.capabilities_of("llama3.1:8b") == Capabilities(has_temperature=False)
    assert engine.capabilities_of("qwen3") == Capabilities(), "what is learnt of one model is not said of another"


@pytest.mark.parametrize(
    "model", ["o1", "o3-mini", "o4-mini-2025-04-16", "openai/o3", "gpt-5-mini", "gpt-6-luna", "gpt-6.1-terra", "gpt-10"]
)
def test_r4b_models_that_reason_are_sent_an_effort_and_no_temperature_at_all(server: OpenAIServer, model: str) -> None:
    judge(engine_for(server, models={"test_claim": f"{model}@high"}))
    assert _parameters(server) == [["reasoning_effort", "response_format"]]
    assert server.requests[0].body["reasoning_effort"] == "high" and server.requests[0].body["model"] == model


def test_r4b_an_effort_that_is_refused_is_left_to_the_model(server: OpenAIServer) -> None:
    """Which ones a model takes differs: o3 knows no "none", GPT-6.1 Sol neither."""
    told = "Unsupported value: 'reasoning_effort' does not support 'none' with this model."
    refusal = {"error": {"message": told, "param": "reasoning_effort", "code": "unsupported_value"}}
    server.script("Judgement", lambda on, request: behaviour.Reply(json.dumps(refusal).encode(), 400))
    engine = engine_for(server, models={"test_claim": "o3@none"})
    assert judge(engine).output.verdict == "yes"
    assert _parameters(server) == [["reasoning_effort", "response_format"], ["response_format"]]
    assert not engine.capabilities_of("o3").has_effort


@pytest.mark.parametrize("model", ["gpt-4o", "o-model", "demo1", "qwen3:8b"])
def test_r4b_other_models_are(server: OpenAIServer, model: str) -> None:
    judge(engine_for(server, models={"test_claim": model}))
    assert "temperature" in server.requests[0].body


@pytest.mark.parametrize(
    ("rejected", "form", "requests"),
    [
        (("response_format",), Form.TOOLS, 2),
        (("tools",), Form.JSON_SCHEMA, 1),
        (("response_format", "tools"), Form.PROMPT, 4),
        (("response_format", "reasoning_effort", "tools"), Form.PROMPT, 5),
    ],
)
def test_r4b_an_endpoint_without_schemas_is_asked_in_the_best_form_it_takes(
    server: OpenAIServer, naps: Naps, rejected: tuple[str, ...], form: Form, requests: int
) -> None:
    server.rejected = rejected
    if form is Form.PROMPT:
        server.script("", behaviour.says(f"Here you are:\n{json.dumps(GOOD)}"))
    engine = engine_for(server, naps)
    assert judge(engine).output == Judgement.model_validate(GOOD)
    assert len(server.requests) == requests
    assert engine.capabilities_of("gpt-6-luna").form is form
    assert naps.taken == []
    if form is Form.PROMPT:
        assert (
            '"required":["verdict","certainty","reasons","page","claim"]' in server.requests[-1].messages[0]["content"]
        )


def test_r4b_json_mode_is_told_the_schema_in_the_prompt(server: OpenAIServer) -> None:
    server.rejected = ("tools",)
    server.script("Judgement", behaviour.refuses_parameter("json_schema"))
    engine = engine_for(server)
    judge(engine)
    assert server.requests[-1].body["response_format"] == {"type": "json_object"}
    assert "schema and no others:\n{" in server.requests[-1].messages[0]["content"]
    assert engine.capabilities_of("gpt-6-luna").form is Form.JSON_OBJECT


TOLD = {
    "OpenAI": {"error": {"message": "Unsupported value", "param": "response_format", "code": "unsupported_value"}},
    "DeepSeek": {"error": {"message": "This response_format type is unavailable now", "type": "invalid_request_error"}},
    "Groq": {"error": {"message": "This model does not support response format `json_schema`."}},
    "Mistral": {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"]}]},
    "a sentence": {"error": "structured outputs are not supported"},
}


@pytest.mark.parametrize("body", TOLD.values(), ids=TOLD.keys())
@pytest.mark.parametrize("status", [400, 422])
def test_r4b_refusals_are_understood_in_the_words_of_several_endpoints(
    server: OpenAIServer, body: dict[str, Any], status: int
) -> None:
    server.script("Judgement", lambda on, request: behaviour.Reply(json.dumps(body).encode(), status))
    judge(engine_for(server))
    assert "tools" in server.requests[-1].body


def test_r4b_no_limit_of_tokens_is_sent_that_could_be_refused(server: OpenAIServer) -> None:
    server.rejected = ("max_tokens", "max_completion_tokens")
    assert judge(engine_for(server)).output.verdict == "yes"
    assert len(server.requests) == 1


def test_r4b_a_tool_call_that_does_not_fit_is_corrected(server: OpenAIServer, naps: Naps) -> None:
    server.rejected = ("response_format",)
    server.script("Judgement", behaviour.wrong_schema(), behaviour.says("no JSON"))
    with pytest.raises(ModelOutputInvalid):
        judge(engine_for(server, naps))
    assert "unexpected: Extra inputs" not in server.requests[-1].messages[-1]["content"]
    assert "surprise: Extra inputs" in server.requests[-1].messages[-1]["content"]


def test_r4b_a_refusal_that_names_nothing_is_said_as_it_is(server: OpenAIServer) -> None:
    server.script("Judgement", behaviour.fails(400, "invalid_request_error"))
    with pytest.raises(ModelError, match="HTTP 400") as raised:
        judge(engine_for(server))
    assert "doctor" in raised.value.message
    assert "structured outputs" not in raised.value.message


def test_r4b_a_request_that_is_too_long_is_not_taken_for_a_missing_capability(server: OpenAIServer) -> None:
    error = {"message": "too long: reduce the messages or tools", "code": "context_length_exceeded"}
    server.script("Judgement", lambda on, request: behaviour.Reply(json.dumps({"error": error}).encode(), 400))
    with pytest.raises(ModelError, match="too long"):
        judge(engine_for(server))
    assert len(server.requests) == 1
