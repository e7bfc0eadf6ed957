"""The sign-in page: what PolicyPal is, and the ways in (U1, R6)."""

from typing import NoReturn, cast, get_args

import streamlit as st

from policypal.application import identity
from policypal.application.container import Container
from policypal.application.identity import LinkKind
from policypal.errors import EmailNotConfirmed, LinkExpired
from policypal.ui import deps, errors, session, state
from policypal.ui.markup import plain

_HERO = (
    '<div class="pp-hero"><h1>PolicyPal</h1>'
    "<p>Ask your policies and regulations, and see the sentence every answer rests on.</p>"
    "<p>Compare versions, audit a policy against a rule, and export the findings.</p>"
    "<p>Your library is your own: nobody else sees your documents.</p></div>"
)
_SHORTEST = "At least 6 characters"  # no installation of Supabase accepts fewer; one that asks for more says so
_LINKS: dict[str, tuple[str, str]] = {
    "recovery": ("Choose a new password", "Your link is ready. Continue to choose a new password."),
    "invite": ("Accept the invitation", "You have been invited. Continue to choose your password."),
    "email": ("Confirm your e-mail address", "One click confirms your address and signs you in."),
}


def show(app: Container) -> None:
    """Everything a signed-out visitor sees. The address stays, so that signing in leads to where one wanted to be."""
    about, way_in = st.columns([1.15, 1], gap="large")
    with about:
        st.html(_HERO)
    with way_in, st.container(border=True, key="sign_in_card"):
        said = st.container()  # its place is kept: what follows is not drawn twice when there is nothing more to say
        if words := st.session_state.get(state.SIGN_IN_SAYS):
            said.info(plain(words), icon=":material/info:")
        kind = _link_kind()
        if kind is not None:
            _offer_link(app, kind)
        else:
            _MODES.get(str(st.session_state.get(state.SIGN_IN_MODE)), _sign_in)(app)


def choose_password() -> None:
    """Ask for the new password after a link led here; the page goes on when it is set or put off."""
    middle = st.columns([1, 1.5, 1])[1]
    with middle, st.container(key="sign_in_card", border=True):
        st.html("<h1>Choose a new password</h1>")
        with st.form("new_password_form", border=False):
            password = st.text_input(
                "New password", type="password", autocomplete="new-password", placeholder=_SHORTEST
            )
            wanted = st.form_submit_button("Save password", type="primary", width="stretch")
        if wanted:
            with errors.shown():
                session.set_password(deps.container(), password)
                _password_settled("Your new password is set.")
        if st.button("Not now", key="password_later", type="tertiary"):
            _password_settled("Your password was not changed.")


def _password_settled(notice: str) -> None:
    state.forget(state.NEW_PASSWORD)
    state.done(notice)


def _link_kind() -> LinkKind | None:
    """What the link in the address is for; older e-mail templates say "signup" where newer ones say "email"."""
    kind = st.query_params.get(state.PARAM_TOKEN_TYPE, "").replace("signup", "email")
    known = state.PARAM_TOKEN in st.query_params and kind in get_args(LinkKind)
    return cast(LinkKind, kind) if known else None


def _offer_link(app: Container, kind: LinkKind) -> None:
    """A click redeems the link: mail scanners only look at addresses."""
    title, line = _LINKS[kind]
    st.html(f"<h2>{title}</h2><p>{line}</p>")
    with errors.shown():
        if not st.button("Continue", key="open_link", type="primary", width="stretch"):
            return
        token = st.query_params[state.PARAM_TOKEN]
        try:
            secret = identity.open_link(app, token, kind)
        except LinkExpired as expired:
            _forget_link()
            _switch("reset" if kind == "recovery" else "sign_in", expired.message)
        _forget_link()
        session.begin(secret)
        if kind != "email":
            st.session_state[state.NEW_PASSWORD] = True
        st.rerun()


