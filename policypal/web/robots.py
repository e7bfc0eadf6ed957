"""What a site allows robots to read, by RFC 9309 (W4)."""

import threading
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from protego import Protego

from policypal.concurrency import Joint
from policypal.errors import AddressRefused, PageUnavailable
from policypal.web.addresses import Deadline
from policypal.web.fetch import Limits, fetch

ROBOT = "policypal"
_MAX_BYTES = 512 * 1024
_RULES_SECONDS = 3600.0
_FAILURE_SECONDS = 300.0


FORBIDDEN = Protego.parse("User-agent: *\nDisallow: /")


@dataclass(slots=True)
class Robots:
    """Asks every site once, however many read it at the same time. A site without a robots.txt allows everything; one whose
    robots.txt cannot be had (server error, time-out) forbids everything until it can. What was learnt is asked again after
    an hour, a failure after five minutes."""

    allowed_hosts: frozenset[str] = frozenset()
    _known: dict[str, tuple[Protego, Deadline]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _asking: Joint[Protego] = field(default_factory=Joint)

    def check(self, url: str, deadline: Deadline) -> None:
        """Raises PageUnavailable: the site does not want this page to be read by robots, or did not say so in time;
        AddressRefused: its address is not a public one."""
        if not self._rules(url, deadline).can_fetch(url, ROBOT):
            raise PageUnavailable("the site does not allow robots to read it")

    def _rules(self, url: str, deadline: Deadline) -> Protego:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}".lower()
        try:
            rules, _ = self._asking.run(site, lambda: self._remembered(site, deadline), deadline.left())
        except TimeoutError:
            raise PageUnavailable("it did not answer in time") from None
        return rules

    def _remembered(self, site: str, deadline: Deadline) -> Protego:
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

    def _asked(self, site: str, deadline: Deadline) -> Protego:
        try:
            found = fetch(f"{site}/robots.txt", Limits(_MAX_BYTES), deadline, allowed_hosts=self.allowed_hosts)
        except AddressRefused:
            raise
        except PageUnavailable:
            return FORBIDDEN
        if found.status >= 500:
            return FORBIDDEN
        return Protego.parse(found.body.decode("utf-8", "replace") if found.status == 200 else "")
