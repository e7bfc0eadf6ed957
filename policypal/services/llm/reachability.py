"""Whether the model provider can be reached with the configured key, without paying for an answer (R8)."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any

from policypal.errors import ConfigurationError, ModelAuthenticationFailed, ModelError
from policypal.services.llm.provider_access import ProviderAccess


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could carry the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def check_reachable(access: ProviderAccess, *, timeout_seconds: float = 5.0) -> None:
    """Ask for the provider's list of models. A server that answers anything but "who are you?" counts as reachable:
    not every compatible endpoint has that list.

    Raises:
        ModelAuthenticationFailed: the provider refuses the key.
        ModelError: no answer in time.
        ConfigurationError: the address is not an HTTP address.
    """
    url = access.base_url.rstrip("/") + "/models"
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError("OPENAI_BASE_URL is not an http(s) address.")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {access.key.get_secret_value()}"})
    try:
        urllib.request.build_opener(_NoRedirect).open(request, timeout=timeout_seconds).close()
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403):
            raise ModelAuthenticationFailed from None
        if error.code >= 500:
            raise ModelError(f"The model provider answers with an error of its own ({error.code}).") from None
    except (OSError, ValueError) as error:  # URLError and time-outs are OSErrors; a broken answer is a ValueError
        raise ModelError("The model provider did not answer within five seconds.") from error
