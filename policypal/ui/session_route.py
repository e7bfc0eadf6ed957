"""What PolicyPal adds to Streamlit's own server: a route that sets and removes the sign-in cookie (R6), one that tells
whether this process can work (R8), and the headers of every response (X6).

A script cannot set a cookie that scripts cannot read; a server can. This module is imported before there is a Streamlit
runtime, so nothing here may show anything.
"""

import asyncio
import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from policypal.application.identity import is_secret
from policypal.application.readiness import Lookout
from policypal.ui import deps

COOKIE = "policypal_session"
HEADER = "X-PolicyPal-Session"
_NOT_STORED = {"Cache-Control": "no-store"}
_lookout = Lookout(deps.container)


def path() -> str:
    """Where the route is, below the address the app is served under."""
    return f"{_base()}policypal/session"


def routes() -> list[Route]:
    return [
        Route(path(), _answer, methods=["POST", "DELETE"]),
        Route(f"{_base()}policypal/ready", _ready, methods=["GET"]),
    ]


def middleware() -> list[Middleware]:
    return [Middleware(ResponseHeaders)]


async def _ready(request: Request) -> Response:
    """200 or 503, with what monitoring wants to know and no secret."""
    seen = await asyncio.to_thread(_lookout.look)
    return JSONResponse(seen.record(), status_code=503 if seen.problem else 200, headers=_NOT_STORED)


async def _answer(request: Request) -> Response:
    """Set (POST) or remove (DELETE) the cookie. Nothing is looked up: a made-up secret is a cookie without effect."""
    secret = request.headers.get(HEADER, "")
    if not _is_from_own_page(request) or (request.method == "POST" and not is_secret(secret)):
        return Response(status_code=403)
    response = Response(status_code=204, headers=_NOT_STORED)
    if request.method == "DELETE":
        response.delete_cookie(COOKIE, path=_base(), httponly=True, samesite="strict")
    else:
        is_secure = urlsplit(request.headers.get("origin", "")).scheme == "https"
        response.set_cookie(COOKIE, secret, path=_base(), httponly=True, samesite="strict", secure=is_secure)
    return response


def _is_from_own_page(request: Request) -> bool:
    """No other site may sign somebody in here as somebody else."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = urlsplit(request.headers.get("origin", ""))
    return bool(origin.netloc) and origin.netloc == request.headers.get("host")


def _base() -> str:
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/" if base else "/"


# What a browser may do with PolicyPal's pages, whatever is in them. Streamlit's own scripts need no code made from text and load nothing
# from elsewhere. Its styles are made by its scripts, and a component's module is handed over as a blob, which is why those two are allowed.
# The components' frames are pages of PolicyPal's own with their scripts inside, which only PolicyPal's pages may frame.
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
    page = Path(st.__file__).with_name("static") / "index.html"
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


class ResponseHeaders:
    """Adds them to what the application answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_headers(is_frame="/component/" in str(scope.get("path", ""))))
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _headers(*, is_frame: bool) -> dict[str, str]:
    policy = "; ".join(f"{name} {sources}" for name, sources in (_FRAME if is_frame else _PAGE).items())
    return {
        "content-security-policy": policy,
        "x-frame-options": "SAMEORIGIN" if is_frame else "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
    }
