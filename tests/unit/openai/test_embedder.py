"""The OpenAI embedder through the real client against a local server (R3, M7, M8)."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from policypal.config import load_settings
from policypal.domain.usage import Usage
from policypal.errors import (
    BudgetExceeded,
    ConfigurationError,
    ModelAuthenticationFailed,
    ModelError,
    ModelOutputInvalid,
    ModelQuotaExceeded,
    ModelRateLimited,
    ModelTimeout,
)
from policypal.llm.openai_embedder import OpenAIEmbedder
from policypal.llm.prices import Tokens, cost_of
from policypal.web.retries import RetryPolicy
from tests.support import openai_server as behaviour
from tests.support.ledger import Ledger
from tests.support.openai_answers import embedding_of
from tests.support.openai_server import EMBEDDINGS, OpenAIServer, Reply


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def embedder_for(server: OpenAIServer, **settings: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(load_settings(server.overrides(**settings)), retries=RetryPolicy(sleep=lambda seconds: None))


def vectors(*rows: list[float], indices: list[int] | None = None) -> behaviour.Behaviour:
    """An embeddings reply with exactly these vectors."""
    data = [
        {"object": "embedding", "index": i, "embedding": row}
        for i, row in zip(indices or range(len(rows)), rows, strict=True)
    ]
    body = {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    return lambda server, request: Reply(json.dumps(body).encode())


def test_r3_unit_vectors_in_order_of_the_texts(server: OpenAIServer) -> None:
    texts = ["incident reporting within 24 hours", "outsourcing register", "incident reporting"]
    embedder = embedder_for(server)
    found = embedder.embed(texts)
    assert (embedder.model, embedder.dimensions) == ("text-embedding-3-small", 1536)
    assert found.shape == (3, 1536)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert np.allclose(found, [embedding_of(t, 1536) for t in texts], atol=1e-5)
    assert found[0] @ found[2] > found[0] @ found[1]


def test_r3_vectors_are_normalised_and_put_in_order_whatever_the_endpoint_does(server: OpenAIServer) -> None:
    server.script(EMBEDDINGS, vectors([0.0, 5.0], [3.0, 4.0], indices=[1, 0]))
    embedder = OpenAIEmbedder(load_settings(server.overrides()), model="local")
    assert np.allclose(embedder.embed(["a", "b"]), [[0.6, 0.8], [0.0, 1.0]])


def test_r3_no_text_no_request(server: OpenAIServer) -> None:
    assert embedder_for(server).embed([]).shape == (0, 1536)
    assert server.requests == []


def test_r3_batches_of_at_most_256_texts(server: OpenAIServer) -> None:
    texts = [f"text number {i}" for i in range(600)]
    found = embedder_for(server).embed(texts)
    assert [len(r.body["input"]) for r in server.requests] == [256, 256, 88]
    assert np.allclose(found[599], embedding_of(texts[599], 1536), atol=1e-5)


def test_r3_requests_stay_below_the_token_limits(server: OpenAIServer) -> None:
    embedder_for(server).embed(["界" * 20_000] * 40)
    sizes = [[len(t.encode()) for t in r.body["input"]] for r in server.requests]
    assert sum(map(len, sizes)) == 40
    assert max(map(max, sizes)) <= 8_191
    assert max(map(sum, sizes)) <= 300_000


def test_r3_texts_no_endpoint_accepts_are_made_acceptable(server: OpenAIServer) -> None:
    assert embedder_for(server).embed(["", "a\ud800\x00b"]).shape == (2, 1536)
    assert server.requests[0].body["input"] == [" ", "a\ufffd\ufffdb"]


def test_r3_nothing_but_the_endpoint_is_contacted(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    resolve = socket.getaddrinfo

    def note(host: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(host)
        return resolve(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", note)
    embedder_for(server).embed(["one", "two"])
    assert set(asked) == {"127.0.0.1"}


def test_m7_consumption_is_booked_per_request(server: OpenAIServer) -> None:
    ledger = Ledger()
    embedder_for(server).charged_to(ledger).embed(["four" * 10] * 300)
    model = "text-embedding-3-small"
    assert [(call.model, call.usage) for call in ledger.calls] == [
        (model, Usage(256 * 11, 0, cost_of(model, Tokens(256 * 11)))),
        (model, Usage(44 * 11, 0, cost_of(model, Tokens(44 * 11)))),
    ]
    assert ledger.calls[0].usage.cost_usd > 0


def test_m7_unusable_vectors_were_paid_for_too(server: OpenAIServer) -> None:
    ledger = Ledger()
    server.script(EMBEDDINGS, vectors([1.0, 0.0]), vectors([1.0, 0.0]))
    with pytest.raises(ModelOutputInvalid):
        embedder_for(server).charged_to(ledger).embed(["a"])
    assert len(ledger.calls) == 2


def test_m7_no_request_leaves_without_the_accounts_consent(server: OpenAIServer) -> None:
    with pytest.raises(BudgetExceeded):
        embedder_for(server).charged_to(Ledger(limit=Decimal(0))).embed(["a"])
    assert server.requests == []


@pytest.mark.parametrize(
    ("bad", "error", "requests"),
    [
        (behaviour.rate_limited("0"), ModelRateLimited, 3),
        (behaviour.server_error(502), ModelError, 3),
        (behaviour.quota_exhausted(), ModelQuotaExceeded, 1),
        (behaviour.unauthorized(), ModelAuthenticationFailed, 1),
        (behaviour.fails(404), ModelError, 1),
        (behaviour.malformed_json(), ModelOutputInvalid, 2),
        (behaviour.empty_body(), ModelOutputInvalid, 2),
        (behaviour.sends(b"null"), ModelOutputInvalid, 2),
        (behaviour.sends(b'{"data": null}'), ModelOutputInvalid, 2),
        (behaviour.sends(b'{"data": [{"index": 0}]}'), ModelOutputInvalid, 2),
        (vectors(), ModelOutputInvalid, 2),
        (vectors([1.0] * 1536, [1.0] * 1536), ModelOutputInvalid, 2),
        (vectors([1.0] * 1536, indices=[4]), ModelOutputInvalid, 2),
        (vectors([1.0] * 768), ModelOutputInvalid, 2),
        (vectors([0.0] * 1536), ModelOutputInvalid, 2),
        (vectors([float("nan")] * 1536), ModelOutputInvalid, 2),
        (vectors(["a"] * 1536), ModelOutputInvalid, 2),  # type: ignore[list-item]
    ],
)
def test_m8_failures_are_retried_by_kind_then_typed(
    server: OpenAIServer, bad: behaviour.Behaviour, error: type[ModelError], requests: int
) -> None:
    server.script(EMBEDDINGS, *[bad] * 3)
    with pytest.raises(error) as raised:
        embedder_for(server).embed(["one"])
    assert type(raised.value) is error
    assert behaviour.API_KEY not in str(raised.value)
    assert raised.value.__context__ is None
    assert len(server.requests) == requests


def test_m8_time_out_is_retried_twice_then_said(server: OpenAIServer) -> None:
    server.script(EMBEDDINGS, *[behaviour.hangs(5)] * 3)
    started = time.perf_counter()
    with pytest.raises(ModelTimeout):
        embedder_for(server, model_timeout_seconds=0.2).embed(["one"])
    assert len(server.requests) == 3
    assert time.perf_counter() - started < 2


def test_m8_only_the_failed_batch_is_sent_again(server: OpenAIServer) -> None:
    server.script(EMBEDDINGS, behaviour.hangs(0), behaviour.server_error())
    embedder_for(server).embed([f"text {i}" for i in range(300)])
    assert [len(r.body["input"]) for r in server.requests] == [256, 44, 44]


def test_r3_another_size_of_vectors_is_explained(server: OpenAIServer) -> None:
    server.script(EMBEDDINGS, *[vectors([1.0] * 768)] * 2)
    with pytest.raises(ModelOutputInvalid, match="768 dimensions instead of 1536"):
        embedder_for(server).embed(["one"])


def test_r3_without_a_key_there_is_no_openai_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError):
        OpenAIEmbedder(load_settings({"openai_api_key": ""}))
