"""Action: answer a question (A2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from policypal.answer.confidence import Level
from policypal.answer.questions import analyse, content_terms
from policypal.answer.task import ANSWER, Answer, AnswerInput, QuotedAnswer, nearest
from policypal.concurrency import unless_stopped
from policypal.domain.documents import DocumentType, RetrievedPassage
from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.domain.web import WebPassage
from policypal.errors import RunStopped
from policypal.graph.agent import feedback
from policypal.graph.agent.actions.quotations import statements_markdown, view_markdown
from policypal.graph.agent.actions.reading import cited
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.provisions import Named, count_searched, material, named_provisions
from policypal.graph.agent.state import AgentState, documents_read, history_lines, subject_of, with_notice
from policypal.graph.agent.support import EXACT_SCORE, rating
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for
from policypal.graph.context import BROKE_OFF, NodeContext
from policypal.graph.web_evidence import numbered_web_evidence, web_passages_of

RELAXED_RESULTS = 30
RELAXED_PER_DOCUMENT = 10
_OWN = re.compile(r"\b(?:we|us|our|ours|internal(?:ly)?|company(?:'s)?|polic(?:y|ies)|procedures?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read for an answer: parts of provisions, then web pages; and the same as the task is given it. ``found`` are the
    passages it was found by, ``named`` the provisions the question names, ``scope`` the documents read, none for all of them."""

    hits: Sequence[RetrievedPassage]
    pages: Sequence[WebPassage]
    given: AnswerInput
    found: Sequence[RetrievedPassage]
    named: Named
    scope: Sequence[str]


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as it is shown, with its citations. ``found`` is False where the nearest provisions stand in for it."""

    text: str
    citer: Citer
    found: bool


def inquire(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Mode A: from evidence, every sentence cited. B: no documents at all. C: nothing close, after a second search with fewer
    words: the three nearest provisions, never a claim that there is nothing. Of an answer that is stopped while it is written stays what
    had arrived (U6)."""
    draft = _Draft(context)
    try:
        return unless_stopped(lambda: _answered(state, context, draft), context.run.check_stop)
    except RunStopped:
        if draft.read is None or draft.answer is None:
            raise
        notices = with_notice(state, feedback.ANSWER_STOPPED)
        ended = {"notices": notices, "ends_early": feedback.ANSWER_STOPPED}
        return {**ended, **_update(state, context, draft.read, draft.answer, ended)}


def _answered(state: AgentState, context: NodeContext, draft: _Draft) -> dict[str, Any]:
    read = draft.read = _reading(state, context, load_evidence(state, context), named_provisions(state, context))
    answer, totals = context.run_task(state, ANSWER, read.given, draft.show)
    if not answer.found and read.found:
        read = _relaxed(state, context, read)
        if context.services.by_rules:  # reads again at no cost; a model is asked once per turn (G1)
            answer, totals = context.run_task({**state, **totals}, ANSWER, read.given)
    return _update(state, context, read, answer, totals)


def _update(
    state: AgentState, context: NodeContext, read: Reading, answer: Answer, totals: dict[str, Any]
) -> dict[str, Any]:
    written = _written(state, context, read, answer)
    documents = [c for c in written.citer.citations if c.source_type == "document"]
    notices = totals.get("notices", state["notices"])
    is_cut = bool({BROKE_OFF, feedback.ANSWER_STOPPED} & set(notices))
    rated = _rating(state, context, answer, written, broke_off=is_cut)
    update: dict[str, Any] = {
        **totals, "response": written.text, **cited(written.citer), **rated, "notices": _notices(state, context, written, notices),
    }  # fmt: skip
    if not state["resolved_doc_titles"] and documents:
        update["resolved_doc_titles"] = _cited_documents(written.citer, read.hits)
    return update


class _Draft:
    """A model's answer while it is written: each statement is shown as soon as what it cites is found. ``answer`` is what of it was
    shown, from what is ``read``."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        self.read: Reading | None = None
        self.answer: Answer | None = None
        self._citer: Citer | None = None
        self._seen = 0
        self._shown: list[str] = []

    def show(self, answer: Answer) -> None:
        read = self.read
        if read is None or not answer.found or len(answer.sentences) == self._seen:
            return
        is_evidence = read.given.mode == "evidence"
        if len(answer.sentences) < self._seen:  # it is written once more
            self._seen, self._shown = 0, []
        citer = self._citer = self._citer or _citer(self._context, read).blank()
        for sentence in answer.sentences[self._seen :]:
            found = citer.verified
            text = citer.render(sentence, must_cite=is_evidence)
            self._shown += [text] if citer.verified > found or not is_evidence else []
        self._seen = len(answer.sentences)
        said = "\n\n".join(self._shown)
        self.answer = answer if said else None
        self._context.run.tell(StatusEvent(node="inquire", message=STATUS_MESSAGES["inquire"], said=said))


def _citer(context: NodeContext, read: Reading) -> Citer:
    return citer_for(context, [h.passage for h in read.hits], read.pages, read.scope)


def _reading(state: AgentState, context: NodeContext, found: Sequence[RetrievedPassage], named: Named) -> Reading:
    """The provisions the question names, then those that were found for it, then the web's pages."""
    words = state["search_query"] or subject_of(state, context.run.library)
    read, pages = material(state, context, words, found, named), web_passages_of(state)
    evidence = [*read.evidence, *numbered_web_evidence(pages, after=len(read.hits))]
    given = AnswerInput(
        question=state["text"],
        words=words,
        evidence=evidence,
        titles=_titles(state, read.hits),
        mode="evidence" if evidence else "not_found" if state["resolved_doc_ids"] else "general",
        history=history_lines(state, last=None),
    )
    return Reading(read.hits, pages, given, found, named, documents_read(state) or ())


