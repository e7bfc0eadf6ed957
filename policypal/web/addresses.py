"""Which machines may be reached: public ones only, checked after the name was resolved, and connected to at exactly the
address that was checked, so that a second resolution cannot lead elsewhere (W4)."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from policypal.errors import AddressRefused, PageUnavailable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_WEB_PORTS = frozenset({80, 443})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_DOCUMENTATION = ipaddress.ip_network("3fff::/20")


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of the monotonic clock by which something must be over."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds until then; 0 once it has passed."""
        return max(0.0, self.at - time.monotonic())


def is_public(address: Address) -> bool:
    """Whether the address is one of the public Internet, and so is every IPv4 address that it carries inside."""
    inner = _embedded(address)
    return _is_global(address) and not address.is_multicast and (inner is None or is_public(inner))


def _is_global(address: Address) -> bool:
    """What Python calls global, of version 6 only what is assigned for it or translates to version 4: older Pythons take
    site-local, translated and IPv4-compatible addresses for global ones."""
    if isinstance(address, ipaddress.IPv6Address):
        is_assigned = address in _GLOBAL_UNICAST and address not in _DOCUMENTATION
        if not is_assigned and address not in _NAT64:
            return False
    return address.is_global


def _embedded(address: Address) -> Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    tunnel = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or tunnel


def checked_addresses(host: str, port: int, allowed: frozenset[str] = frozenset()) -> list[str]:
    """The addresses of ``host``, once all of them were found to be public.

    ``allowed`` are "host:port" pairs for which private addresses are accepted: for tests against local servers. Raises
    AddressRefused: the port is not one of the web, or one of the addresses is not public; PageUnavailable: the name has
    no address."""
    is_allowed = f"{host}:{port}" in allowed
    if not is_allowed and port not in _WEB_PORTS:
        raise AddressRefused(f"port {port} is not one of the web")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise PageUnavailable("the host is not known") from None
    addresses = list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))
    if not is_allowed and not all(is_public(ipaddress.ip_address(a)) for a in addresses):
        raise AddressRefused("the host has an address that is not public")
    return addresses


class CheckedNetwork(httpcore.NetworkBackend):
    """Connects to checked addresses only, and lets nothing last beyond ``deadline``: not a slow header, not a handshake."""

    def __init__(self, deadline: Deadline, allowed: frozenset[str] = frozenset()) -> None:
        self._deadline = deadline
        self._allowed = allowed
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: httpcore.NetworkError | httpcore.TimeoutException | None = None
        for address in checked_addresses(host, port, self._allowed)[:3]:
            try:
                stream = self._backend.connect_tcp(address, port, timeout=_within(timeout, self._deadline))
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failure = error
            else:
                return _TimedStream(stream, self._deadline)
        raise failure or httpcore.ConnectError("no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise AddressRefused("not an address of the web")


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every step ends by the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _within(timeout, self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _within(timeout, self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _within(timeout, self._deadline))
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _within(timeout: float | None, deadline: Deadline) -> float:
    """Seconds for one step.

    Raises:
        httpcore.ReadTimeout: the deadline has passed.
    """
    left = deadline.left()
    if not left:
        raise httpcore.ReadTimeout("the time for this page is over")
    return left if timeout is None else min(timeout, left)
