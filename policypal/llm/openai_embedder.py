"""Embeddings from an endpoint that speaks the OpenAI protocol (R3)."""

import copy
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import openai
from langchain_openai import OpenAIEmbeddings

from policypal.config import Settings
from policypal.domain.account import Account, NoAccount
from policypal.domain.text import storable
from policypal.domain.usage import ModelCall, Usage
from policypal.errors import ModelOutputInvalid
from policypal.llm.prices import Tokens, cost_of, expected_cost, is_price_known
from policypal.llm.provider_access import provider_access
from policypal.llm.provider_failures import PROVIDER_EXCEPTIONS, failure_of
from policypal.search.embeddings import Vectors
from policypal.web.retries import Failure, Retry, RetryPolicy

MODEL = "text-embedding-3-small"
_PUBLISHED = {MODEL: 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
"""Dimensions of OpenAI's own models. Other endpoints may call another model by the same name."""

_LOOK_SECONDS = 15.0
"""How long an endpoint may take to say whether it has the model; a local one may have to load it first."""
_NOT_OFFERED = {400, 403, 404, 405, 415, 422, 501}
_TEXTS_PER_REQUEST = 256
# The provider's limits are 8,192 tokens a text and 300,000 a request. A token is at least one byte of UTF-8, so bytes
# keep both without a tokenizer, whose vocabulary would have to be downloaded.
_BYTES_PER_TEXT = 8_191
_BYTES_PER_REQUEST = 300_000


class OpenAIEmbedder:
    """An :class:`~policypal.search.embeddings.Embedder`. Thread-safe.

    Texts longer than 8,191 bytes are cut there; passages have 1,000 characters (D6), so this concerns only
    very long questions.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        model: str | None = None,
        retries: RetryPolicy | None = None,
    ) -> None:
        """``model``: None takes the settings'. ``dimensions`` is 0 until the endpoint has told them.

        Raises:
            ConfigurationError: the key is missing or unusable.
        """
        access = provider_access(settings)
        self.name = model or settings.embedding_model or MODEL
        self.model = self.name
        self.dimensions = _PUBLISHED.get(self.name, 0)
        self._seconds = access.timeout_seconds
        self._prices = settings.prices
        self._retries = retries or RetryPolicy()
        self._account: Account = NoAccount()
        self._endpoint = OpenAIEmbeddings(
            model=self.name,
            api_key=access.key,
            base_url=access.base_url,
            timeout=access.timeout_seconds,
            max_retries=0,
            check_embedding_ctx_length=False,
        ).client

    def is_offered(self) -> bool:
        """Whether the endpoint has the model: one word is embedded, which also tells the dimensions. Nobody is charged.

        They become a part of ``model``, the name under which the library keeps the vectors, unless they are those of OpenAI's
        model of this name: what one endpoint calls "embeddings" is not what the next one does.

        Raises:
            ModelError: or one of its kinds: the endpoint did not say so either way.
        """
        seconds = min(self._seconds, _LOOK_SECONDS)
        try:
            reply = self._endpoint.create(input=["policy"], model=self.name, timeout=seconds)
            dimensions = _unit_vectors(reply.data, 1, 0).shape[1]
        except openai.APIStatusError as error:
            if error.status_code in _NOT_OFFERED:
                return False
            failure = self._failure_of(error)
        except openai.OpenAIError as error:
            failure = self._failure_of(error)
        except (ModelOutputInvalid, *PROVIDER_EXCEPTIONS):  # an answer, but no vectors
            return False
        else:
            is_published = _PUBLISHED.get(self.name) == dimensions
            self.assume(self.name if is_published else f"{self.name}/{dimensions}", dimensions)
            return True
        raise failure.error

    def assume(self, model: str, dimensions: int = 0) -> None:
        """Take the vectors for those that the library keeps as ``model``; 0 where their dimensions will be told."""
        self.model, self.dimensions = model, dimensions

    def charged_to(self, account: Account) -> Self:
        """The same endpoint, with its calls on this account (M7)."""
        charged = copy.copy(self)
        charged._account = account
        return charged

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit-length float32 vectors of shape (len(texts), dimensions), in the order of the texts.

        Raises:
            ModelError: or one of its kinds, after the retries of M8.
            BudgetExceeded: the account does not cover the next request; those before it were made.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.concatenate([self._retries.run(partial(self._attempt, batch)) for batch in _batches(texts)])

    def _attempt(self, batch: list[str]) -> Vectors | Failure:
        self._account.admit(expected_cost(self.name, sum(map(len, batch)), own=self._prices))
        started = time.perf_counter()
        try:
            reply = self._endpoint.create(input=batch, model=self.name)
            tokens = Tokens(input=reply.usage.prompt_tokens if reply.usage else 0)
        except PROVIDER_EXCEPTIONS as error:
            return self._failure_of(error)
        self._count(tokens, time.perf_counter() - started)
        try:
            vectors = _unit_vectors(reply.data, len(batch), self.dimensions)
        except ModelOutputInvalid as problem:
            return Failure(problem, Retry.CORRECTED)
        except PROVIDER_EXCEPTIONS as error:
            return self._failure_of(error)
        self.dimensions = vectors.shape[1]
        return vectors

    def _failure_of(self, error: Exception) -> Failure:
        return failure_of(error, self.name, "POLICYPAL_EMBEDDING_MODEL")

    def _count(self, tokens: Tokens, seconds: float) -> None:
        used = Usage(tokens.input, 0, cost_of(self.name, tokens, self._prices), is_price_known(self.name, self._prices))
        self._account.book(ModelCall("embed", "openai", self.name, "", used, seconds))


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in map(_acceptable, texts):
        length = len(text.encode())
        if batch and (len(batch) == _TEXTS_PER_REQUEST or size + length > _BYTES_PER_REQUEST):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    yield batch


def _acceptable(text: str) -> str:
    """The provider refuses empty texts, and JSON lone surrogates."""
    return storable(text, "\ufffd").encode()[:_BYTES_PER_TEXT].decode(errors="ignore") or " "


def _unit_vectors(data: Sequence[Any], count: int, dimensions: int) -> Vectors:
    """``dimensions`` 0: as many as the first one has. Raises ModelOutputInvalid: these are not the vectors that were asked for."""
    if sorted(item.index for item in data) != list(range(count)):
        raise ModelOutputInvalid("The embedding endpoint returned another number of vectors than it was sent texts.")
    rows = [item.embedding for item in sorted(data, key=lambda item: item.index)]
    dimensions = dimensions or len(rows[0])
    if found := next((len(row) for row in rows if len(row) != dimensions or not row), None):
        raise ModelOutputInvalid(
            f"The embedding endpoint returned vectors of {found} dimensions instead of {dimensions}. "
            "Please check that OPENAI_BASE_URL offers the expected embedding model."
        )
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not (lengths > 0).all():
        raise ModelOutputInvalid("The embedding endpoint returned vectors that are not numbers or have no direction.")
    return np.asarray(vectors / lengths, dtype=np.float32)
