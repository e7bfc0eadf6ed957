"""What a task is, and what runs one (R4, "One task, one room").

A task keeps its input type, output schema, prompt and keyless implementation in one module under
``tasks/``. The graph calls ``engine.run(TASK, given, context)`` and knows neither prompts nor providers.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from policypal.domain.account import Account, NoAccount
from policypal.domain.usage import Usage
from policypal.domain.users import Profile
from policypal.search.embeddings import Embedder

Given = TypeVar("Given", bound=BaseModel)
Output = TypeVar("Output", bound=BaseModel)


def _go_on() -> None:
    """Nobody can ask to stop."""


@dataclass(frozen=True, slots=True)
class TaskContext:
    """What every task may use besides its input. ``account`` is charged for what a model consumes. ``listen`` is told what of an answer
    is complete while it is written (a task without it is not streamed), and ``check_stop`` asked; what they raise ends the request."""

    embedder: Embedder
    profile: Profile = field(default_factory=Profile)
    account: Account = field(default_factory=NoAccount)
    listen: Callable[[Any], None] | None = None
    check_stop: Callable[[], None] = _go_on


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in its three cacheable parts (M7): the engine puts ``instructions`` (fixed per task) first,
    then the user's profile, then ``content`` (the changing part; untrusted text is fenced by the task)."""

    instructions: str
    content: str


def _no_complaint(given: Any, output: Any) -> str:
    return ""


def _no_part(part: Mapping[str, Any]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Task(Generic[Given, Output]):
    """One thing an engine can be asked to do.

    ``prompt`` builds what a model is sent; ``extractive`` is the deterministic keyless implementation.
    ``version`` is recorded with every answer and raised when the prompt or rules change. ``helps`` says what a task that is
    not the answer itself does for it, as in "wording the search": where its model fails, the rules do that part.
    ``complaint`` is the post-condition of a model's answer: why one that fits the schema cannot be taken all the same (an
    empty success, for example), in words meant for the model; "" where it can.
    ``part`` makes an output of what is complete of one that is being written, or that broke off; None where that says nothing yet.
    ``length`` is how many times as long as usual its answers may be; they are waited and reckoned for accordingly.
    """

    name: str
    version: str
    output: type[Output]
    prompt: Callable[[Given], Prompt]
    extractive: Callable[[Given, TaskContext], Output]
    helps: str = ""
    complaint: Callable[[Given, Output], str] = _no_complaint
    part: Callable[[Mapping[str, Any]], Output | None] = _no_part
    length: int = 1


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[Output]):
    """A task's validated output and what it took. ``model`` is "extractive" for the keyless engine. ``broke_off``: the model was cut off,
    and the output is what had arrived."""

    output: Output
    engine: str
    model: str
    prompt_version: str
    usage: Usage
    seconds: float
    broke_off: bool = False


class Engine(Protocol):
    """Runs tasks. ``reading_tokens`` is how much of documents one request may hold, in tokens; None: reading costs nothing
    (A0)."""

    name: str
    reading_tokens: int | None

    def run(self, task: Task[Given, Output], given: Given, context: TaskContext) -> TaskResult[Output]:
        """Run one task.

        Raises:
            ModelError: or one of its kinds, after the retries of M8.
            BudgetExceeded: the account does not cover the next request; it was not made.
        """
        ...

    def model_for(self, task: str) -> str:
        """The model a task is sent to; the engine's own name where there is none."""
        ...

    def expected_cost(self, task: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Dollars for so many tokens of a task; None where its model's price is unknown."""
        ...


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
_TAG = re.compile(r"<(?=\s*(?:/|[^\W\d]))")


def fenced(label: str, text: str) -> str:
    """Untrusted text between marks that it can neither close nor open, for prompts (X2): what looks like a tag begins with another sign.
    Characters that nobody sees are left out: what a model reads is what a person would have read."""
    inside = _TAG.sub("‹", _INVISIBLE.sub("", text))
    return f"<{label}>\n{inside}\n</{label}>"
