"""A model server, and a clock that does not sleep."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.judge_task import GOOD, Naps
from tests.support.openai_server import OpenAIServer


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture(scope="module")
def running_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def server(running_server: OpenAIServer) -> OpenAIServer:
    running_server.reset()
    running_server.on("Judgement", lambda request: GOOD)
    return running_server
