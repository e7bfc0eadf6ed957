"""Where the provider is, how PolicyPal signs in there, and what else may be told about a call (R4, X3, M6)."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from langsmith import tracing_context
from pydantic import SecretStr

from policypal.config import Settings
from policypal.errors import ConfigurationError

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """Everything a client is built from. Explicit, so that no other variable of the environment redirects calls."""

    key: SecretStr
    base_url: str
    timeout_seconds: float


def provider_access(settings: Settings) -> ProviderAccess:
    """The access the settings describe.

    Raises:
        ConfigurationError: there is no key, or it cannot be sent in an HTTP header.
    """
    if settings.openai_api_key is None:
        raise ConfigurationError("OPENAI_API_KEY is not set. Set it, or use the extractive engine.")
    key = settings.openai_api_key.get_secret_value().strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigurationError("OPENAI_API_KEY contains characters no key has. Please copy it again.")
    return ProviderAccess(SecretStr(key), settings.openai_base_url or OPENAI_URL, settings.model_timeout_seconds)


@contextlib.contextmanager
def traced_only_with_key() -> Iterator[None]:
    """LangSmith tracing follows its variables, but is off without a key, so that nothing is sent anywhere (M6)."""
    if any(os.environ.get(name, "").strip() for name in ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")):
        yield
        return
    with tracing_context(enabled=False):
        yield
