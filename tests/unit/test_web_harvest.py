"""Pages are read the way W4 says: robots.txt, limits, no private address however it is reached."""

from __future__ import annotations

import ipaddress
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from protego import Protego

from policypal.domain.web import safe_url
from policypal.errors import AddressRefused, PageUnavailable
from policypal.web.addresses import Deadline, checked_addresses, is_public
from policypal.web.fetch import Limits, fetch
from policypal.web.harvest import MAX_PAGE_BYTES, Harvested, Harvester
from policypal.web.robots import ROBOT
from policypal.web.search import web_hit
from tests.architecture.source_files import ROOT
from tests.support.web_servers import HTML, Reply, Site, article, compressed, dripping, hanging, redirect

RULE = "A bank must keep customer records for at least ten years after the end of the relationship."
MORE = "The Authority announced on Monday that the extended period applies to every bank from January onwards."


@pytest.fixture(scope="module")
def _site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def site(_site: Site) -> Site:
    _site.reset()
    return _site


def read(site: Site, path: str, *, seconds: float = 3.0, allowed: frozenset[str] | None = None) -> Harvested:
    hosts = frozenset({site.host}) if allowed is None else allowed
    (found,) = Harvester(seconds, allowed_hosts=hosts).harvest([site.url(path)])
    return found


def problem(found: Harvested) -> str:
    assert found.page is None and found.problem is not None
    return found.problem.message


def test_w4_the_text_is_stripped_of_boilerplate_and_hashed(site: Site) -> None:
    site.page("/rule", article("Records", RULE, MORE, published="2025-03-04"))
    page = read(site, "/rule").page
    assert page is not None
    assert RULE in page.text and MORE in page.text
    assert "Careers" not in page.text and "newsletter" not in page.text
    assert (page.title, page.published) == ("Records", "2025-03-04")
    site.page("/copy", article("Another title", RULE.replace(" ", "  "), MORE, published="2024-01-01"))
    copy = read(site, "/copy").page
    assert copy is not None and copy.text.splitlines()[-1] == page.text.splitlines()[-1]


def test_w4_copies_have_the_same_hash(site: Site) -> None:
    one, two = site.page("/a", article("Records", RULE, MORE)), site.page("/b", article("Records", RULE, MORE))
    harvested = Harvester(3.0, allowed_hosts=frozenset({site.host})).harvest([one, two])
    hashes = {h.page.content_hash for h in harvested if h.page}
    assert len(harvested) == 2 and len(hashes) == 1


def test_w4_by_default_no_local_server_is_read(site: Site) -> None:
    site.page("/rule", article("Records", RULE, MORE))
    found = read(site, "/rule", allowed=frozenset())
    assert isinstance(found.problem, AddressRefused)
    assert not site.requests, "not even robots.txt was asked for"


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1/admin",
        "http://127.0.0.1:22/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://10.0.0.8/",
        "http://localhost/",
    ],
)
def test_w4_a_redirect_to_a_private_address_is_refused(site: Site, target: str) -> None:
    site.page("/rule", redirect(target))
    assert isinstance(read(site, "/rule").problem, AddressRefused)


def test_w4_another_port_of_an_allowed_host_is_refused(site: Site) -> None:
    with Site() as other:
        other.page("/secret", article("Secret", RULE, MORE))
        site.page("/rule", redirect(other.url("/secret")))
        assert isinstance(read(site, "/rule").problem, AddressRefused)
        assert not other.requests


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://x/", "javascript:alert(1)", "http://a@b/", "//"])
def test_w4_a_redirect_to_something_else_than_a_page_is_refused(site: Site, target: str) -> None:
    site.page("/rule", redirect(target))
    assert read(site, "/rule").page is None


