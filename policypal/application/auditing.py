"""A new audit: what it is about, what it would take, and its start as a run like every other (A4, A9, D15)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import uuid4

from policypal.application import ask, library
from policypal.application.answer_checks import check_documents
from policypal.application.container import Container
from policypal.audit.lines import Scope
from policypal.audit.plan import Estimate
from policypal.domain import requests
from policypal.domain.audits import PASTED_TEXT
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.provisions import Kind
from policypal.domain.text import enumerated
from policypal.domain.users import User
from policypal.domain.versions import in_force
from policypal.errors import InvalidInput
from policypal.graph.agent.audit_material import Sides, estimate_of, planned, read

MAX_DOCUMENTS = ask.MAX_DOCUMENTS
"""Of both sides together."""


@dataclass(frozen=True, slots=True)
class NewAudit:
    """What to audit: a document or, without one, a ``text`` and what it is called, against documents; ``focus`` limits it, in the analyst's
    words. The same ``key`` started twice is one audit (U6)."""

    source_id: str | None
    target_ids: tuple[str, ...]
    text: str = ""
    focus: str = ""
    text_name: str = PASTED_TEXT
    key: str = field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True, slots=True)
class Workload:
    """What an audit will go through: ``parties`` and ``kinds`` with how many obligations each, most first; ``regulations`` by title with
    obligations and pages; pages that hold text, of pages."""

    estimate: Estimate
    parties: tuple[tuple[str, int], ...]
    kinds: tuple[tuple[Kind, int], ...]
    regulations: tuple[tuple[str, int, int], ...]
    pages: int
    pages_read: int

    @property
    def obligations(self) -> int:
        """In scope: what the report's counts will be of."""
        return self.estimate.obligations


def auditable(app: Container, user: User) -> list[Document]:
    """The documents that can be audited or audited against: those that were read and are in force, by title."""
    ready = [d for d in library.list_documents(app, user) if d.status is DocumentStatus.READY]
    newest = in_force(ready)
    return sorted((d for d in ready if d.id in newest), key=lambda d: d.display_title.casefold())


def regulations_of(documents: Sequence[Document], chosen: Sequence[str]) -> tuple[str, ...]:
    """The ids of ``chosen`` documents and of the regulations in chosen sets, once each, in order."""
    found: dict[str, None] = {}
    for one in chosen:
        members = [d.id for d in documents if d.set_id == one and d.type is DocumentType.REGULATORY]
        found |= dict.fromkeys(members or [one])
    return tuple(found)


def workload(app: Container, user: User, wanted: NewAudit) -> Workload:
    """What an audit would go through, and with a model what it would take; its source may still be open. Raises NotFound: a document is gone."""
    services = app.graph_services
    source = library.get_document(app, user, wanted.source_id) if wanted.source_id else None
    targets = tuple(library.get_document(app, user, i) for i in wanted.target_ids)
    title = source.display_title if source else PASTED_TEXT
    sides = Sides(source, wanted.text, title, targets, Scope(wanted.focus))
    material = read(sides, services, user.id)
    if services.by_rules:
        asked = material.obligations
        told = Estimate(len(asked), 0, 0, 0, 0, Decimal(0))
    else:
        plan = planned(material, services.engine.reading_tokens or 0)
        asked, told = [line.unit for line in plan.asked], estimate_of(plan, sides, services, user.id)
    parties = Counter(" ".join(rule.party.split()).lower() for rule in asked)
    kinds = Counter(rule.kind for rule in asked)
    unread = sum(d.pages_without_text for d in targets)
    pages = sum(d.pages for d in targets)
    of = Counter(rule.document for rule in asked)
    each = tuple((d.display_title, of[d.id], d.pages) for d in targets)
    return Workload(told, tuple(parties.most_common()), tuple(kinds.most_common()), each, pages, pages - unread)


def estimate(app: Container, user: User, wanted: NewAudit) -> Estimate:
    """What an audit would take (A4).

    Raises:
        NotFound: no such document of this user.
        InvalidInput: there is nothing to audit, or a document is not ready.
    """
    if wanted.source_id is None and not wanted.text.strip():
        raise InvalidInput("There is no text to audit.")
    sources = [wanted.source_id] if wanted.source_id else []
    check_documents([*wanted.target_ids, *sources], library.list_documents(app, user))
    return workload(app, user, wanted).estimate


def start(app: Container, user: User, thread_id: str, wanted: NewAudit) -> None:
    """Send the audit into a conversation, as its message would; follow it with :func:`policypal.application.ask.events`.

    Raises:
        InvalidInput, TooManyDocuments, NotFound: it has no text, no target, one that is gone or is the source itself.
        RunInProgress, QuestionPending: the conversation is busy.
    """
    if wanted.source_id is None and not wanted.text.strip():
        raise InvalidInput("Please choose a policy or paste a text.")
    if not wanted.target_ids:
        raise InvalidInput("Please choose what to audit against.")
    titles = {d.id: d.display_title for d in library.list_documents(app, user)}
    source = titles.get(wanted.source_id or "", "this text")
    about = f"Audit {source} against {enumerated([titles.get(i, i) for i in wanted.target_ids])}"
    request = requests.Request(
        action="audit",
        sources=(wanted.source_id or requests.TEXT,),
        targets=wanted.target_ids,
        focus=wanted.focus.strip(),
        titles=titles,
    )
    message = ask.Request(
        message=f"{about}, on {request.focus}." if request.focus else f"{about}.",
        as_read=request,
        draft=None if wanted.source_id else ask.Draft(wanted.text_name, wanted.text),
        idempotency_key=wanted.key,
    )
    ask.send(app, user, thread_id, message)
