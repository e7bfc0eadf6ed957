"""R5, X4: whatever Supabase Storage does, the failure has a type, nothing is half there, and no key is repeated."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from policypal.errors import (
    ConfigurationError,
    DocumentTooLarge,
    PolicyPalError,
    StorageAccessRefused,
    StorageAnswerInvalid,
    StorageError,
    StorageRateLimited,
    StorageTimeout,
)
from policypal.storage import supabase
from policypal.storage.supabase import SupabaseFileStore
from tests.support.storage_server import (
    ANON_KEY,
    SERVICE_KEY,
    Bucket,
    StorageServer,
    StoredObject,
    failing,
    losing_the_answer,
    malformed,
    problem,
    resetting,
    truncated,
    web_page,
)
from tests.support.web_servers import Reply, hanging, redirect

BUCKET = "policypal"
KEY = "11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-222222222222/original"
Act = Callable[[SupabaseFileStore], object]

put: Act = lambda store: store.put(KEY, b"new")  # noqa: E731
get: Act = lambda store: store.get(KEY)  # noqa: E731
delete: Act = lambda store: store.delete(KEY)  # noqa: E731
listing: Act = lambda store: list(store.files())  # noqa: E731
ACTS = [put, get, delete, listing]


@pytest.fixture
def server() -> Iterator[StorageServer]:
    with StorageServer() as running:
        yield running


@pytest.fixture
def store(server: StorageServer, monkeypatch: pytest.MonkeyPatch) -> SupabaseFileStore:
    """A store in use, with one file; it does not wait long between attempts."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    used = _store(server)
    used.put(KEY, b"old")
    return used


def _store(server: StorageServer, key: str = SERVICE_KEY, seconds: float = 1.0) -> SupabaseFileStore:
    return SupabaseFileStore(server.url, SecretStr(key), BUCKET, seconds)


def _held(server: StorageServer) -> bytes:
    return server.buckets[BUCKET].objects[KEY].data


LASTING: list[tuple[Reply, type[PolicyPalError], bool]] = [
    (problem("401", "Unauthorized"), StorageAccessRefused, False),
    (problem("403", "Unauthorized"), StorageAccessRefused, False),
    (failing(401), StorageAccessRefused, False),
    (failing(403), StorageAccessRefused, False),
    (problem("413", "Payload too large"), DocumentTooLarge, False),
    (failing(413), DocumentTooLarge, False),
    (problem("400", "InvalidKey"), StorageError, False),
    (failing(404), StorageError, False),
    (redirect("http://127.0.0.1:9/elsewhere"), StorageError, False),
]
PASSING: list[tuple[Reply, type[PolicyPalError]]] = [
    (problem("429", "SlowDown"), StorageRateLimited),
    (failing(429), StorageRateLimited),
    (problem("500", "Internal"), StorageError),
    (failing(502), StorageError),
    (failing(503), StorageError),
    (failing(504), StorageError),
    (problem("544", "DatabaseTimeout"), StorageError),
    (resetting(), StorageError),
]


@pytest.mark.parametrize(("behaviour", "error", "retryable"), LASTING)
def test_x4_what_will_not_pass_is_told_at_once(
    server: StorageServer,
    store: SupabaseFileStore,
    behaviour: Reply,
    error: type[PolicyPalError],
    retryable: bool,
) -> None:
    for act in ACTS:
        server.requests.clear()
        server.script(behaviour)
        with pytest.raises(error) as caught:
            act(store)
        assert (type(caught.value), caught.value.retryable) == (error, retryable)
        assert len(server.requests) == 1
        assert _held(server) == b"old"


@pytest.mark.parametrize(("behaviour", "error"), PASSING)
def test_r5_what_passes_is_asked_again_and_told_in_the_end(
    server: StorageServer, store: SupabaseFileStore, behaviour: Reply, error: type[PolicyPalError]
) -> None:
    for act in ACTS:
        store.put(KEY, b"old")
        server.script(behaviour, behaviour)
        act(store)
        server.requests.clear()
        server.script(*[behaviour] * supabase.ATTEMPTS)
        with pytest.raises(error) as caught:
            act(store)
        assert type(caught.value) is error
        assert caught.value.retryable
        assert len(server.requests) == supabase.ATTEMPTS


@pytest.mark.parametrize("act", ACTS, ids=["put", "get", "delete", "list"])
def test_r5_a_silent_service_is_given_up_after_one_time_out(server: StorageServer, act: Act) -> None:
    store = _store(server, seconds=0.3)
    store.put(KEY, b"old")
    server.script(*[hanging()] * 3)
    started = time.monotonic()
    with pytest.raises(StorageTimeout):
        act(store)
    assert time.monotonic() - started < 2
    server.closing.set()


