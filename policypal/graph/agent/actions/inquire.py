"""Action: answer a question (A2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from policypal.answer.evidence import Evidence
from policypal.answer.questions import content_terms
from policypal.answer.quoting import is_bare_quotation
from policypal.answer.task import ANSWER, Answer, AnswerInput, nearest_passages, share_answered
from policypal.domain.documents import DocumentType, RetrievedPassage
from policypal.domain.web import WebPassage
from policypal.graph.agent import feedback
from policypal.graph.agent.actions.quotations import statements_markdown
from policypal.graph.agent.actions.reading import cited
from policypal.graph.agent.named_provisions import load_provisions, superseded_editions
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import numbered_web_evidence, web_passages_of
from policypal.search.confidence import Level, cautious

RELAXED_RESULTS = 30
RELAXED_PER_DOCUMENT = 10
EXACT_HEADING = 0.5
"""How much of a heading the topic must be for its section to be the exact provision (C4)."""
ANSWERED_SHARE = 0.8
"""From so many of the words asked about on, an answer may be rated high: of five words one may be missing."""
_SUPPORTED_SCORE = 0.5
_OWN = re.compile(r"\b(?:we|us|our|ours|internal(?:ly)?|company(?:'s)?|polic(?:y|ies)|procedures?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read for an answer: passages of documents, then web pages; and the same as the task is given it. ``is_relaxed``:
    it was found by the second search."""

    hits: Sequence[RetrievedPassage]
    pages: Sequence[WebPassage]
    given: AnswerInput
    is_relaxed: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as it is shown, with its citations. ``found`` is False where the nearest passages stand in for it."""

    text: str
    citer: Citer
    found: bool


def inquire(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Mode A: from evidence, every sentence cited. B: no documents at all. C: nothing close, after a second search with fewer
    words: the three nearest passages, never a claim that there is nothing."""
    read = _reading(state, context)
    answer, totals = context.run_task(state, ANSWER, read.given)
    if not answer.found and read.hits:
        read = _relaxed(state, context, read)
        if context.services.by_rules:  # reads again at no cost; a model is asked once per turn (G1)
            answer, totals = context.run_task({**state, **totals}, ANSWER, read.given)
    written = _written(context, read, answer)
    documents = [c for c in written.citer.citations if c.source_type == "document"]
    update: dict[str, Any] = {
        **totals, "response": written.text, **cited(written.citer), **_rating(state, context, read, answer, written),
        "notices": _notices(state, context, written, len(documents)),
    }  # fmt: skip
    if not state["resolved_doc_titles"] and documents:
        update["resolved_doc_titles"] = _cited_documents(written.citer, read.hits)
    return update


def _reading(state: AgentState, context: NodeContext) -> Reading:
    """The provisions the question names, then what was found for it, then the web's pages."""
    provisions = load_provisions(state, context)
    hits, pages = [*provisions, *load_evidence(state, context)], web_passages_of(state)
    evidence = _numbered(context, hits, pages, provisions=len(provisions) if state["provisions_answer"] else 0)
    library = context.run.library
    given = AnswerInput(
        question=state["text"],
        words=subject_of(state, library),
        names=list(names_of(state, library).called),
        evidence=evidence,
        titles=_titles(state, hits),
        mode="evidence" if evidence else "not_found" if state["resolved_doc_ids"] else "general",
        history=history_lines(state, last=None),
    )
    return Reading(hits, pages, given)


def _relaxed(state: AgentState, context: NodeContext, read: Reading) -> Reading:
    """The same question to more passages, searched for with its words of content alone."""
    words = [w for w in read.given.words.split() if content_terms(w)]
    scope = state["resolved_doc_ids"] or None
    each = RELAXED_RESULTS if scope and len(scope) == 1 else RELAXED_PER_DOCUMENT
    more = context.services.search.find(
        context.run.user_id, " ".join(words) or read.given.words, document_ids=scope, limit=RELAXED_RESULTS, per_document=each
    )  # fmt: skip
    known = {h.passage.id for h in read.hits}
    hits = [*read.hits, *(h for h in more if h.passage.id not in known)]
    given = read.given.model_copy(update={"evidence": _numbered(context, hits, read.pages)})
    return Reading(hits, read.pages, given, is_relaxed=True)


def _numbered(
    context: NodeContext, hits: Sequence[RetrievedPassage], pages: Sequence[WebPassage], provisions: int = 0
) -> list[Evidence]:
    """The evidence; the first ``provisions`` passages are what was asked for, and older editions say so."""
    newer = superseded_editions(context)
    marked = [
        e.model_copy(
            update={
                "is_provision": e.number <= provisions,
                "superseded_by": newer[h.passage.document_id].version if h.passage.document_id in newer else "",
            }
        )
        for e, h in zip(numbered_evidence(hits), hits, strict=True)
    ]
    return [*marked, *numbered_web_evidence(pages, after=len(hits))]


def _titles(state: AgentState, hits: Sequence[RetrievedPassage]) -> list[str]:
    named = list(state["resolved_doc_titles"].values())
    return named or list(dict.fromkeys(h.passage.document_label for h in hits))


