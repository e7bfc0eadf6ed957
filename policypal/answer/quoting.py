"""Provisions as quotations: exact words of the evidence, at most 300 characters each, and the templates they stand in (C1, C6)."""

from policypal.answer.evidence import CitedSentence, Quote
from policypal.answer.lines import Line, ShownProvision, matched, opens_list
from policypal.answer.questions import Question
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.gate.quotable import clip_quote
from policypal.text.sentences import split_sentences

_MOST_ITEMS = 7
"""A list is quoted with its introduction."""
_LEFT_OUT = "[…]"


def cite(question: Question, shown: ShownProvision) -> CitedSentence:
    """What a provision says about a question, in its own words, behind its source: ``GDPR, page 52: “In the case of …”``."""
    said, evidence = _quoted(question, shown), shown.best.evidence
    name = evidence.document if evidence.page is None else f"{evidence.document}, page {evidence.page}"
    return CitedSentence(text=f"{name}: {said.text}", quotes=said.quotes)


def _quoted(question: Question, shown: ShownProvision) -> CitedSentence:
    words: list[str] = []
    quotes: list[Quote] = []
    chosen = _chosen(shown)
    for n, line in enumerate(chosen):
        start, end = stretch(question, line)
        text = line.text[start:end]
        begins = start == 0 and (n == 0 or line.follows or (bool(quotes) and opens_list(chosen[0])))
        words += [text] if begins else [_LEFT_OUT, text]
        words += [] if end == len(line.text.rstrip()) else [_LEFT_OUT]
        quotes.append(Quote(evidence=line.evidence.number, text=text))
    said = " ".join(" ".join(words).split()).replace(f"{_LEFT_OUT} {_LEFT_OUT}", _LEFT_OUT)
    return CitedSentence(text=f"“{said}”", quotes=quotes)


def _chosen(shown: ShownProvision) -> list[Line]:
    """The line that matches best, with what introduces its list, or with the list it introduces."""
    own = [line for line in shown.lines if line.evidence.provision == shown.best.evidence.provision]
    at = next(n for n, line in enumerate(own) if (line.evidence.number, line.span) == _place(shown.best))
    if opens_list(own[at]):
        return own[at : at + 1 + _MOST_ITEMS]
    opening = next((line for line in reversed(own[:at]) if opens_list(line)), None)
    return [*([opening] if opening else []), own[at]]


def _place(line: Line) -> tuple[int, tuple[int, int]]:
    return line.evidence.number, line.span


def stretch(question: Question, line: Line) -> tuple[int, int]:
    """Where the sentence of a line stands that matches a question best, with those beside it that fit into a quotation."""
    sentences = split_sentences(line.text)
    if not sentences:
        return 0, len(clip_quote(line.text))
    at = max(range(len(sentences)), key=lambda n: (matched(question, sentences[n].text), -n))
    first = last = at
    is_open = {1: True, -1: True}
    while any(is_open.values()):
        for step in (1, -1):
            n = (last if step > 0 else first) + step
            is_open[step] = (
                is_open[step]
                and 0 <= n < len(sentences)
                and (line.evidence.provision > 0 or matched(question, sentences[n].text) > 0)
                and sentences[max(last, n)].end - sentences[min(first, n)].start <= MAX_QUOTE_CHARACTERS
            )
            if is_open[step]:
                first, last = min(first, n), max(last, n)
    start, end = sentences[first].start, sentences[last].end
    return start, start + len(clip_quote(line.text[start:end]))
