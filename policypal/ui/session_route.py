"""The one route PolicyPal adds to Streamlit's own: it sets and removes the sign-in cookie (R6).

A script cannot set a cookie that scripts cannot read; a server can. This module is imported before there is a Streamlit
runtime, so nothing here may show anything.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policypal.services.sign_ins import is_secret

COOKIE = "policypal_session"
HEADER = "X-PolicyPal-Session"


def path() -> str:
    """Where the route is, below the address the app is served under."""
    return f"{_base()}policypal/session"


def routes() -> list[Route]:
    return [Route(path(), _answer, methods=["POST", "DELETE"])]


async def _answer(request: Request) -> Response:
    """Set (POST) or remove (DELETE) the cookie. Nothing is looked up: a made-up secret is a cookie without effect."""
    secret = request.headers.get(HEADER, "")
    if not _is_from_own_page(request) or (request.method == "POST" and not is_secret(secret)):
        return Response(status_code=403)
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
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