def _relaxed(state: AgentState, context: NodeContext, read: Reading) -> Reading:
    """The same question to more passages, searched for with its words of content alone."""
    words = [w for w in read.given.words.split() if content_terms(w)]
    scope = documents_read(state)
    each = RELAXED_RESULTS if scope and len(scope) == 1 else RELAXED_PER_DOCUMENT
    more = context.services.search.find(
        context.run.user_id, " ".join(words) or read.given.words, document_ids=scope, limit=RELAXED_RESULTS, per_document=each
    )  # fmt: skip
    known = {h.passage.id for h in read.found}
    found = [*read.found, *(h for h in more if h.passage.id not in known)]
    return _reading(state, context, found, read.named)


def _titles(state: AgentState, hits: Sequence[RetrievedPassage]) -> list[str]:
    named = list(state["resolved_doc_titles"].values())
    return named or list(dict.fromkeys(h.passage.document_label for h in hits))


def _written(state: AgentState, context: NodeContext, read: Reading, answer: Answer) -> Written:
    """The answer; the nearest provisions where it found nothing, or where nothing of its quotations stands on a page."""
    citer = _citer(context, read)
    if isinstance(answer, QuotedAnswer):
        said = "" if answer.found else f"{_nothing_close(state, context)}\n\n"
        return Written(f"{said}{view_markdown(answer.view, citer)}", citer, answer.found)
    is_evidence = read.given.mode == "evidence"
    if answer.found or not read.hits:
        text = statements_markdown(answer.sentences, citer, must_cite=is_evidence and answer.found)
        if citer.lost_everything:
            return Written(f"{text}\n\n{NOTHING_VERIFIED} {feedback.DISCLAIMER}", citer, found=False)
        return Written(text, citer, answer.found)
    shown = nearest(analyse(read.given.words), read.given.evidence)
    return Written(f"{_nothing_close(state, context)}\n\n{view_markdown(shown, citer)}", citer, found=False)


def _nothing_close(state: AgentState, context: NodeContext) -> str:
    return feedback.nothing_close(*count_searched(state, context), by_model=not context.services.by_rules)


def _rating(
    state: AgentState, context: NodeContext, answer: Answer, written: Written, *, broke_off: bool
) -> dict[str, Any]:
    """How sure the answer is (C4): the rules' answer by what one line holds, a model's by its support, which the gate reads once
    more; never high where a document of the wrong kind answers, or text recognised on a picture, or where the answer broke off. What web pages say is not rated."""
    if not written.found or all(c.source_type == "web" for c in written.citer.citations):
        return {"retrieval_confidence": "low", "confidence_score": 0.0}
    is_quoted = isinstance(answer, QuotedAnswer)
    is_recognised = any(c.is_ocr for c in written.citer.citations)
    is_in_doubt = is_recognised or broke_off or _is_of_wrong_kind(state, context, written, is_quoted=is_quoted)
    best: Level = "medium" if is_in_doubt else "high"
    if not isinstance(answer, QuotedAnswer):
        return rating(written.citer.counts, written.citer.flagged, best)
    level, score = answer.rating.level, answer.rating.score
    level = best if level == "high" else level
    return {"retrieval_confidence": level, "confidence_score": min(score, 1.0 if level == "high" else EXACT_SCORE)}


def _is_of_wrong_kind(state: AgentState, context: NodeContext, written: Written, *, is_quoted: bool) -> bool:
    """Whether a question to a library with regulations, which is not about the company's own rules, is answered by company
    documents alone, or by one before all others."""
    if state["resolved_doc_ids"] or _OWN.search(state["text"]):
        return False
    types = {d.id: d.type for d in context.run.library}
    cites = [types.get(c.document_id) for c in written.citer.citations if c.document_id]
    chief = cites[:1] if is_quoted else cites
    return set(chief) == {DocumentType.COMPANY} and DocumentType.REGULATORY in types.values()


def _spoken_of(state: AgentState, written: Written) -> list[str]:
    """What was taken for the name of a document that is not here, where the answer's own quotations speak of it as of anything
    else: "the operational conduct framework". None where a name among them remains."""
    names = [str(n) for n in (state["resolution"] or {}).get("unknown", [])]
    quoted = " ".join(" ".join(c.quote.split()) for c in written.citer.citations)
    return names if all(n.islower() and n.removeprefix("the ") in quoted for n in names) else []


def _notices(state: AgentState, context: NodeContext, written: Written, before: Sequence[str]) -> list[str]:
    thought_missing = feedback.not_in_library(_spoken_of(state, written))
    notices = [n for n in before if not (thought_missing and n.startswith(thought_missing))]
    if state["low_accepted"]:
        notices.append(feedback.DISCLAIMER)
    if any(c.source_type != "document" for c in written.citer.citations):
        notices.append(feedback.WEB_CAUTION)
    if not written.found and context.services.web is not None and not state["web_query"] and state["evidence"]:
        notices.append(feedback.WEB_COULD_HELP)
    return notices


def _cited_documents(citer: Citer, hits: Sequence[RetrievedPassage]) -> dict[str, str]:
    """A question to the whole library refers, from then on, to the documents that answered it (G11)."""
    cited = {c.document_id for c in citer.citations}
    return {h.passage.document_id: h.passage.document_label for h in hits if h.passage.document_id in cited}
