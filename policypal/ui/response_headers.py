"""The headers of every response: what a browser may do with PolicyPal's pages, whatever is in them (X6).

Streamlit's own scripts need no code made from text and load nothing from elsewhere. Its styles are made by its scripts, and
a component's module is handed over as a blob, which is why those two are allowed. The components' frames are pages of
PolicyPal's own with their scripts inside, which only PolicyPal's pages may frame.
"""

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import streamlit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

_COMMON = {
    "default-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "media-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}


def _hashes() -> list[str]:
    """Of the scripts that stand inside Streamlit's own page."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    scripts = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


_PAGE = {
    **_COMMON,
    "script-src": f"'self' {' '.join(_hashes())} blob:",
    "worker-src": "'self' blob:",
    "frame-src": "'self'",
    "frame-ancestors": "'none'",
}
_FRAME = {**_COMMON, "script-src": "'self' 'unsafe-inline'", "frame-ancestors": "'self'"}
_FRAMES = "/component/"


class ResponseHeaders:
    """Adds them to what the application answers."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = headers(str(scope.get("path", "")))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in added}
                kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in own]
                message["headers"] = [*kept, *added]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def headers(path: str) -> list[tuple[bytes, bytes]]:
    """The headers of a response at this path."""
    is_frame = _FRAMES in path
    policy = "; ".join(f"{name} {sources}" for name, sources in (_FRAME if is_frame else _PAGE).items())
    told = {
        "content-security-policy": policy,
        "x-frame-options": "SAMEORIGIN" if is_frame else "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
    }
    return [(name.encode(), value.encode()) for name, value in told.items()]
