"""Local servers that stand in for the web: Tavily's and Exa's search protocol, and a site with pages. All misbehave on request.

    with TavilyServer() as tavily, Site() as site:
        site.page("/rule", article("Records", "A bank must keep records for ten years."))
        tavily.results = [result(site.url("/rule"), "Records", "A bank must keep records …")]
        tavily.script(status(429))            # the next request only

A behaviour serves one request. Sites keep a path's behaviour until it is replaced.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

TAVILY_KEY = "tvly-test-0123456789abcdef"
EXA_KEY = "exa-test-0123456789abcdef"
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """What goes back. ``drip`` sends one byte every so many seconds; ``silent`` holds the line without a byte; ``endless``
    sends the body again and again. ``sent`` is how much of the body really leaves (None: all) before the connection is closed.
    ``pauses`` are seconds of silence, spread evenly over it; ``resets`` the connection without an answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    drip: float = 0.0
    silent: bool = False
    endless: bool = False
    sends_length: bool = True
    sent: int | None = None
    pauses: tuple[float, ...] = ()
    resets: bool = False


@dataclass(frozen=True)
class Received:
    """A request as it arrived; ``raw`` is its body."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes = b""

    @property
    def body(self) -> Any:
        return json.loads(self.raw or b"{}")


Scripted = Reply | Callable[[Received], Reply]


class Gauge:
    """How many requests are being thought about, by all servers that share it. Sending does not count: whoever has the last
    byte may be back before the server knows that it is out."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self.now -= 1


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that have had enough are what these servers are for."""


class Listening:
    """An HTTP server on a free local port while it is entered. ``closing`` is set at its end."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.closing = threading.Event()
        self._http = _QuietServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def host(self) -> str:
        """ "127.0.0.1:port", as the harvester's allow-list takes it."""
        return f"127.0.0.1:{self._http.server_port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}"


class LocalServer(Listening):
    """A server that answers by :meth:`normal`, or as it was told."""

    def __init__(self) -> None:
        super().__init__(_handler(self))
        self.requests: list[Received] = []
        self.gauge = Gauge()
        self.pause = 0.0  # seconds of thinking
        self.scripts: deque[Scripted] = deque()

    def script(self, *replies: Scripted) -> None:
        """Serve the next requests with these."""
        self.scripts.extend(replies)

    def respond(self, request: Received) -> Reply:
        self.requests.append(request)
        reply = self.scripts.popleft() if self.scripts else self.normal
        return reply(request) if callable(reply) else reply

    def normal(self, request: Received) -> Reply:
        raise NotImplementedError

    def reset(self) -> None:
        self.requests.clear()
        self.scripts.clear()


@dataclass(frozen=True)
class Result:
    url: str
    title: str
    content: str
    published: str | None = None
    score: float = 0.8


def result(url: str, title: str, content: str, published: str | None = None, score: float = 0.8) -> Result:
    return Result(url, title, content, published, score)


class TavilyServer(LocalServer):
    """``POST /search`` as tavily-python speaks it."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Result] = []

    def normal(self, request: Received) -> Reply:
        if request.headers.get("authorization") != f"Bearer {TAVILY_KEY}":
            return tavily_error(401, "Unauthorized: missing or invalid API key.")
        if (request.method, request.path) != ("POST", "/search"):
            return tavily_error(404, "Not found")
        found = [
            {"url": r.url, "title": r.title, "content": r.content, "score": r.score, "raw_content": None,
             **({"published_date": r.published} if r.published else {})}
            for r in self.results
        ]  # fmt: skip
        answer = {"query": request.body["query"], "follow_up_questions": None, "answer": None, "images": []}
        return as_json({**answer, "results": found[: request.body["max_results"]], "response_time": 0.5})

    def overrides(self) -> dict[str, Any]:
        """Settings that lead here."""
        return {"tavily_api_key": TAVILY_KEY, "tavily_base_url": self.base_url}


class ExaServer(LocalServer):
    """``POST /search`` as exa-py speaks it."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Result] = []

    def normal(self, request: Received) -> Reply:
        if request.headers.get("x-api-key") != EXA_KEY:
            return exa_error(401, "Invalid API key", "INVALID_API_KEY")
        if (request.method, request.path) != ("POST", "/search"):
            return exa_error(404, "Not found", "NOT_FOUND")
        found = [
            {"id": r.url, "url": r.url, "title": r.title, "score": r.score, "publishedDate": r.published, "author": None,
             "highlights": r.content.split("\n\n"), "highlightScores": [0.5] * len(r.content.split("\n\n"))}
            for r in self.results
        ]  # fmt: skip
        answer = {"requestId": "b5947044c4b78efa9552a7c89b306d95", "resolvedSearchType": "neural"}
        return as_json({**answer, "results": found[: request.body["numResults"]], "costDollars": {"total": 0.005}})

    def overrides(self) -> dict[str, Any]:
        """Settings that lead here."""
        return {"exa_api_key": EXA_KEY, "exa_base_url": self.base_url}


