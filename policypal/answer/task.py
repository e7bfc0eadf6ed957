"""Task: answer a question from passages (A2, C1, C2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from pydantic import BaseModel, Field

from policypal.answer.enumerations import Span
from policypal.answer.evidence import QUOTING_RULES, CitedSentence, Evidence, Quote, numbered_evidence, says_something
from policypal.answer.passages import nearest, shown_in, whole_provisions, with_neighbours
from policypal.answer.questions import MEASURE_TERMS, Question, analyse, is_generic, topic_of
from policypal.answer.quoting import quote
from policypal.answer.ranking import Ranked, Weights, central_order, near_duplicate, rank
from policypal.answer.statements import Statement, statements_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.request.subject import without_document_names
from policypal.search.embeddings import Embedder
from policypal.search.lists import leads_in
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms

__all__ = ["ANSWER", "Answer", "AnswerInput", "CitedSentence", "Evidence", "Quote"]

MOST_SENTENCES = 4
NEEDED_COVERAGE = 0.55
"""Share of the weighted terms of a short question that a statement must account for. Chosen on labelled questions so
that what the evidence does not answer is refused rather than answered wrongly."""
_LEAST_COVERAGE = 0.38
_LONG_QUESTION = 5
_EASED_PER_TERM = 0.03
_MOST_UNKNOWN = 0.34
_SUPPORTING = 0.8
_SUPPORTING_FROM_OTHERS = 0.72
_SHOWN_TITLES = 5


class AnswerInput(BaseModel):
    """``mode``: "evidence" (A) answer from evidence only; "general" (B) no documents at all; "not_found" (C)
    documents but nothing relevant in ``titles``. ``question`` and ``history`` are the user's own words; ``words`` is the
    question without what only says where to look, for ranking by words, and ``names`` are those of the documents, which are
    cut from the history for the same purpose."""

    question: str
    words: str = ""
    names: list[str] = Field(default_factory=list)
    evidence: list[Evidence] = Field(default_factory=list)
    titles: list[str] = Field(default_factory=list)
    mode: Literal["evidence", "general", "not_found"] = "evidence"
    history: list[str] = Field(default_factory=list)


class Answer(BaseModel):
    """``found`` is False where the evidence does not answer the question; ``sentences`` then say so."""

    sentences: list[CitedSentence]
    found: bool = True


_INSTRUCTIONS = f"""\
You answer questions of a compliance team about policies and regulations.

{QUOTING_RULES}
Web pages
- Evidence that begins with "Web page" was found on the Internet. Name the page as the source of what it says. Where it
  differs from a document of the user, state both, the document first.

Documents
- Do not begin sentences with a document's title or page: the citation shows both. Name a document only where documents
  differ.
- State what an edition in force says first; what an edition marked "superseded" says only as what applied before.

Modes
- evidence: answer from the evidence only. Lead with the direct answer, then conditions and exceptions, in one to six
  sentences. If the evidence does not answer the question, set found to false and say that it was not found in the passages
  read; passages are not the whole document. Do not offer general knowledge instead.
- not_found: nothing relevant was retrieved. Set found to false, name the documents searched, and suggest rephrasing the
  question or specifying another document. Never use general knowledge.
- general: there are no documents. Answer from general knowledge in at most six sentences without quotes, and state in
  the first sentence that the answer is not based on the user's documents and requires verification. Set found to true.
