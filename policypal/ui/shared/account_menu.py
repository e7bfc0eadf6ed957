"""Who is signed in, and the way out (R6)."""

import streamlit as st

from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import errors, session
from policypal.ui.markup import plain


def show(app: Container, user: User) -> None:
    """The menu in the sidebar; the local analyst has none."""
    if user.is_local:
        return
    with (
        st.sidebar,
        st.popover(plain(user.email), icon=":material/account_circle:", width="stretch", key="account_menu"),
    ):
        st.caption(f"Signed in as {plain(user.email)}")
        if user.roles:
            st.caption(f"Roles: {plain(', '.join(user.roles))}")
        if st.button("Sign out", key="sign_out", icon=":material/logout:", width="stretch"):
            with errors.shown():
                session.end(app)
                st.rerun()
