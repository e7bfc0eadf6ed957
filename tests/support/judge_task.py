"""A small task and everything to run it through the OpenAI engine against the local server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, Field

from policypal.config import load_settings
from policypal.domain.account import Account, NoAccount
from policypal.domain.users import Profile
from policypal.llm.openai_engine import OpenAIEngine
from policypal.llm.task import Prompt, Task, TaskContext, TaskResult, fenced
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.web.retries import RetryPolicy
from tests.support.openai_server import OpenAIServer


class Claim(BaseModel):
    text: str


class Judgement(BaseModel):
    verdict: Literal["yes", "no"]
    certainty: float = Field(default=0.5, ge=0, le=1, description="How sure")
    reasons: list[str] = Field(default_factory=list)
    page: int | None = None
    claim: Claim | None = None


GOOD = {"verdict": "yes", "certainty": 0.9, "reasons": ["It says so."], "page": 3, "claim": {"text": "must"}}


def _prompt(given: Claim) -> Prompt:
    return Prompt("Judge the claim.", fenced("claim", given.text))


JUDGE = Task("test_claim", "7", Judgement, _prompt, lambda given, context: Judgement(verdict="no"))


class Naps:
    """Takes note of every wait and does not wait."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def engine_for(server: OpenAIServer, naps: Callable[[float], None] = time.sleep, **settings: Any) -> OpenAIEngine:
    return OpenAIEngine(load_settings(server.overrides(**settings)), RetryPolicy(sleep=naps))


def judge(
    engine: OpenAIEngine,
    text: str = "It must.",
    profile: Profile | None = None,
    account: Account | None = None,
    task: Task[Claim, Judgement] = JUDGE,
) -> TaskResult[Judgement]:
    context = TaskContext(WordLlamaEmbedder(), profile or Profile(), account or NoAccount())
    return engine.run(task, Claim(text=text), context)
