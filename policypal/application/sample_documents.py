"""The fictional sample documents of a first start (R9)."""

from dataclasses import asdict
from itertools import pairwise

from policypal.application import library, trash, versions
from policypal.application.container import Container
from policypal.application.intake import Upload, add_document
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.errors import DuplicateDocument
from policypal.samples import SAMPLE_QUESTIONS as SAMPLE_QUESTIONS
from policypal.samples import SAMPLES, sample_bytes


def add_samples(app: Container, user: User) -> list[Document]:
    """Add the fictional sample documents; those already present are left alone (R9)."""
    added = []
    for sample in SAMPLES:
        upload = Upload(data=sample_bytes(sample), is_sample=True, **asdict(sample))
        try:
            added.append(add_document(app, user, upload))
        except DuplicateDocument as duplicate:
            added.append(library.get_document(app, user, duplicate.existing_id))
    for earlier, later in pairwise(added):
        if earlier.title == later.title and later.previous_version_id is None:
            versions.link_versions(app, user, later.id, earlier.id)
    return added


def remove_samples(app: Container, user: User) -> int:
    """Remove every sample document for good (R9); returns how many."""
    samples = [d.id for d in library.list_documents(app, user) if d.is_sample]
    trash.delete(app, user, samples)
    return trash.purge(app, user, samples)
