"""A local HTTP server that speaks the OpenAI protocol, and misbehaves on request.

    with OpenAIServer() as server:
        engine = OpenAIEngine(load_settings(server.overrides()))
        server.script("answer", rate_limited(), answers({"sentences": [], "found": False}))

Requests are recognised by the name of their response schema or tool, which is the task's output type ("Answer"); the
task's own name ("answer") works too. ``rejected`` are request parameters the endpoint refuses, ``has_embeddings`` says
whether it has an embedding model. Each scripted behaviour serves one request; afterwards, and for everything
unscripted, the handlers of ``openai_answers`` answer sensibly out of the prompt. Handlers are replaced with ``on``.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.support.openai_answers import HANDLERS, ChatRequest, Handler, completed, embedding_of, example_of
from tests.support.web_servers import LocalServer, Received, Reply, as_json

API_KEY = "sk-test-0123456789abcdefghij"
EMBEDDINGS = "embeddings"

OUTPUT_OF_TASK = {
    "router": "Route",
    "inquire": "Answer",
    "summarize": "Summary",
    "compare": "Comparison",
    "audit": "Judgements",
    "judge": "Judgements",
    "second_look": "Looks",
    "refine_register": "Corrections",
}


@dataclass(frozen=True)
class RecordedRequest(Received):
    """``task`` is the name of the response schema, ``"embeddings"``, or ``""``."""

    task: str = ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])


Behaviour = Callable[["OpenAIServer", RecordedRequest], Reply]


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A running server for one test; import it into a ``conftest.py`` to use it."""
    with OpenAIServer() as server:
        yield server


class OpenAIServer(LocalServer):
    """``/v1/chat/completions`` (with and without stream), ``/v1/embeddings`` and ``/v1/models`` on a free local port."""

    def __init__(self, *, dimensions: int = 1536) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.requests: list[RecordedRequest] = []  # type: ignore[assignment]
        self.cached_tokens = 0
        self.rejected: tuple[str, ...] = ()
        self.has_embeddings = True
        self._handlers: dict[str, Handler] = dict(HANDLERS)
        self._scripts: dict[str, deque[Behaviour]] = defaultdict(deque)
        self._spoilt: list[tuple[str, Callable[[ChatRequest], bool], Behaviour]] = []
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"{super().base_url}/v1"

    def overrides(self, **more: Any) -> dict[str, Any]:
        """Settings that lead here, for ``load_settings``."""
        return {"openai_api_key": API_KEY, "openai_base_url": self.base_url, "model_timeout_seconds": 10.0, **more}

    def reset(self) -> None:
        """Forget requests, scripts and handlers. One server for many tests spares the clients their slow set-up."""
        with self._lock:
            self.requests.clear()
            self._scripts.clear()
            self._spoilt.clear()
            self._handlers = dict(HANDLERS)
            self.cached_tokens = 0
            self.rejected = ()
            self.has_embeddings = True

    def script(self, task: str, *behaviours: Behaviour) -> None:  # type: ignore[override]
        """Queue behaviours for a task, an output type, ``"embeddings"``, or ``"*"`` (whatever comes next)."""
        with self._lock:
            self._scripts[_canonical(task)].extend(behaviours)

    def on(self, task: str, handler: Handler) -> None:
        """Answer a task's requests with ``handler(request) -> dict`` from now on."""
        self._handlers[self._schema_name(task)] = handler

    def spoil(self, task: str, wanted: Callable[[ChatRequest], bool], behaviour: Behaviour) -> None:
        """Serve those requests of a task that are ``wanted`` like this from now on."""
        with self._lock:
            self._spoilt.append((_canonical(task), wanted, behaviour))

    def requests_for(self, task: str) -> list[RecordedRequest]:
        """The requests of one task, in order of arrival."""
        return [r for r in self.requests if _canonical(r.task) == _canonical(task)]

    def respond(self, received: Received) -> Reply:
        """Record a request and decide its reply."""
        if received.method == "GET":
            models = [{"id": m, "object": "model", "created": 1, "owned_by": "test"} for m in ("gpt-4o", "gpt-4o-mini")]
            return as_json({"object": "list", "data": models})
        if received.path not in ("/v1/chat/completions", "/v1/embeddings"):
            return Reply(b'{"error": {"message": "no such path"}}', 404)
        task = EMBEDDINGS if received.path == "/v1/embeddings" else _schema_of(received.body)[0]
        request = RecordedRequest(received.method, received.path, received.headers, received.raw, task)
        with self._lock:
            self.requests.append(request)
            behaviour = self._refusal(request) or self._next_behaviour(request)
        return behaviour(self, request)

    def _refusal(self, request: RecordedRequest) -> Behaviour | None:
        """As endpoints that know less than OpenAI's: they say what they do not take."""
        if request.task == EMBEDDINGS:
            return None if self.has_embeddings else fails(404, "model_not_found")
        refused = next((name for name in self.rejected if name in request.body), None)
        return refuses_parameter(refused) if refused else None

    def answer_to(self, request: RecordedRequest) -> dict[str, Any]:
        """What the handler of the request's task says."""
        schema = _schema_of(request.body)[1]
        chat = ChatRequest(request.body, schema)
        handler = self._handlers.get(request.task)
        return completed(handler(chat), schema) if handler else example_of(schema)

    def _next_behaviour(self, request: RecordedRequest) -> Behaviour:
        for name in (_canonical(request.task), "*"):
            if self._scripts[name]:
                return self._scripts[name].popleft()
        for task, wanted, behaviour in self._spoilt:
            if task == _canonical(request.task) and wanted(ChatRequest(request.body)):
                return behaviour
        return _embeddings if request.task == EMBEDDINGS else _normal

    @staticmethod
    def _schema_name(task: str) -> str:
        return OUTPUT_OF_TASK.get(task, task)


