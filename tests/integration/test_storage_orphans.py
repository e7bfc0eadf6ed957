"""D5: a file that no document uses does not stay, and no other file is taken for one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from policypal.application import library
from policypal.application.container import Container
from policypal.application.trash import MARK, remove_orphans
from policypal.domain.users import User
from policypal.storage import FileStore, file_key
from policypal.storage.local import LocalFileStore
from policypal.storage.supabase import SupabaseFileStore
from tests.support.documents import add_text
from tests.support.storage_server import SERVICE_KEY, StorageServer

HOUR = timedelta(hours=1)
Age = Callable[[str], None]


@pytest.fixture(params=["local", "supabase"])
def aged(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[FileStore, Age]]:
    """A store, and what makes one of its files two hours old."""
    two_hours = timedelta(hours=2)
    if request.param == "local":
        then = time.time() - two_hours.total_seconds()
        yield LocalFileStore(tmp_path), lambda key: os.utime(tmp_path / key, (then, then))
        return
    with StorageServer() as server:
        store = SupabaseFileStore(server.url, SecretStr(SERVICE_KEY), "policypal", 2)
        yield store, lambda key: server.age("policypal", key, datetime.now(UTC) - two_hours)


def _keys(store: FileStore) -> set[str]:
    return {file.key for file in store.files()} - {MARK}


@pytest.fixture
def documents_key(app: Container, user: User) -> str:
    return add_text(app, user, "Records Rule", "Records must be kept for ten years.").storage_key


def test_d5_an_old_file_without_a_document_is_removed_and_no_other(
    app: Container, user: User, aged: tuple[FileStore, Age], documents_key: str
) -> None:
    store, age = aged
    unlocked = documents_key.replace("original", "forgotten")
    orphans = {file_key(user.id, str(uuid4()), "original"), file_key(str(uuid4()), str(uuid4()), "original"), unlocked}
    young = file_key(user.id, str(uuid4()), "original")
    for key in {*orphans, young, documents_key}:
        store.put(key, b"x")
    for key in {*orphans, documents_key}:
        age(key)
    assert remove_orphans(app.db, store, grace=HOUR) == len(orphans)
    assert _keys(store) == {young, documents_key}
    assert remove_orphans(app.db, store, grace=HOUR) == 0


def test_d10_the_file_of_a_document_that_can_be_taken_back_stays(
    app: Container, user: User, aged: tuple[FileStore, Age], documents_key: str
) -> None:
    store, age = aged
    store.put(documents_key, b"x")
    age(documents_key)
    library.delete(app, user, documents_key.split("/")[1])
    assert remove_orphans(app.db, store, grace=HOUR) == 0
    assert _keys(store) == {documents_key}


def test_d5_a_store_of_another_installation_is_left_alone(
    app: Container, user: User, aged: tuple[FileStore, Age]
) -> None:
    """A new database beside an old folder knows none of its files, and must not delete them for that."""
    store, age = aged
    key = file_key(user.id, str(uuid4()), "original")
    store.put(MARK, str(uuid4()).encode())
    store.put(key, b"another installation's document")
    age(key)
    assert remove_orphans(app.db, store, grace=HOUR) == 0
    assert _keys(store) == {key}


def test_d5_a_temporary_file_of_a_killed_write_is_removed(app: Container, user: User, tmp_path: Path) -> None:
    store = LocalFileStore(tmp_path)
    key = file_key(user.id, str(uuid4()), "tmpab12cd")
    store.put(key, b"half")
    then = time.time() - 7200
    os.utime(tmp_path / key, (then, then))
    assert remove_orphans(app.db, store, grace=HOUR) == 1
    assert not any(path.is_file() for path in tmp_path.rglob("*") if path.name != "installation")
