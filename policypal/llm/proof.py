"""Whether a model really answers, and what it takes: one short structured answer (R8, R4b)."""

from dataclasses import dataclass

from pydantic import BaseModel

from policypal.config import ModelPrice, Settings
from policypal.domain.account import Account
from policypal.llm.capabilities import Capabilities
from policypal.llm.openai_engine import OpenAIEngine
from policypal.llm.prices import price_of
from policypal.llm.routing import DEFAULT
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.embeddings import built_in_embedder
from policypal.web.retries import RetryPolicy

_NO_PATIENCE = RetryPolicy(later=0)


class _Sentence(BaseModel):
    text: str


class _Words(BaseModel):
    count: int


_PROOF: Task[_Sentence, _Words] = Task(
    name="proof",
    version="1",
    output=_Words,
    prompt=lambda given: Prompt("Count the words of the sentence.", fenced("sentence", given.text)),
    extractive=lambda given, context: _Words(count=len(given.text.split())),
)


@dataclass(frozen=True, slots=True)
class Proof:
    """A model that answered: after how many seconds, what it takes, and its price if one is known."""

    model: str
    seconds: float
    capabilities: Capabilities
    price: ModelPrice | None


def prove(settings: Settings, model: str, account: Account) -> Proof:
    """Have the model answer once.

    Raises:
        ModelError: or one of its kinds, with what to do; a busy or silent provider is not asked again.
        BudgetExceeded: the account does not cover it.
        ConfigurationError: the key is missing or unusable.
    """
    engine = OpenAIEngine(settings.model_copy(update={"models": {DEFAULT: model}}), _NO_PATIENCE)
    told = engine.run(
        _PROOF, _Sentence(text="A bank keeps its records."), TaskContext(built_in_embedder(), account=account)
    )
    return Proof(model, told.seconds, engine.capabilities_of(model), price_of(model, engine.prices))
