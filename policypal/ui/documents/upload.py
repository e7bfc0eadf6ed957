"""Adding documents: files, archives and whole folders, looked at before they are handed in (D1, D2)."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import streamlit as st

from policypal.application import library, sets, uploads
from policypal.application.container import Container
from policypal.application.uploads import SeenFile
from policypal.domain.documents import DocumentType, FoundFile
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.documents import upload_fields, upload_results
from policypal.ui.documents.document_form import choose_set, choose_type
from policypal.ui.documents.upload_fields import Common

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

FILE_TYPES = ("pdf", "docx", "txt", "md", "html", "htm", "eml", "zip")
_FILES, _FOLDER = "Files or ZIP", "A whole folder"
_LABELS = {
    _FILES: "PDF, Word, text, Markdown, HTML or e-mail; several at once, or packed as ZIP",
    _FOLDER: "Every readable file in the folder and in the folders inside it",
}
_TITLE_SECONDS = 3.0
"""How long titles are looked up while somebody waits; later ones come from the documents when they are read."""
_WAIT_SECONDS = 1.0
"""How long a click waits for a small upload, so that its result is there at once."""


def show(app: Container, user: User) -> None:
    """The uploader and what can be said about each file. A click hands all of them in, as one upload."""
    progress = uploads.follow(app, user, state.nonce(state.UPLOAD))
    kind = st.segmented_control(
        "What to add", [_FILES, _FOLDER], default=_FILES, key="upload_kind", label_visibility="collapsed",
        required=True, disabled=progress is not None,
    )  # fmt: skip
    files = _uploader(app, kind or _FILES, disabled=progress is not None)
    if progress is None and files:
        with errors.shown():
            _form(app, user, files)


def _uploader(app: Container, kind: str, *, disabled: bool) -> list[UploadedFile]:
    """A folder is asked for its readable files only; among single files, the content decides what is readable."""
    is_folder = kind == _FOLDER
    return st.file_uploader(
        _LABELS[kind], type=list(FILE_TYPES) if is_folder else None,
        accept_multiple_files="directory" if is_folder else True, key=upload_results.uploader_key(),
        max_upload_size=app.settings.max_upload_mb, disabled=disabled,
    )  # fmt: skip


def _form(app: Container, user: User, files: Sequence[UploadedFile]) -> None:
    nonce = state.nonce(state.UPLOAD_NONCE)
    seen = _seen(app, user, files)
    if not seen:
        st.info("There is nothing to add in these files.", icon=":material/info:")
        return
    left, right = st.columns(2)
    with left:
        remembered = DocumentType(st.session_state.get(state.UPLOAD_TYPE, DocumentType.REGULATORY))
        kind = choose_type(f"upload_type_{nonce}", remembered)
    with right:
        known_sets = sets.list_sets(app, user)
        chosen = choose_set(known_sets, f"upload_{nonce}")
    common = Common(kind, chosen, upload_fields.ask_folder_sets(seen, nonce), len(known_sets))
    details = upload_fields.ask(seen, common, library.list_documents(app, user), nonce)
    addable = sum(not file.problem for file in seen)
    label = "Add document" if addable == 1 else f"Add {addable} documents"
    if addable and st.button(label, key="add_documents", type="primary", icon=":material/upload:"):
        if problems := upload_fields.problems(seen, details):
            upload_results.show_refusals(problems)
            return
        st.session_state[state.UPLOAD_TYPE] = kind.value
        state.forget(state.UPLOAD_RESULTS)
        upload = state.nonce(state.UPLOAD)
        uploads.start(app, user, upload, _found(app, [(f.name, f.getvalue()) for f in files]), details)
        uploads.follow(app, user, upload, wait_seconds=_WAIT_SECONDS)
        st.rerun()


def _found(app: Container, files: Sequence[tuple[str, bytes]]) -> Iterator[FoundFile]:
    """Everything in the files, archives opened. The bytes are shared with the uploader, not copied."""
    for name, data in files:
        yield from uploads.found_in(app, name, io.BytesIO(data))


def _seen(app: Container, user: User, files: Sequence[UploadedFile]) -> list[SeenFile]:
    """What lies in the files. Each is looked at once, however often the page runs."""
    held = state.mapping(state.UPLOAD_SEEN)
    known = {file.file_id: held[file.file_id] for file in files if file.file_id in held}
    if len(known) < len(files):
        with st.spinner("Looking at your files …"):
            until = time.monotonic() + _TITLE_SECONDS
            for file in files:
                if file.file_id not in known:
                    found = _found(app, [(file.name, file.getvalue())])
                    known[file.file_id] = [asdict(_looked_at(app, user, f, until)) for f in found]
    st.session_state[state.UPLOAD_SEEN] = known
    return [SeenFile(**entry) for file in files for entry in known[file.file_id]]


def _looked_at(app: Container, user: User, file: FoundFile, until: float) -> SeenFile:
    if time.monotonic() > until:
        return SeenFile(file.path, file.folder, problem=file.problem.message if file.problem else "")
    return uploads.look(app, user, file)
