"""The message field of a conversation: tags, text, a draft to audit; and sending what was written (U3, U6)."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

import streamlit as st

from policypal.application import ask, library, sets
from policypal.application.ask import Draft, Request
from policypal.application.container import Container
from policypal.application.drafts import read_draft
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentSet, DocumentStatus, DocumentType
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.domain.versions import superseded_by, version_families
from policypal.errors import InvalidInput, PolicyPalError
from policypal.ui import errors, state
from policypal.ui.chat import conversation_list, pal_reasoning, scope_bar
from policypal.ui.chat.tiptap_composer import Submission, Suggestion, plain_document, tiptap_composer
from policypal.ui.markup import plain

_SOON_SECONDS = 0.3


def show(
    thread_id: str, suggestions: Sequence[Suggestion], *, placeholder: str, disabled: bool,
    on_stop: Callable[[], None] | None = None,
) -> None:  # fmt: skip
    """The field of a conversation. What is submitted waits in the session until it was sent: a click elsewhere may end
    the page at any later call. While there is something to stop, its button does that."""
    state.nonce(state.COMPOSER_NONCE)
    unsent = state.mapping(state.UNSENT)
    returned = unsent if _comes_back(unsent, thread_id) else {}
    with errors.shown():
        submitted = tiptap_composer(
            suggestions=suggestions, key=f"composer-{thread_id}", disabled=disabled, placeholder=placeholder,
            draft=returned.get("content"),
            draft_revision=returned.get("revision", 0), fallback=_is_plain(), on_stop=on_stop,
        )  # fmt: skip
        if submitted is not None:
            st.session_state[state.SUBMITTED] = {"thread": thread_id, **asdict(submitted)}


def waiting() -> tuple[str, Submission] | None:
    """What was submitted and not sent yet, and for which conversation."""
    kept = state.mapping(state.SUBMITTED)
    return (kept.pop("thread"), Submission(**kept)) if kept else None


def send(app: Container, user: User, thread_id: str, submission: Submission) -> None:
    """Send a message and show its conversation. What cannot be sent comes back with the reason."""
    try:
        ask.send(app, user, thread_id, _request(app, user, thread_id, submission))
    except PolicyPalError as error:
        give_back(thread_id, submission, error)
    state.forget(state.SUBMITTED)
    state.renew(state.COMPOSER_NONCE)
    state.forget(state.UNSENT, state.NEW_THREAD, state.OPEN_SOURCE)
    pal_reasoning.begin(thread_id)
    state.show_thread(state.THREAD, thread_id)
    if app.engine.name == "extractive":  # which answers in less time than the page takes to draw a conversation twice
        ask.wait(app, user, thread_id, _SOON_SECONDS)
    st.rerun()


def send_text(app: Container, user: User, thread_id: str, text: str) -> None:
    """Send what a button stands for. Two clicks on it are one message: the second may come before the first was told."""
    nonce = state.once(state.COMPOSER_NONCE, text)
    send(app, user, thread_id, Submission(plain_document(text), (), nonce, is_plain=True))


def give_back(thread_id: str, submission: Submission, error: PolicyPalError) -> None:
    """Run the page anew with the message in its field again, and the reason. Nothing that was typed is lost (M8)."""
    st.session_state[state.UNSENT] = {
        **_held(thread_id, submission.content), "plain": submission.is_plain, "files": [name for name, _ in submission.files],
        "title": error.title, "message": error.message,
    }  # fmt: skip
    state.forget(state.SUBMITTED)
    st.rerun()


def show_unsent(thread_id: str) -> None:
    """Why the last message was not sent; and the message to copy, where it could not be put back into its field."""
    unsent = state.mapping(state.UNSENT)
    if "title" not in unsent:
        return
    errors.show(unsent["title"], unsent["message"])
    if not _comes_back(unsent, thread_id):
        st.caption("Your message was not sent. You can copy it from here:")
        st.code(_text(unsent["content"]), language=None, wrap_lines=True)
    elif unsent["files"]:
        st.caption(f"Your message is in its field again. Please attach {plain(', '.join(unsent['files']))} once more.")


def draft(app: Container, submission: Submission) -> Draft | None:
    """The attached file as text, if there is one. Raises DocumentRejected: it cannot be read."""
    if not submission.files:
        return None
    name, data = submission.files[0]
    with st.spinner(f"Reading {plain(name)} …"):
        return read_draft(app, name, data)


def _request(app: Container, user: User, thread_id: str, submission: Submission) -> Request:
    """A nonce belongs to one submission; with the thread it makes every repetition of it the same message."""
    key, attached = uuid5(NAMESPACE_OID, f"{submission.nonce}\n{thread_id}"), draft(app, submission)
    scope = scope_bar.current(app, user)
    return Request(composer=submission.content, draft=attached, idempotency_key=str(key), scope=scope)


def _comes_back(unsent: dict[str, object], thread_id: str) -> bool:
    """Whether an unsent message can be put back into the field of this conversation: it was written there with the editor."""
    return bool(unsent) and unsent["thread"] == thread_id and not unsent["plain"] and not _is_plain()


def _text(content: dict[str, object]) -> str:
    try:
        return ask.parse_composer(content).text
    except InvalidInput:  # it was refused because it cannot be read
        return ""


def _is_plain() -> bool:
    """Whether the browser is to show Streamlit's own input, because the editor does not work there."""
    if state.PARAM_PLAIN in st.query_params:
        st.session_state[state.PLAIN_COMPOSER] = True
    return bool(st.session_state.get(state.PLAIN_COMPOSER))