@pytest.mark.parametrize("act", [put, listing], ids=["put", "list"])
def test_r5_an_answer_of_another_form_is_said_to_be_one(
    server: StorageServer, store: SupabaseFileStore, act: Act
) -> None:
    server.script(*[malformed()] * 3)
    with pytest.raises(StorageAnswerInvalid):
        act(store)


def test_r5_a_network_sign_in_page_is_not_taken_for_a_document(server: StorageServer, store: SupabaseFileStore) -> None:
    server.script(*[web_page()] * 3)
    with pytest.raises(StorageAnswerInvalid):
        store.get(KEY)


def test_r5_half_a_download_is_not_a_document(server: StorageServer, store: SupabaseFileStore) -> None:
    server.script(*[truncated(b"%PDF-1.7 half")] * 3)
    with pytest.raises(StorageError):
        store.get(KEY)
    server.script(truncated(b"%PDF-1.7 half"))
    assert store.get(KEY) == b"old"


def test_r5_an_upload_whose_answer_was_lost_is_repeated_without_harm(
    server: StorageServer, store: SupabaseFileStore
) -> None:
    server.script(losing_the_answer(server))
    store.put(KEY, b"new")
    assert store.get(KEY) == b"new"
    server.script(losing_the_answer(server))
    store.delete(KEY)
    assert KEY not in server.buckets[BUCKET].objects


def test_r5_a_file_above_the_services_limit_is_refused_with_what_to_do(
    server: StorageServer, store: SupabaseFileStore
) -> None:
    server.max_bytes = 10
    with pytest.raises(DocumentTooLarge, match="storage settings"):
        store.put(KEY, b"more than ten bytes")
    assert store.get(KEY) == b"old"


@pytest.mark.parametrize("act", ACTS, ids=["put", "get", "delete", "list"])
@pytest.mark.parametrize("key", [ANON_KEY, "sb_secret_wrong"])
def test_x1_a_key_without_rights_is_refused_instead_of_seeing_nothing(
    server: StorageServer, store: SupabaseFileStore, act: Act, key: str
) -> None:
    """The service itself answers such a key with "not found" and empty lists."""
    with pytest.raises(StorageAccessRefused):
        act(_store(server, key))
    assert _held(server) == b"old"


@pytest.mark.parametrize("act", ACTS, ids=["put", "get", "delete", "list"])
def test_r5_a_key_withdrawn_while_running_is_refused(server: StorageServer, store: SupabaseFileStore, act: Act) -> None:
    del server.keys[SERVICE_KEY]
    with pytest.raises(StorageAccessRefused):
        act(store)


def test_r5_the_bucket_is_made_private_and_only_once(server: StorageServer, store: SupabaseFileStore) -> None:
    store.put(KEY, b"again")
    assert server.buckets[BUCKET].public is False
    assert [r.path for r in server.requests].count("/storage/v1/bucket") == 1


def test_r5_a_bucket_deleted_while_running_is_made_again(server: StorageServer, store: SupabaseFileStore) -> None:
    server.buckets.clear()
    store.put(KEY, b"new")
    assert _held(server) == b"new"


@pytest.mark.parametrize("act", ACTS, ids=["put", "get", "delete", "list"])
def test_x1_a_public_bucket_is_refused(server: StorageServer, act: Act) -> None:
    server.buckets[BUCKET] = Bucket(public=True)
    with pytest.raises(ConfigurationError, match="public"):
        act(_store(server))
    assert server.buckets[BUCKET].objects == {}


def test_r5_a_bucket_with_files_of_others_is_listed_in_pages(
    server: StorageServer, store: SupabaseFileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supabase, "_PAGE", 3)
    objects = server.buckets[BUCKET].objects
    objects["holiday.jpg"] = objects["a/b/c"] = StoredObject(b"", "image/jpeg", datetime.now(UTC))
    keys = {KEY, *(KEY.replace("original", f"page{n}") for n in range(8))}
    for key in keys:
        store.put(key, b"x")
    assert [f.key for f in store.files()] == sorted(keys)


@pytest.mark.parametrize("behaviour", [b for b, _, _ in LASTING] + [b for b, _ in PASSING])
def test_x3_no_failure_repeats_the_key(
    server: StorageServer, store: SupabaseFileStore, behaviour: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "policypal")
    for act in ACTS:
        server.script(*[behaviour] * supabase.ATTEMPTS)
        with pytest.raises(PolicyPalError) as caught:
            act(store)
        server.scripts.clear()
        assert SERVICE_KEY not in f"{caught.value!r} {caught.value.message} {caught.value.__cause__!r}"
        assert caught.value.__suppress_context__
    assert SERVICE_KEY not in caplog.text


def test_x3_the_key_is_sent_to_the_service_only(server: StorageServer, store: SupabaseFileStore) -> None:
    with StorageServer() as elsewhere:
        server.script(redirect(f"{elsewhere.url}/storage/v1/object/{BUCKET}/{KEY}"))
        with pytest.raises(StorageError):
            store.get(KEY)
        assert elsewhere.requests == []
