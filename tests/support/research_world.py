"""Somebody who has reports researched, on either engine, with or without a web (W)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from policypal.application import research
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.events import Event, ResponseEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.research import Report
from policypal.domain.users import User
from tests.support.conversation import answered_by, asked_by
from tests.support.openai_server import EMBEDDINGS, OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.support.web_servers import ExaServer, Received, Reply, Result, Site, TavilyServer, article, result

GOAL = "What must a bank report about serious incidents, to whom, and within which deadline?"
_TABLES_OF_A_THREAD = (
    "conversations", "runs", "messages", "interrupt_answers", "execution_traces", "research_threads", "research_reports",
    "checkpoints", "checkpoint_blobs", "checkpoint_writes",
)  # fmt: skip


class _Turning:
    """A provider that, while it ``turns``, finds other pages with every search."""

    turns = False
    results: list[Result]

    def normal(self, request: Received) -> Reply:
        reply: Reply = super().normal(request)  # type: ignore[misc]
        if self.turns:
            shown = request.body.get("max_results") or request.body["numResults"]
            self.results = [*self.results[shown:], *self.results[:shown]]
        return reply


class TurningTavily(_Turning, TavilyServer):
    pass


class TurningExa(_Turning, ExaServer):
    pass


@dataclass
class Web:
    """Two search protocols and a site that they find."""

    tavily: TurningTavily = field(default_factory=TurningTavily)
    exa: TurningExa = field(default_factory=TurningExa)
    site: Site = field(default_factory=Site)

    def __enter__(self) -> Web:
        for server in (self.tavily, self.exa, self.site):
            server.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        for server in (self.tavily, self.exa, self.site):
            server.__exit__(None, None, None)

    def overrides(self, **more: Any) -> dict[str, Any]:
        return {"web_timeout_seconds": 5.0, **self.tavily.overrides(), **self.exa.overrides(), **more}

    def reset(self) -> None:
        for server in (self.tavily, self.exa, self.site):
            server.reset()
            server.pause = 0.0
        for provider in (self.tavily, self.exa):
            provider.results, provider.turns = [], False

    def publish(self, path: str, title: str, *paragraphs: str, published: str = "2026-01-20") -> str:
        """A page that both providers find."""
        url = self.site.page(path, article(title, *paragraphs))
        for provider in (self.tavily, self.exa):
            provider.results.append(result(url, title, paragraphs[0], published))
        return url


@dataclass
class Analyst:
    """``told`` are the events of the latest run; ``model`` is the model's server, None on the keyless engine."""

    app: Container
    user: User
    model: OpenAIServer | None = None
    web: Web | None = None
    told: list[Event] = field(default_factory=list)

    def start(self, goal: str = GOAL, **more: Any) -> str:
        return research.start(self.app, self.user, goal, idempotency_key=more.pop("key", str(uuid4())), **more)

    def run(self, goal: str = GOAL, **more: Any) -> tuple[str, Event]:
        """Start and follow to the report, the first question or the failure."""
        thread = self.start(goal, **more)
        return thread, self.follow(thread)

    def report(self, goal: str = GOAL, **more: Any) -> tuple[str, Report]:
        thread, event = self.run(goal, **more)
        return thread, report_of(event)

    def follow(self, thread: str) -> Event:
        self.told = list(research.events(self.app, self.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        ends = [e for e in self.told if not isinstance(e, StatusEvent)]
        assert ends == self.told[-1:], "exactly one terminal event, at the end (G12)"
        return self.told[-1]

    def answer(self, question: Event, value: str | list[str] | None = None) -> Event:
        asked = asked_by(question)
        answer = Answer(type=asked.interrupt_type, value=value)
        research.resume(self.app, self.user, asked.thread_id, answer, interrupt_id=asked.interrupt_id)
        return self.follow(asked.thread_id)

    def cancel(self, question: Event) -> ResponseEvent:
        asked = asked_by(question)
        research.resume(self.app, self.user, asked.thread_id, Answer(type="cancel"), interrupt_id=asked.interrupt_id)
        return answered_by(self.follow(asked.thread_id))

    def continued(self, thread: str) -> Event:
        research.continue_run(self.app, self.user, thread)
        return self.follow(thread)

    @property
    def nodes(self) -> list[str]:
        """The nodes of the latest run in the order of their first visit."""
        return list(dict.fromkeys(e.node for e in self.told if isinstance(e, StatusEvent)))

    def calls(self) -> Counter[str]:
        """How often each request was made to the model's server, by its whole content: a call paid twice counts two."""
        assert self.model is not None
        return Counter(f"{r.task} {json.dumps(r.body, sort_keys=True)}" for r in self.model.requests)

    def rows(self, thread: str) -> dict[str, Any]:
        """Everything the tables hold of a thread, byte for byte."""
        with self.app.db.as_owner() as c:
            return {
                table: c.execute(
                    f"SELECT count(*) AS n, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS digest FROM {table} t"
                    " WHERE thread_id::text = %s",
                    (thread,),
                ).fetchone()
                for table in _TABLES_OF_A_THREAD
            }


def analyst(app: Container, model: OpenAIServer | None = None, web: Web | None = None) -> Analyst:
    """Somebody new, with an empty library."""
    user = User(id=str(uuid4()), email="analyst@example.org")
    users_db.ensure_user(app.db, user)
    return Analyst(app, user, model, web)


def embeddings_of(calls: Counter[str]) -> int:
    return sum(n for call, n in calls.items() if call.startswith(EMBEDDINGS))


def report_of(event: Event) -> Report:
    found = answered_by(event).research
    assert found is not None, answered_by(event).response
    return found


def content_of(report: Report) -> dict[str, Any]:
    """A report without what no two runs share."""
    return report.model_dump(mode="json", exclude={"id", "thread_id", "created_at"})
