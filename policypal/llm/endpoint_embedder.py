"""The embedding model of an endpoint, or the built-in one where it has none (R3): an upload never fails for want of one."""

import logging
import threading
from collections.abc import Callable, Sequence

from policypal.config import Settings
from policypal.domain.account import Account
from policypal.errors import ModelError
from policypal.llm.openai_embedder import OpenAIEmbedder
from policypal.search.embeddings import Embedder, Vectors, built_in_embedder

logger = logging.getLogger(__name__)


class EndpointEmbedder:
    """Finds out with its first use which model it is, and stays that for as long as the process lives: vectors of two models
    are never mixed. Thread-safe."""

    def __init__(self, settings: Settings, kept_as: Callable[[str], str | None]) -> None:
        """``kept_as`` tells under which name the library has vectors of the endpoint's model, if it has any. Where the endpoint
        does not answer when it is looked at, they stay: a moment's outage must not have a whole library embedded anew.

        Raises:
            ConfigurationError: the key is missing or unusable.
        """
        self._offered = OpenAIEmbedder(settings)
        self._kept_as = kept_as
        self._lock = threading.Lock()
        self._settled: Embedder | None = None
        self._reason = ""

    @property
    def model(self) -> str:
        return self._embedder().model

    @property
    def dimensions(self) -> int:
        return self._embedder().dimensions

    @property
    def reason(self) -> str:
        """Why the built-in model is used; empty where the endpoint's is."""
        self._embedder()
        return self._reason

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As :meth:`Embedder.embed`, and it raises the same."""
        return self._embedder().embed(texts)

    def charged_to(self, account: Account) -> Embedder:
        """The model that was settled on, with its calls on this account."""
        return self._embedder().charged_to(account)

    def _embedder(self) -> Embedder:
        with self._lock:
            if self._settled is None:
                self._settled = self._chosen()
            return self._settled

    def _chosen(self) -> Embedder:
        name = self._offered.name
        try:
            if self._offered.is_offered():
                return self._offered
            self._reason = f"The endpoint has no embedding model called “{name}”."
        except ModelError as error:
            if kept := self._kept_as(name):
                self._offered.assume(kept)
                return self._offered
            self._reason = f"The endpoint did not say whether it has the embedding model “{name}” ({error.title})."
        logger.info("%s The built-in one is used.", self._reason)
        return built_in_embedder()
