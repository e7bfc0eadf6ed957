"""Files in a private bucket of Supabase Storage (R5).

The worker that reads documents has no signed-in user, so the server's own secret key is used, and it opens every file of
the bucket: which file belongs to whom is decided before, by the row of the document (X1).

What the service really answers, and why this module asks as it does:

- An error is HTTP 400 with the status proper in its body. A missing object, a missing bucket and, on a download, a refused
  key all come as 404. Only what says "not_found" is a missing file.
- A key without rights is told "no such bucket" or an empty list instead of being refused. So the first thing a process
  does is to create the bucket: that is what such a key cannot do.
- Deleting what is not there succeeds.
"""

import logging
from collections.abc import Callable, Iterator
from typing import TypeVar

import httpx
from pydantic import SecretStr
from storage3 import SyncStorageClient
from storage3.exceptions import StorageApiError
from storage3.types import FileOptions, SearchV2Options, SearchV2Result
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_after_delay, wait_random_exponential

from policypal.errors import (
    ConfigurationError,
    DocumentTooLarge,
    NotFound,
    PolicyPalError,
    StorageAccessRefused,
    StorageAnswerInvalid,
    StorageError,
    StorageRateLimited,
    StorageTimeout,
)
from policypal.storage import StoredFile, checked_key, is_key

logger = logging.getLogger(__name__)

Value = TypeVar("Value")

ATTEMPTS = 3
CONNECT_SECONDS = 5.0
_PAGE = 1000
_OPTIONS: FileOptions = {"content-type": "application/octet-stream", "x-upsert": "true", "cache-control": "0"}


class SupabaseFileStore:
    """A bucket of Supabase Storage, created on first use if it is missing.

    ``timeout_seconds`` is how long the service may say nothing; a transfer that moves may take longer.
    """

    def __init__(self, url: str, key: SecretStr, bucket: str, timeout_seconds: float = 30.0) -> None:
        self.bucket = bucket
        self._timeout = timeout_seconds
        self._is_prepared = False
        self._client = _client(url, key.get_secret_value().strip(), timeout_seconds)

    def put(self, key: str, data: bytes) -> None:
        path = checked_key(key)
        self._ask(lambda: self._client.from_(self.bucket).upload(path, data, _OPTIONS))

    def get(self, key: str) -> bytes:
        path = checked_key(key)
        return self._ask(lambda: self._client.from_(self.bucket).download(path))

    def delete(self, key: str) -> None:
        path = checked_key(key)
        self._ask(lambda: self._client.from_(self.bucket).remove([path]))

    def files(self) -> Iterator[StoredFile]:
        page = self._page(None)
        yield from _listed(page)
        while page.hasNext and page.nextCursor:
            page = self._page(page.nextCursor)
            yield from _listed(page)

    def check(self) -> None:
        """Make sure that the service answers, accepts the key, and keeps the bucket private (R8). Raises
        StorageError, ConfigurationError: with what to do about it."""
        self._is_prepared = False
        self._ask(lambda: None)

    def close(self) -> None:
        self._client.session.close()

    def _page(self, cursor: str | None) -> SearchV2Result:
        options: SearchV2Options = {"limit": _PAGE, "cursor": cursor} if cursor else {"limit": _PAGE}
        return self._ask(lambda: self._client.from_(self.bucket).list_v2(options))

    def _ask(self, request: Callable[[], Value]) -> Value:
        """What the request returns; asked again while that can help, but never longer than the time-out after the first
        failure. Every request here may be sent twice."""
        attempts = Retrying(
            stop=stop_after_attempt(ATTEMPTS) | stop_after_delay(self._timeout),
            wait=wait_random_exponential(multiplier=0.3, max=3.0),
            retry=retry_if_exception(lambda error: isinstance(error, StorageError) and error.retryable),
            reraise=True,
        )
        answer: Value = attempts(self._once, request)
        return answer

    def _once(self, request: Callable[[], Value]) -> Value:
        try:
            self._prepare()
            return request()
        except StorageApiError as error:
            raise self._failure(error) from None  # its text may repeat what was sent
        except httpx.TimeoutException:
            raise StorageTimeout from None
        except httpx.HTTPError as error:
            raise StorageError(
                f"The file store cannot be reached ({type(error).__name__}). Please try again."
            ) from None
        except (ValueError, KeyError, TypeError):  # no JSON, or not of the agreed form
            raise StorageAnswerInvalid from None

    def _prepare(self) -> None:
        """Create the bucket, or see that the one there is private."""
        if self._is_prepared:
            return
        try:
            self._client.create_bucket(self.bucket, options={"public": False})
        except StorageApiError as error:
            if _status(error) != 409:
                raise
            if self._client.get_bucket(self.bucket).public:
                raise ConfigurationError(
                    f"The bucket “{self.bucket}” is public: everybody who knows an address could read documents."
                    " Make it private in Supabase, or name another one in SUPABASE_BUCKET."
                ) from None
        self._is_prepared = True

    def _failure(self, error: StorageApiError) -> PolicyPalError:
        status = _status(error)
        if status == 404 and error.code == "not_found":
            return NotFound("The original file is no longer in the store.")
        logger.warning("the file store answered %s (%s)", status, error.code)
        if status == 404 and error.code == "Bucket not found":
            self._is_prepared = False  # deleted, or the key was withdrawn: preparing tells which
            return StorageError(f"The file store has no bucket “{self.bucket}”.")
        return _refusal(status)


def _client(url: str, key: str, timeout_seconds: float) -> SyncStorageClient:
    session = httpx.Client(
        timeout=httpx.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
        follow_redirects=False,  # a redirect could carry the key to another host
        event_hooks={"response": [_refuse_pages]},
    )
    headers = {"apikey": key, "Authorization": f"Bearer {key}"}
    return SyncStorageClient(f"{url.strip().rstrip('/')}/storage/v1/", headers, http_client=session)


def _refuse_pages(response: httpx.Response) -> None:
    """A web page where a file was asked for is a proxy's or a sign-in screen's, not the service's."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise ValueError("an HTML page")


def _status(error: StorageApiError) -> int:
    return int(error.status) if str(error.status).isdecimal() else 0


def _refusal(status: int) -> PolicyPalError:
    if status in (401, 403):
        return StorageAccessRefused()
    if status == 413:
        return DocumentTooLarge(
            "This file is larger than the file store accepts. Please split it, or have the upload limit raised in the"
            " storage settings of Supabase."
        )
    if status == 429:
        return StorageRateLimited()
    if status == 0 or status >= 500 or status == 409:
        return StorageError()
    return StorageError(f"The file store did not accept the request (status {status}).", retryable=False)


def _listed(page: SearchV2Result) -> Iterator[StoredFile]:
    return (StoredFile(found.name, found.updated_at) for found in page.objects if is_key(found.name))
