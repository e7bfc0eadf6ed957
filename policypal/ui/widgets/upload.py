"""Adding documents: many files, what they are, and what became of each (D1, D2, D7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.application.library import Upload
from policypal.domain.documents import DocumentType
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, PolicyPalError
from policypal.ui import state
from policypal.ui.markup import plain
from policypal.ui.widgets.document_form import SetChoice, choose_set, choose_type
from policypal.ui.widgets.tags import tag_input

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

FILE_TYPES = ("pdf", "docx", "txt", "md", "html", "htm", "eml")
_MOST_FORMS = 20
"""Files with fields of their own; beyond that, titles come from the documents."""


def show(app: Container, user: User) -> None:
    """The uploader. Every file becomes its own durable job, so one bad file never holds up the others."""
    nonce = state.nonce(state.UPLOAD_NONCE)
    files = st.file_uploader(
        "PDF, Word, text, Markdown, HTML or e-mail", type=list(FILE_TYPES), accept_multiple_files=True,
        key=f"upload_{nonce}", max_upload_size=app.settings.max_upload_mb,
    )  # fmt: skip
    if files:
        left, right = st.columns(2)
        with left:
            kind = choose_type(f"upload_type_{nonce}")
        with right:
            chosen = choose_set(library.list_sets(app, user), f"upload_{nonce}")
        uploads = [_fields(file, kind, chosen, f"{nonce}_{n}", n) for n, file in enumerate(files)]
        label = "Add document" if len(files) == 1 else f"Add {len(files)} documents"
        if st.button(label, key="add_documents", type="primary", icon=":material/upload:"):
            st.session_state[state.UPLOAD_RESULTS] = [_add(app, user, upload) for upload in uploads]
            state.renew(state.UPLOAD_NONCE)
            st.rerun()
    _results()


def _fields(file: UploadedFile, kind: DocumentType, chosen: SetChoice, key: str, number: int) -> Upload:
    """The file with what was typed for it; an empty title is taken from the document itself."""
    title: str | None = ""
    version: str | None = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    if number < _MOST_FORMS:
        with st.container(border=True):
            left, right = st.columns([3, 1])
            title = left.text_input(
                plain(f"Title of {file.name}"),
                key=f"title_{key}",
                placeholder="From the document itself",
                max_chars=300,
            )
            version = right.text_input("Version or year", key=f"version_{key}", max_chars=100)
            if st.toggle(
                "Aliases and tags", key=f"more_{key}"
            ):  # in an expander the tag fields would measure no height
                aliases = tag_input("Aliases: other names people use for it", (), key=f"aliases_{key}")
                tags = tag_input("Tags", (), key=f"tags_{key}")
    return Upload(
        filename=file.name, data=file.getvalue(), type=kind, title=title or "", version=version or "",
        set_name=chosen.name, set_colour=chosen.colour, aliases=aliases, tags=tags,
    )  # fmt: skip


def _add(app: Container, user: User, upload: Upload) -> dict[str, Any]:
    """What became of one file, in plain words."""
    try:
        document = library.add_document(app, user, upload)
    except DuplicateDocument as duplicate:
        return {"ok": False, "name": upload.filename, "text": duplicate.message, "document_id": duplicate.existing_id}
    except PolicyPalError as error:
        return {"ok": False, "name": upload.filename, "text": error.message, "document_id": ""}
    return {"ok": True, "name": upload.filename, "text": document.display_title, "document_id": document.id}


def _results() -> None:
    results = st.session_state.get(state.UPLOAD_RESULTS) or []
    added = sum(bool(r["ok"]) for r in results)
    if added:
        st.success(
            f"{added} {'document' if added == 1 else 'documents'} added. They can be used as soon as they are ready."
        )
    for result in (r for r in results if not r["ok"]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.error(f"**{plain(result['name'])}**: {plain(result['text'])}", icon=":material/error:")
            if result["document_id"]:
                st.page_link(
                    "pages/documents.py", label="Open the existing one", width="content",
                    query_params={state.PARAM_DOCUMENT: str(result["document_id"])},
                )  # fmt: skip
    if results:
        st.button(
            "Dismiss", key="dismiss_results", type="tertiary", on_click=state.forget, args=(state.UPLOAD_RESULTS,)
        )
