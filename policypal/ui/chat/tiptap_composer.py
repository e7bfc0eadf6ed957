"""The message field with "@" tags, a list of suggestions and attached drafts (U3).

The editor is TipTap, built from ``frontend/composer`` into ``policypal/ui/composer_bundle`` (``make composer``). Two
components of the second kind show it: one whose message never changes brings the editor's code, so that Streamlit
caches it in the browser; the other is small and carries the data, which changes often.
"""

from __future__ import annotations

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

from policypal.errors import InvalidInput
from policypal.request.composer import MAX_DOCUMENTS, parse_composer

logger = logging.getLogger(__name__)

Category = Literal["action", "set", "document", "web"]
SendKey = Literal["enter", "mod+enter"]

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

    @property
    def text(self) -> str:
        """The message as written, tags as "@Label".

        Raises:
            InvalidInput: the content is not what an editor makes.
        """
        return parse_composer(self.content).text


@dataclass(frozen=True, slots=True)
class FileRules:
    """What may be attached. ``types`` are extensions without the dot, ``most_bytes`` is per file; ``most_files`` 0 attaches none."""

    types: tuple[str, ...] = DRAFT_TYPES
    most_files: int = 1
    most_bytes: int = MAX_FILE_BYTES


def tiptap_composer(
    *,
    suggestions: Sequence[Suggestion],
    key: str,
    disabled: bool = False,
    placeholder: str = "Ask, summarize, compare or audit. Type @ to tag.",
    label: str = "Message",
    max_documents: int = MAX_DOCUMENTS,
    max_characters: int = 50_000,
    send_key: SendKey = "enter",
    files: FileRules | None = None,
    draft: str | Mapping[str, Any] = "",
    draft_revision: int = 0,
    fallback: bool = False,
    on_stop: Callable[[], None] | None = None,
) -> Submission | None:
    """Show the message field; returns what was sent, once. Keep it at once: the page can be ended at any later call of Streamlit.

    Text stays in the browser under ``key`` across reruns, while the field is disabled, and when it leaves the page and comes back;
    it is cleared when it was sent. ``draft`` replaces it when ``draft_revision`` is higher than any seen before. Ctrl+Enter always
    sends; ``send_key`` "mod+enter" makes Enter break the line. ``fallback`` shows Streamlit's plain chat input instead, which is
    also what appears when the bundle is missing. With ``on_stop`` the button that sends is one that stops, in the same place.

    Raises:
        InvalidInput: the submission is damaged, or a file is of no allowed kind or too large.
    """
    rules = files or FileRules()
    editor = None if fallback else _editor()
    if editor is None:
        if on_stop is not None and st.button("Stop", key="stop_run", icon=":material/stop_circle:"):
            on_stop()
        return _plain(key, placeholder, disabled, max_characters, rules)
    data = {
        "key": key, "label": label, "placeholder": placeholder, "disabled": disabled, "stoppable": on_stop is not None,
        "suggestions": [asdict(s) for s in suggestions],
        "maxDocuments": max_documents, "maxCharacters": max_characters, "sendKey": send_key,
        "fileTypes": list(rules.types), "maxFiles": rules.most_files, "maxFileBytes": rules.most_bytes,
        "acknowledged": _received(key),
        "draft": {"revision": draft_revision, "content": plain_document(draft) if isinstance(draft, str) else dict(draft)},
    }  # fmt: skip
    submitted, is_stopped = _show(editor, key, data)
    if is_stopped and on_stop is not None:
        on_stop()
    return None if submitted is None else _accepted(key, submitted, rules)


@dataclass(frozen=True, slots=True)
class _Editor:
    code: ComponentRenderer
    field: ComponentRenderer


@cache
def _editor() -> _Editor | None:
    """The two components, or None where the bundle cannot be used."""
    try:
        code, mount, style = (_BUNDLE / name for name in ("composer.js", "mount.js", "composer.css"))
        return _Editor(
            component("policypal_composer_code", js=code.read_text(encoding="utf-8")),
            component(
                "policypal_composer",
                js=mount.read_text(encoding="utf-8"),
                css=style.read_text(encoding="utf-8"),
                isolate_styles=False,
            ),
        )
    except (OSError, StreamlitAPIException):
        logger.exception("The composer's bundle cannot be used; the plain input is shown instead.")
        return None


def _show(editor: _Editor, key: str, data: dict[str, Any]) -> tuple[object, bool]:
    """Mount both; whatever the browser submitted, and whether it asked to stop.

    The field keeps no state, only triggers. Its entry in the session is set to a plain string because what Streamlit 1.67 shows for
    a component's state is an object that cannot be serialised, which our configuration forbids.
    """
    st.session_state[key] = st.session_state[_CODE_KEY] = _NO_STATE
    with st.container(gap=None):
        shown = editor.field(key=key, data=data, on_submit_change=_triggered, on_stop_change=_triggered)
        editor.code(key=_CODE_KEY)
    return shown.get("submit"), bool(shown.get("stop"))


def _triggered() -> None:
    """Streamlit lists a trigger in the result only if it has a callback."""


