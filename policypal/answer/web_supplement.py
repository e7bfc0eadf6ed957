"""Task: what web pages add to an answer that rests on documents (A1, G3)."""

from pydantic import BaseModel, Field

from policypal.answer.evidence import CITING_RULES, CitedSentence, EachOnce, Evidence, Quote, numbered_sentences
from policypal.answer.lines import Line, ShownProvision, matched
from policypal.answer.questions import Question, analyse
from policypal.answer.view import view
from policypal.gate.quotable import clip_quote
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.among import passage_among, ranked_among
from policypal.text.sentences import split_sentences

MOST_STATEMENTS = 4
_PER_PAGE = 2
_LEAST_COVERAGE = 0.2
_NEAR_BEST = 0.6


class WebSupplementInput(BaseModel):
    """``evidence`` is of web pages only; ``query`` is what they were found with."""

    query: str
    titles: list[str]
    evidence: list[Evidence] = Field(default_factory=list)


class WebSupplement(BaseModel):
    """``sentences`` is empty where the pages add nothing."""

    sentences: EachOnce[CitedSentence]


_INSTRUCTIONS = f"""\
You add what web pages report to an answer about the documents of a compliance team: amendments, enforcement, guidance and
dates that concern these documents. At most four sentences; each names the page it rests on. Leave out what is not about
the documents; an empty list is a good answer.

{CITING_RULES}"""


def prompt(given: WebSupplementInput) -> Prompt:
    """What a model is sent; everything is fenced (X2)."""
    parts = [
        fenced("documents", "\n".join(given.titles)),
        numbered_sentences(given.evidence),
        fenced("query", given.query),
    ]
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def extractive(given: WebSupplementInput, context: TaskContext) -> WebSupplement:
    """What the pages say that speaks most of the query, at most two passages of each, quoted. A search engine has chosen the pages
    already, so less is asked of them than of passages nobody has looked at."""
    passages = [passage_among(n, e.document, e.heading, e.text) for n, e in enumerate(given.evidence)]
    (hits,) = ranked_among([given.query], passages)
    scored = [
        e.model_copy(update={"score": h.score, "coverage": h.coverage})
        for e, h in zip(given.evidence, hits, strict=True)
    ]
    needed = max(_LEAST_COVERAGE, _NEAR_BEST * max((e.coverage for e in scored), default=0.0))
    question = analyse(given.query)
    chosen: list[ShownProvision] = []
    for shown in view(question, [e for e in scored if e.coverage >= needed], most=len(scored)).everything:
        of_page = sum(other.evidence.document == shown.evidence.document for other in chosen)
        if of_page < _PER_PAGE and len(chosen) < MOST_STATEMENTS:
            chosen.append(shown)
    return WebSupplement(sentences=[_cite(question, shown.best) for shown in chosen])


def _cite(question: Question, line: Line) -> CitedSentence:
    """The line behind the name of its page, from the sentence on that matches the question best, as far as a quotation goes."""
    best = max(split_sentences(line.text), key=lambda sentence: matched(question, sentence.text), default=None)
    words = clip_quote(line.text[best.start if best else 0 :])
    gap = "[…] " if best and best.start else ""
    quote = Quote(evidence=line.evidence.number, text=words)
    return CitedSentence(text=f"{line.evidence.document}: “{gap}{words}”", quotes=[quote])


WEB_SUPPLEMENT: Task[WebSupplementInput, WebSupplement] = Task(
    name="web_supplement", version="3", output=WebSupplement, prompt=prompt, extractive=extractive
)
