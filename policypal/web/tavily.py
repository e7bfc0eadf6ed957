"""Tavily, through its own client (G3, R7)."""

from typing import Any

import requests
from pydantic import SecretStr
from tavily import BadRequestError, InvalidAPIKeyError, TavilyClient, UsageLimitExceededError
from tavily.errors import ForbiddenError
from tavily.errors import TimeoutError as TavilyTimeoutError

from policypal.errors import (
    WebQuotaExceeded,
    WebSearchAuthenticationFailed,
    WebSearchError,
    WebSearchOutputInvalid,
    WebSearchRateLimited,
    WebSearchTimeout,
)
from policypal.web.search import TAVILY_URL, PublicQuery, WebHit, refused_with, web_hit


class TavilySearch:
    """Tavily's basic search: one credit per query."""

    name, label = "tavily", "Tavily"

    def __init__(self, key: SecretStr, base_url: str | None = None, timeout_seconds: float = 8.0) -> None:
        session = requests.Session()
        session.max_redirects = 0  # a redirect could carry the key and the query to another host
        address = (base_url or TAVILY_URL).rstrip("/")
        self._client = TavilyClient(key.get_secret_value().strip(), api_base_url=address, session=session)
        self._timeout = timeout_seconds

    def search(self, query: PublicQuery, *, max_results: int) -> list[WebHit]:
        return _hits(self._answer(query.text, max_results))[:max_results]

    def _answer(self, query: str, max_results: int) -> Any:
        """What the client returns; what it raises in our words, which never repeat the provider's (they may hold the key)."""
        try:
            return self._client.search(query, search_depth="basic", max_results=max_results, timeout=self._timeout)
        except (TavilyTimeoutError, requests.Timeout):
            raise WebSearchTimeout from None
        except InvalidAPIKeyError:
            raise WebSearchAuthenticationFailed("Tavily refused the key. Please check TAVILY_API_KEY.") from None
        except ForbiddenError:  # 432 and 433: the plan's limit; 403 has no other meaning for a search
            raise WebQuotaExceeded("The search limit of your Tavily plan is reached.") from None
        except UsageLimitExceededError:
            raise WebSearchRateLimited from None
        except (BadRequestError, requests.TooManyRedirects, TypeError):  # TypeError: a status neither good nor bad
            raise WebSearchError("Tavily did not accept the search.", retryable=False) from None
        except (ValueError, AttributeError):  # no JSON, or not an object
            raise WebSearchOutputInvalid from None
        except requests.RequestException as error:
            raise refused_with(error.response.status_code if error.response is not None else None, "Tavily") from None


def _hits(answer: Any) -> list[WebHit]:
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise WebSearchOutputInvalid
    found = [
        web_hit(r.get("url"), r.get("title"), r.get("content"), r.get("published_date"), r.get("score"))
        for r in results
        if isinstance(r, dict)
    ]
    return [hit for hit in found if hit is not None]
