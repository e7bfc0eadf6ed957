"""Whether a search provider's address answers, without paying for a search (R8)."""

from __future__ import annotations

import requests

TAVILY_URL = "https://api.tavily.com"
EXA_URL = "https://api.exa.ai"


def answers(base_url: str, *, timeout_seconds: float = 5.0) -> bool:
    """Whether an HTTP server answers there, whatever it says. No key is sent: only a search would show that it is good,
    and a search costs one."""
    try:
        requests.head(base_url, timeout=timeout_seconds, allow_redirects=False).close()
    except requests.RequestException:
        return False
    return True