def test_w4_a_name_is_resolved_once_and_the_checked_address_is_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: whoever resolved the name again in order to connect would end up at another machine."""
    site.page("/rule", article("Records", RULE, MORE))
    port = site.host.partition(":")[2]
    asked: list[str] = []

    def resolve(host: str, port: object, *rest: object, **more: object) -> list[tuple[object, ...]]:
        if host == "rebinding.example":
            asked.append(host)
            host = f"127.0.0.{len(asked)}"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    allowed = frozenset({f"rebinding.example:{port}"})
    url = f"http://rebinding.example:{port}/rule"
    found = fetch(url, Limits(MAX_PAGE_BYTES), Deadline.after(3.0), allowed_hosts=allowed)
    assert RULE.encode() in found.body
    assert asked == ["rebinding.example"]
    assert site.requests[-1].headers["host"] == f"rebinding.example:{port}"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1:248:1893:25c8:1946", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("0.0.0.0", False), ("224.0.0.1", False), ("255.255.255.255", False), ("::1", False), ("fe80::1", False),
        ("fc00::1", False), ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False), ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False), ("::7f00:1", False), ("::ffff:0:127.0.0.1", False),
        ("64:ff9b:1::a00:1", False), ("fec0::1", False), ("::ffff:93.184.216.34", False), ("2001:db8::1", False),
        ("3fff::1", False), ("4000::1", False), ("ff0e::1", False), ("64:ff9b::5db8:d822", True), ("2a00:1450::1", True),
    ],
)  # fmt: skip
def test_w4_public_addresses(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def test_w4_loading_the_reader_of_pages_takes_nothing_of_the_first_pages_time(site: Site) -> None:
    """A fresh process on a busy machine: the import takes longer than the page may."""
    program = f"""
import sys, time
from policypal.web import harvest
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "trafilatura":
            time.sleep(2.0)
sys.meta_path.insert(0, Slow())
harvest._EXTRACTION_SECONDS = 0.5
found = harvest.Harvester(1.0, allowed_hosts=frozenset({{{site.host!r}}})).read({site.page("/rule", article("Records", RULE, MORE))!r})
print(found.problem or found.page.text)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert RULE in told.stdout, told.stderr


def test_w4_a_host_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int, **more: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", (a, port)) for a in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(AddressRefused):
        checked_addresses("mixed.example", 443)


def test_w4_only_the_ports_of_the_web(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AddressRefused):
        checked_addresses("93.184.216.34", 6379)


def test_w4_robots_txt_is_obeyed_and_asked_once_per_site(site: Site) -> None:
    site.robots("User-agent: *\nDisallow: /private\n\nUser-agent: PolicyPal\nDisallow: /drafts/*.html$\nAllow: /")
    paths = ["/drafts/a.html", "/private", "/drafts/a.html?x"]
    for path in paths:
        site.page(path.partition("?")[0], article("Records", RULE, MORE))
    harvester = Harvester(3.0, allowed_hosts=frozenset({site.host}))
    first, second, third = harvester.harvest([site.url(p) for p in paths])
    assert "does not allow robots" in problem(first)
    assert second.page is not None and third.page is not None
    assert site.visits("/drafts/a.html") == 1


def test_w4_a_redirect_into_a_forbidden_path_is_not_followed(site: Site) -> None:
    site.robots("User-agent: *\nDisallow: /private")
    site.page("/open", redirect("/private"))
    site.page("/private", article("Records", RULE, MORE))
    assert "does not allow robots" in problem(read(site, "/open"))
    assert site.visits("/private") == 0


def test_w4_a_site_whose_robots_txt_fails_is_left_alone(site: Site) -> None:
    site.page("/robots.txt", Reply(b"", 503))
    site.page("/rule", article("Records", RULE, MORE))
    assert "does not allow robots" in problem(read(site, "/rule"))
    assert site.visits("/rule") == 0


@pytest.mark.parametrize(
    ("robots", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/c", False),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: other\nUser-agent: policypal\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow: /*?print=", "/a?print=1", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/pdf", True),
        ("user-AGENT : * # all\nDISALLOW : /x # this", "/x", False),
        ("Disallow: /", "/x", True),
        ("\x00\xff{}<html>", "/x", True),
    ],
)
def test_w4_robots_rules(robots: str, path: str, allowed: bool) -> None:
    assert Protego.parse(robots).can_fetch(f"https://example.org{path}", ROBOT) is allowed


def test_w4_a_hostile_robots_txt_is_not_slow() -> None:
    rules = Protego.parse("User-agent: *\n" + "Disallow: /" + "*a" * 2000 + "b$\n")
    started = time.process_time()
    assert rules.can_fetch("https://example.org/" + "a" * 2000, ROBOT)
    assert time.process_time() - started < 0.5


def test_w4_time_outs(site: Site) -> None:
    site.page("/hang", hanging())
    site.page("/drip", dripping())
    started = time.monotonic()
    hosts = frozenset({site.host})
    found = Harvester(0.6, allowed_hosts=hosts).harvest([site.url("/hang"), site.url("/drip")])
    assert [problem(f) for f in found] == ["it did not answer in time"] * 2
    assert time.monotonic() - started < 3, "side by side, and no drop restarts the clock"


