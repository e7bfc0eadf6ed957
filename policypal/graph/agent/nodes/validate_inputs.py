"""Stage 3: does the action have what it needs? No model is asked (G6)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.interrupts import TEXT, question
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.doc_resolver import document_question, known_document
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.context import NodeContext
from policypal.request.focus import focus_of
from policypal.request.masking import masked
from policypal.request.material import audited_text, own_statement
from policypal.request.sides import Sides, sides_of

_SHOWN_TEXT = 60
"""Characters of a text by which an option names it."""


def validate_inputs(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves the first thing that is missing as a question, or none."""
    update = _web(state, context)
    if "question" in update:
        return update
    checks = {"compare": _compare, "audit": _audit, "summarize": _summarize}
    check = checks.get(state["action"])
    return {"question": None, **update, **(check(state, context) if check else {})}


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
    request, text = _text(state)
    resolved = [d for i in state["resolved_doc_ids"] for d in context.run.library if d.id == i]
    sides = sides_of(request, [known_document(d) for d in resolved], datetime.now(UTC).date())
    sources = _sources(state, resolved, sides, has_text=bool(text))
    chosen = state["source_choice"]
    if not chosen and (asked := _ask_source(sources, resolved, text)):
        return {"question": asked}
    source = next((d for d in sources if chosen in ("", d.id)), None) if chosen != TEXT else None
    text = "" if source is not None else text or _own_words(state)
    left_out = [d for d in sources if d is not source]
    targets = [d for d in resolved if d is not source and d not in left_out]
    update = {
        "source_text": text,
        "source_doc_id": source.id if source else "",
        "target_doc_ids": [d.id for d in targets],
        "focus": _focus(request, resolved),
        **_without(state, left_out),
    }
    regulations = _rules_to_ask(context, source) if not targets else []
    if len(regulations) == 1:
        update |= _the_only(regulations[0], state, update)
    elif not targets:
        return {**update, "question": _ask_target(context, regulations)}
    return update if text or source is not None else {**update, "question": _ask_text()}


def _focus(request: str, resolved: Sequence[Document]) -> str:
    known = [known_document(d) for d in resolved]
    return focus_of(masked(request, known, datetime.now(UTC).date()), [d.title for d in resolved])


def _own_words(state: AgentState) -> str:
    """The statements of a message that is no more than the text: sent as an audit, or with a question about it."""
    said = state["clean_query"]
    return own_statement(said) if state["action_chosen"] or "?" in said else ""


def _text(state: AgentState) -> tuple[str, str]:
    """What is asked, and the text it is asked of."""
    if state["source_text"]:
        return state["text"], state["source_text"]
    request, text = audited_text(state["text"])
    if state["draft_text"] and not _IGNORED.search(request):
        return request, state["draft_text"]
    return request, text


_IGNORED = re.compile(
    r"\b(?:ignor\w+|skip\w*|leav\w+ out|without|disregard\w*|not) (?:the |my |this )?(?:attach\w+|draft|file)\b",
    re.IGNORECASE,
)


def _sources(state: AgentState, resolved: Sequence[Document], sides: Sides, *, has_text: bool) -> list[Document]:
    """The documents that may be what is audited. Company documents are, unless the analyst has named them as the rules; one
    that is alone with a text is the rule that the text is held against; a regulation is only where it is said."""
    companies = [d for d in resolved if d.type is DocumentType.COMPANY and d.id not in sides.rules]
    if has_text and len(companies) == len(resolved):
        return []
    if companies:
        tagged = [d for d in companies if d.id in state["tagged_ids"]]
        alone = len(companies) == len(resolved)
        return companies[:1] if alone and tagged else tagged or companies
    named = [d for d in resolved if d.id in sides.source]
    return named if len(named) == 1 and len(resolved) > 1 and not has_text else []


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
        "target_doc_ids": [rule.id],
        "resolved_doc_ids": [*update.get("resolved_doc_ids", state["resolved_doc_ids"]), rule.id],
        "resolved_doc_titles": {**titles, rule.id: rule.display_title},
        "notices": [*notices, feedback.only_one_fits(rule.display_title)],
    }
