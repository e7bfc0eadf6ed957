"""What can be done with a document: ask about it, summarize, compare, audit and delete it (D10, D15)."""

from enum import StrEnum

import streamlit as st

from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import composer
from policypal.ui.documents import deleted_documents
from policypal.ui.markup import plain


class _Choice(StrEnum):
    ASK = ":material/chat: Ask"
    SUMMARIZE = ":material/summarize: Summarize"
    COMPARE = ":material/compare: Compare with …"
    AUDIT = ":material/fact_check: Audit against …"
    AUDIT_BY = ":material/fact_check: Audit a policy against it …"
    DELETE = ":material/delete: Delete"


def bar(document: Document) -> None:
    """A button each, for a document that has been read."""
    if document.status is not DocumentStatus.READY:
        return
    with st.container(horizontal=True, gap="small", key="document_actions"):
        for choice in _choices(document):
            icon, label = choice.value.split(" ", 1)
            if st.button(label, icon=icon, key=f"document_{choice.name.lower()}"):
                _carry_out(choice, document)


def menu(app: Container, user: User, document: Document) -> None:
    """The same behind one button, for a row of the library; what could not be read can be deleted."""
    if not document.status.is_final:
        return
    choices = _choices(document) if document.status is DocumentStatus.READY else []
    chosen = st.menu_button(
        f"What to do with {plain(document.display_title)}", [*choices, _Choice.DELETE], key=f"menu_{document.id}", type="tertiary",
        icon=":material/more_vert:", format_func=str,
    )  # fmt: skip
    if chosen == _Choice.DELETE:
        with errors.shown():
            deleted_documents.delete_documents(app, user, [document])
            st.rerun()
    elif chosen is not None:
        _carry_out(_Choice(chosen), document)


def _choices(document: Document) -> list[_Choice]:
    is_own = document.type is DocumentType.COMPANY
    return [_Choice.ASK, _Choice.SUMMARIZE, _Choice.COMPARE, _Choice.AUDIT if is_own else _Choice.AUDIT_BY]


def _carry_out(choice: _Choice, document: Document) -> None:
    if choice in (_Choice.AUDIT, _Choice.AUDIT_BY):
        st.switch_page("pages/audit_reports.py", query_params={state.PARAM_AUDIT: document.id})
    if choice is _Choice.SUMMARIZE:
        composer.send_in_new_chat(Action.SUMMARIZE, " ", document)
    if choice is _Choice.COMPARE:
        composer.write_in_new_chat(Action.COMPARE, " ", document, " with ")
    composer.write_in_new_chat(document, " ")
