"""Answers as Markdown: a model's sentences as paragraphs, provisions under the title of their document (U2d)."""

import re
from collections.abc import Iterator, Sequence

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.answer.lines import Line, ShownProvision
from policypal.answer.view import View
from policypal.domain.citations import RELATED, literal, unmarked
from policypal.graph.citing import Citer
from policypal.text.sentences import split_sentences

_LEFT_OUT = "[…]"


def statements_markdown(sentences: Sequence[CitedSentence], citer: Citer, *, must_cite: bool) -> str:
    """Sentences as paragraphs, each with its citations."""
    return "\n\n".join(citer.render(s, must_cite=must_cite) for s in sentences)


def view_markdown(view: View, citer: Citer) -> str:
    """The asked value, then the provisions by document and section, editions in force first, each cited; what is related follows below
    its own heading."""
    parts = []
    if view.value is not None:
        line, (start, end) = view.value.line, view.value.span
        cited = citer.cite_stretch(line.evidence.number, line.span[0], line.span[1])
        around = literal(_flat(_around(line.text, start, end)))
        parts.append(f"**{literal(view.value.text)}** {cited.marker} · “{around}”")
    parts += _documents(view.provisions, citer)
    if view.related:
        parts += [RELATED, *_documents(view.related, citer)]
    return "\n\n".join(parts)


def _documents(provisions: Sequence[ShownProvision], citer: Citer) -> Iterator[str]:
    """The provisions of each document by the headings over them, in the order of their best, within a section in reading order."""
    titles = dict.fromkeys(_title(p.evidence) for p in provisions)
    for title in sorted(titles, key=lambda t: "*superseded" in t):
        sections: dict[str, list[ShownProvision]] = {}
        for provision in provisions:
            if _title(provision.evidence) == title:
                sections.setdefault(provision.evidence.heading or "", []).append(provision)
        yield "\n".join([f"{title}\n", *(line for ours in sections.values() for line in _section(ours, citer))])


_MOST_AROUND = 300
_BEFORE, _BEHIND = 90, 45


def _around(text: str, start: int, end: int) -> str:
    """The sentence that a value stands in; of a very long one the words beside the value."""
    first, last = next(
        ((s.start, s.end) for s in split_sentences(text) if s.start <= start and end <= s.end), (0, len(text))
    )
    if last - first <= _MOST_AROUND:
        return text[first:last]
    begin, stop = max(first, start - _BEFORE), min(last, end + _BEHIND)
    begin = text.find(" ", begin, start) + 1 or begin if begin > first else first
    stop = max(text.rfind(" ", end, stop), end) if stop < last else last
    return f"{_LEFT_OUT + ' ' if begin > first else ''}{text[begin:stop]}{' ' + _LEFT_OUT if stop < last else ''}"


_BULLETS = "•‣◦▪· "
"""Signs of a list item that the item of the answer's own list stands for."""


def _section(provisions: Sequence[ShownProvision], citer: Citer) -> Iterator[str]:
    """A heading with the provisions below it; without a heading, their lines alone."""
    heading = literal(_flat((provisions[0].evidence.heading or "").rsplit("\n", 1)[-1]))
    if heading:
        yield f"- {heading}"
    for provision in sorted(provisions, key=lambda p: (p.evidence.page or 0, p.evidence.start)):
        yield from (f"{'  ' if heading else ''}- {line}" for line in _lines(provision, citer))


def _lines(shown: ShownProvision, citer: Citer) -> Iterator[str]:
    """What introduces it, and its lines; each provision with its number and a citation, at the line that matches best or its first."""
    introduction = shown.evidence.introduction
    if introduction and shown.lines[0].text not in introduction:
        yield f"*{literal(_flat(introduction))}*"
    best, cited = (shown.best.evidence.number, shown.best.span), {shown.best.evidence.provision}
    told: set[str] = set()
    for line in shown.lines:
        evidence = line.evidence
        label = evidence.label if evidence.label not in told else ""
        told.add(evidence.label)
        marker = ""
        if (evidence.number, line.span) == best or evidence.provision not in cited:
            cited.add(evidence.provision)
            marker = f" {citer.cite_stretch(evidence.number, *line.span).marker}"
        yield f"{'' if line.follows else f'{_LEFT_OUT} '}{_labelled(label, line)}{marker}"
    if shown.goes_on:
        yield _LEFT_OUT


def _labelled(label: str, line: Line) -> str:
    """ "**Art. 33(1)** In the case of …", "**5.3** An institution must …": the number once, be it the page's or the reader's."""
    text = _flat(line.text).lstrip(_BULLETS)
    if not label:
        return literal(text)
    if re.match(rf"{re.escape(label)}(?!\w)", text):
        return f"**{literal(label)}**{literal(text[len(label) :])}"
    marks = _MARKS.match(text)
    numbers, known = (re.findall(r"\w+", words) for words in (marks[0] if marks else "", label))
    if marks and numbers == known[-len(numbers) :]:
        text = text[marks.end() :]
    return f"**{literal(label)}** {literal(text)}"


_MARKS = re.compile(r"(?:\(?\w{1,4}[.)] ?)+(?=\S)")
"""The numbers a provision begins with on its page: "2. ", "22. (1) "."""


def _title(evidence: Evidence) -> str:
    """ "Rulebook (2023) · superseded by 2025", as a line of Markdown."""
    superseded = f" · *superseded by {unmarked(_plain(evidence.superseded_by))}*" if evidence.superseded_by else ""
    return f"**{unmarked(_plain(evidence.document))}**{superseded}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """On one line, without what Markdown would make of it."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in _flat(text))
