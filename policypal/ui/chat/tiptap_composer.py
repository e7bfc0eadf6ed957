"""The message field with "@" tags, a list of suggestions and attached drafts (U3).

The editor is TipTap, built from ``frontend/composer`` into ``policypal/ui/composer_bundle`` (``make composer``). Two
components of the second kind show it: one whose message never changes brings the editor's code, so that Streamlit
caches it in the browser; the other is small and carries the data, which changes often.
"""

import base64
import binascii
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import streamlit as st
from streamlit.components.v2 import component
from streamlit.components.v2.types import ComponentRenderer
from streamlit.errors import StreamlitAPIException

from policypal.application.answer_checks import MAX_MESSAGE_CHARACTERS
from policypal.application.ask import MAX_DOCUMENTS
from policypal.errors import InvalidInput

logger = logging.getLogger(__name__)

Category = Literal["action", "set", "document", "web"]

DRAFT_TYPES = ("txt", "md", "docx", "pdf", "eml")
MAX_FILE_BYTES = 5_000_000
_BUNDLE = Path(__file__).parents[1] / "composer_bundle"
_REMEMBERED_NONCES = 20
_NONCE = re.compile(r"[0-9a-f]{32}")
_NO_STATE = ""
_CODE_KEY = "composer-code"
"""The same for every field, so that another conversation does not fetch the editor's code again; a page has one field."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that can be tagged. ``id`` is what :func:`parse_composer` reads: a document's or set's id, an action's name or
    "web". ``detail`` is a line under the label, ``aliases`` are other names it is found by. ``colour`` is "gold" (regulatory),
    "green" (company), a set's "#RRGGBB" or empty."""

    id: str
    label: str
    category: Category
    detail: str = ""
    colour: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """What was sent. ``content`` is TipTap JSON for :func:`parse_composer`; ``files`` are names and bytes; ``nonce`` is unique per
    submission, for idempotency. ``is_plain``: typed into the fallback, so that "@Title" in it still has to be read."""

    content: dict[str, Any]
    files: tuple[tuple[str, bytes], ...]
    nonce: str
    is_plain: bool = False


def tiptap_composer(
    *,
    suggestions: Sequence[Suggestion],
    key: str,
    placeholder: str,
    disabled: bool = False,
    draft: Mapping[str, Any] | None = None,
    draft_revision: int = 0,
    fallback: bool = False,
    on_stop: Callable[[], None] | None = None,
) -> Submission | None:
    """Show the message field; returns what was sent, once. Keep it at once: the page can be ended at any later call of
    Streamlit.

    Text stays in the browser under ``key`` across reruns, while the field is disabled, and when it leaves the page
    and comes back; it is cleared when it was sent. ``draft`` (TipTap JSON) replaces it when ``draft_revision`` is
    higher than any seen before. ``fallback`` shows Streamlit's plain chat input instead, which is also what appears
    when the bundle is missing. With ``on_stop`` the button that sends is one that stops, in the same place. Raises
    InvalidInput: the submission is damaged, or a file is of no allowed kind or too large."""
    editor = None if fallback else _editor()
    if editor is None:
        if on_stop is not None and st.button("Stop", key="stop_run", icon=":material/stop_circle:"):
            on_stop()
        return _plain(key, placeholder, disabled)
    data = {
        "key": key, "label": "Message", "placeholder": placeholder, "disabled": disabled, "stoppable": on_stop is not None,
        "suggestions": [asdict(s) for s in suggestions], "sendKey": "enter",
        "maxDocuments": MAX_DOCUMENTS, "maxCharacters": MAX_MESSAGE_CHARACTERS,
        "fileTypes": list(DRAFT_TYPES), "maxFiles": 1, "maxFileBytes": MAX_FILE_BYTES, "acknowledged": _received(key),
        "draft": {"revision": draft_revision, "content": dict(draft or plain_document(""))},
    }  # fmt: skip
    submitted, is_stopped = _show(editor, key, data)
    if is_stopped and on_stop is not None:
        on_stop()
    return None if submitted is None else _accepted(key, submitted)


@cache
def _editor() -> tuple[ComponentRenderer, ComponentRenderer] | None:
    """What brings the code and what carries the data, or None where the bundle cannot be used."""
    try:
        names = ("composer.js", "mount.js", "composer.css")
        code, mount, style = ((_BUNDLE / name).read_text(encoding="utf-8") for name in names)
        field = component("policypal_composer", js=mount, css=style, isolate_styles=False)
        return component("policypal_composer_code", js=code), field
    except (OSError, StreamlitAPIException):
        logger.exception("The composer's bundle cannot be used; the plain input is shown instead.")
        return None


