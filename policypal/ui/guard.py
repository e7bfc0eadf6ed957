"""Who is at work. Every page asks first, because a direct URL can run a page without ``app.py`` (U1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import streamlit as st

from policypal.application import identity
from policypal.application.container import local_analyst
from policypal.domain.users import User
from policypal.ui import deps, errors, session, state, style
from policypal.ui.markup import plain
from policypal.ui.shared import clicks, palette, sign_in

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_LINKS = (
    ("app.py", "Chat", ":material/forum:"),
    ("pages/documents.py", "Documents", ":material/library_books:"),
    ("pages/audit_reports.py", "Audit reports", ":material/fact_check:"),
    ("pages/research.py", "Research", ":material/travel_explore:"),
    ("pages/settings.py", "Settings", ":material/settings:"),
)


def navigation(pages: list[StreamlitPage]) -> StreamlitPage:
    """The page to run, in the frame of ``app.py``. Before somebody has signed in there is no way to other pages, but the
    address is kept: signing in leads to where one wanted to be."""
    _set_page()
    st.session_state[state.FRAMED] = True
    style.apply()
    _say_notice()
    is_known: bool | None = None
    with errors.shown():
        is_known = _user() is not None
    page = st.navigation(pages, position="sidebar" if is_known else "hidden")
    if is_known is None:  # what is wrong has been said; asking again in the page would take as long again
        st.stop()
    return page


def require_user() -> User:
    """The signed-in user, or the local analyst where there are no accounts (R6). A failure ends the page here, and so
    does the sign-in page, which a signed-out visitor sees instead."""
    if not st.session_state.get(state.FRAMED):
        _set_page()
        _say_notice()
    style.apply(is_framed=bool(st.session_state.get(state.FRAMED)))
    user = None
    with errors.shown(stop=True):
        user = _user()
    if user is None:
        _show_sign_in()
    if not st.session_state.get(state.FRAMED):
        _navigate_without_frame()
    if not user.is_local:
        _show_account(user)
    with st.sidebar:
        palette.button(deps.container(), user)
    clicks.listen()
    return user


def _set_page() -> None:
    st.set_page_config(page_title="PolicyPal", page_icon="📑", layout="wide")


def _user() -> User | None:
    app = deps.container()
    return session.user(app) if identity.has_accounts(app) else local_analyst(app)


def _show_sign_in() -> NoReturn:
    session.mount_cookie()
    with errors.shown():
        sign_in.show(deps.container())
    st.stop()


def _show_account(user: User) -> None:
    """The menu in the sidebar, and the page on which a link in an e-mail has a password chosen; the local analyst has neither."""
    session.mount_cookie()
    with (
        st.sidebar,
        st.popover(plain(user.email), icon=":material/account_circle:", width="stretch", key="account_menu"),
    ):
        st.caption(f"Signed in as {plain(user.email)}")
        if user.roles:
            st.caption(f"Roles: {plain(', '.join(user.roles))}")
        if st.button("Sign out", key="sign_out", icon=":material/logout:", width="stretch"):
            with errors.shown():
                session.end(deps.container())
                st.rerun()
    if st.session_state.get(state.NEW_PASSWORD):
        sign_in.choose_password()
        st.stop()


def _navigate_without_frame() -> None:
    """The first page after a start, opened by its address: the way to the others, until ``app.py`` has run."""
    with st.sidebar:
        for script, label, icon in _LINKS:
            st.page_link(script, label=label, icon=icon)


def _say_notice() -> None:
    if notice := state.take_notice():
        st.toast(notice)