def _canonical(task: str) -> str:
    return OUTPUT_OF_TASK.get(task, task).lower()


def _schema_of(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The schema a request asks for and its name, which is "" where only the prompt tells the schema."""
    if tools := body.get("tools"):
        return str(tools[0]["function"]["name"]), dict(tools[0]["function"]["parameters"])
    described = body.get("response_format", {}).get("json_schema", {})
    if described:
        return str(described["name"]), dict(described["schema"])
    system = next((str(m["content"]) for m in body.get("messages", []) if m["role"] == "system"), "")
    told = system.partition("schema and no others:\n")[2]
    return "", json.JSONDecoder().raw_decode(told)[0] if told else {}


# Behaviours: how one request is served.


def answers(value: dict[str, Any] | Handler) -> Behaviour:
    """A good answer: this object, or what the function makes of the request; fields it does not name are empty."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        told = value(ChatRequest(request.body)) if callable(value) else value
        return _completion(server, request, json.dumps(completed(told, _schema_of(request.body)[1])))

    return behave


def says(text: str, *, finish_reason: str | None = "stop", refusal: str | None = None) -> Behaviour:
    """A completion with exactly this content."""
    return lambda server, request: _completion(server, request, text, finish_reason, refusal)


def wrong_schema() -> Behaviour:
    return says('{"surprise": true}')


def not_json() -> Behaviour:
    return says("Certainly! Here is the answer you asked for.")


def cut_off() -> Behaviour:
    return says('{"sentences": [{"te', finish_reason="length")


def filtered() -> Behaviour:
    return says("", finish_reason="content_filter")


def refuses() -> Behaviour:
    return says("", refusal="I cannot help with that.")


def fails(status: int, code: str | None = None, headers: Mapping[str, str] | None = None) -> Behaviour:
    """An error in OpenAI's form. Its message repeats the key, as careless endpoints do."""
    error = {"message": f"Problem with key {API_KEY}", "type": code or "error", "param": None, "code": code}
    body = json.dumps({"error": error}).encode()
    return lambda server, request: Reply(body, status, dict(headers or {}))


def refuses_parameter(name: str, status: int = 400) -> Behaviour:
    """The error of a model that does not take a parameter of the request."""
    told = f"Unsupported parameter or value: '{name}' is not supported with this model. {API_KEY}"
    body = json.dumps({"error": {"message": told, "type": "invalid_request_error", "param": name, "code": None}})
    return lambda server, request: Reply(body.encode(), status)


def rate_limited(retry_after: str | None = None) -> Behaviour:
    return fails(429, "rate_limit_exceeded", {"Retry-After": retry_after} if retry_after is not None else {})


def quota_exhausted() -> Behaviour:
    return fails(429, "insufficient_quota")


def unauthorized() -> Behaviour:
    return fails(401, "invalid_api_key")


def server_error(status: int = 500) -> Behaviour:
    return fails(status, "server_error")


def wrapped(before: str, after: str = "") -> Behaviour:
    """A good answer between other text: thoughts, a code fence, courtesies."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        return _completion(server, request, before + json.dumps(server.answer_to(request)) + after)

    return behave


def without_usage() -> Behaviour:
    """A good answer that does not tell what it took."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        whole = _normal(server, request)
        told = re.sub(rb'"usage": \{(?:[^{}]|\{[^{}]*\})*\}', b'"usage": null', whole.body)
        return replace(whole, body=told)

    return behave


def hangs(seconds: float) -> Behaviour:
    """No byte for so long (or until the server closes), then a good answer."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        server.closing.wait(seconds)
        return _normal(server, request) if request.task != EMBEDDINGS else _embeddings(server, request)

    return behave


def sends(body: bytes, *, content_type: str = "application/json") -> Behaviour:
    """Status 200 with any body."""
    return lambda server, request: Reply(body, content_type=content_type)


def malformed_json() -> Behaviour:
    return sends(b'{"id": "chatcmpl-1", "choices": [')


def empty_body() -> Behaviour:
    return sends(b"")


def breaks_off(kept: float = 0.5) -> Behaviour:
    """The connection closes in the middle of the body, be it a stream."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        whole = _normal(server, request)
        return replace(whole, sent=int(len(whole.body) * kept))

    return behave


def ends_early(kept: float) -> Behaviour:
    """A stream ends in order, but without its last part and a finish reason."""

    def behave(server: OpenAIServer, request: RecordedRequest) -> Reply:
        whole = _normal(server, request)
        return replace(whole, body=whole.body[: whole.body.rindex(b"\n\n", 0, int(len(whole.body) * kept)) + 2])

    return behave


def dribbles(*pauses: float) -> Behaviour:
    """The reply comes in pieces with so many seconds of silence between them."""
    return lambda server, request: replace(_normal(server, request), pauses=pauses)


def _normal(server: OpenAIServer, request: RecordedRequest) -> Reply:
    return _completion(server, request, json.dumps(server.answer_to(request), ensure_ascii=False))


def _embeddings(server: OpenAIServer, request: RecordedRequest) -> Reply:
    given = request.body["input"]
    texts = [given] if isinstance(given, str) else given
    as_base64 = request.body.get("encoding_format") == "base64"
    vectors = [embedding_of(text, server.dimensions) for text in texts]
    data = [
        {"object": "embedding", "index": i, "embedding": _base64(v) if as_base64 else v} for i, v in enumerate(vectors)
    ]
    tokens = sum(map(_token_count, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return as_json({"object": "list", "model": request.body["model"], "data": data, "usage": usage})


def _completion(
    server: OpenAIServer,
    request: RecordedRequest,
    text: str,
    finish_reason: str | None = "stop",
    refusal: str | None = None,
) -> Reply:
    head = {"id": "chatcmpl-test", "created": 1, "model": request.body["model"]}
    usage = _usage(server, request, text)
    if request.body.get("stream"):
        return Reply(b"".join(_events(head, text, finish_reason, usage)), content_type="text/event-stream")
    message: dict[str, Any] = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
    if request.body.get("tools"):
        function = {"name": request.body["tools"][0]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        finish_reason = "tool_calls" if finish_reason == "stop" else finish_reason
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
    return as_json({**head, "object": "chat.completion", "choices": [choice], "usage": usage})


def _events(head: dict[str, Any], text: str, finish_reason: str | None, usage: dict[str, Any]) -> Iterator[bytes]:
    parts = [text[i : i + 20] for i in range(0, len(text), 20)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": part}, None) for part in parts] + [({}, finish_reason)]
    for delta, finish in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        yield _event({**head, "object": "chat.completion.chunk", "choices": [choice]})
    yield _event({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def _usage(server: OpenAIServer, request: RecordedRequest, text: str) -> dict[str, Any]:
    prompt = sum(_token_count(str(m.get("content"))) for m in request.messages)
    completion = _token_count(text)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": server.cached_tokens, "audio_tokens": 0},
    }


def _token_count(text: str) -> int:
    return len(text) // 4 + 1


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
