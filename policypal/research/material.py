"""What each source says about a question, as an answer from it alone would show it (A2, W3)."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from policypal.answer.confidence import rating
from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.answer.lines import Line, ShownProvision
from policypal.answer.questions import Question, analyse
from policypal.answer.view import View, view
from policypal.domain.provisions import Kind
from policypal.request.subject import without_document_names
from policypal.search.among import Commonness, passage_among, ranked_among

_MOST_CHARACTERS = 1000
"""Of a question: what a goal of many pages is about stands at its beginning."""
_PER_SOURCE = 5
_NEAR_BEST = 0.4
_NEAR_BEST_RATED = 0.2
_WELL_RATED = 0.5
"""The share of the best score from which another provision of a source, and another source, belong to the answer; the second one holds
where one line of a source holds more than half of what is asked about."""
_LEFT_OUT = frozenset({Kind.HEADING, Kind.REFERENCE, Kind.TABLE, Kind.EXAMPLE})
_GAP = "[…]"


def found_for(
    questions: Sequence[str], evidence: Sequence[Evidence], library: Commonness | None = None
) -> list[list[ShownProvision]]:
    """For each question the provisions of every source that answers it, the best source first. A source answers where the chat, asked
    of it alone, would not say *Nothing close*, and where it comes near the best one (C4)."""
    return [
        [p for v in _answering(question, each) for p in v.everything if p.score >= _NEAR_BEST * v.provisions[0].score]
        for question, each in _views(questions, evidence, library=library)
    ]


def all_of(question: str, evidence: Sequence[Evidence]) -> list[ShownProvision]:
    """What evidence that was chosen for a question says about it, the best source first."""
    return [p for _, each in _views([question], evidence, most=len(evidence)) for v in each for p in v.everything]


def _views(
    questions: Sequence[str], evidence: Sequence[Evidence], library: Commonness | None = None, most: int = _PER_SOURCE
) -> Iterator[tuple[Question, list[View]]]:
    """Each question with what every source would show of itself, the best first."""
    said = _provisions(evidence) or evidence
    titles = list(dict.fromkeys(e.document for e in said if not e.is_web))
    asked = [without_document_names(question[:_MOST_CHARACTERS], titles) for question in questions]
    passages = [passage_among(n, e.document, e.heading, e.text, e.provision) for n, e in enumerate(said)]
    for words, hits in zip(asked, ranked_among(asked, passages, library), strict=True):
        question, sources = analyse(words), dict[str, list[Evidence]]()
        for e, hit in zip(said, hits, strict=True):
            scored = {"score": hit.score, "similarity": hit.similarity, "coverage": hit.coverage}
            sources.setdefault(e.document, []).append(e.model_copy(update=scored))
        each = (view(question, ours, most) for ours in sources.values())
        yield question, sorted((v for v in each if v.provisions), key=lambda v: -v.provisions[0].score)


def _provisions(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Without covers, tables of contents and what else is no provision of a document that has some, and without examples."""
    read = {e.document for e in evidence if e.provision}
    kept = [e for e in evidence if e.document not in read or (e.provision and (e.label or e.heading))]
    return [e for e in kept if not e.kinds or not _LEFT_OUT.issuperset(e.kinds)]


def _answering(question: Question, each: Sequence[View]) -> Iterator[View]:
    """The best source, and the others that are rated as well and not far below it; none where none is rated."""
    ratings = [rating(question, v) for v in each]
    for n, (ours, rated) in enumerate(zip(each, ratings, strict=True)):
        share = ours.provisions[0].score / (each[0].provisions[0].score or 1.0)
        least = 1.0 if rated.level == "low" else _NEAR_BEST_RATED if rated.score > _WELL_RATED else _NEAR_BEST
        if any(r.level != "low" for r in ratings) and (n == 0 or share >= least):
            yield ours


def quotations(shown: Sequence[ShownProvision]) -> Iterator[CitedSentence]:
    """Each provision once, whole as far as it is shown, in the reading order of its source; with its number where its words have none."""
    lines = {(line.evidence.number, line.span): line for provision in shown for line in provision.lines}
    order = {document: n for n, document in enumerate(dict.fromkeys(p.evidence.document for p in shown))}
    ranked = sorted(lines.values(), key=lambda line: (order[line.evidence.document], line.evidence.page or 0, line.evidence.start, line.evidence.number, line.span))  # fmt: skip
    for _, group in groupby(
        ranked, key=lambda line: (line.evidence.document, line.evidence.provision or line.evidence.number)
    ):
        yield _quotation(list(group))


def _quotation(lines: Sequence[Line]) -> CitedSentence:
    words: list[str] = []
    quotes: list[Quote] = []
    for line in lines:
        words += [line.text] if line.follows or not words else [_GAP, line.text]
        last = quotes[-1] if quotes else None
        if last and last.evidence == line.evidence.number and line.follows:
            quotes[-1] = Quote(evidence=last.evidence, text=f"{last.text}\n{line.text}")
        else:
            quotes.append(Quote(evidence=line.evidence.number, text=line.text))
    said, label = " ".join(" ".join(words).split()), lines[0].evidence.label
    is_numbered = not label or said.casefold().startswith(label.casefold())
    return CitedSentence(text=f"“{said}”" if is_numbered else f"{label}: “{said}”", quotes=quotes)
