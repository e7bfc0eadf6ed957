"""The composer: text with @Titles, and a draft to audit (U3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import NAMESPACE_OID, uuid5

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from policypal.application import ask
from policypal.application.ask import Draft, Request
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.errors import InvalidInput, PolicyPalError
from policypal.ui import errors, state
from policypal.ui.widgets import pal_reasoning

DRAFT_TYPES = ("txt", "md")
_KEY = "composer"
_MOST_DRAFT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Submission:
    """What was typed, and for which conversation."""

    thread_id: str
    text: str
    draft: Draft | None


def show(thread_id: str, *, placeholder: str, disabled: bool) -> None:
    """The input line of a conversation. What is submitted waits in the session until it was sent."""
    state.nonce(state.COMPOSER_NONCE)
    st.chat_input(
        placeholder, key=_KEY, accept_file=True, file_type=list(DRAFT_TYPES), disabled=disabled, on_submit=_keep, args=(thread_id,),
        max_chars=ask.MAX_MESSAGE_CHARACTERS,
    )  # fmt: skip


def submission() -> Submission | None:
    """What was submitted and not sent yet.

    Raises:
        InvalidInput: the attached file is too long or no text; the message is kept as unsent.
    """
    submitted = state.mapping(state.SUBMITTED)
    if not submitted:
        return None
    if submitted["problem"]:
        st.session_state[state.UNSENT] = submitted["text"]
        state.forget(state.SUBMITTED)
        raise InvalidInput(submitted["problem"])
    draft = Draft(submitted["name"], submitted["draft"]) if submitted["name"] else None
    return Submission(submitted["thread"], submitted["text"], draft)


def send(app: Container, user: User, thread_id: str, message: str, draft: Draft | None = None) -> None:
    """Send a message and show its conversation. What cannot be sent is kept and shown with the reason."""
    request = Request(message=message, draft=draft, idempotency_key=_idempotency_key(thread_id, message, draft))
    try:
        ask.send(app, user, thread_id, request)
    except PolicyPalError as error:
        st.session_state[state.UNSENT] = message
        state.forget(state.SUBMITTED)
        errors.show(error.title, error.message)
        show_unsent()
        return
    state.forget(state.SUBMITTED)
    state.renew(state.COMPOSER_NONCE)
    state.forget(state.UNSENT, state.NEW_THREAD, state.OPEN_SOURCE)
    pal_reasoning.begin(thread_id)
    st.session_state[state.THREAD] = thread_id
    st.query_params[state.PARAM_THREAD] = thread_id
    st.rerun()


def show_unsent() -> None:
    """The message that could not be sent, to copy."""
    if unsent := st.session_state.get(state.UNSENT):
        st.caption("Your message was not sent. You can copy it from here:")
        st.code(str(unsent), language=None, wrap_lines=True)


def _keep(thread_id: str) -> None:
    """Runs before the page does. The page may find that a question came up meanwhile and disable the composer, which would
    drop the value; and a click elsewhere may end the page before it has sent it."""
    given = st.session_state.get(_KEY)
    if given is None:
        return
    name, draft, problem = _draft(list(given.files))
    st.session_state[state.SUBMITTED] = {
        "thread": thread_id, "text": given.text or "", "name": name, "draft": draft, "problem": problem,
    }  # fmt: skip


def _draft(files: list[UploadedFile]) -> tuple[str, str, str]:
    """The attached file's name and text, or what is wrong with it."""
    if not files:
        return "", "", ""
    data = files[0].getvalue()
    if len(data) > _MOST_DRAFT_BYTES:
        return "", "", "This draft is longer than 1 MB. Please add it to your documents and audit it from there."
    try:
        return files[0].name, data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return "", "", "This draft is not UTF-8 text. Please save it as a text file and attach it again."


def _idempotency_key(thread_id: str, message: str, draft: Draft | None) -> str:
    """One key per composer shown and content. The nonce alone would be wrong: if the page is interrupted after sending and
    before a new nonce is drawn, the next, different message would pass for the same one."""
    digest = hashlib.sha256((draft.text if draft else "").encode("utf-8", "replace")).hexdigest()
    parts = (state.nonce(state.COMPOSER_NONCE), thread_id, message, draft.name if draft else "", digest)
    return str(uuid5(NAMESPACE_OID, "\n".join(parts)))