def test_w4_one_page_that_fails_keeps_none_from_being_read(site: Site) -> None:
    site.page("/good", article("Records", RULE, MORE))
    site.page("/hang", hanging())
    hosts = frozenset({site.host})
    good, bad, missing = Harvester(0.8, allowed_hosts=hosts).harvest([site.url(p) for p in ("/good", "/hang", "/404")])
    assert good.page is not None
    assert problem(bad) == "it did not answer in time"
    assert problem(missing) == "the site answered 404"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(b"%PDF-1.7", content_type="application/pdf"), "not a text page (application/pdf)"),
        (Reply(b"<p>x</p>", content_type=""), "no type given"),
        (Reply(b"a" * (MAX_PAGE_BYTES + 1), content_type=HTML), "too large"),
        (Reply(b"a" * (MAX_PAGE_BYTES + 1), content_type=HTML, sends_length=False), "too large"),
        (compressed(b"a" * (MAX_PAGE_BYTES * 20)), "too large"),
        (Reply(b"\x1f\x8bbroken", headers={"Content-Encoding": "gzip"}, content_type=HTML), "compression"),
        (Reply(b"x", headers={"Content-Encoding": "br"}, content_type=HTML), "compression"),
        (Reply(b"", content_type=HTML), "no text"),
        (Reply(b"\xff\xfe\x00" * 50, content_type=HTML), "no text"),
        (Reply(b"", 500, content_type=HTML), "answered 500"),
    ],
)
def test_w4_limits_and_kinds(site: Site, reply: Reply, said: str) -> None:
    site.page("/rule", reply)
    assert said in problem(read(site, "/rule"))


def test_w4_redirects_end(site: Site) -> None:
    site.page("/rule", redirect("/rule"))
    assert problem(read(site, "/rule")) == "too many redirects"
    assert site.visits("/rule") == 5


def test_w4_a_harmless_redirect_and_compression_are_understood(site: Site) -> None:
    site.page("/old", redirect("/new", 301))
    site.page("/new", compressed(article("Records", RULE, MORE)))
    page = read(site, "/old").page
    assert page is not None and page.url == site.url("/new") and RULE in page.text


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "no-such-charset"])
def test_w4_charsets(site: Site, charset: str) -> None:
    html = article("Registres", "La société doit conserver les registres pendant dix années après la fin.", MORE)
    body = html.encode("utf-8" if charset == "no-such-charset" else charset)
    site.page("/rule", Reply(body, content_type=f"text/html; charset={charset}"))
    page = read(site, "/rule").page
    assert page is not None and "société" in page.text


def test_x2_markers_and_invisible_characters_are_taken_out(site: Site) -> None:
    trap = f"{RULE} 📄1 🌐2 see\u202eabove\u200b and\u00ad below"
    site.page("/rule", article("Ti*t*le 📄7 <b>", trap, MORE))
    page = read(site, "/rule").page
    assert page is not None
    assert not set("📄🌐\u202e\u200b\u00ad") & set(page.text + page.title)
    assert "*" not in page.title and "<" not in page.title


@pytest.mark.parametrize(
    "url",
    [
        None, 7, "", "ftp://example.org/", "javascript:alert(1)", "https://user:pw@example.org/", "https://exa mple.org/",
        "https:///x", "http://[::1", "https://example.org:99999/", "https://example.org/\n", "https://e\\x/", "h" * 3000,
    ],
)  # fmt: skip
def test_x2_an_address_that_a_browser_should_not_open_is_no_hit(url: object) -> None:
    assert safe_url(url) is None
    assert web_hit(url, "Title") is None


def test_w4_a_parser_that_gives_up_is_a_page_that_was_not_read(site: Site) -> None:
    site.page("/rule", "<div>" * 200_000 + "x")
    assert read(site, "/rule", seconds=5).page is None


@given(st.text(alphabet="a1.-:/?#[]%@&=é日 ", min_size=1, max_size=30))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_w4_odd_addresses_are_refused_or_unavailable_and_nothing_else(rest: str) -> None:
    def resolve(host: object, port: object, *more: object, **named: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    if (url := safe_url(f"http://{rest}")) is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        with pytest.raises(PageUnavailable):
            fetch(url, Limits(1000), Deadline.after(1.0))


def test_w4_unknown_hosts_are_said() -> None:
    (found,) = Harvester(2.0).harvest(["https://does-not-exist.invalid/"])
    assert isinstance(found.problem, PageUnavailable)
