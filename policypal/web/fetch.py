"""One page over HTTP: every redirect checked like a new address, limits on time, size and kind (W4)."""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urljoin, urlsplit

import httpcore

from policypal.domain.web import safe_url
from policypal.errors import PageUnavailable
from policypal.web.addresses import CheckedNetwork, Deadline

USER_AGENT = "PolicyPal/0.1 (reads pages cited in compliance answers; obeys robots.txt)"
MAX_REDIRECTS = 4
_STEP_SECONDS = 5.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body as it arrived, decompressed. ``url`` is where it was found after redirects; ``charset`` may be empty."""

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take. ``media_types`` empty accepts any kind."""

    max_bytes: int
    media_types: frozenset[str] = frozenset()


def fetch(
    url: str,
    limits: Limits,
    deadline: Deadline,
    *,
    allowed_hosts: frozenset[str] = frozenset(),
    may_visit: Callable[[str], None] = lambda url: None,
) -> Fetched:
    """Read ``url``, following at most four redirects. ``may_visit`` is asked about every address on the way and raises
    to refuse it. Any final status is returned; it is the caller's to judge. Raises AddressRefused: an address on the
    way is not a public one of the web; PageUnavailable: time, size, kind, redirects or the network stood in the way;
    the message says which."""
    for _ in range(MAX_REDIRECTS + 1):
        may_visit(url)
        answer = _request(url, limits, deadline, allowed_hosts)
        if isinstance(answer, Fetched):
            return answer
        url = _next_address(url, answer)
    raise PageUnavailable("too many redirects")


def _next_address(url: str, location: str) -> str:
    try:
        following = safe_url(urljoin(url, location))
    except ValueError:
        following = None
    if following is None:
        raise PageUnavailable("it redirects to something that is not a web page")
    return following


def _request(url: str, limits: Limits, deadline: Deadline, allowed_hosts: frozenset[str]) -> Fetched | str:
    """The answer, or where it redirects to."""
    # a pool per request: a connection is never reused for a name that was not resolved and checked for it
    pool = httpcore.ConnectionPool(max_connections=1, network_backend=CheckedNetwork(deadline, allowed_hosts))
    steps = dict.fromkeys(("connect", "read", "write", "pool"), _STEP_SECONDS)
    try:
        with pool, pool.stream("GET", _address(url), headers=_headers(url), extensions={"timeout": steps}) as response:
            return _read(url, response, limits)
    except httpcore.TimeoutException:
        raise PageUnavailable("it did not answer in time") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError, UnicodeError):
        raise PageUnavailable("the connection failed") from None
    except zlib.error:
        raise PageUnavailable("its compression is damaged") from None


def _address(url: str) -> httpcore.URL:
    """Taken apart once, by the parser that also checked it: what is connected to is what was looked at."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("idna")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return httpcore.URL(scheme=parts.scheme, host=host, port=parts.port, target=_percent_encoded(target))


def _percent_encoded(target: str) -> bytes:
    return re.sub(rb"[^\x21-\x7e]", lambda m: b"%%%02X" % m[0][0], target.encode("utf-8", "replace"))


def _headers(url: str) -> list[tuple[bytes, bytes]]:
    host = urlsplit(url).netloc.encode("idna")
    return [
        (b"Host", host),
        (b"User-Agent", USER_AGENT.encode()),
        (b"Accept", b"text/html, application/xhtml+xml, text/plain;q=0.9"),
        (b"Accept-Encoding", b"gzip, deflate"),
    ]


def _read(url: str, response: httpcore.Response, limits: Limits) -> Fetched | str:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    if response.status in _REDIRECTS and headers.get("location"):
        return headers["location"]
    kind = Message()
    kind["content-type"] = headers.get("content-type", "")
    media_type = kind.get_content_type() if headers.get("content-type") else ""
    if limits.media_types and response.status == 200 and media_type not in limits.media_types:
        raise PageUnavailable(f"it is not a text page ({media_type or 'no type given'})"[:120])
    if headers.get("content-length", "").isdecimal() and int(headers["content-length"]) > limits.max_bytes:
        raise PageUnavailable("it is too large")
    chunks = _decompressed(response.iter_stream(), headers.get("content-encoding", ""), limits.max_bytes)
    body = _gathered(chunks, limits.max_bytes)
    return Fetched(url, response.status, media_type, str(kind.get_content_charset() or ""), body)


def _decompressed(chunks: Iterator[bytes], encoding: str, max_bytes: int) -> Iterator[bytes]:
    """The chunks, each inflated to no more than the limit: a bomb is noticed before it fills the memory."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        yield from chunks
        return
    if name not in ("gzip", "x-gzip", "deflate"):
        raise PageUnavailable("its compression is not known")
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
    for chunk in chunks:
        yield inflater.decompress(chunk, max_bytes + 1)
        if inflater.unconsumed_tail:
            raise PageUnavailable("it is too large")


def _gathered(chunks: Iterator[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise PageUnavailable("it is too large")
    return bytes(body)
