"""Exa, through its own client (G3, R7)."""

import re
from typing import Any

import requests
from exa_py import Exa
from exa_py.errors import ExaTimeoutError
from pydantic import SecretStr

from policypal.errors import (
    WebQuotaExceeded,
    WebSearchAuthenticationFailed,
    WebSearchError,
    WebSearchOutputInvalid,
    WebSearchRateLimited,
    WebSearchTimeout,
)
from policypal.web.search import EXA_URL, PublicQuery, WebHit, refused_with, web_hit

_STATUS = re.compile(r"Request failed with status code (\d{3})\b")


class ExaSearch:
    """Exa's search with the passages of each page that fit the query."""

    name, label = "exa", "Exa"

    def __init__(self, key: SecretStr, base_url: str | None = None, timeout_seconds: float = 8.0) -> None:
        self._client = Exa(
            key.get_secret_value().strip(), base_url=(base_url or EXA_URL).rstrip("/"), timeout=timeout_seconds
        )

    def search(self, query: PublicQuery, *, max_results: int) -> list[WebHit]:
        answer = self._answer(query.text, max_results)
        results = getattr(answer, "results", None)
        if not isinstance(results, list):
            raise WebSearchOutputInvalid
        hits = [web_hit(r.url, r.title, _excerpt(r), r.published_date, r.score) for r in results]
        return [hit for hit in hits if hit is not None][:max_results]

    def _answer(self, query: str, max_results: int) -> Any:
        """What the client returns; what it raises in our words, which never repeat the provider's (they may hold the key)."""
        try:
            return self._client.search(query, num_results=max_results, type="auto", contents={"highlights": True})
        except ExaTimeoutError:
            raise WebSearchTimeout from None
        except requests.RequestException:
            raise WebSearchError from None
        except ValueError as error:
            raise _failure(str(error)) from None
        except (KeyError, TypeError, AttributeError):  # an answer without the parts the client takes for granted
            raise WebSearchOutputInvalid from None


def _failure(told: str) -> WebSearchError:
    """The client tells a status in words only."""
    found = _STATUS.match(told)
    status = int(found[1]) if found else 0
    if not status:
        return WebSearchOutputInvalid()
    if status in (401, 403):
        return WebSearchAuthenticationFailed("Exa refused the key. Please check EXA_API_KEY.")
    if status == 402:
        return WebQuotaExceeded("The credits of your Exa account are used up.")
    if status == 429:
        return WebSearchRateLimited()
    return refused_with(status, "Exa")


def _excerpt(result: Any) -> str:
    """The page's passages, apart: they do not follow one another on the page."""
    highlights = getattr(result, "highlights", None)
    if isinstance(highlights, list):
        return "\n\n".join(h for h in highlights if isinstance(h, str))
    return ""
