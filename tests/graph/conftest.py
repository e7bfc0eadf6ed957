"""A person at the agent, on either engine."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.documents import Document
from policypal.domain.users import User
from tests.support.conversation import Speaker
from tests.support.documents import OTHER_RULE, RECORDS_RULE
from tests.support.openai_server import OpenAIServer


def _somebody(app: Container, server: OpenAIServer | None) -> Speaker:
    user = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(app.db, user)
    return Speaker(app, user, server)


@pytest.fixture
def speaker(any_app: Container, request: pytest.FixtureRequest) -> Speaker:
    """Somebody new, with an empty library, on the keyless engine and again on the OpenAI engine."""
    server = request.getfixturevalue("model_server") if any_app.engine.name == "openai" else None
    return _somebody(any_app, server)


@pytest.fixture
def modeller(model_app: Container, model_server: OpenAIServer) -> Speaker:
    """Somebody new on the OpenAI engine."""
    model_server.reset()
    return _somebody(model_app, model_server)


@pytest.fixture
def another(any_app: Container) -> Callable[[], Speaker]:
    """Somebody else on the same engine, who has nothing to do with the first."""
    return lambda: _somebody(any_app, None)


@pytest.fixture
def rules(speaker: Speaker) -> tuple[Document, Document]:
    records, complaints = speaker.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    return records, complaints
