"""Stage 3: does the action have what it needs? No model is asked (G6)."""

import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.interrupts import question
from policypal.domain.requests import TEXT, Queued, Request
from policypal.domain.text import enumerated
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.doc_resolver import document_question
from policypal.graph.agent.said import known_document
from policypal.graph.agent.state import AgentState, request_of, with_notice
from policypal.graph.context import NodeContext
from policypal.ingest.drafts import request_of as asking
from policypal.request.binding import spans_of
from policypal.request.focus import focus_of
from policypal.request.library import KnownDocument, Library
from policypal.request.material import own_statement, text_of
from policypal.request.mentions import without_mentions
from policypal.request.route import Route, focus_said
from policypal.request.sides import audit_sides

_SHOWN_TEXT = 60
"""Characters of a text by which an option names it."""


def validate_inputs(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves the first thing that is missing as a question, or none."""
    update = _web(state, context)
    if "question" in update:
        return update
    checks = {"compare": _compare, "audit": _audit, "summarize": _summarize}
    check = checks.get(state["action"])
    update = {"question": None, **update, **(check(state, context) if check else {})}
    sides: Request | None = update.pop("request", None)
    return update if update["question"] else {**update, "request": _request(state, context, update, sides)}


def _request(state: AgentState, context: NodeContext, update: dict[str, Any], sides: Request | None) -> dict[str, Any]:
    """What the turn comes to (G0), for retrieval, prompts and the chips above the answer. ``sides`` are an audit's."""
    settled: dict[str, Any] = {**state, **update}
    ids = settled["resolved_doc_ids"]
    known = [known_document(d) for d in context.run.library if d.id in ids]
    if sides is None:
        focus = ""
        if state["action"] != Action.INQUIRE:
            focus = request_of(state).focus if state["as_read"] else _focus(state, state["clean_query"], known)
        sides = Request(documents=tuple(ids), focus=focus)
    is_open = state["action"] == Action.INQUIRE and not ids and bool(state.get("scope"))
    spans = spans_of(state["text"], Library(known), datetime.now(UTC).date())
    told = {
        "action": state["action"], "web": settled["enable_web_search"], "scope": state.get("scope") if is_open else None,
        "queue": settled["queue"], "spans": spans, "titles": settled["resolved_doc_titles"],
    }  # fmt: skip
    return Request(**{**sides.model_dump(), **told}).model_dump(mode="json")


def _web(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Compare drops the web visibly; an explicit wish that cannot be met is asked about, an inferred one is remarked on."""
    if not state["enable_web_search"]:
        return {}
    if state["action"] == "compare":
        return {"enable_web_search": False, "notices": with_notice(state, feedback.COMPARE_WITHOUT_WEB)}
    if context.services.web is not None:
        return {}
    if state["web_tagged"] and not state["web_waived"]:
        return {
            "question": question(
                "action_choice",
                "Web search is not configured. I can proceed with your documents only, or show how to set it up.",
                options=[("without_web", "Continue without web search"), ("setup", "Show how to set it up")],
            )
        }
    return {"enable_web_search": False, "notices": with_notice(state, feedback.WEB_NOT_CONFIGURED)}


def _compare(state: AgentState, context: NodeContext) -> dict[str, Any]:
    if len(state["resolved_doc_ids"]) >= 2:
        return {}
    text = "Compare requires at least 2 documents. Please tag the additional document."
    return {"question": question("text_input", text, expects="document")}


def _summarize(state: AgentState, context: NodeContext) -> dict[str, Any]:
    if state["resolved_doc_ids"]:
        return {}
    text = "Please tag the document you would like to summarize."
    return {"question": question("text_input", text, expects="document")}


def _audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """A source and targets: a text of the message, an attached draft, or a company policy, held against the rules (G0). What is
    taken is said at the answer's head; where two readings differ, it is asked."""
    if state["as_read"]:
        return _as_set(request_of(state), state)
    request, text = _text(state)
    resolved = [d for i in state["resolved_doc_ids"] for d in context.run.library if d.id == i]
    known, today = [known_document(d) for d in resolved], datetime.now(UTC).date()
    held, rules = audit_sides(request, known, state["tagged_ids"], today, has_text=bool(text))
    sources = [d for d in resolved if d.id in held]
    chosen = state["source_choice"]
    several = sources if rules and not text and not chosen else []  # each in a report of its own (A4)
    if not chosen and not several and (asked := _ask_source(sources, resolved, text)):
        return {"question": asked}
    source = next((d for d in sources if chosen in ("", d.id)), None) if chosen != TEXT else None
    focus = _focus(state, request, known)
    text = "" if source is not None else text or _own_words(state)
    targets = [d for d in resolved if d.id in rules]
    left_out = [d for d in resolved if d is not source and d not in (*targets, *several[1:])]
    update = {"source_text": text, **_without(state, left_out), **_later(state, several[1:], targets, focus)}
    regulations = _rules_to_ask(context, source) if not targets else []
    if len(regulations) == 1:
        update |= _the_only(regulations[0], state, update)
    elif not targets:
        return {**update, "question": _ask_target(context, regulations)}
    if source is None and not text:
        return {**update, "question": _ask_text()}
    against = tuple(d.id for d in targets or regulations)
    sides = Request(sources=(source.id if source else TEXT,), targets=against, focus=focus)
    return {**update, "request": sides}


def _as_set(request: Request, state: AgentState) -> dict[str, Any]:
    """An audit whose sides the person has set (U11)."""
    source = next(iter(request.sources), TEXT)
    text = _text(state)[1] or _own_words(state) if source == TEXT else ""
    if not request.targets:
        ask = question("text_input", "Please tag the document to audit against.", expects="document")
        return {"source_text": text, "question": ask}
    if source == TEXT and not text:
        return {"source_text": text, "question": _ask_text()}
    sides = Request(sources=(source,), targets=request.targets, focus=request.focus)
    return {"source_text": text, "request": sides}


def _focus(state: AgentState, request: str, known: Sequence[KnownDocument]) -> str:
    """What the request is limited to, in the person's words: as the rules read them, else as the model did (G0)."""
    asked = without_mentions(asking(request), Library(known), datetime.now(UTC).date())
    said = focus_of(asked, [d.title for d in known])
    return said or (focus_said(Route(**state["route"]), request, known) if state["route"] else "")


def _own_words(state: AgentState) -> str:
    """The statements of a message that is no more than the text: sent as an audit, or with a question about it."""
    said = state["clean_query"]
    return own_statement(said) if state["action_chosen"] or "?" in said else ""


def _text(state: AgentState) -> tuple[str, str]:
    """What is asked, and the text it is asked of."""
    return (
        (state["text"], state["source_text"]) if state["source_text"] else text_of(state["text"], state["draft_text"])
    )


def _ask_source(sources: Sequence[Document], resolved: Sequence[Document], text: str) -> dict[str, Any] | None:
    """One audit checks one source: asks where a policy and a text, or several policies, could be it."""
    if len(sources) + bool(text) < 2:
        return None
    options = [(d.id, d.display_title) for d in sources]
    if text:
        options.append((TEXT, f"The text “{textwrap.shorten(text, _SHOWN_TEXT, placeholder=' …')}”"))
    rules = ", ".join(d.display_title for d in resolved if d not in sources)
    against = f" against {rules}" if rules else ""
    return question("doc_choice", f"One audit checks one source. What should be audited{against}?", options=options)


def _without(state: AgentState, left_out: Sequence[Document]) -> dict[str, Any]:
    """Company documents that are neither the source nor a rule are no part of the audit, and that is said (G0)."""
    if not left_out:
        return {}
    titles = ", ".join(d.display_title for d in left_out)
    gone = {d.id for d in left_out}
    return {
        "resolved_doc_ids": [i for i in state["resolved_doc_ids"] if i not in gone],
        "resolved_doc_titles": {i: t for i, t in state["resolved_doc_titles"].items() if i not in gone},
        "notices": with_notice(state, feedback.not_a_rule(titles)),
    }


def _later(state: AgentState, sources: Sequence[Document], targets: Sequence[Document], focus: str) -> dict[str, Any]:
    """The audits of further sources, offered one by one when the one before is done (A4)."""
    if not sources:
        return {}
    rules, others = tuple(d.id for d in targets), {d.id for d in sources}
    against = f"against {enumerated([d.display_title for d in targets])}{f', on {focus}' if focus else ''}"
    wanted = [Request(action="audit", sources=(d.id,), targets=rules, focus=focus) for d in sources]
    queue = [
        Queued(action="audit", words=f"Audit {d.display_title} {against}", request=r)
        for d, r in zip(sources, wanted, strict=True)
    ]
    return {
        "queue": [*(q.model_dump(mode="json") for q in queue), *state["queue"]],
        "resolved_doc_ids": [i for i in state["resolved_doc_ids"] if i not in others],
        "resolved_doc_titles": {i: t for i, t in state["resolved_doc_titles"].items() if i not in others},
    }


def _ask_text() -> dict[str, Any]:
    ask = "Please enter the text you would like to audit (for example an e-mail or a policy excerpt), or tag a company policy."
    return question("text_input", ask, expects="text")


def _rules_to_ask(context: NodeContext, source: Document | None) -> list[Document]:
    return [
        d for d in context.run.library
        if d.type is DocumentType.REGULATORY and d.status is DocumentStatus.READY and d is not source
    ]  # fmt: skip


def _ask_target(context: NodeContext, regulations: Sequence[Document]) -> dict[str, Any]:
    if not regulations:
        text = "I need a regulation document to run Audit. Please tag one."
        return question("text_input", text, expects="document")
    text = "Please specify which document you would like to audit against."
    return document_question(text, regulations, context.run.library)


def _the_only(rule: Document, state: AgentState, update: dict[str, Any]) -> dict[str, Any]:
    """The only regulation there is: taken, and said (G4)."""
    titles = update.get("resolved_doc_titles", state["resolved_doc_titles"])
    notices = update.get("notices", state["notices"])
    return {
        "resolved_doc_ids": [*update.get("resolved_doc_ids", state["resolved_doc_ids"]), rule.id],
        "resolved_doc_titles": {**titles, rule.id: rule.display_title},
        "notices": [*notices, feedback.only_one_fits(rule.display_title)],
    }
