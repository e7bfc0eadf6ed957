"""An application with a web of its own (G3, W4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from policypal.application import ask, conversations
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.domain.events import Event, InterruptEvent, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from tests.support.openai_answers import ChatRequest, said
from tests.support.openai_server import OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.support.web_servers import (
    Site,
    TavilyServer,
    article,
    result,
)


@dataclass
class World:
    """An application with a web of its own: Tavily's protocol, and a site that it finds."""

    app: Container
    user: User
    tavily: TavilyServer
    site: Site
    model: OpenAIServer | None

    def say(self, message: str, *, thread: str | None = None, **more: Any) -> tuple[str, Event, list[Event]]:
        thread = thread or ask.new_thread_id()
        ask.send(self.app, self.user, thread, Request(message=message, **more))
        return thread, *self.follow(thread)

    def follow(self, thread: str) -> tuple[Event, list[Event]]:
        told = list(ask.events(self.app, self.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        return told[-1], told

    def answer(self, message: str, **more: Any) -> tuple[ResponseEvent, list[Event]]:
        """The response; the protocol server's vectors are crude, so weak evidence is accepted where it is asked about."""
        thread, event, told = self.say(message, **more)
        if isinstance(event, InterruptEvent) and event.interrupt_type == "retrieval_low":
            ask.resume(self.app, self.user, thread, Answer(type="retrieval_low", value="continue"))
            event, more_told = self.follow(thread)
            told = [*told, *more_told]
        assert isinstance(event, ResponseEvent), event
        return event, told

    def traces(self, thread: str) -> list[Any]:
        told = conversations.history(self.app, self.user, thread)
        return [entry for entries in told.traces.values() for entry in entries]

    def publish(self, *paragraphs: str, path: str = "/news", title: str = "Retention news") -> str:
        """A page that the search finds."""
        url = self.site.page(path, article(title, *paragraphs))
        self.tavily.results.append(result(url, title, paragraphs[0], "2026-01-20"))
        return url


def application_with_web(
    folder: pytest.TempPathFactory, web: tuple[TavilyServer, Site], overrides: dict[str, Any]
) -> Iterator[Container]:
    tavily, site = web
    settings = Settings(
        data_dir=folder.mktemp("web"), _env_file=None, web_timeout_seconds=1.0, **tavily.overrides(), **overrides
    )
    container = build_container(settings, run_worker=True, private_web_hosts=frozenset({site.host}))
    yield container
    container.close()


def fresh_world(request: pytest.FixtureRequest, web: tuple[TavilyServer, Site], engine: str) -> World:
    tavily, site = web
    app: Container = request.getfixturevalue(f"_{engine}")
    tavily.reset()
    tavily.results = []
    site.reset()
    model: OpenAIServer | None = None
    if engine == "openai":
        model = request.getfixturevalue("model_server")
        model.reset()
        model.on("Answer", _cites_everything)
    user = User(id=str(uuid4()), email="w@example.org")
    users_db.ensure_user(app.db, user)
    with app.db.as_owner() as c:
        c.execute("DELETE FROM web_usage")
    return World(app, user, tavily, site, model)


def _cites_everything(request: ChatRequest) -> dict[str, Any]:
    """A model that quotes the first sentence of every piece of evidence."""
    blocks = request.numbered("evidence")
    told = [said(b.quote, b.cited) for b in blocks]
    return {"sentences": told or [said("Nothing.")], "found": bool(told)}
