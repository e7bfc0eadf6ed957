"""One name for one page: the many ways in which its address can be written, reduced to one (W3)."""

import re
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

_TRACKING = frozenset(
    "gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ttclid twclid li_fat_id igshid mc_cid mc_eid mkt_tok srsltid"
    " oly_anon_id oly_enc_id vero_id _ga _gl _hsenc _hsmi __hssc __hstc __hsfp hsctatracking wickedid s_kwcid ef_id".split()
)
_TRACKING_FAMILIES = ("utm_", "pk_", "mtm_", "matomo_", "piwik_")
_UNRESERVED = "-._~"
_WWW = re.compile(r"^(?:www\.)+")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def normalised_url(url: str) -> str:
    """The key of the page at ``url``, an address that :func:`~policypal.web.search.safe_url` accepts.

    Scheme, "www.", case of the host, default port, fragment, trailing slash, tracking parameters, and the order of the
    others make no difference. It is for comparing; what is fetched and shown is the address as it was found.
    """
    parts = urlsplit(url)
    query = _query(parts.query)
    return f"https://{_host(parts)}{_path(parts.path)}" + (f"?{query}" if query else "")


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    try:
        host = host.encode("idna").decode()
    except UnicodeError:
        host = _escaped(host)
    name = f"[{host}]" if ":" in host else _WWW.sub("", host)
    return name if parts.port in (None, 80, 443) else f"{name}:{parts.port}"


def _path(path: str) -> str:
    kept: list[str] = []
    for segment in _escaped(path).split("/"):
        if segment == ".." and kept:
            kept.pop()
        elif segment not in ("", ".", ".."):
            kept.append(segment)
    return "".join(f"/{segment}" for segment in kept)


def _query(query: str) -> str:
    """Parameters of one name keep their order among themselves: it may mean something."""
    pairs = [_escaped(pair) for pair in query.split("&") if pair]
    kept = [pair for pair in pairs if not _is_tracking(pair.partition("=")[0].lower())]
    return "&".join(sorted(kept, key=lambda pair: pair.partition("=")[0]))


def _is_tracking(name: str) -> bool:
    return name in _TRACKING or name.startswith(_TRACKING_FAMILIES)


def _escaped(text: str) -> str:
    """Percent-encoded the same way whoever wrote it: unreserved characters bare, the others' escapes in capitals."""
    bare = _ESCAPES.sub(lambda found: _bare(found[0]), text)
    return quote(bare, safe="%!$&'()*+,;=:@/?" + _UNRESERVED, errors="replace")


def _bare(escapes: str) -> str:
    return quote(unquote_to_bytes(escapes), safe=_UNRESERVED)
