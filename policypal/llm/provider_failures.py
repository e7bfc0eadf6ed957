"""What went wrong at a model provider, as one of PolicyPal's errors (M8, X3, X4).

Messages are written here, never taken from the provider: its text may repeat the key or the prompt.
"""

import logging
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import openai

from policypal.errors import (
    ModelAuthenticationFailed,
    ModelError,
    ModelOutputInvalid,
    ModelQuotaExceeded,
    ModelRateLimited,
    ModelTimeout,
)
from policypal.web.retries import Failure, Retry

logger = logging.getLogger(__name__)

PROVIDER_EXCEPTIONS = (
    openai.OpenAIError,
    httpx.HTTPError,  # of a stream, which the client does not translate
    # What the client lets through where a body is empty, cut off, not JSON or not shaped like an answer (facts.md).
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)

_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_FILTER_CODES = {"content_filter", "content_policy_violation"}
_BUSY_STATUS = {408, 409, 425}


def failure_of(error: Exception, model: str, setting: str = "POLICYPAL_MODELS") -> Failure:
    """Translate an exception out of :data:`PROVIDER_EXCEPTIONS`. ``model`` is named where choosing another one helps, which is
    done in ``setting``."""
    failure = _failure_of(error, model, setting)
    logger.warning(
        "Call to model %s failed: %s (%s, status %s, request %s)",
        model,
        failure.error.code,
        type(error).__name__,
        getattr(error, "status_code", None),
        getattr(error, "request_id", None),
    )
    return failure


def unusable(reason: str = "") -> Failure:
    """A reply that is not the agreed object; asking once more may help."""
    return Failure(ModelOutputInvalid(reason or None), Retry.CORRECTED)


def cut_off() -> Failure:
    """The reply reached the model's length limit. The same request would reach it again."""
    return Failure(
        ModelOutputInvalid(
            "The language model reached its length limit before the answer was complete. "
            "Please ask for less at once: fewer documents, or a narrower topic.",
            retryable=False,
        )
    )


def declined() -> Failure:
    """The model refused, or the provider's content filter stepped in."""
    return Failure(
        ModelError(
            "The language model declined this request, or its provider's content filter blocked it. "
            "Please rephrase the request, or choose other documents.",
            title="Request declined",
            retryable=False,
        )
    )


def _failure_of(error: Exception, model: str, setting: str) -> Failure:
    if isinstance(error, openai.LengthFinishReasonError):
        return cut_off()
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return declined()
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return Failure(ModelTimeout(), Retry.LATER)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, model, setting)
    if isinstance(error, openai.APIConnectionError | httpx.HTTPError):
        return Failure(_unreachable(), Retry.LATER)
    return unusable("The language model provider's answer could not be read, twice. Please try again.")


def _status_failure(error: openai.APIStatusError, model: str, setting: str) -> Failure:
    status, codes = error.status_code, {error.code, error.type}
    if status == 402 or codes & _QUOTA_CODES:
        return Failure(ModelQuotaExceeded())
    if status in (401, 403):
        return Failure(ModelAuthenticationFailed())
    if status == 429:
        return Failure(ModelRateLimited(), Retry.LATER, _requested_wait(error))
    if status >= 500 or status in _BUSY_STATUS:
        return Failure(_server_trouble(status), Retry.LATER, _requested_wait(error))
    if codes & _FILTER_CODES:
        return declined()
    return Failure(_rejected(error, model, setting))


def _rejected(error: openai.APIStatusError, model: str, setting: str) -> ModelError:
    if error.code == "context_length_exceeded" or error.status_code == 413:
        message = (
            f"The request is too long for the model “{model}”. Please use fewer documents or a narrower topic, or lower "
            "POLICYPAL_WHOLE_DOCUMENT_TOKENS."
        )
        return ModelError(message, title="Request too long", retryable=False)
    if error.status_code == 404:
        message = (
            f"The provider does not offer the model “{model}” to this key. Please check {setting} and OPENAI_BASE_URL."
        )
        return ModelError(message, title="Model not available", retryable=False)
    message = (
        f"The provider rejected a request to the model “{model}” (HTTP {error.status_code}). "
        "`python -m policypal doctor` tries the model and says what it takes; "
        f"{setting} chooses another one."
    )
    return ModelError(message, title="Request rejected", retryable=False)


def _server_trouble(status: int) -> ModelError:
    return ModelError(
        f"The language model provider reports a problem of its own (HTTP {status}). Please try again in a few minutes."
    )


def _unreachable() -> ModelError:
    return ModelError(
        "The language model provider cannot be reached. Please check the network connection and OPENAI_BASE_URL."
    )


def _requested_wait(error: openai.APIStatusError) -> float | None:
    """Seconds out of ``Retry-After`` (a number or a date) or ``retry-after-ms``; None where absent or absurd."""
    headers = error.response.headers
    wait = _number(headers.get("retry-after-ms"), 0.001)
    if wait is None:
        wait = _number(headers.get("retry-after"), 1.0)
    if wait is None:
        wait = _until(headers.get("retry-after"))
    return None if wait is None else max(wait, 0.0)


def _number(text: str | None, unit: float) -> float | None:
    try:
        value = float(text or "") * unit
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _until(text: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
