"""What may be asked next after an answer, from the provisions it shows (U2b)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from policypal.application.container import Container
from policypal.db import documents as documents_db
from policypal.domain.citations import Citation
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.requests import Request
from policypal.domain.users import User
from policypal.domain.versions import superseded_by, version_families
from policypal.graph.agent.said import known_document
from policypal.request.library import Library
from policypal.search.provisions import provisions_named
from policypal.text.numbering import AskedLabel, asked_label

_MOST = 3
_MOST_REFERENCES = 2
_LOOKED_AT = 6
"""Citations whose words are looked through for other provisions; each costs a query."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What is offered, the message that it stands for, and how that is to be read."""

    label: str
    words: str
    request: Request


def after(app: Container, user: User, citations: Sequence[Citation]) -> list[FollowUp]:
    """At most three: provisions that the quoted ones refer to, what changed since the edition before, the policy held against the rule.
    None where the answer quotes no document of the library."""
    library = [d for d in documents_db.list_documents(app.db, user.id) if d.status is DocumentStatus.READY]
    known = {d.id: d for d in library}
    cited = [c for c in citations if c.document_id in known]
    if not cited:
        return []
    first = known[str(cited[0].document_id)]
    referred = islice(_referred_to(app, user, cited, known), _MOST_REFERENCES)
    return [*referred, *_changes(first, library), *_audit(first, library)][:_MOST]


def _referred_to(
    app: Container, user: User, cited: Sequence[Citation], known: dict[str, Document]
) -> Iterator[FollowUp]:
    """Provisions that stand in the same document and are named in what is quoted of it."""
    seen = {c.provision for c in cited}
    for citation in cited[:_LOOKED_AT]:
        document = known[str(citation.document_id)]
        for asked in _named(citation.quote.removeprefix(citation.provision)):
            label = asked.labels[0]
            if any(_is_within(label, own) or _is_within(own, label) for own in seen if own):
                continue
            seen.add(label)
            if provisions_named(app.db, user.id, asked, {document.id: document}, [document.id]):
                asks = f"What does {label} say?"
                yield _follow_up(asks, asks, Action.INQUIRE, documents=[document])


def _named(words: str) -> Iterator[AskedLabel]:
    """Every provision that is named, but for those by a bare number: "paragraph 1" is one of this very provision."""
    while asked := asked_label(words):
        words = asked.rest
        if not asked.labels[0].isdecimal():
            yield asked


def _is_within(label: str, other: str) -> bool:
    return label == other or label.startswith(f"{other}(")


def _changes(document: Document, library: Sequence[Document]) -> Iterator[FollowUp]:
    family = version_families(library).get(document.id, (document,))
    if earlier := family[family.index(document) + 1 :]:
        label = f"What changed since {earlier[0].version or earlier[0].title}?"
        words = f"Compare {earlier[0].display_title} with {document.display_title}"
        yield _follow_up(label, words, Action.COMPARE, documents=[earlier[0], document])


def _audit(rule: Document, library: Sequence[Document]) -> Iterator[FollowUp]:
    """Of a regulation, where there is one policy in force that may be meant."""
    superseded = superseded_by(library)
    ours = [known_document(d) for d in library if d.type is DocumentType.COMPANY and d.id not in superseded]
    policies = Library(ours).of_noun("policy")
    if rule.type is DocumentType.REGULATORY and len(policies) == 1:
        (policy,) = (d for d in library if d.id == policies[0].id)
        words = f"Audit {policy.display_title} against {rule.display_title}"
        yield _follow_up(
            f"Audit {policy.display_title} against it", words, Action.AUDIT, sources=[policy], targets=[rule]
        )


def _follow_up(label: str, words: str, action: Action, **sides: Sequence[Document]) -> FollowUp:
    titles = {d.id: d.display_title for documents in sides.values() for d in documents}
    ids = {side: tuple(d.id for d in documents) for side, documents in sides.items()}
    return FollowUp(label, words, Request.model_validate({"action": action.value, "titles": titles, **ids}))