Part = Action | Document | str
"""A tag, or the words between tags."""


def send_in_new_chat(*parts: Part) -> None:
    """Let the chat send this message in a new conversation as soon as it is shown."""
    conversation_list.open_new()
    submission = Submission(_composed(parts), (), uuid4().hex)
    st.session_state[state.SUBMITTED] = {"thread": conversation_list.thread_for_new(), **asdict(submission)}
    st.switch_page("pages/chat.py")


def write_in_new_chat(*parts: Part) -> None:
    """Open the chat with a new conversation whose field holds the beginning of a message (D15)."""
    conversation_list.open_new()
    st.session_state[state.UNSENT] = _held(conversation_list.thread_for_new(), _composed(parts))
    st.switch_page("pages/chat.py")


def _composed(parts: Sequence[Part]) -> dict[str, Any]:
    return {"type": "doc", "content": [{"type": "paragraph", "content": [_node(part) for part in parts]}]}


def _node(part: Part) -> dict[str, Any]:
    if isinstance(part, str) and not isinstance(part, Action):
        return {"type": "text", "text": part}
    tag = (part.value, part.label, "action") if isinstance(part, Action) else (part.id, part.display_title, "document")
    return {"type": "mention", "attrs": dict(zip(("id", "label", "category"), tag, strict=True))}


def _held(thread_id: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a field is to hold; the revision is higher than any that this browser has seen, in whichever session."""
    revision = time.time_ns() // 1_000_000
    return {"thread": thread_id, "content": content, "plain": False, "revision": revision, "files": []}


_COLOURS = {DocumentType.REGULATORY: "gold", DocumentType.COMPANY: "green"}


def taggable_in_message(app: Container, user: User) -> list[Suggestion]:
    """Actions, sets, documents that are ready, and web search."""
    ready = _ready(app, user)
    actions = [Suggestion(action.value, action.label, "action") for action in Action]
    tagged = _set_suggestions(sets.list_sets(app, user), ready)
    return [*actions, *tagged, *_document_suggestions(ready), Suggestion("web", "Web Search", "web")]


def taggable_in_answer(app: Container, user: User) -> list[Suggestion]:
    """An answer can name documents; it asks for nothing new."""
    return _document_suggestions(_ready(app, user))


def _ready(app: Container, user: User) -> list[Document]:
    return [d for d in library.list_documents(app, user) if d.status is DocumentStatus.READY]


def _document_suggestions(ready: Sequence[Document]) -> list[Suggestion]:
    """Of several editions the newest first, where the first of them stands; the others are marked (G4)."""
    families, superseded = version_families(ready), superseded_by(ready)
    ordered = {d.id: d for one in ready for d in families.get(one.id, (one,))}
    return [_document_suggestion(d, d.id in superseded) for d in ordered.values()]


def _document_suggestion(document: Document, is_superseded: bool) -> Suggestion:
    facts = ("Superseded" * is_superseded, document.type.label, document.set_name, counted(document.pages, "page"))
    detail, names = " · ".join(filter(None, facts)), library.other_names(document)
    return Suggestion(document.id, document.display_title, "document", detail, _COLOURS[document.type], names)


def _set_suggestions(known: Sequence[DocumentSet], ready: Sequence[Document]) -> list[Suggestion]:
    """Sets with something in them; an empty one would tag nothing."""
    sizes = Counter(d.set_id for d in ready)
    return [Suggestion(s.id, s.name, "set", counted(sizes[s.id], "document"), s.colour) for s in known if sizes[s.id]]
