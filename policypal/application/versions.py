"""Versions of a document: by their titles, or linked by the analyst (D8)."""

from dataclasses import replace

from policypal.application import library
from policypal.application.container import Container
from policypal.db import documents as documents_db
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.domain.versions import lineage, version_families
from policypal.errors import InvalidInput


def list_versions(app: Container, user: User, document_id: str) -> tuple[Document, ...]:
    """All versions of a document, the latest first; empty if it is the only one."""
    return version_families(library.list_documents(app, user)).get(document_id, ())


def can_unlink(app: Container, user: User, document_id: str) -> bool:
    """Whether a document has a link to an earlier version that alone makes it one; editions of one title need no link."""
    documents = library.list_documents(app, user)
    linked = next((d for d in documents if d.id == document_id and d.previous_version_id), None)
    if linked is None or linked.previous_version_id not in {d.id for d in documents}:
        return False
    apart = [replace(d, previous_version_id=None) if d is linked else d for d in documents]
    return linked.previous_version_id not in {d.id for d in version_families(apart).get(document_id, ())}


def link_versions(app: Container, user: User, document_id: str, previous_id: str) -> None:
    """Say that a document is the next version of another one. Raises InvalidInput: it is the same document, or one of
    its own later versions; NotFound: one of them is not in the library."""
    library.get_document(app, user, document_id)
    previous = library.get_document(app, user, previous_id)
    known = {d.id: d for d in library.list_documents(app, user)}
    if document_id in {d.id for d in lineage(previous, known)}:
        raise InvalidInput("A document cannot be a new version of itself or of one of its later versions.")
    documents_db.set_previous_version(app.db, user.id, document_id, previous_id)


def unlink_versions(app: Container, user: User, document_id: str) -> None:
    """Say that a document is no version of an earlier one; later versions of it stay its own. Raises NotFound: it is
    not in the library."""
    library.get_document(app, user, document_id)
    documents_db.set_previous_version(app.db, user.id, document_id, None)
