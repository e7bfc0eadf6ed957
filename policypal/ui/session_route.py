"""What PolicyPal adds to Streamlit's own server: a route that sets and removes the sign-in cookie (R6), one that tells
whether this process can work (R8), and the headers of every response (X6).

A script cannot set a cookie that scripts cannot read; a server can. This module is imported before there is a Streamlit
runtime, so nothing here may show anything.
"""

import asyncio
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from policypal.application.identity import is_secret
from policypal.application.readiness import Lookout
from policypal.ui import deps
from policypal.ui.response_headers import ResponseHeaders

COOKIE = "policypal_session"
HEADER = "X-PolicyPal-Session"
READY = "policypal/ready"
_NOT_STORED = {"Cache-Control": "no-store"}
_lookout = Lookout(deps.container)


def path() -> str:
    """Where the route is, below the address the app is served under."""
    return f"{_base()}policypal/session"


def routes() -> list[Route]:
    return [Route(path(), _answer, methods=["POST", "DELETE"]), Route(f"{_base()}{READY}", _ready, methods=["GET"])]


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