"""


def prompt(given: AnswerInput) -> Prompt:
    """What a model is sent; the evidence, the history and the question are fenced (X2)."""
    parts = [f"Mode: {given.mode}"]
    if given.titles:
        parts.append(fenced("documents", "\n".join(given.titles)))
    if given.history:
        parts.append(fenced("history", "\n".join(given.history)))
    if given.mode == "evidence":
        parts.append(numbered_evidence(given.evidence))
    parts.append(fenced("question", given.question))
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: AnswerInput, answer: Answer) -> str:
    """An answer says something, if only that the documents do not."""
    if any(map(says_something, answer.sentences)):
        return ""
    return "- sentences: there is none; state what the evidence says, or that it does not answer the question"


def extractive(given: AnswerInput, context: TaskContext) -> Answer:
    """The provision that is asked for, whole; or the one to four statements that answer the question with their
    neighbours, quoted; or a sentence that says there are none (R4)."""
    if given.mode == "general":
        return _not_answerable_without_documents()
    if given.mode == "not_found":
        return _not_found(given)
    if provisions := whole_provisions(given.evidence):
        return Answer(sentences=provisions)
    statements = statements_of(given.evidence)
    own = given.words or given.question
    question = analysed(
        given, statements, text := asked(own, [without_document_names(h, given.names) for h in given.history])
    )
    if not any(not is_generic(term) for term in question.terms):
        return _overview(statements, given, context)
    fitting = _on_the_new_subject(own, text, statements)
    chosen = _chosen(question, fitting, context)
    if not chosen and fitting is not statements:
        question = analysed(given, statements, own)
        chosen = _chosen(question, fitting, context)
    if not chosen:
        return _not_found(given)
    return Answer(sentences=list(_quoted(chosen, statements, question)))


def analysed(given: AnswerInput, statements: Sequence[Statement], text: str = "") -> Question:
    """What ``text`` (by default the question) asks of the evidence: all about its topic, or something in particular."""
    text = text or given.words or given.question
    text = topic_of(text) or text
    return analyse(text, _naming_terms(text, statements, given))


def nearest_passages(given: AnswerInput, embedder: Embedder) -> list[CitedSentence]:
    """What comes nearest to a question that nothing answers, quoted; best first."""
    statements = statements_of(given.evidence)
    return nearest(analysed(given, statements), given.evidence, statements, embedder)


def share_answered(given: AnswerInput, sentence: CitedSentence) -> float:
    """The share of what the question asks about that the words of a sentence's quotes and the headings over them hold,
    synonyms included, in [0, 1]: below 1, a part of the question is answered at most (C4)."""
    headings = [e.heading or "" for e in given.evidence if e.number in {q.evidence for q in sentence.quotes}]
    held = set(terms(" ".join([*(q.text for q in sentence.quotes), *headings])))
    question = analysed(given, statements_of(given.evidence))
    wanted = [t for t in question.terms if not is_generic(t) and not (question.measures and t in MEASURE_TERMS)]
    found = [t for t in wanted if t in held or not held.isdisjoint(SYNONYMS.get(t, ()))]
    return len(found) / len(wanted) if wanted else 1.0


def _quoted(chosen: Sequence[Ranked], statements: Sequence[Statement], question: Question) -> Iterator[CitedSentence]:
    shown: list[CitedSentence] = []
    for ranked in chosen:
        if not any(shown_in(sentence, ranked.statement) for sentence in shown):
            shown.append(with_neighbours(ranked.statement, statements, question.terms))
            yield shown[-1]


def _on_the_new_subject(question: str, text: str, statements: Sequence[Statement]) -> Sequence[Statement]:
    """A follow-up ("And what about fines?") is answered by statements on what it adds, not by the former answer again."""
    if text == question:
        return statements
    added = {t for t in analyse(question).terms if not is_generic(t)}
    return [s for s in statements if added & set(s.terms)] if added else statements


def asked(question: str, history: Sequence[str]) -> str:
    """The question itself, or, where it is a bare follow-up ("And for processors?"), joined to the one before it."""
    subject = [t for t in analyse(question).terms if not is_generic(t)]
    previous = [line.partition(":")[2].strip() for line in history if line.lower().startswith("user:")]
    previous = [line for line in previous if line != question.strip()]
    follows_up = re.match(r"\s*(?:and|what about|how about|why|explain|elaborate|more)\b", question, re.IGNORECASE)
    if previous and (not subject or (follows_up and len(subject) <= 2)):
        return f"{previous[-1].rstrip('?')} {question}"
    return question


def _naming_terms(text: str, statements: Sequence[Statement], given: AnswerInput) -> set[str]:
    """Words of the question that stand in titles only: "in the GDPR" says where to look, not what for."""
    titles = {t for title in (*given.titles, *(e.document for e in given.evidence)) for t in terms(title)}
    weights = Weights(statements)
    return {t for t in terms(text) if t in titles and not weights.known(t)}


def _chosen(question: Question, statements: Sequence[Statement], context: TaskContext) -> list[Ranked]:
    weights = Weights(statements)
    if _names_unknown_subject(question, weights):
        return []
    ranked = rank(question, statements, context.embedder)
    needed = needed_coverage(question)
    adequate = [r for r in ranked if r.coverage >= needed and (r.fits or not question.strict)]
    if not adequate:
        return []
    return _without_repetition(adequate, question)


def needed_coverage(question: Question) -> float:
    """Long questions carry context that one statement need not repeat, so their threshold is lower."""
    beyond = max(0, sum(not is_generic(t) for t in question.terms) - _LONG_QUESTION)
    return max(_LEAST_COVERAGE, NEEDED_COVERAGE - _EASED_PER_TERM * beyond)


def _names_unknown_subject(question: Question, weights: Weights) -> bool:
    """Whether much of what is asked about occurs nowhere in the evidence: then no statement can be its answer."""
    named_only = MEASURE_TERMS if question.measures else frozenset[str]()
    subject = [t for t in question.terms if not is_generic(t) and t not in named_only]
    unknown = [t for t in subject if not weights.known(t)]
    return bool(subject) and len(unknown) / len(subject) > _MOST_UNKNOWN


def _without_repetition(ranked: Sequence[Ranked], question: Question) -> list[Ranked]:
    """The best statement and those nearly as good; a document that has not spoken yet needs less to be heard."""
    documents = len({r.statement.evidence.document for r in ranked})
    limit = min(MOST_SENTENCES, max(2, documents)) if question.strict or question.definiendum else MOST_SENTENCES
    chosen = [ranked[0]]
    for candidate in ranked[1:]:
        heard = {r.statement.evidence.document for r in chosen}
        needed = _SUPPORTING if candidate.statement.evidence.document in heard else _SUPPORTING_FROM_OTHERS
        if len(chosen) == limit or candidate.score < _SUPPORTING_FROM_OTHERS * ranked[0].score:
            break
        beside_a_list = _is_the_list(ranked[0], question) and candidate.statement.evidence.document in heard
        if beside_a_list and not _is_the_list(candidate, question):
            continue
        if candidate.score >= needed * ranked[0].score and not _repeats_any(candidate, chosen):
            chosen.append(candidate)
    return chosen


def _is_the_list(ranked: Ranked, question: Question) -> bool:
    """Whether it is a list such as was asked for; only others of that document need to stand beside it."""
    items = ranked.statement.items
    return bool(question.category) and len(items) > 1 and leads_in(ranked.statement.text, question.category)


def _repeats_any(candidate: Ranked, chosen: Sequence[Ranked]) -> bool:
    return any(_repeats(candidate.statement, other.statement) for other in chosen)


def _repeats(candidate: Statement, chosen: Statement) -> bool:
    if near_duplicate(candidate, chosen):
        return True
    if candidate.evidence is chosen.evidence and candidate.intro is not None and candidate.intro == chosen.span:
        return True
    return any(item.evidence is candidate.evidence and _overlap(item.span, candidate.span) for item in chosen.items)


def _overlap(left: Span, right: Span) -> bool:
    return left[0] < right[1] and right[0] < left[1]


def _overview(statements: Sequence[Statement], given: AnswerInput, context: TaskContext) -> Answer:
    """For a request without a subject ("Explain"): the passages' most central statements."""
    usable = [s for s in statements if s.complete and len(s.terms) >= 5]
    if not usable:
        return _not_found(given)
    order = central_order(context.embedder.embed([s.full_text for s in usable]), [1.0] * len(usable))
    return Answer(sentences=[quote(usable[i]) for i in sorted(islice(order, MOST_SENTENCES))])


def _not_found(given: AnswerInput) -> Answer:
    names = _names(given.titles or list(dict.fromkeys(e.document for e in given.evidence)))
    where = f"of {names}" if names else "of the documents searched"
    return _says(
        f"Nothing that answers this question was found in the passages read {where}.",
        "Please rephrase the question in the terms the documents use, or specify another document.",
    )


def _not_answerable_without_documents() -> Answer:
    return _says(
        "Without documents, this question cannot be answered: the extractive engine quotes documents and holds no general "
        "knowledge.",
        "Please upload the relevant policy or regulation on the Documents page, or configure a language model key "
        "(OPENAI_API_KEY) to enable general answers.",
    )


def _says(*sentences: str) -> Answer:
    return Answer(sentences=[CitedSentence(text=s) for s in sentences], found=False)


def _names(titles: Sequence[str]) -> str:
    shown = [f"“{title}”" for title in titles[:_SHOWN_TITLES]]
    if len(titles) > _SHOWN_TITLES:
        shown.append("the other selected documents")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


ANSWER: Task[AnswerInput, Answer] = Task(
    name="answer", version="3", output=Answer, prompt=prompt, extractive=extractive, complaint=complaint
)
