"""Stage 2: which documents are meant (G4, G5, G11)."""

from collections.abc import Sequence
from typing import Any

from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.interrupts import ALL, question
from policypal.domain.requests import ActionName
from policypal.domain.versions import superseded_by, version_families
from policypal.errors import NotFound, TooManyDocuments
from policypal.graph.agent import feedback
from policypal.graph.agent.said import action_of, known_document, known_documents, said_in
from policypal.graph.agent.state import AgentState, request_of, scope_of
from policypal.graph.context import NodeContext
from policypal.request.composer import MAX_DOCUMENTS, check_document_limit, compose
from policypal.request.documents import (
    Resolution,
    SettledDocuments,
    asked_of,
    documents_by_rules,
    settle,
    without_asking,
)
from policypal.request.library import KnownDocument, called_most_alike, speaks_of_editions
from policypal.request.said import Said

MAX_OPTIONS = 20


def doc_resolver(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Explicit tags, then the reading of the message, then fuzzy names. An answer to an earlier question is applied without a model call.

    Raises:
        TooManyDocuments: more than five; none is dropped silently.
        NotFound: a tagged document was deleted while a question was open.
    """
    library = _library(context)
    known = known_documents(context, state)
    if state["as_read"]:
        return _resolved(library, request_of(state).ids, source="explicit")
    if state["clarified_ids"] or state["clarification"]:
        return _apply_clarification(state, library, known)
    if state["is_pure_mention"] and state["tagged_ids"]:
        return _resolved(library, state["tagged_ids"], source="explicit")
    return _infer(state, library, known)


def _library(context: NodeContext) -> list[Document]:
    return [d for d in context.run.library if d.status is DocumentStatus.READY]


def _infer(state: AgentState, library: Sequence[Document], known: Sequence[KnownDocument]) -> dict[str, Any]:
    gone = [d for d in known if d.id not in {held.id for held in library}]
    if not known:
        return _resolved(library, [], source="inferred")
    said, action = said_in(state, known), action_of(state)
    asked, _ = asked_of(said, action)
    settled = settle(said.model_copy(update={"message": asked}), _resolution(state, said, action))
    lost = _referred_to(gone, settled)
    if lost:
        found = [i for i in settled.ids if i not in {d.id for d in lost}]
        return {**_resolved(library, found, source=settled.source or "inferred"), **_ask_instead_of(lost)}
    return _settled(state, library, settled, asked)


def _resolution(state: AgentState, said: Said, action: ActionName) -> Resolution:
    """As the message was read; by the rules where nothing was read, or for another action than the person chose."""
    if state["resolution"] is None or not state["route"] or state["route"]["action"] != action:
        return documents_by_rules(said, action)
    return Resolution(**state["resolution"])


def _settled(state: AgentState, library: Sequence[Document], settled: SettledDocuments, message: str) -> dict[str, Any]:
    """The documents that are certain, and what is still open: asked, except where one option is left or a question can be
    answered over what it may mean. Whatever was decided for the person is said (G4)."""
    asked, further, notices = _open(state, library, settled, message)
    ids = list(dict.fromkeys([*settled.ids, *further]))
    update = _resolved(library, ids, source=settled.source or "inferred")
    told = [*notices, *_editions_taken(state, library, ids, message)]
    held = state["notices"]
    return {**update, **asked, "notices": [*held, *(n for n in dict.fromkeys(told) if n not in held)]}


def _open(
    state: AgentState, library: Sequence[Document], settled: SettledDocuments, message: str
) -> tuple[dict[str, Any], list[str], list[str]]:
    """The question, the documents taken without one, and what is said about it."""
    candidates = [d for d in library if d.id in settled.candidates] if settled.confidence != "high" else []
    candidates = [d for d in candidates if d.id in scope_of(state)] or candidates
    if state["action"] == Action.INQUIRE:
        return {}, *_without_asking(state, candidates, settled)
    missing = feedback.not_in_library(settled.unresolved_names)
    if len(candidates) == 1 and not missing:
        return {}, [candidates[0].id], [feedback.only_one_fits(candidates[0].display_title)]
    if candidates:
        rules = state["action"] == Action.AUDIT and all(d.type is DocumentType.REGULATORY for d in candidates)
        wanted = "audit against" if rules else state["action"]
        text = f"{missing} Please specify which document you would like to {wanted}.".strip()
        return _asked("medium", document_question(text, candidates, library)), [], []
    if settled.confidence == "low":
        return _asked("low", _ask_for_document(settled.unresolved_names, library, message)), [], []
    return {}, [], []


def _without_asking(
    state: AgentState, candidates: Sequence[Document], settled: SettledDocuments
) -> tuple[list[str], list[str]]:
    """A question is answered over all documents it may mean, where they fit into one request, else over the library."""
    missing = feedback.not_in_library(settled.unresolved_names)
    possible = without_asking(settled, [known_document(d) for d in candidates], state["tagged_ids"])
    ids = [*settled.ids, *possible]
    if settled.confidence == "high" or (settled.ids and not candidates and not missing):
        return [], []
    if not ids or (candidates and not possible):
        scope = ", ".join(t for i, t in settled.titles.items() if i in settled.ids)
        scope = scope or (state.get("scope") or {}).get("label", "your whole library")
        return [], [f"{missing or feedback.SEVERAL_FIT} The question was answered from: {scope}."]
    scope = ", ".join(settled.titles[i] for i in ids)
    return possible, [f"{missing or feedback.SEVERAL_FIT} The question was answered from: {scope}."]


def _editions_taken(state: AgentState, library: Sequence[Document], ids: Sequence[str], message: str) -> list[str]:
    """Says which edition was taken where the message names none and there are others (G4)."""
    told = []
    families = version_families(library)
    for document_id in ids:
        family = families.get(document_id, ())
        taken = next((d for d in family if d.id == document_id), None)
        others = [d for d in family if d.id not in ids]
        if taken is None or not others or document_id in state["tagged_ids"]:
            continue
        if not speaks_of_editions(message, known_document(taken)):
            told.append(
                feedback.edition_taken(taken.display_title, [d.display_title for d in others], taken == family[0])
            )
    return told


def _asked(confidence: str, asked: dict[str, Any]) -> dict[str, Any]:
    return {"inference_confidence": confidence, "question": asked}


def _referred_to(gone: Sequence[KnownDocument], settled: SettledDocuments) -> list[KnownDocument]:
    """Those of the deleted documents that are meant, or that are all the message may mean."""
    meant = [d for d in gone if d.id in settled.ids]
    possible = [d for d in gone if d.id in settled.candidates]
    return meant or (possible if len(possible) == len(settled.candidates) else [])


def _ask_instead_of(lost: Sequence[KnownDocument]) -> dict[str, Any]:
    """text_input for another document than those that were deleted."""
    names = ", ".join(f"“{d.title}”" for d in lost)
    text = f"No longer in your library: {names}. {feedback.TAG_THE_DOCUMENT}"
    return {"inference_confidence": "low", "question": question("text_input", text, expects="document")}


def _ask_for_document(unknown: Sequence[str], library: Sequence[Document], message: str) -> dict[str, Any]:
    """text_input for a document; says which names are not in the library, and offers those that come nearest."""
    near = called_most_alike(unknown, [known_document(d) for d in library], message)
    told = (feedback.not_in_library(unknown), feedback.TAG_THE_DOCUMENT, feedback.NEAREST_NAMES if near else "")
    options = [(d.id, d.display_title) for d in near] or None
    return question("text_input", " ".join(filter(None, told)), options=options, expects="document")


def document_question(message: str, candidates: Sequence[Document], library: Sequence[Document]) -> dict[str, Any]:
    """doc_choice with "All of these" where several fit into one request (G7); superseded editions last, and marked."""
    superseded = superseded_by([d for d in library if d.status is DocumentStatus.READY])
    ranked = sorted(candidates, key=lambda d: d.id in superseded)[:MAX_OPTIONS]
    options = [(d.id, f"{d.display_title} · superseded" if d.id in superseded else d.display_title) for d in ranked]
    if 1 < len(options) <= MAX_DOCUMENTS:
        options.append((ALL, "All of these"))
    return question("doc_choice", message, options=options, allow_multiple=True)


def _apply_clarification(
    state: AgentState, library: Sequence[Document], known: Sequence[KnownDocument]
) -> dict[str, Any]:
    """Documents chosen or tagged in an answer are final; a text is matched with names, without a model call."""
    asked_again = {"clarification": "", "clarified_ids": []}
    text = state["clarification"].strip()
    found = _named_in(text, known) if text else SettledDocuments()
    if found.candidates:
        options = [d for d in library if d.id in found.candidates]
        asked = document_question("Several documents have that name. Please choose.", options, library)
        return {**asked_again, "question": asked}
    ids = [*state["clarified_ids"], *found.ids]
    if not ids:
        return {**asked_again, "question": _ask_for_document([text] if text else [], library, text)}
    held = [*state["resolved_doc_ids"], *state["tagged_ids"], *ids]
    try:
        return {**_resolved(library, held, source="explicit"), **asked_again}
    except TooManyDocuments as error:
        return {**asked_again, "question": question("text_input", error.message, expects="document")}


def _named_in(text: str, known: Sequence[KnownDocument]) -> SettledDocuments:
    """The documents an answer names: by @tag, by exact or similar name, or in a sentence."""
    composed = compose(text if "@" in text else f"@{text}", list(known))
    said = Said(message=text, tagged_ids=list(composed.document_ids), documents=list(known))
    found = settle(said, Resolution(unknown=[] if composed.document_ids else [text.lstrip("@")]))
    in_sentence = (
        documents_by_rules(said, Action.INQUIRE.value) if not (found.ids or found.candidates) else Resolution()
    )
    return settle(said, in_sentence) if in_sentence.ids or in_sentence.candidates else found


def _resolved(library: Sequence[Document], ids: Sequence[str], *, source: str) -> dict[str, Any]:
    unique = list(dict.fromkeys(ids))
    check_document_limit(unique)
    titles = {d.id: d.display_title for d in library}
    if any(i not in titles for i in unique):
        raise NotFound("A document of this request is no longer in your library. Please tag again.")
    return {
        "resolved_doc_ids": unique,
        "resolved_doc_titles": {i: titles[i] for i in unique},
        "inference_source": source,
        "inference_confidence": "high",
        "question": None,
    }
