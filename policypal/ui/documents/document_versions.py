"""The versions of a document: which there are, what changed between them, and linking them (D8)."""

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st

from policypal.application import library, sets, trash, versions
from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.users import User
from policypal.ui import errors, places, state
from policypal.ui.audits import reaudit
from policypal.ui.chat import badges, composer
from policypal.ui.documents import deleted_documents
from policypal.ui.documents.document_form import choose_set, choose_type, tag_input
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
        composer.send_in_new_chat(Action.COMPARE, " ", older, " with ", newer)


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
                state.done("Linked as a new version.")


def _unlink(app: Container, user: User, document: Document) -> None:
    if st.button("Unlink from the earlier version", key=f"unlink_{document.id}", type="tertiary"):
        with errors.shown():
            versions.unlink_versions(app, user, document.id)
            state.done("Unlinked.")


def show_details(app: Container, user: User, document: Document) -> None:
    """The form with a document's metadata, its versions, and the way to delete it."""
    _edit(app, user, document)
    show(app, user, document)
    _delete(app, user, document)


def _edit(app: Container, user: User, document: Document) -> None:
    key = f"edit_{document.id}"
    left, right = st.columns([3, 1])
    title = left.text_input("Title", document.title, key=f"{key}_title", max_chars=300)
    version = right.text_input("Version or year", document.version, key=f"{key}_version", max_chars=100)
    kind = choose_type(f"{key}_type", document.type)
    chosen = choose_set(sets.list_sets(app, user), key, document.set_name)
    aliases = tag_input("Aliases: other names people use for it", document.aliases, key=f"{key}_aliases")
    tags = tag_input("Tags", document.tags, key=f"{key}_tags")
    st.html(f'<span class="pp-muted">File: {text(document.filename)} · {document.size_bytes / 1024:,.0f} KB</span>')
    if st.button("Save", key=f"{key}_save", type="primary"):
        with errors.shown():
            library.edit(
                app, user, document.id, title=title or "", version=version or "", type=kind, set_name=chosen.name,
                set_colour=chosen.colour, aliases=aliases, tags=tags,
            )  # fmt: skip
            state.done("Saved.")


def _delete(app: Container, user: User, document: Document) -> None:
    with st.popover("Delete document", icon=":material/delete:"):
        st.markdown(f"You can take it back for {trash.DAYS_KEPT} days. Reports that cite it keep their quotes.")
        if st.button("Delete", key=f"delete_{document.id}", type="primary"):
            with errors.shown():
                deleted_documents.delete_documents(app, user, [document])
                st.query_params.clear()
                st.rerun()
