"""What can be tagged with "@" (U3)."""

from collections import Counter
from collections.abc import Sequence

from policypal.application import library, sets
from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentSet, DocumentStatus, DocumentType
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.domain.versions import superseded_by, version_families
from policypal.ui.chat.tiptap_composer import Suggestion

_COLOURS = {DocumentType.REGULATORY: "gold", DocumentType.COMPANY: "green"}


def for_message(app: Container, user: User) -> list[Suggestion]:
    """Actions, sets, documents that are ready, and web search."""
    ready = _ready(app, user)
    actions = [Suggestion(action.value, action.label, "action") for action in Action]
    tagged = _sets(sets.list_sets(app, user), ready)
    return [*actions, *tagged, *_documents(ready), Suggestion("web", "Web Search", "web")]


def for_answer(app: Container, user: User) -> list[Suggestion]:
    """An answer can name documents; it asks for nothing new."""
    return _documents(_ready(app, user))


def _ready(app: Container, user: User) -> list[Document]:
    return [d for d in library.list_documents(app, user) if d.status is DocumentStatus.READY]


def _documents(ready: Sequence[Document]) -> list[Suggestion]:
    """Of several editions the newest first, where the first of them stands; the others are marked (G4)."""
    families, superseded = version_families(ready), superseded_by(ready)
    ordered = {d.id: d for one in ready for d in families.get(one.id, (one,))}
    return [_document(d, d.id in superseded) for d in ordered.values()]


def _document(document: Document, is_superseded: bool) -> Suggestion:
    mark = "Superseded" if is_superseded else ""
    detail = " · ".join(
        part for part in (mark, document.type.label, document.set_name, counted(document.pages, "page")) if part
    )
    colour = _COLOURS[document.type]
    names = library.other_names(document)
    return Suggestion(document.id, document.display_title, "document", detail, colour, names)


def _sets(known: Sequence[DocumentSet], ready: Sequence[Document]) -> list[Suggestion]:
    """Sets with something in them; an empty one would tag nothing."""
    sizes = Counter(d.set_id for d in ready)
    return [Suggestion(s.id, s.name, "set", counted(sizes[s.id], "document"), s.colour) for s in known if sizes[s.id]]
