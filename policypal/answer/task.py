"""Task: answer a question from passages (A2, C1, C2)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from policypal.answer.confidence import Rating, rating
from policypal.answer.evidence import (
    CITING_RULES,
    CitedSentence,
    EachOnce,
    Evidence,
    Quote,
    numbered_sentences,
    says_something,
    uncited,
)
from policypal.answer.questions import Question, analyse
from policypal.answer.view import NEAREST, View, view
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.llm.task import Prompt, Task, TaskContext, fenced

__all__ = ["ANSWER", "Answer", "AnswerInput", "CitedSentence", "Evidence", "Quote"]

_SHOWN_TITLES = 5


class AnswerInput(BaseModel):
    """``mode``: "evidence" (A) answer from evidence only; "general" (B) no documents at all; "not_found" (C)
    documents but nothing relevant in ``titles``. ``question`` and ``history`` are the user's own words; ``words`` is what was searched
    for, without what only says where to look and with what a follow-up leaves out."""

    question: str
    words: str = ""
    evidence: list[Evidence] = Field(default_factory=list)
    titles: list[str] = Field(default_factory=list)
    mode: Literal["evidence", "general", "not_found"] = "evidence"
    history: list[str] = Field(default_factory=list)


class Answer(BaseModel):
    """``found`` is False where the evidence does not answer the question; ``sentences`` then say so."""

    found: bool = True  # first, so that the sentences can be shown while they are written
    sentences: EachOnce[CitedSentence]


class QuotedAnswer(Answer):
    """What the rules answer: provisions, and how sure it is that they do (C4)."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    view: View
    rating: Rating


_INSTRUCTIONS = f"""\
You answer questions of a compliance team about policies and regulations.

{CITING_RULES}
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
- general: there are no documents. Answer from general knowledge in at most six sentences that cite nothing, and state in
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
        parts.append(numbered_sentences(given.evidence))
    parts.append(fenced("question", given.question))
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: AnswerInput, answer: Answer) -> str:
    """An answer says something, if only that the documents do not."""
    if any(map(says_something, answer.sentences)):
        return uncited(answer.sentences, given.evidence) if given.mode == "evidence" and answer.found else ""
    return "- sentences: there is none; state what the evidence says, or that it does not answer the question"


def part(written: Mapping[str, Any]) -> Answer | None:
    """The statements that are complete in an answer that is being written, or that broke off; None where there is none."""
    found = written.get("sentences")
    told = found if isinstance(found, list) else []
    sentences = [s for s in told if isinstance(s, dict) and {"text", "cites"} <= s.keys()]
    if not sentences or not isinstance(written.get("found"), bool):
        return None
    try:
        return Answer(
            found=written["found"], sentences=[CitedSentence(text=s["text"], cites=s["cites"]) for s in sentences]
        )
    except ValidationError:  # it will be told when it is complete
        return None


def extractive(given: AnswerInput, context: TaskContext) -> Answer:
    """The provisions that answer the question, best first; or the nearest ones, which are not ``found`` to answer it (R4)."""
    if given.mode == "general":
        return _not_answerable_without_documents()
    if given.mode == "not_found" or not given.evidence:
        return _not_found(given)
    question = analyse(given.words or given.question)
    shown = view(question, given.evidence)
    rated = rating(question, shown)
    if rated.level == "low":
        shown = nearest(question, given.evidence)
    return QuotedAnswer(sentences=_sentences(shown), found=rated.level != "low", view=shown, rating=rated)


def nearest(question: Question, evidence: Sequence[Evidence]) -> View:
    """The three provisions nearest to a question that nothing answers; of editions in force, if there are any."""
    documents = [e for e in evidence if not e.is_web]
    in_force = [e for e in documents if not e.superseded_by] or documents
    return View(view(question, in_force, most=NEAREST).provisions)


def _sentences(shown: View) -> list[CitedSentence]:
    """The line of each provision that matches best, as a quotation."""
    said = [(p.best.evidence.number, p.best.text[:MAX_QUOTE_CHARACTERS]) for p in shown.provisions]
    return [CitedSentence(text=f"“{words}”", quotes=[Quote(evidence=n, text=words)]) for n, words in said]


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
    name="answer", version="6", output=Answer, prompt=prompt, extractive=extractive, complaint=complaint, part=part
)
