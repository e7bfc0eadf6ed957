"""A local server that speaks Supabase Storage's HTTP protocol and can misbehave.

    with StorageServer() as server:
        store = SupabaseFileStore(server.url, SecretStr(SERVICE_KEY), "policypal")
        server.script(failing(503), hanging())      # the next requests only

It answers as supabase/storage 1.11 did when asked the same: errors are HTTP 400 with the status proper in the body, a key
without rights finds no bucket and empty lists, a refused key finds no bucket on a download, deleting nothing succeeds.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from tests.support.web_servers import HTML, LocalServer, Received, Reply

SERVICE_KEY = "sb_secret_service-0123456789abcdef"
ANON_KEY = "sb_publishable_anon-0123456789abcdef"
PREFIX = "/storage/v1/"


@dataclass
class StoredObject:
    data: bytes
    content_type: str
    updated_at: datetime


@dataclass
class Bucket:
    public: bool = False
    objects: dict[str, StoredObject] = field(default_factory=dict)


class StorageServer(LocalServer):
    """Buckets in memory on a free local port. ``max_bytes`` is the size of the largest object it takes."""

    def __init__(self, max_bytes: int = 5_000_000) -> None:
        super().__init__()
        self.buckets: dict[str, Bucket] = {}
        self.keys = {SERVICE_KEY: "service_role", ANON_KEY: "anon"}
        self.max_bytes = max_bytes

    @property
    def url(self) -> str:
        return self.base_url

    def overrides(self) -> dict[str, Any]:
        """Settings that lead here."""
        return {"supabase_url": self.url, "supabase_service_key": SERVICE_KEY}

    def age(self, bucket: str, key: str, modified: datetime) -> None:
        """Let an object have been written at that time."""
        self.buckets[bucket].objects[key].updated_at = modified

    def normal(self, request: Received) -> Reply:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        role = self.keys.get(given)
        route = request.path.removeprefix(PREFIX)
        if not request.path.startswith(PREFIX):
            return _json({"message": f"Route {request.method}:{request.path} not found", "error": "Not Found",
                          "statusCode": 404}, 404)  # fmt: skip
        if role is None and not (request.method == "GET" and route.startswith("object/")):
            return _refused("Invalid Compact JWS")
        return self._route(request.method, route, request, may=role == "service_role")

    def _route(self, method: str, route: str, request: Received, *, may: bool) -> Reply:
        kind, _, rest = route.partition("/")
        if kind == "bucket":
            return self._create(request, may) if method == "POST" else self._describe(rest, may)
        if rest.startswith("list-v2/"):
            return self._list(rest.removeprefix("list-v2/"), request.body, may)
        if method == "DELETE":
            return self._remove(rest, request.body["prefixes"], may)
        name, _, key = unquote(rest).partition("/")
        if method == "GET":
            return self._download(name, key, request.headers.get("authorization", "").removeprefix("Bearer "), may)
        return self._upload(name, key, request, may)

    def _create(self, request: Received, may: bool) -> Reply:
        wanted = request.body
        if not may:
            return _refused("new row violates row-level security policy")
        if wanted["id"] in self.buckets:
            return _problem("409", "Duplicate", "The resource already exists", "BucketAlreadyExists")
        self.buckets[wanted["id"]] = Bucket(public=wanted.get("public", False))
        return _json({"name": wanted["id"]})

    def _describe(self, name: str, may: bool) -> Reply:
        if not may or name not in self.buckets:
            return _no_bucket()
        made = datetime.now(UTC).isoformat()
        return _json({"id": name, "name": name, "owner": "", "public": self.buckets[name].public, "file_size_limit": None,
                      "allowed_mime_types": None, "created_at": made, "updated_at": made})  # fmt: skip

    def _upload(self, name: str, key: str, request: Received, may: bool) -> Reply:
        bucket = self.buckets.get(name)
        if bucket is None:
            return _no_bucket()
        if not may:
            return _refused("new row violates row-level security policy")
        data, content_type = _uploaded(request)
        if len(data) > self.max_bytes:
            return _problem(
                "413", "Payload too large", "The object exceeded the maximum allowed size", "EntityTooLarge"
            )
        if key in bucket.objects and request.headers.get("x-upsert") != "true":
            return _problem("409", "Duplicate", "The resource already exists", "KeyAlreadyExists")
        bucket.objects[key] = StoredObject(data, content_type, datetime.now(UTC))
        return _json({"Key": f"{name}/{key}", "Id": "186baff4-6840-45a5-b15c-f1486c7c011b"})

    def _download(self, name: str, key: str, given: str, may: bool) -> Reply:
        bucket = self.buckets.get(name)
        if bucket is None or given not in self.keys:
            return _no_bucket()
        found = bucket.objects.get(key) if may else None
        if found is None:
            return _problem("404", "not_found", "Object not found", "NoSuchKey")
        return Reply(found.data, content_type=found.content_type)

    def _remove(self, name: str, keys: list[str], may: bool) -> Reply:
        if not keys:
            return _problem("400", "Error", "body/prefixes must NOT have fewer than 1 items", "InvalidRequest")
        held = self.buckets[name].objects if may and name in self.buckets else {}
        return _json([{"name": key, "bucket_id": name} for key in keys if held.pop(key, None) is not None])

    def _list(self, name: str, wanted: dict[str, Any], may: bool) -> Reply:
        held = self.buckets[name].objects if may and name in self.buckets else {}
        after = base64.b64decode(wanted["cursor"]).decode()[2:] if "cursor" in wanted else ""
        keys = [key for key in sorted(held) if key > after]
        page = keys[: wanted["limit"]]
        answer: dict[str, Any] = {"hasNext": len(keys) > len(page), "folders": []}
        if answer["hasNext"]:
            answer["nextCursor"] = base64.b64encode(f"l:{page[-1]}".encode()).decode()
        return _json({**answer, "objects": [_listed(key, held[key]) for key in page]})


def _listed(key: str, found: StoredObject) -> dict[str, Any]:
    at = found.updated_at.isoformat()
    return {"id": "6254add8-41db-4f17-a502-7b9140a558a1", "name": key, "metadata": {"size": len(found.data)},
            "updated_at": at, "created_at": at, "last_accessed_at": at}  # fmt: skip


def _uploaded(request: Received) -> tuple[bytes, str]:
    """The part called "file" of a multipart form, and its type."""
    boundary = request.headers["content-type"].partition("boundary=")[2].encode()
    part = next(p for p in request.raw.split(b"--" + boundary) if b'name="file"' in p.partition(b"\r\n\r\n")[0])
    head, _, data = part.partition(b"\r\n\r\n")
    kind = re.search(rb"Content-Type: ([^\r\n]+)", head)
    return data.removesuffix(b"\r\n"), kind[1].decode() if kind else "text/plain"


def _json(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status)


def _problem(status: str, error: str, message: str, code: str) -> Reply:
    return _json({"statusCode": status, "error": error, "message": message, "code": code}, 400)


def _refused(message: str) -> Reply:
    return _problem("403", "Unauthorized", message, "AccessDenied")


def _no_bucket() -> Reply:
    return _problem("404", "Bucket not found", "Bucket not found", "NoSuchBucket")


# Behaviours.


def problem(status: str, error: str, message: str = "") -> Reply:
    """An error as the service itself words it."""
    return _problem(status, error, message or f"{error} (key {SERVICE_KEY})", error)


def failing(status: int) -> Reply:
    """An error of the gateway before the service: a page, not JSON, and it repeats the key."""
    return Reply(f"<html>{status} {SERVICE_KEY}</html>".encode(), status, content_type="text/html")


def web_page() -> Reply:
    return Reply(b"<html>Please sign in to the network</html>", content_type=HTML)


def malformed() -> Reply:
    return Reply(b'{"Key": ')


def truncated(data: bytes) -> Reply:
    return Reply(data * 2, content_type="application/octet-stream", sent=len(data))


def resetting() -> Reply:
    return Reply(resets=True)


def losing_the_answer(server: StorageServer) -> Callable[[Received], Reply]:
    """The request is carried out, and the connection lost before the answer."""
    return lambda request: replace(server.normal(request), resets=True)
