"""Embeddings from an endpoint that speaks the OpenAI protocol (R3)."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from langchain_openai import OpenAIEmbeddings

from policypal.config import Settings
from policypal.domain.text import storable
from policypal.domain.usage import ModelCall, Usage
from policypal.errors import ModelOutputInvalid
from policypal.services.account import Account, NoAccount
from policypal.services.embeddings import Vectors
from policypal.services.llm.prices import Tokens, cost_of, expected_cost
from policypal.services.llm.provider_access import provider_access
from policypal.services.llm.provider_failures import PROVIDER_EXCEPTIONS, failure_of
from policypal.services.llm.retries import Failure, Retry, RetryPolicy

MODEL, DIMENSIONS = "text-embedding-3-small", 1536

_TEXTS_PER_REQUEST = 256
# The provider's limits are 8,192 tokens a text and 300,000 a request. A token is at least one byte of UTF-8, so bytes
# keep both without a tokenizer, whose vocabulary would have to be downloaded.
_BYTES_PER_TEXT = 8_191
_BYTES_PER_REQUEST = 300_000


class OpenAIEmbedder:
    """An :class:`~policypal.services.embeddings.Embedder`. Thread-safe.

    Texts longer than 8,191 bytes are cut there; passages have 1,000 characters (D6), so this concerns only
    very long questions.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        model: str = MODEL,
        dimensions: int = DIMENSIONS,
        retries: RetryPolicy | None = None,
    ) -> None:
        """
        Raises:
            ConfigurationError: the key is missing or unusable.
        """
        access = provider_access(settings)
        self.model = model
        self.dimensions = dimensions
        self._retries = retries or RetryPolicy()
        self._account: Account = NoAccount()
        self._endpoint = OpenAIEmbeddings(
            model=model,
            api_key=access.key,
            base_url=access.base_url,
            timeout=access.timeout_seconds,
            max_retries=0,
            check_embedding_ctx_length=False,
        ).client

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
        self._account.admit(expected_cost(self.model, sum(map(len, batch))))
        started = time.perf_counter()
        try:
            reply = self._endpoint.create(input=batch, model=self.model)
            tokens = Tokens(input=reply.usage.prompt_tokens if reply.usage else 0)
        except PROVIDER_EXCEPTIONS as error:
            return failure_of(error, self.model)
        self._count(tokens, time.perf_counter() - started)
        try:
            return _unit_vectors(reply.data, len(batch), self.dimensions)
        except _UnexpectedVectors as problem:
            return Failure(ModelOutputInvalid(str(problem)), Retry.CORRECTED)
        except PROVIDER_EXCEPTIONS as error:
            return failure_of(error, self.model)

    def _count(self, tokens: Tokens, seconds: float) -> None:
        used = Usage(tokens.input, 0, cost_of(self.model, tokens))
        self._account.book(ModelCall("embed", "openai", self.model, "", used, seconds))


class _UnexpectedVectors(ValueError):
    """The endpoint answered with other vectors than it was asked for."""


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
    if sorted(item.index for item in data) != list(range(count)):
        raise _UnexpectedVectors("The embedding endpoint returned another number of vectors than it was sent texts.")
    rows = [item.embedding for item in sorted(data, key=lambda item: item.index)]
    if any(len(row) != dimensions for row in rows):
        raise _UnexpectedVectors(
            f"The embedding endpoint returned vectors of {len(rows[0])} dimensions instead of {dimensions}. "
            "Please check that OPENAI_BASE_URL offers the expected embedding model."
        )
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not (lengths > 0).all():
        raise _UnexpectedVectors("The embedding endpoint returned vectors that are not numbers or have no direction.")
    return np.asarray(vectors / lengths, dtype=np.float32)
