"""The composer: text with @Titles, and a draft to audit (U3)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, uuid5

import streamlit as st

from policypal.application import ask
from policypal.application.ask import Draft, Request
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.errors import InvalidInput, PolicyPalError
from policypal.ui import errors, state
from policypal.ui.widgets import pal_reasoning

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

DRAFT_TYPES = ("txt", "md")
_MOST_DRAFT_BYTES = 1_000_000


def show(*, placeholder: str, disabled: bool) -> tuple[str, list[UploadedFile]] | None:
    """The input line; what was submitted, once."""
    state.nonce(state.COMPOSER_NONCE)
    given = st.chat_input(
        placeholder, key="composer", accept_file=True, file_type=list(DRAFT_TYPES), disabled=disabled,
        max_chars=ask.MAX_MESSAGE_CHARACTERS,
    )  # fmt: skip
    if given is None:
        return None
    return given.text or "", list(given.files)


def send(app: Container, user: User, thread_id: str, message: str, draft: Draft | None = None) -> None:
    """Send a message and show its conversation. What cannot be sent is kept and shown with the reason."""
    request = Request(message=message, draft=draft, idempotency_key=_idempotency_key(thread_id, message, draft))
    try:
        ask.send(app, user, thread_id, request)
    except PolicyPalError as error:
        st.session_state[state.UNSENT] = message
        errors.show(error.title, error.message)
        show_unsent()
        return
    state.renew(state.COMPOSER_NONCE)
    state.forget(state.UNSENT, state.NEW_THREAD, state.OPEN_SOURCE)
    pal_reasoning.begin(thread_id)
    st.session_state[state.THREAD] = thread_id
    st.query_params[state.PARAM_THREAD] = thread_id
    st.rerun()


def draft_of(files: list[UploadedFile]) -> Draft | None:
    """The attached text.

    Raises:
        InvalidInput: it is too long or no text.
    """
    if not files:
        return None
    data = files[0].getvalue()
    if len(data) > _MOST_DRAFT_BYTES:
        raise InvalidInput("This draft is longer than 1 MB. Please add it to your documents and audit it from there.")
    try:
        return Draft(files[0].name, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("This draft is not UTF-8 text. Please save it as a text file and attach it again.") from None


def show_unsent() -> None:
    """The message that could not be sent, to copy."""
    if unsent := st.session_state.get(state.UNSENT):
        st.caption("Your message was not sent. You can copy it from here:")
        st.code(str(unsent), language=None, wrap_lines=True)


def _idempotency_key(thread_id: str, message: str, draft: Draft | None) -> str:
    """One key per composer shown and content. The nonce alone would be wrong: if the page is interrupted after sending and
    before a new nonce is drawn, the next, different message would pass for the same one."""
    digest = hashlib.sha256((draft.text if draft else "").encode("utf-8", "replace")).hexdigest()
    parts = (state.nonce(state.COMPOSER_NONCE), thread_id, message, draft.name if draft else "", digest)
    return str(uuid5(NAMESPACE_OID, "\n".join(parts)))