class Site(LocalServer):
    """A web site. Without a robots.txt of its own, everything may be read."""

    def __init__(self) -> None:
        super().__init__()
        self._pages: dict[str, Reply] = {}

    def url(self, path: str) -> str:
        return self.base_url + path

    def page(self, path: str, served: str | Reply) -> str:
        """Serve HTML, or whatever reply, at a path; its address."""
        reply = served if isinstance(served, Reply) else Reply(served.encode(), content_type=HTML)
        self._pages[path] = reply
        return self.url(path)

    def robots(self, text: str) -> None:
        self._pages["/robots.txt"] = Reply(text.encode(), content_type="text/plain")

    def normal(self, request: Received) -> Reply:
        return self._pages.get(request.path.partition("?")[0], Reply(b"not here", 404, content_type="text/plain"))

    def visits(self, path: str) -> int:
        return sum(r.path.partition("?")[0] == path for r in self.requests)

    def reset(self) -> None:
        super().reset()
        self._pages.clear()


def article(title: str, *paragraphs: str, published: str = "", head: str = "") -> str:
    """A page as sites have them: navigation, a main text, a footer."""
    date = f'<meta property="article:published_time" content="{published}">' if published else ""
    text = "".join(f"<p>{p}</p>" for p in paragraphs)
    return (
        f"<!doctype html><html><head><title>{title}</title>{date}{head}</head><body>"
        '<nav><ul><li><a href="/">Home</a></li><li><a href="/login">Log in</a></li><li><a href="/jobs">Careers</a></li></ul></nav>'
        f"<main><article><h1>{title}</h1>{text}</article></main>"
        "<footer><p>We use cookies. Subscribe to our newsletter.</p></footer></body></html>"
    )


# Behaviours.


def as_json(value: Any) -> Reply:
    return Reply(json.dumps(value).encode())


def tavily_error(status: int, message: str) -> Reply:
    return Reply(json.dumps({"detail": {"error": f"{message} (key {TAVILY_KEY})"}}).encode(), status)


def exa_error(status: int, message: str, tag: str) -> Reply:
    return Reply(json.dumps({"requestId": "r", "error": f"{message} (key {EXA_KEY})", "tag": tag}).encode(), status)


def failing(status: int) -> Reply:
    return Reply(b"upstream failure", status, content_type="text/plain")


def hanging() -> Reply:
    return Reply(silent=True)


def dripping(body: bytes = b"<html><body>" + b"a" * 10_000, every: float = 0.05) -> Reply:
    return Reply(body, content_type=HTML, drip=every)


def malformed() -> Reply:
    return Reply(b'{"results": [')


def redirect(to: str, status: int = 302) -> Reply:
    return Reply(b"", status, {"Location": to}, content_type=HTML)


def compressed(html: str | bytes) -> Reply:
    body = html.encode() if isinstance(html, str) else html
    return Reply(gzip.compress(body), headers={"Content-Encoding": "gzip"}, content_type=HTML)


def endless() -> Reply:
    return Reply(b"<p>and so on</p>" * 1000, content_type=HTML, endless=True, sends_length=False)


def _handler(server: LocalServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_HEAD(self) -> None:
            server.requests.append(Received("HEAD", self.path, {k.lower(): v for k, v in self.headers.items()}))
            self._send(Reply(b"", 404, content_type=""))

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with server.gauge:
                headers = {k.lower(): v for k, v in self.headers.items()}
                reply = server.respond(Received(self.command, self.path, headers, body))
                time.sleep(server.pause)
            if reply.silent:
                server.closing.wait(20)
            if reply.resets:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            if reply.silent or reply.resets:
                self.close_connection = True
                return
            try:
                self._send(reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client has had enough

        do_POST = do_PUT = do_DELETE = do_GET

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            if reply.content_type:
                self.send_header("Content-Type", reply.content_type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.sends_length:
                self.send_header("Content-Length", str(len(reply.body)))
            else:
                self.close_connection = True
            self.end_headers()
            for piece in _pieces(reply):
                self.wfile.write(piece)
            self.close_connection = self.close_connection or reply.sent is not None

        def log_message(self, format: str, *args: Any) -> None:
            """Test output stays quiet."""

    def _pieces(reply: Reply) -> Iterator[bytes]:
        while reply.endless and not server.closing.is_set():
            yield reply.body
        body = reply.body[: reply.sent]
        if not reply.drip:
            piece = -(-len(body) // (len(reply.pauses) + 1)) or 1
            for at, pause in zip(range(0, len(body), piece), (*reply.pauses, 0.0), strict=False):
                yield body[at : at + piece]
                time.sleep(pause)
            return
        for at in range(len(body)):
            if server.closing.is_set():
                return
            time.sleep(reply.drip)
            yield body[at : at + 1]

    return Handler
