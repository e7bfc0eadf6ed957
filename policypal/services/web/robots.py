"""What a site allows robots to read, by RFC 9309: the most specific rule wins, ``*`` and ``$`` are understood (W4)."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from policypal.errors import AddressRefused, PageUnavailable
from policypal.services.web.addresses import Deadline
from policypal.services.web.fetch import Limits, fetch

ROBOT = "policypal"
_MAX_BYTES = 512 * 1024
_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#\r\n]*)")


@dataclass(frozen=True, slots=True)
class Rules:
    """Of one site: (path pattern, allowed?)."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allow(self, url: str) -> bool:
        """Whether ``url`` may be read. Of several matching rules the longest decides; of two equally long, "allow"."""
        parts = urlsplit(url)
        path = unquote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        matching = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(pattern, path)]
        return max(matching)[1] if matching else True


FORBIDDEN = Rules((("/", False),))


def parse_robots(text: str) -> Rules:
    """The rules that apply to PolicyPal: its own groups if there are any, else those for everybody."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    agents: list[str] = []
    in_rules = False
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        key, value = found[1].lower(), found[2].strip()
        if key == "user-agent":
            agent = value.lower().partition("/")[0].strip()
            agents = [agent] if in_rules else [*agents, agent]
            in_rules = False
            groups.setdefault(agent, [])
        elif key in ("allow", "disallow"):
            in_rules = True
            for name in agents if value else ():
                groups[name].append((unquote(value), key == "allow"))
    return Rules(tuple(groups.get(ROBOT, groups.get("*", []))))


def _matches(pattern: str, path: str) -> bool:
    """``pattern`` is a prefix in which "*" stands for anything and a final "$" for the end. Matched piece by piece, so that
    a hostile file cannot make it slow."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return at == len(path) or not anchored
    for piece in rest[:-1]:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    last = rest[-1]
    return (path.endswith(last) and len(path) - len(last) >= at) if anchored else path.find(last, at) >= 0


@dataclass(slots=True)
class Robots:
    """Asks every site once per harvest. A site without a robots.txt allows everything; one whose robots.txt cannot be had
    (server error, time-out) forbids everything until it can."""

    allowed_hosts: frozenset[str] = frozenset()
    _known: dict[str, Rules] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, url: str, deadline: Deadline) -> None:
        """
        Raises:
            PageUnavailable: the site does not want this page to be read by robots.
            AddressRefused: its address is not a public one.
        """
        if not self._rules(url, deadline).allow(url):
            raise PageUnavailable("the site does not allow robots to read it")

    def _rules(self, url: str, deadline: Deadline) -> Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}".lower()
        with self._lock:
            known = self._known.get(site)
        if known is None:
            known = self._asked(site, deadline)
            with self._lock:
                self._known[site] = known
        return known

    def _asked(self, site: str, deadline: Deadline) -> Rules:
        try:
            found = fetch(f"{site}/robots.txt", Limits(_MAX_BYTES), deadline, allowed_hosts=self.allowed_hosts)
        except AddressRefused:
            raise
        except PageUnavailable:
            return FORBIDDEN
        if found.status >= 500:
            return FORBIDDEN
        return parse_robots(found.body.decode("utf-8", "replace")) if found.status == 200 else Rules()
