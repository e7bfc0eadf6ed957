"""The ways in which an endpoint answers, and does not, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from policypal.application.container import Container
from policypal.web.retries import RetryPolicy
from tests.support import openai_server as behaviour
from tests.support.openai_server import Behaviour

SOUND: dict[str, Behaviour] = {
    "prose": behaviour.wrapped("Sure! Here is the JSON:\n```json\n", "\n```\nLet me know if you need more."),
    "think": behaviour.wrapped("<think>\nLet me see {…}\n</think>\n"),
    "fence": behaviour.wrapped("```json\n", "\n```"),
    "nousage": behaviour.without_usage(),
    "slow": behaviour.dribbles(0.02, 0.02, 0.02),
}
"""What is a good answer all the same."""
BROKEN: dict[str, Behaviour] = {
    "429": behaviour.rate_limited("1"),
    "quota": behaviour.quota_exhausted(),
    "401": behaviour.unauthorized(),
    "500": behaviour.server_error(),
    "hang": behaviour.hangs(30.0),
    "malformed": behaviour.sends(b"<html>not json"),
    "schema": behaviour.wrong_schema(),
    "truncate": behaviour.cut_off(),
    "empty": behaviour.sends(b'{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
    "refusal": behaviour.refuses(),
    "filter": behaviour.filtered(),
    "context": behaviour.fails(400, "context_length_exceeded"),
    "cut": behaviour.breaks_off(0.3),
}
MODES = SOUND | BROKEN


def impatient(app: Container, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    """The application's engine tries again at once, and does not wait long for an endpoint that hangs."""
    engine: Any = app.engine
    monkeypatch.setattr(engine, "_retries", RetryPolicy(sleep=lambda seconds: None))
    if mode == "hang":
        monkeypatch.setattr(engine, "_access", replace(engine._access, timeout_seconds=0.2))
