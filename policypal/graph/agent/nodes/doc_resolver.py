"""Stage 2: which documents are meant (G4, G5, G11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policypal.db import documents as documents_db
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus
from policypal.graph.agent.audit_source import split_audit_request
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.state import AgentState, history_lines
from policypal.graph.interrupts import question
from policypal.services.composer import check_document_limit, compose
from policypal.services.document_names import KnownDocument, match_name
from policypal.services.llm.tasks.resolve_documents import RESOLVE_DOCUMENTS, Resolution, ResolveInput

MAX_OPTIONS = 20


def doc_resolver(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Explicit tags, then one task, then fuzzy names. An answer to an earlier question is applied without a model call.

    Raises:
        TooManyDocuments: more than five; none is dropped silently.
    """
    library = _library(context)
    known = [known_document(d, state) for d in library]
    if state["clarified_ids"] or state["clarification"]:
        return _apply_clarification(state, library, known)
    if state["is_pure_mention"] and state["tagged_ids"]:
        return _resolved(state, library, state["tagged_ids"], source="explicit")
    return _infer(state, context, library, known)


def known_document(d: Document, state: AgentState | None = None) -> KnownDocument:
    """A document as the resolver sees it, with its place in the conversation's registry (G11)."""
    registry = (state or {}).get("conversation_docs", {})
    turns = (state or {}).get("document_turns", {})
    return KnownDocument(
        id=d.id,
        title=d.title,
        version=d.version,
        type=d.type.value,
        set_name=d.set_name,
        aliases=list(d.aliases),
        in_conversation=d.id in registry.values(),
        turn=turns.get(d.id),
    )


def _library(context: NodeContext) -> list[Document]:
    found = documents_db.list_documents(context.services.db, context.run.user_id)
    return [d for d in found if d.status is DocumentStatus.READY]


def _infer(
    state: AgentState, context: NodeContext, library: Sequence[Document], known: Sequence[KnownDocument]
) -> dict[str, Any]:
    if not library:
        return _resolved(state, library, [], source="inferred")
    message, _ = split_audit_request(state["text"]) if state["action"] == "audit" else (state["text"], "")
    given = ResolveInput(
        message=message, action=Action(state["action"]).value, tagged_ids=state["tagged_ids"], documents=list(known),
        history=[] if _named_verbatim(message, state) else history_lines(state),
    )  # fmt: skip
    resolution, totals = context.run_task(state, RESOLVE_DOCUMENTS, given)
    ids = {d.id for d in library}
    found = [i for i in resolution.resolved_ids if i in ids]  # a model may invent ids
    fuzzy, candidates, unknown = _match_names(resolution.unresolved_names, known)
    candidates = list(dict.fromkeys([*(c for c in resolution.candidates if c in ids), *candidates]))
    update = _resolved(
        state, library, [*state["tagged_ids"], *found, *fuzzy], source=_source(state["tagged_ids"], found, fuzzy)
    )
    return {**update, **totals, **_question(state, library, resolution, update, candidates, unknown)}


def _named_verbatim(message: str, state: AgentState) -> bool:
    """Whether a title of the registry stands in the text, so that history would only distract (G4)."""
    return any(title.casefold() in message.casefold() for title in state.get("conversation_docs", {}))


def _match_names(names: Sequence[str], known: Sequence[KnownDocument]) -> tuple[list[str], list[str], list[str]]:
    """The fuzzy stage: (documents matched, candidates of ambiguous names, names without a match)."""
    matched: list[str] = []
    candidates: list[str] = []
    unknown: list[str] = []
    for name in names:
        matches = match_name(name, known)
        if len(matches) == 1:
            matched.append(matches[0].id)
        elif matches:
            candidates.extend(m.id for m in matches)
        else:
            unknown.append(name)
    return matched, candidates, unknown


def _question(
    state: AgentState,
    library: Sequence[Document],
    resolution: Resolution,
    update: dict[str, Any],
    candidates: Sequence[str],
    unknown: Sequence[str],
) -> dict[str, Any]:
    open_candidates = [c for c in candidates if c not in update["resolved_doc_ids"]]
    if unknown:
        names = ", ".join(f"“{n}”" for n in unknown)
        text = f"I could not find {names} in your library. Please tag the document you would like to reference."
        return {"inference_confidence": "low", "question": question("text_input", text, expects="document")}
    if open_candidates and (resolution.confidence != "high" or resolution.unresolved_names):
        return {
            "inference_confidence": "medium",
            "question": document_question(
                f"Please specify which document you would like to {_verb(state['action'])}.",
                [d for d in library if d.id in open_candidates],
            ),
        }
    if resolution.confidence == "low" and resolution.has_reference and not update["resolved_doc_ids"]:
        text = "Please tag the document you would like to reference."
        return {"inference_confidence": "low", "question": question("text_input", text, expects="document")}
    return {}


def document_question(message: str, candidates: Sequence[Document]) -> dict[str, Any]:
    """doc_choice with "All of these" where several fit into one request (G7)."""
    options = [(d.id, d.display_title) for d in candidates[:MAX_OPTIONS]]
    if 1 < len(options) <= 5:
        options.append(("all", "All of these"))
    return question("doc_choice", message, options=options, allow_multiple=True)


def _apply_clarification(
    state: AgentState, library: Sequence[Document], known: Sequence[KnownDocument]
) -> dict[str, Any]:
    ids = list(state["clarified_ids"])
    unknown: list[str] = []
    text = state["clarification"].strip()
    if text:
        composed = compose(text if "@" in text else f"@{text}", list(known))
        ids += composed.document_ids
        if not composed.document_ids:
            matched, candidates, unknown = _match_names([text], known)
            ids += matched
            if candidates:
                options = [d for d in library if d.id in candidates]
                asked = document_question("Several documents have that name. Please choose.", options)
                return {"question": asked, "clarification": "", "clarified_ids": []}
    if not ids:
        what = f"I could not find “{unknown[0]}” in your library. " if unknown else ""
        asked = question(
            "text_input", f"{what}Please tag the document you would like to reference.", expects="document"
        )
        return {"question": asked, "clarification": "", "clarified_ids": []}
    held = [*state["resolved_doc_ids"], *state["tagged_ids"], *ids]
    return {**_resolved(state, library, held, source="explicit"), "clarification": "", "clarified_ids": []}


def _resolved(state: AgentState, library: Sequence[Document], ids: Sequence[str], *, source: str) -> dict[str, Any]:
    unique = list(dict.fromkeys(ids))
    check_document_limit(unique)
    titles = {d.id: d.display_title for d in library}
    return {
        "resolved_doc_ids": [i for i in unique if i in titles],
        "resolved_doc_titles": {i: titles[i] for i in unique if i in titles},
        "inference_source": source,
        "inference_confidence": "high",
        "question": None,
    }


def _source(tagged: Sequence[str], inferred: Sequence[str], fuzzy: Sequence[str]) -> str:
    if tagged:
        return "hybrid" if inferred or fuzzy else "explicit"
    return "fuzzy_match" if fuzzy and not inferred else "inferred"


def _verb(action: str) -> str:
    return "reference" if action == "inquire" else action
