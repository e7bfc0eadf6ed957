"""Statements in their surroundings: whole provisions, sentences with their neighbours, the nearest passages (A2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policypal.answer.enumerations import INTRODUCES, Part
from policypal.answer.evidence import CitedSentence, Evidence
from policypal.answer.questions import Question
from policypal.answer.quoting import quote, quote_whole
from policypal.answer.ranking import Ranked, near_duplicate, rank
from policypal.answer.statements import Statement, has_verb, is_heading
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.search.embeddings import Embedder

NEAREST = 3
MOST_LINES = 16
MOST_CHARACTERS = 4000
"""How much of a provision is shown in an answer."""
NEIGHBOURHOOD = 600
"""Characters of a paragraph that are shown with one of its sentences."""
GOES_ON = "The provision goes on; its page shows the rest."
_LINE = re.compile(r"[^\n]+")
_LONGEST_LEAD_IN = 80


def whole_provisions(evidence: Sequence[Evidence]) -> list[CitedSentence]:
    """The provisions among the evidence line by line, in their own words; of a long one the beginning, which is said."""
    lines = list(_lines([e for e in evidence if e.is_provision]))
    shown: list[CitedSentence] = []
    for provision in dict.fromkeys(_provision_of(parts) for parts in lines):
        ours = [parts for parts in lines if _provision_of(parts) == provision]
        kept = _within_limit(ours)
        shown += [quote_whole(parts) for parts in kept]
        if len(kept) < len(ours):
            shown.append(CitedSentence(text=GOES_ON))
    return shown


def _provision_of(parts: Sequence[Part]) -> tuple[str, str | None]:
    return parts[0].evidence.document, parts[0].evidence.heading


def _within_limit(lines: Sequence[list[Part]]) -> list[list[Part]]:
    kept: list[list[Part]] = []
    for parts in lines[:MOST_LINES]:
        kept.append(parts)
        if sum(len(p.words) for line in kept for p in line) > MOST_CHARACTERS:
            break
    return kept


def _lines(evidence: Sequence[Evidence]) -> Iterator[list[Part]]:
    """Each line with text of its own; a lead-in that is no sentence ("For all systems:") with the line after it."""
    for piece in evidence:
        lead_in: list[Part] = []
        for match in _LINE.finditer(piece.text):
            part = Part(piece, (match.start(), match.end()))
            if INTRODUCES.search(match[0].rstrip()) and len(match[0]) < _LONGEST_LEAD_IN and not has_verb(match[0]):
                lead_in = [part]
            elif not is_heading(match[0]) and not (piece.heading or "").endswith(match[0]):
                yield [*lead_in, part]
                lead_in = []


def with_neighbours(statement: Statement, statements: Sequence[Statement], focus: Sequence[str]) -> CitedSentence:
    """The statement quoted with the sentences of its paragraph that stand beside it, as far as they are short."""
    if statement.items or statement.intro or statement.is_row or statement.rest:
        return quote(statement, focus, with_items=bool(statement.items))
    paragraph = _paragraph(statement, [s for s in statements if s.source == statement.source])
    if len(paragraph) == 1:
        return quote(statement, focus)
    return quote_whole([part for s in paragraph for part in s.parts])


def _paragraph(statement: Statement, beside: Sequence[Statement]) -> list[Statement]:
    at = next(n for n, s in enumerate(beside) if s.span == statement.span)
    first = last = at
    for step in (1, -1):
        while 0 <= (new := (last if step > 0 else first) + step) < len(beside):
            near = (beside[last], beside[new]) if step > 0 else (beside[new], beside[first])
            if not _go_together(*near) or _length(beside[min(first, new)], beside[max(last, new)]) > NEIGHBOURHOOD:
                break
            first, last = min(first, new), max(last, new)
    return list(beside[first : last + 1])


def _go_together(left: Statement, right: Statement) -> bool:
    """Two whole sentences of one paragraph, without a list or anything else between them."""
    if any(s.items or s.intro or s.is_row or s.rest or not s.complete for s in (left, right)):
        return False
    between = left.evidence.text[left.span[1] : right.span[0]]
    return right.span[0] - left.span[1] >= 0 and not between.strip() and "\n" not in between


def _length(first: Statement, last: Statement) -> int:
    return last.span[1] - first.span[0]


def shown_in(sentence: CitedSentence, statement: Statement) -> bool:
    """Whether a sentence quotes the statement already."""
    words = {(q.evidence, " ".join(q.text.split())) for q in sentence.quotes}
    return any(n == statement.evidence.number and statement.text in said for n, said in words)


def nearest(
    question: Question, evidence: Sequence[Evidence], statements: Sequence[Statement], embedder: Embedder
) -> list[CitedSentence]:
    """The three passages nearest to a question that nothing answers: of each the sentence that comes nearest, with its
    neighbours. Best first."""
    chosen: list[Ranked] = []
    for candidate in rank(question, [s for s in statements if _is_readable(s)], embedder):
        sources = {r.statement.source for r in chosen}
        if candidate.statement.source not in sources and not any(
            near_duplicate(candidate.statement, r.statement) for r in chosen
        ):
            chosen.append(candidate)
        if len(chosen) == NEAREST:
            break
    if not chosen:
        return [quote_whole([_opening(e)]) for e in evidence[:NEAREST]]
    return [with_neighbours(r.statement, statements, question.terms) for r in chosen]


def _opening(evidence: Evidence) -> Part:
    """The first words of a passage in which no sentence is told apart."""
    end = len(evidence.text)
    if end > MAX_QUOTE_CHARACTERS:
        end = max(evidence.text.rfind(" ", 0, MAX_QUOTE_CHARACTERS), 1)
    return Part(evidence, (0, end))


def _is_readable(statement: Statement) -> bool:
    return statement.is_row or (statement.complete and has_verb(statement.full_text) and len(statement.terms) > 3)