def _written(context: NodeContext, read: Reading, answer: Answer) -> Written:
    """The answer; the nearest passages where it found nothing, or where nothing of its quotations stands on a page."""
    citer = _citer(context, read)
    is_evidence = read.given.mode == "evidence"
    if answer.found or not read.hits:
        text = statements_markdown(answer.sentences, read.given.evidence, citer, must_cite=is_evidence and answer.found)
        if citer.lost_everything and not all(map(is_bare_quotation, answer.sentences)):
            return Written(f"{text}\n\n{NOTHING_VERIFIED} {feedback.DISCLAIMER}", citer, found=False)
        if citer.citations or not read.hits or not any(s.quotes for s in answer.sentences):
            return Written(text, citer, answer.found)
    return _nearest(context, read)


def _nearest(context: NodeContext, read: Reading) -> Written:
    citer = _citer(context, read)
    documents = [e for e in read.given.evidence if not e.is_web]
    in_force = [e for e in documents if not e.superseded_by] or documents
    chosen = nearest_passages(read.given.model_copy(update={"evidence": in_force}), context.services.embedder)
    engine = "keyless" if context.services.by_rules else "model"
    said = feedback.nothing_close(engine, len(documents), read.given.titles)
    quoted = statements_markdown(chosen, documents, citer, must_cite=False)
    if not quoted:
        return Written(f"{said} {feedback.REPHRASE}", citer, found=False)
    return Written(f"{said} {feedback.NEAREST}\n\n{quoted}", citer, found=False)


def _citer(context: NodeContext, read: Reading) -> Citer:
    return citer_for(context, [h.passage for h in read.hits], read.pages)


def _rating(state: AgentState, context: NodeContext, read: Reading, answer: Answer, written: Written) -> dict[str, Any]:
    """How sure the answer is (C4): exact where the provision itself was asked for; never high where a part of the question
    is answered at most, or by a document of the wrong kind. What web pages say is not rated."""
    if not written.found or all(c.source_type == "web" for c in written.citer.citations):
        return {"retrieval_confidence": "low", "confidence_score": 0.0}
    is_keyless = context.services.by_rules
    if state["provisions_answer"] and not read.is_relaxed and (is_keyless or _is_supported(written.citer)):
        share = min(p["share"] for p in state["provisions"])
        return {"retrieval_confidence": "high" if share >= EXACT_HEADING else "medium", "confidence_score": share}
    level, score = _level(state, is_keyless, written)
    if read.is_relaxed or not _answers_all(read, answer) or _is_of_wrong_kind(state, context, written):
        level, score = cautious(level, score, context.services.search.embedder.model)
    return {"retrieval_confidence": level, "confidence_score": score}


def _level(state: AgentState, is_keyless: bool, written: Written) -> tuple[Level, float]:
    found, score = state["retrieval_confidence"], state["confidence_score"]
    if found == "low" and not is_keyless and _is_supported(written.citer):
        return "medium", max(score, _SUPPORTED_SCORE)
    return ("high" if found == "high" else "medium" if found == "medium" else "low"), score


def _is_supported(citer: Citer) -> bool:
    """Whether every quotation of a model's answer was found and carries its sentence: it is rated by that, not by how alike
    vectors are."""
    return citer.verified_share == 1.0 and not citer.flagged and not citer.corrected


def _answers_all(read: Reading, answer: Answer) -> bool:
    """Of a quotation, whether it holds all that is asked about; a sentence of a model is judged by its own check."""
    first = next((s for s in answer.sentences if s.quotes), None)
    return first is None or not is_bare_quotation(first) or share_answered(read.given, first) >= ANSWERED_SHARE


def _is_of_wrong_kind(state: AgentState, context: NodeContext, written: Written) -> bool:
    """Whether a question to a library with regulations, which is not about the company's own rules, is answered by company
    documents alone."""
    if state["resolved_doc_ids"] or _OWN.search(state["text"]):
        return False
    types = {d.id: d.type for d in context.run.library}
    cites = {types.get(c.document_id) for c in written.citer.citations if c.document_id}
    return cites == {DocumentType.COMPANY} and DocumentType.REGULATORY in types.values()


def _notices(state: AgentState, context: NodeContext, written: Written, documents: int) -> list[str]:
    notices = list(state["notices"])
    if state["low_accepted"]:
        notices.append(feedback.DISCLAIMER)
    if documents < len(written.citer.citations):
        notices.append(feedback.WEB_CAUTION)
    if not written.found and context.services.web is not None and not state["web_query"] and state["evidence"]:
        notices.append(feedback.WEB_COULD_HELP)
    return notices


def _cited_documents(citer: Citer, hits: Sequence[RetrievedPassage]) -> dict[str, str]:
    """A question to the whole library refers, from then on, to the documents that answered it (G11)."""
    cited = {c.document_id for c in citer.citations}
    return {h.passage.document_id: h.passage.document_label for h in hits if h.passage.document_id in cited}
