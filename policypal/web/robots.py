"""What a site allows robots to read, by RFC 9309: the most specific rule wins, ``*`` and ``$`` are understood (W4)."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from policypal.concurrency import Joint
from policypal.errors import AddressRefused, PageUnavailable
from policypal.web.addresses import Deadline
from policypal.web.fetch import Limits, fetch

ROBOT = "policypal"
_MAX_BYTES = 512 * 1024
_RULES_SECONDS = 3600.0
_FAILURE_SECONDS = 300.0
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
    """Asks every site once, however many read it at the same time. A site without a robots.txt allows everything; one whose
    robots.txt cannot be had (server error, time-out) forbids everything until it can. What was learnt is asked again after
    an hour, a failure after five minutes."""

    allowed_hosts: frozenset[str] = frozenset()
    _known: dict[str, tuple[Rules, Deadline]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _asking: Joint[Rules] = field(default_factory=Joint)

    def check(self, url: str, deadline: Deadline) -> None:
        """
        Raises:
            PageUnavailable: the site does not want this page to be read by robots, or did not say so in time.
            AddressRefused: its address is not a public one.
        """
        if not self._rules(url, deadline).allow(url):
            raise PageUnavailable("the site does not allow robots to read it")

    def _rules(self, url: str, deadline: Deadline) -> Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}".lower()
        try:
            rules, _ = self._asking.run(site, lambda: self._remembered(site, deadline), deadline.left())
        except TimeoutError:
            raise PageUnavailable("it did not answer in time") from None
        return rules

    def _remembered(self, site: str, deadline: Deadline) -> Rules:
        with self._lock:
            known = self._known.get(site)
        if known is not None and known[1].left():
            return known[0]
        asked = self._asked(site, deadline)
        kept = _FAILURE_SECONDS if asked is FORBIDDEN else _RULES_SECONDS
        with self._lock:
            self._known = {s: k for s, k in self._known.items() if k[1].left()}
            self._known[site] = (asked, Deadline.after(kept))
        return asked

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
