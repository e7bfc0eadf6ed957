"""Whose tab this is. Whenever that changes, everything the tab remembered is forgotten (X1)."""

import streamlit as st

from policypal.application import identity
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.errors import SessionEnded, SignInUnavailable, TooManyAttempts
from policypal.ui import session_cookie, state


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
    return str(st.session_state.get(state.SIGN_IN) or session_cookie.value())


def _become(secret: str) -> None:
    is_framed = bool(st.session_state.get(state.FRAMED))
    st.session_state.clear()
    if is_framed:
        st.session_state[state.FRAMED] = True
    session_cookie.become(secret)