def _forget_link() -> None:
    for name in (state.PARAM_TOKEN, state.PARAM_TOKEN_TYPE):
        st.query_params.pop(name, None)


def _sign_in(app: Container) -> None:
    if given := _asked("Sign in", "Sign in", "sign_in_form", "username", "current-password"):
        with errors.shown():
            try:
                secret = identity.sign_in(app, *given)
            except EmailNotConfirmed:
                _switch("confirm", address=given[0])
            _enter(secret)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        _way("Create an account", "sign_up")
        _way("Forgot your password?", "reset")


def _sign_up(app: Container) -> None:
    if given := _asked("Create an account", "Create account", "sign_up_form", "email", "new-password"):
        with errors.shown():
            secret = identity.sign_up(app, *given)
            if secret is None:
                _switch("confirm", address=given[0])
            _enter(secret)
    _way("Sign in instead", "sign_in")


def _reset(app: Container) -> None:
    about = "We send you a link with which you choose a new one."
    if given := _asked("Forgot your password?", "Send the link", "reset_form", "username", about=about):
        with errors.shown():
            identity.request_password_reset(app, given[0])
            _switch("sent", address=given[0])
    _way("Back to sign-in", "sign_in")


def _asked(
    title: str, submit: str, key: str, email_is: str, password_is: str = "", about: str = ""
) -> tuple[str, str] | None:
    """A form with an e-mail address and perhaps a password, which are what the browser fills them in as; both when it was submitted."""
    st.html(f"<h2>{title}</h2>")
    if about:
        st.caption(about)
    with st.form(key, border=False):
        typed, password = str(st.session_state.get(state.SIGN_IN_ADDRESS, "")), ""
        email = st.text_input("E-mail address", typed, autocomplete=email_is, placeholder="name@company.com")
        if password_is:
            hint = _SHORTEST if password_is == "new-password" else None
            password = st.text_input("Password", type="password", autocomplete=password_is, placeholder=hint)
        wanted = st.form_submit_button(submit, type="primary", width="stretch")
    return (email, password) if wanted else None


def _sent(app: Container) -> None:
    st.html("<h2>Look into your mailbox</h2>")
    address = plain(st.session_state.get(state.SIGN_IN_ADDRESS, ""))
    st.write(
        f"If there is an account for {address}, a message with a link is on its way. It can take a minute; look into the spam folder, too."
    )
    _way("Back to sign-in", "sign_in")


def _confirm(app: Container) -> None:
    st.html("<h2>Confirm your e-mail address</h2>")
    address = str(st.session_state.get(state.SIGN_IN_ADDRESS, ""))
    st.write(f"We have sent a message to {plain(address)}. Open the link in it, then sign in here.")
    st.caption(
        "No message? Look into the spam folder. If you have an account already, sign in or ask for a new password."
    )
    if st.button("Send it again", key="resend_confirmation", icon=":material/mail:"):
        with errors.shown():
            identity.resend_confirmation(app, address)
            st.success(
                "If the address still waits to be confirmed, the message is on its way. Please allow it a minute."
            )
    _way("Back to sign-in", "sign_in")


_MODES = {"sign_in": _sign_in, "sign_up": _sign_up, "reset": _reset, "sent": _sent, "confirm": _confirm}


def _way(label: str, mode: str) -> None:
    st.button(label, key=f"way_{mode}", type="tertiary", on_click=_set_mode, args=(mode,))


def _set_mode(mode: str, said: str = "") -> None:
    st.session_state[state.SIGN_IN_MODE] = mode
    st.session_state[state.SIGN_IN_SAYS] = said


def _switch(mode: str, said: str = "", *, address: str = "") -> NoReturn:
    """Show another part of the page at once."""
    _set_mode(mode, said)
    if address:
        st.session_state[state.SIGN_IN_ADDRESS] = address.strip()
    st.rerun()


def _enter(secret: str) -> None:
    session.begin(secret)
    st.rerun()
