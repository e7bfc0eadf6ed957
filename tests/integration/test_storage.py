"""R5: what every file store promises, on the data folder and on Supabase Storage's protocol."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from policypal.application.wiring import build_files
from policypal.config import Settings
from policypal.errors import DiskFull, NotFound
from policypal.storage import FileStore, file_key
from policypal.storage.local import LocalFileStore
from policypal.storage.supabase import SupabaseFileStore
from tests.support.storage_server import SERVICE_KEY, StorageServer


@pytest.fixture(params=["local", "supabase"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileStore]:
    if request.param == "local":
        yield LocalFileStore(tmp_path / "files")
        return
    with StorageServer() as server:
        yield SupabaseFileStore(server.url, SecretStr(SERVICE_KEY), "policypal", 2)


@pytest.fixture
def key() -> str:
    return file_key(str(uuid4()), str(uuid4()), "original")


@pytest.mark.parametrize("data", [b"", b"\x00\xff\r\n--boundary\r\n", b"%PDF-1.7" + bytes(range(256)) * 8_000])
def test_r5_what_is_stored_comes_back_byte_by_byte(store: FileStore, key: str, data: bytes) -> None:
    store.put(key, data)
    assert store.get(key) == data


def test_r5_storing_again_replaces(store: FileStore, key: str) -> None:
    store.put(key, b"the first edition, which is longer")
    store.put(key, b"the second")
    assert store.get(key) == b"the second"
    assert [f.key for f in store.files()] == [key]


def test_r5_a_missing_file_is_not_found(store: FileStore, key: str) -> None:
    with pytest.raises(NotFound):
        store.get(key)


def test_r5_deleting_twice_is_fine(store: FileStore, key: str) -> None:
    store.put(key, b"x")
    store.delete(key)
    store.delete(key)
    with pytest.raises(NotFound):
        store.get(key)
    assert list(store.files()) == []


def test_r5_deleting_one_file_leaves_its_neighbour(store: FileStore, key: str) -> None:
    unlocked = key.replace("original", "unlocked")
    store.put(key, b"locked")
    store.put(unlocked, b"open")
    store.delete(key)
    assert store.get(unlocked) == b"open"


def test_r5_every_file_is_listed_with_its_time(store: FileStore) -> None:
    keys = {file_key(str(uuid4()), str(uuid4()), name) for name in ("original", "unlocked") for _ in range(3)}
    for key in keys:
        store.put(key, b"x")
    listed = list(store.files())
    assert {f.key for f in listed} == keys
    assert all(f.modified.tzinfo is not None for f in listed)


_U = "11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    "key",
    [
        "", "/", "original", "../../etc/passwd", f"{_U}/{_U}", f"{_U}/{_U}/", f"{_U}/{_U}/..", f"{_U}/{_U}/.",
        f"{_U}/{_U}/../../x", f"{_U}/../{_U}/original", f"/{_U}/{_U}/original", f"{_U}/{_U}/a/b", f"{_U}/{_U}/original\n",
        f"{_U}/{_U}/a\x00b", f"{_U}/{_U}/%2e%2e", f"{_U}\\{_U}\\original", f"{_U}/{_U}/.hidden", f"{_U.upper()}/x/original",
        f"{'-' * 36}/{_U}/original", f"{_U}/{_U}/{'a' * 101}",
    ],
)  # fmt: skip
def test_x1_a_key_that_is_none_of_ours_never_reaches_the_store(store: FileStore, tmp_path: Path, key: str) -> None:
    for act in (lambda: store.get(key), lambda: store.put(key, b"x"), lambda: store.delete(key)):
        with pytest.raises(NotFound):
            act()
    assert list(store.files()) == []
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_r5_writers_at_the_same_time_leave_one_whole_file(store: FileStore, key: str) -> None:
    editions = [bytes([letter]) * 300_000 for letter in b"ABCD"]
    writers = [threading.Thread(target=store.put, args=(key, data)) for data in editions]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.get(key) in editions
    assert [f.key for f in store.files()] == [key]


def test_r5_a_full_disk_keeps_what_was_there(tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalFileStore(tmp_path)
    store.put(key, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskFull):
        store.put(key, b"new")
    assert store.get(key) == b"old"
    assert [p.name for p in (tmp_path / key).parent.iterdir()] == ["original"]


def test_r5_files_stay_local_unless_address_and_server_key_are_both_set(tmp_path: Path) -> None:
    def chosen(**settings: str) -> type[FileStore]:
        return type(build_files(Settings(data_dir=tmp_path, _env_file=None, **settings)))  # type: ignore[arg-type]

    address = "http://127.0.0.1:9"
    assert chosen() is LocalFileStore
    assert chosen(supabase_url=address, supabase_key="public") is LocalFileStore
    assert chosen(supabase_service_key=SERVICE_KEY) is LocalFileStore
    assert chosen(supabase_url=address, supabase_service_key=SERVICE_KEY) is SupabaseFileStore