def _received(key: str) -> list[str]:
    """Nonces of the last submissions, oldest first."""
    return [str(n) for n in st.session_state.get(_nonces_key(key), ())]


def _nonces_key(key: str) -> str:
    return f"{key}-received"


def _accepted(key: str, submitted: object, rules: FileRules) -> Submission | None:
    """The submission, or None if it came before. Its nonce is noted in the last look at the session: a run that is ended until
    then has received nothing, and the browser sends it again."""
    nonce = _nonce(submitted)
    received = _received(key)
    if nonce in received:
        return None
    submission: Submission | InvalidInput
    try:
        submission = read_submission(submitted, rules)
    except InvalidInput as damaged:
        submission = damaged
    st.session_state[_nonces_key(key)] = [*received, nonce][-_REMEMBERED_NONCES:]
    if isinstance(submission, InvalidInput):
        raise submission
    return submission


def read_submission(submitted: object, rules: FileRules) -> Submission:
    """What a browser sent, checked: it can send anything.

    Raises:
        InvalidInput: it is damaged, or a file is of no allowed kind or too large.
    """
    nonce = _nonce(submitted)
    content = submitted.get("content") if isinstance(submitted, Mapping) else None
    if not isinstance(submitted, Mapping) or not isinstance(content, Mapping) or content.get("type") != "doc":
        raise InvalidInput("The message could not be read. Please type it again.")
    return Submission(dict(content), _files(submitted.get("files"), rules), nonce)


def _nonce(submitted: object) -> str:
    nonce = submitted.get("nonce") if isinstance(submitted, Mapping) else None
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise InvalidInput("The message could not be read. Please send it again.")
    return nonce


def _files(given: object, rules: FileRules) -> tuple[tuple[str, bytes], ...]:
    if not isinstance(given, list) or len(given) > rules.most_files:
        raise InvalidInput(f"At most {rules.most_files} files can be attached.")
    return tuple(_file(item, rules) for item in given)


def _file(item: object, rules: FileRules) -> tuple[str, bytes]:
    if not isinstance(item, Mapping):
        raise InvalidInput("The attached file could not be read. Please attach it again.")
    encoded = str(item.get("base64", ""))
    if len(encoded) > rules.most_bytes * 4 // 3 + 4:
        raise _too_large(str(item.get("name")), rules)
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("The attached file could not be read. Please attach it again.") from error
    return _checked_file(str(item.get("name", "")), data, rules)


def _checked_file(name: str, data: bytes, rules: FileRules) -> tuple[str, bytes]:
    """A file under a name that is no path. The content is judged by whoever reads it; an extension proves nothing."""
    shown = "".join(c for c in re.split(r"[\\/]", name)[-1] if c.isprintable()).strip()[-200:]
    if Path(shown).suffix.lower().lstrip(".") not in rules.types:
        raise InvalidInput(f"“{shown or 'The file'}” cannot be attached. Possible: {', '.join(rules.types)}.")
    if len(data) > rules.most_bytes:
        raise _too_large(shown, rules)
    if not data:
        raise InvalidInput(f"“{shown}” is empty.")
    return shown, data


def _too_large(name: str, rules: FileRules) -> InvalidInput:
    return InvalidInput(f"“{name[-200:]}” is larger than {rules.most_bytes / 1_000_000:g} MB.")


def plain_document(text: str) -> dict[str, Any]:
    """Plain text as TipTap JSON, a paragraph per line."""
    return {"type": "doc", "content": [_paragraph(line) for line in text.splitlines() or [""]]}


def _paragraph(line: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": line}]} if line else {"type": "paragraph"}


def _plain(key: str, placeholder: str, disabled: bool, max_characters: int, rules: FileRules) -> Submission | None:
    """Streamlit's own input; its text may hold "@Title". What is submitted is kept before the page runs: the page may find
    the input disabled by then, which would drop it."""
    accept: bool | Literal["multiple"] = "multiple" if rules.most_files > 1 else rules.most_files == 1
    st.chat_input(
        placeholder, key=_plain_key(key), disabled=disabled, max_chars=max_characters,
        accept_file=accept, file_type=list(rules.types), on_submit=_keep_plain, args=(key,),
    )  # fmt: skip
    kept = st.session_state.pop(_kept_key(key), None)
    if kept is None:
        return None
    if len(kept["files"]) > rules.most_files:
        raise InvalidInput(f"At most {rules.most_files} files can be attached.")
    checked = tuple(_checked_file(name, data, rules) for name, data in kept["files"])
    return Submission(plain_document(kept["text"]), checked, uuid4().hex, is_plain=True)


def _keep_plain(key: str) -> None:
    given: Any = st.session_state.get(_plain_key(key))
    if not given:
        return
    text, attached = (given, []) if isinstance(given, str) else (given.text or "", list(given.files))
    st.session_state[_kept_key(key)] = {"text": text, "files": [[f.name, f.getvalue()] for f in attached]}


def _plain_key(key: str) -> str:
    return f"{key}-plain"


def _kept_key(key: str) -> str:
    return f"{key}-plain-kept"
