"""Answers as Markdown: a model's sentences as paragraphs, provisions under the title of their document (U2d)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.answer.view import ShownProvision, View
from policypal.domain.citations import literal, unmarked
from policypal.graph.citing import Citer
from policypal.text.sentences import split_sentences

_LEFT_OUT = "[…]"


def statements_markdown(sentences: Sequence[CitedSentence], citer: Citer, *, must_cite: bool) -> str:
    """Sentences as paragraphs, each with its citations."""
    return "\n\n".join(citer.render(s, must_cite=must_cite) for s in sentences)


def view_markdown(view: View, citer: Citer) -> str:
    """The asked value, then the provisions by document, editions in force first, each cited at the line that matches best."""
    parts = []
    if view.value is not None:
        line, (start, end) = view.value.line, view.value.span
        cited = citer.cite_stretch(line.evidence.number, line.span[0], line.span[1])
        around = literal(_flat(_around(line.text, start, end)))
        parts.append(f"**{literal(view.value.text)}** {cited.marker} · “{around}”")
    titles = dict.fromkeys(_title(p.evidence) for p in view.provisions)
    for title in sorted(titles, key=lambda t: "*superseded" in t):
        ours = [p for p in view.provisions if _title(p.evidence) == title]
        parts.append("\n".join([f"{title}\n", *(line for p in ours for line in _provision(p, citer))]))
    return "\n\n".join(parts)


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


def _provision(shown: ShownProvision, citer: Citer) -> Iterator[str]:
    evidence, best = shown.evidence, shown.best
    cited = citer.cite_stretch(best.evidence.number, *best.span)
    yield f"- {_head(evidence)}{cited.marker}"
    if evidence.introduction and shown.lines[0].text not in evidence.introduction:
        yield f"  - *{literal(_flat(evidence.introduction))}*"
    for line in shown.lines:
        yield f"  - {'' if line.follows else f'{_LEFT_OUT} '}{literal(_flat(line.text).lstrip(_BULLETS))}"
    if shown.goes_on:
        yield f"  - {_LEFT_OUT}"


def _head(evidence: Evidence) -> str:
    """ "**Art. 33(1)** Notification of a personal data breach" without saying its number twice."""
    heading = (evidence.heading or "").rsplit("\n", 1)[-1]
    label = f"**{literal(evidence.label)}** " if evidence.label and not heading.startswith(evidence.label) else ""
    return f"{label}{literal(_flat(heading))} ".lstrip()


def _title(evidence: Evidence) -> str:
    """ "Rulebook (2023) · superseded by 2025", as a line of Markdown."""
    superseded = f" · *superseded by {unmarked(_plain(evidence.superseded_by))}*" if evidence.superseded_by else ""
    return f"**{unmarked(_plain(evidence.document))}**{superseded}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """On one line, without what Markdown would make of it."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in _flat(text))