def _show(editor: tuple[ComponentRenderer, ComponentRenderer], key: str, data: dict[str, Any]) -> tuple[object, bool]:
    """Mount both; whatever the browser submitted, and whether it asked to stop.

    The field keeps no state, only triggers, which Streamlit lists in the result only if they have a callback. Its entry in the session is
    set to a plain string because what Streamlit 1.67 shows for a component's state is an object that cannot be serialised, which our
    configuration forbids.
    """
    code, field = editor
    st.session_state[key] = st.session_state[_CODE_KEY] = _NO_STATE
    with st.container(gap=None):
        shown = field(key=key, data=data, on_submit_change=lambda: None, on_stop_change=lambda: None)
        code(key=_CODE_KEY)
    return shown.get("submit"), bool(shown.get("stop"))


def _received(key: str) -> list[str]:
    """Nonces of the last submissions, oldest first."""
    return [str(n) for n in st.session_state.get(f"{key}-received", ())]


def _accepted(key: str, submitted: object) -> Submission | None:
    """The submission, or None if it came before. Its nonce is noted in the last look at the session: a run that is ended until
    then has received nothing, and the browser sends it again."""
    nonce = _nonce(submitted)
    received = _received(key)
    if nonce in received:
        return None
    try:
        return read_submission(submitted)
    finally:
        st.session_state[f"{key}-received"] = [*received, nonce][-_REMEMBERED_NONCES:]


def read_submission(submitted: object) -> Submission:
    """What a browser sent, checked: it can send anything. Raises InvalidInput: it is damaged, or a file is of no
    allowed kind or too large."""
    nonce = _nonce(submitted)
    content = submitted.get("content") if isinstance(submitted, Mapping) else None
    if not isinstance(submitted, Mapping) or not isinstance(content, Mapping) or content.get("type") != "doc":
        raise InvalidInput("The message could not be read. Please type it again.")
    return Submission(dict(content), _files(submitted.get("files")), nonce)


def _nonce(submitted: object) -> str:
    nonce = submitted.get("nonce") if isinstance(submitted, Mapping) else None
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise InvalidInput("The message could not be read. Please send it again.")
    return nonce


def _files(given: object) -> tuple[tuple[str, bytes], ...]:
    if not isinstance(given, list) or len(given) > 1:
        raise InvalidInput("One file can be attached.")
    return tuple(map(_file, given))


def _file(item: object) -> tuple[str, bytes]:
    if not isinstance(item, Mapping):
        raise InvalidInput("The attached file could not be read. Please attach it again.")
    encoded = str(item.get("base64", ""))
    if len(encoded) > MAX_FILE_BYTES * 4 // 3 + 4:
        raise _too_large(str(item.get("name")))
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("The attached file could not be read. Please attach it again.") from error
    return _checked_file(str(item.get("name", "")), data)


def _checked_file(name: str, data: bytes) -> tuple[str, bytes]:
    """A file under a name that is no path. The content is judged by whoever reads it; an extension proves nothing."""
    shown = "".join(c for c in re.split(r"[\\/]", name)[-1] if c.isprintable()).strip()[-200:]
    if Path(shown).suffix.lower().lstrip(".") not in DRAFT_TYPES:
        raise InvalidInput(f"“{shown or 'The file'}” cannot be attached. Possible: {', '.join(DRAFT_TYPES)}.")
    if len(data) > MAX_FILE_BYTES:
        raise _too_large(shown)
    if not data:
        raise InvalidInput(f"“{shown}” is empty.")
    return shown, data


def _too_large(name: str) -> InvalidInput:
    return InvalidInput(f"“{name[-200:]}” is larger than {MAX_FILE_BYTES / 1_000_000:g} MB.")


def plain_document(text: str) -> dict[str, Any]:
    """Plain text as TipTap JSON, a paragraph per line."""
    return {"type": "doc", "content": [_paragraph(line) for line in text.splitlines() or [""]]}


def _paragraph(line: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": line}]} if line else {"type": "paragraph"}


def _plain(key: str, placeholder: str, disabled: bool) -> Submission | None:
    """Streamlit's own input; its text may hold "@Title". What is submitted is kept before the page runs: the page may find
    the input disabled by then, which would drop it."""
    st.chat_input(
        placeholder, key=f"{key}-plain", disabled=disabled, max_chars=MAX_MESSAGE_CHARACTERS, accept_file=True,
        file_type=list(DRAFT_TYPES), on_submit=_keep_plain, args=(key,),
    )  # fmt: skip
    kept = st.session_state.pop(f"{key}-plain-kept", None)
    if kept is None:
        return None
    checked = tuple(_checked_file(name, data) for name, data in kept["files"])
    return Submission(plain_document(kept["text"]), checked, uuid4().hex, is_plain=True)


def _keep_plain(key: str) -> None:
    given: Any = st.session_state.get(f"{key}-plain")
    if not given:
        return
    text, attached = (given, []) if isinstance(given, str) else (given.text or "", list(given.files))
    st.session_state[f"{key}-plain-kept"] = {"text": text, "files": [[f.name, f.getvalue()] for f in attached]}
