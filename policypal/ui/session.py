"""Whose tab this is. Whenever that changes, everything the tab remembered is forgotten (X1). A cookie carries a sign-in over a
reload, a new tab and a restart (R6; docs/decisions/0010-identity.md): an invisible frame calls :mod:`policypal.ui.session_route` once
after signing in and once after signing out."""

from pathlib import Path
from uuid import uuid4

import streamlit as st
from streamlit.components.v1 import declare_component

from policypal.application import identity
from policypal.application.container import Container
from policypal.application.identity import is_secret
from policypal.domain.users import User
from policypal.errors import SessionEnded, SignInUnavailable, TooManyAttempts
from policypal.ui import session_route, state

_KEY = "session_frame"
_frame = declare_component("policypal_session", path=str(Path(__file__).with_name("session_frame")))


def user(app: Container) -> User | None:
    """Who is signed in in this tab, or in the browser it was opened in; None if nobody is. Raises SignInUnavailable:
    it cannot be told now."""
    secret = _secret()
    if not secret:
        return None
    try:
        found = identity.resume(app, secret)
    except SessionEnded as ended:
        _become("")
        st.session_state[state.SIGN_IN_SAYS] = ended.message
        return None
    st.session_state[state.SIGN_IN] = secret
    return found


def begin(secret: str) -> None:
    """The person with this secret works here from now on."""
    _become(secret)
    st.session_state[state.SIGN_IN] = secret


def end(app: Container) -> None:
    """Sign out: here, in the browser's other tabs, and at the server. The address is forgotten, too."""
    said = "You are signed out."
    try:
        identity.sign_out(app, _secret())
    except (SignInUnavailable, TooManyAttempts):
        said = "You are signed out in this browser. The sign-in service could not be told, because it does not answer."
    _become("")
    st.query_params.clear()
    st.session_state[state.SIGN_IN_SAYS] = said


def set_password(app: Container, password: str) -> None:
    """Give whoever is signed in a new password. Raises as :func:`identity.set_password`."""
    identity.set_password(app, _secret(), password)


def _secret() -> str:
    return str(st.session_state.get(state.SIGN_IN) or _cookie())


def _become(secret: str) -> None:
    """Forget everything, and have the browser keep ``secret``; an empty one removes the cookie (:func:`mount_cookie`)."""
    is_framed = bool(st.session_state.get(state.FRAMED))
    st.session_state.clear()
    if is_framed:
        st.session_state[state.FRAMED] = True
    st.session_state[state.COOKIE_VOID] = True
    st.session_state[state.COOKIE_TASK] = {"secret": secret, "at": str(uuid4())}


def _cookie() -> str:
    """The secret this tab was opened with; empty without one."""
    held = st.context.cookies.get(session_route.COOKIE)
    is_held = isinstance(held, str) and is_secret(held) and not st.session_state.get(state.COOKIE_VOID)
    return str(held) if is_held else ""


def mount_cookie() -> None:
    """Show the frame until it has told that the cookie is what it was to become. Its place is kept when it has gone, or
    everything after it would move up by one and be drawn twice for a moment."""
    place = st.container(key="session_cookie")
    task = state.mapping(state.COOKIE_TASK)
    told = st.session_state.get(_KEY)
    if not task or (isinstance(told, dict) and told.get("at") == task["at"]):
        state.forget(state.COOKIE_TASK)
        return
    with place:
        _frame(address=session_route.path(), header=session_route.HEADER, **task, key=_KEY, default=None)
