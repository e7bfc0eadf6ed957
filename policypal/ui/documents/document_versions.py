"""The versions of a document: which there are, what changed between them, and linking them (D8)."""

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st

from policypal.application import library, versions
from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.users import User
from policypal.ui import errors, places, state
from policypal.ui.audits import reaudit
from policypal.ui.chat import badges, composer
from policypal.ui.chat.composer import send_in_new_chat
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text
from policypal.ui.places import Place


def show(app: Container, user: User, document: Document) -> None:
    """All versions, latest first, each with what changed since the one before; and the link to an earlier one."""
    st.html("<h2>Versions</h2>")
    family = versions.list_versions(app, user, document.id)
    for number, version in enumerate(family):
        before = family[number + 1] if number + 1 < len(family) else None
        _line(version, before, is_latest=number == 0, is_shown=version.id == document.id)
    if versions.can_unlink(app, user, document.id):
        _unlink(app, user, document)
    elif document.previous_version_id not in {v.id for v in family}:
        _link(app, user, document, family)


def offer(app: Container, user: User, document: Document) -> None:
    """One line above a document that has other versions: which is the latest, and what changed around this one."""
    family = versions.list_versions(app, user, document.id)
    if not family:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="version_offer"):
        if family[0].id != document.id:
            html(badges.badge("Superseded"), width="content")
            latest = plain(f"Open the latest: {family[0].display_title}")
            st.button(latest, key="open_latest", type="tertiary", on_click=places.go, args=(Place(family[0].id),))
        newer, older = next((pair for pair in pairwise(family) if document.id in {v.id for v in pair}), family[:2])
        _what_changed(older, newer, "offer")
    reaudit.impact_of(app, user, document)


def _line(version: Document, before: Document | None, *, is_latest: bool, is_shown: bool) -> None:
    marks = [badges.badge("Latest")] * is_latest + [badges.badge("This document")] * is_shown
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"version_{version.id}"):
        st.html(f"<b>{text(version.display_title)}</b> {' '.join(marks)}", width="content")
        if not is_shown:
            st.button("Open", key=f"open_version_{version.id}", on_click=places.go, args=(Place(version.id),))
        if before is not None:
            _what_changed(before, version, version.id)


def _what_changed(older: Document, newer: Document, key: str) -> None:
    ready = older.status is newer.status is DocumentStatus.READY
    label = plain(f"What changed since {older.version or older.title}?")
    if st.button(label, key=f"changed_{key}", icon=":material/difference:", disabled=not ready):
        send_in_new_chat([
            composer.action_tag(Action.COMPARE), composer.plain_words(" "), composer.document_tag(older), composer.plain_words(" with "),
            composer.document_tag(newer),
        ])  # fmt: skip


def _link(app: Container, user: User, document: Document, family: Sequence[Document]) -> None:
    """Candidates of the same title come first: an earlier edition is usually called the same."""
    related = {v.id for v in family} | {document.id}
    others = [d for d in library.list_documents(app, user) if d.id not in related]
    if not others:
        return
    others.sort(key=lambda d: (d.title.casefold() != document.title.casefold(), d.title.casefold(), d.version))
    names = {d.id: d.display_title for d in others}
    with st.container(horizontal=True, vertical_alignment="bottom", key="version_link"):
        chosen = st.selectbox(
            "This is a new version of", list(names), index=None, format_func=Labels(names), key=f"previous_{document.id}",
            placeholder="Choose the earlier version",
        )  # fmt: skip
        if st.button("Link", key=f"link_{document.id}", disabled=chosen is None) and chosen:
            with errors.shown():
                versions.link_versions(app, user, document.id, chosen)
                state.notify("Linked as a new version.")
                st.rerun()


def _unlink(app: Container, user: User, document: Document) -> None:
    if st.button("Unlink from the earlier version", key=f"unlink_{document.id}", type="tertiary"):
        with errors.shown():
            versions.unlink_versions(app, user, document.id)
            state.notify("Unlinked.")
            st.rerun()
