"""An upload never fails for want of an embedding model (R3, issue 12 item 9)."""

from __future__ import annotations

import json

import pytest

from policypal.config import load_settings
from policypal.llm.endpoint_embedder import EndpointEmbedder
from policypal.search.embeddings import built_in_embedder
from tests.support import openai_server as behaviour
from tests.support.ledger import Ledger
from tests.support.openai_server import EMBEDDINGS, OpenAIServer, Reply

BUILT_IN = built_in_embedder().model


def embedder(server: OpenAIServer, kept: str | None = None, **settings: object) -> EndpointEmbedder:
    return EndpointEmbedder(load_settings(server.overrides(**settings)), lambda name: kept)


def test_r3_nothing_is_asked_before_vectors_are_needed_and_then_once(server: OpenAIServer) -> None:
    asked = embedder(server)
    assert server.requests == []
    assert (asked.model, asked.dimensions, asked.reason) == ("text-embedding-3-small", 1536, "")
    ledger = Ledger()
    assert asked.charged_to(ledger).embed(["a", "b"]).shape == (2, 1536)
    assert [len(r.body["input"]) for r in server.requests] == [1, 2]
    assert len(ledger.calls) == 1, "nobody is charged for the look"


def test_r3_dimensions_are_read_from_the_answer_and_tell_models_of_one_name_apart(server: OpenAIServer) -> None:
    server.dimensions = 768
    try:
        other = embedder(server, embedding_model="nomic-embed-text")
        assert (other.model, other.dimensions) == ("nomic-embed-text/768", 768)
        assert other.embed(["a"]).shape == (1, 768)
        assert server.requests[-1].body["model"] == "nomic-embed-text"
        assert embedder(server).model == "text-embedding-3-small/768", "an endpoint's own model under OpenAI's name"
    finally:
        server.dimensions = 1536


NONE = {
    "404": behaviour.fails(404, "model_not_found"),
    "400": behaviour.fails(400),
    "501": behaviour.fails(501),
    "403": behaviour.fails(403),
    "no vectors": behaviour.sends(b'{"data": []}'),
    "not JSON": behaviour.sends(b"<html>"),
}


@pytest.mark.parametrize("bad", NONE.values(), ids=NONE.keys())
def test_r3_without_an_embedding_model_the_built_in_one_takes_over(
    server: OpenAIServer, bad: behaviour.Behaviour
) -> None:
    server.script(EMBEDDINGS, bad)
    asked = embedder(server)
    assert asked.embed(["incident"]).shape == (1, 256)
    assert asked.model == BUILT_IN
    assert "has no embedding model called “text-embedding-3-small”" in asked.reason
    assert len(server.requests) == 1, "and it stays that: vectors are never mixed"


OUTAGES = [behaviour.server_error(), behaviour.rate_limited(), behaviour.unauthorized(), behaviour.quota_exhausted()]


@pytest.mark.parametrize("bad", OUTAGES)
def test_r3_a_moments_outage_does_not_have_a_library_embedded_anew(
    server: OpenAIServer, bad: behaviour.Behaviour
) -> None:
    server.script(EMBEDDINGS, bad)
    asked = embedder(server, kept="text-embedding-3-small/384")
    assert asked.model == "text-embedding-3-small/384"
    assert asked.reason == ""


@pytest.mark.parametrize("bad", OUTAGES)
def test_r3_with_an_empty_library_an_outage_costs_no_upload(server: OpenAIServer, bad: behaviour.Behaviour) -> None:
    server.script(EMBEDDINGS, bad)
    asked = embedder(server)
    assert asked.model == BUILT_IN
    assert "did not say" in asked.reason and behaviour.API_KEY not in asked.reason


def test_r3_kept_vectors_whose_size_nobody_knows_are_learnt_with_the_first(server: OpenAIServer) -> None:
    data = [{"object": "embedding", "index": 0, "embedding": [3.0, 4.0]}]
    body = json.dumps({"object": "list", "model": "m", "data": data, "usage": None}).encode()
    server.script(EMBEDDINGS, behaviour.server_error(), lambda on, request: Reply(body))
    assert embedder(server, kept="mine/2", embedding_model="mine").embed(["a"]).tolist() == [
        [0.6000000238418579, 0.800000011920929]
    ]
