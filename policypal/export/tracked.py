"""Accepted wordings as tracked changes, which Word accepts and rejects one by one (A10)."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from policypal.domain.changes import ChangePart
from policypal.export.ooxml import element, saved
from policypal.export.reports import office_text
from policypal.text.markers import read_markers

Redline = Callable[[str, str], Sequence[ChangePart]]
"""An old and a new wording in one, word by word."""
_NUMBER = re.compile(r"\W*\d+\s+")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_CHARACTERS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_GONE = f"{_W}del"


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence of the policy and its accepted wording. ``is_addition``: the sentence stays, the wording comes as a paragraph after it;
    without a ``quote`` at the end."""

    quote: str
    wording: str
    is_addition: bool = False


def tracked_copy(
    data: bytes, edits: Iterable[Edit], redline: Redline, *, author: str, at: datetime
) -> tuple[bytes, list[Edit]]:
    """A copy of a Word document with the changes, and the edits whose sentence does not stand in it word for word, which are left out.
    Every run keeps its formatting; what is not changed stays byte by byte the same XML."""
    from docx import Document

    document = Document(io.BytesIO(data))
    left_out = _apply(document.element.body, edits, redline, _Marks(author, at))
    _tell(document, left_out, author)
    return saved(document), left_out


def redline_document(
    title: str,
    paragraphs: Iterable[tuple[str, bool]],
    edits: Iterable[Edit],
    redline: Redline,
    *,
    author: str,
    at: datetime,
) -> tuple[bytes, list[Edit]]:
    """The same for a policy that is no Word document: its text, of (paragraph, whether it is a heading), in a new one."""
    from docx import Document

    document = Document()
    document.add_heading(office_text(title), level=0)
    for words, is_heading in paragraphs:
        document.add_paragraph(office_text(words), style="Heading 2" if is_heading else None)
    left_out = _apply(document.element.body, edits, redline, _Marks(author, at))
    _tell(document, left_out, author)
    return saved(document), left_out


def _tell(document: Any, left_out: Sequence[Edit], author: str) -> None:
    """A comment at the first words for each edit that was left out: what somebody accepted is not lost without a word."""
    first = next((run for paragraph in document.paragraphs for run in paragraph.runs), None)
    for edit in left_out if first is not None else ():
        said = f"Not placed: “{edit.quote}” does not stand here word for word, or another accepted wording has changed it. Accepted: "
        document.add_comment(first, office_text(f"{said}“{edit.wording}”"), author=author, initials="PP")


class _Marks:
    """Makes the elements of one author's changes, numbered on."""

    def __init__(self, author: str, at: datetime) -> None:
        self._told = {f"{_W}author": office_text(author), f"{_W}date": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        self._number = 9_000

    def __call__(self, kind: str) -> Any:
        self._number += 1
        mark = element(kind)
        mark.attrib.update({f"{_W}id": str(self._number), **self._told})
        return mark


def _apply(body: Any, edits: Iterable[Edit], redline: Redline, marks: _Marks) -> list[Edit]:
    left_out = []
    for edit in dict.fromkeys(edits):  # two rules may ask for the same words
        place = _find(body, edit.quote) if edit.quote else None
        if edit.is_addition:
            _add_after(body, place[0] if place else None, edit.wording, marks)
        elif place is None:
            left_out.append(edit)
        else:
            paragraph, start, end = place
            said = _text(paragraph)[start:end]
            wording = edit.wording if _marked(said) else edit.wording[_marked(edit.wording) :]
            _replace(paragraph, start, redline(said, wording), marks)
    return left_out


def _find(body: Any, quote: str) -> tuple[Any, int, int] | None:
    """The first paragraph that holds the quotation, with its own number or without, and where."""
    for wanted in dict.fromkeys((quote, quote[_marked(quote) :])):
        letters, _ = _skeleton(wanted)
        for paragraph in body.iter(f"{_W}p") if letters else ():
            found, offsets = _skeleton(_text(paragraph))
            place = found.find(letters)
            if place >= 0:
                text = _text(paragraph)
                end = offsets[place + len(letters) - 1] + 1
                closes = text[end : end + 1] in (".", "!", "?", ")") and wanted.rstrip(" …").endswith(text[end])
                return paragraph, offsets[place], end + closes
    return None


def _marked(text: str) -> int:
    """How many characters its number or bullet takes, which Word may draw itself: then no paragraph holds it."""
    if marks := read_markers(text):
        return marks[-1].end
    number = _NUMBER.match(text)
    return number.end() if number else 0


def _skeleton(text: str) -> tuple[str, list[int]]:
    """Letters and digits in lower case, and where each stands."""
    kept = [(c.lower()[0], n) for n, c in enumerate(text) if c.isalnum()]
    return "".join(c for c, _ in kept), [n for _, n in kept]


def _runs(paragraph: Any) -> Iterator[Any]:
    """Its runs that are read: not those of deletions, nor of paragraphs in a text box."""
    for run in paragraph.iter(f"{_W}r"):
        above = {a.tag for a in run.iterancestors(_GONE, f"{_W}moveFrom")}
        if not above and next(run.iterancestors(f"{_W}p")) is paragraph:
            yield run


def _piece(element: Any) -> str:
    return element.text or "" if element.tag == f"{_W}t" else _CHARACTERS.get(element.tag, "")


def _text(paragraph: Any) -> str:
    return "".join(_piece(e) for run in _runs(paragraph) for e in run)


def _replace(paragraph: Any, start: int, parts: Sequence[ChangePart], marks: _Marks) -> None:
    """Carry out a redline that begins at ``start``; its same and removed parts are the paragraph's own words."""
    place, after = start, None
    for part in parts:
        if part.op == "added":
            mark = marks("ins")
            before = after if after is not None else _cut(paragraph, place)
            mark.append(_run(part.text, before))
            _insert(paragraph, before, mark)
            after = mark
            place += len(part.text)  # inserted words are read
            continue
        first = _cut(paragraph, place)
        last = _cut(paragraph, place + len(part.text))
        if part.op == "removed":
            after = _remove(paragraph, first, last, marks)
        else:
            after = None
            place += len(part.text)


def _cut(paragraph: Any, place: int) -> Any:
    """The run that ends just at ``place``, cut there if it has to be; None at the beginning."""
    at = 0
    last = None
    for run in list(_runs(paragraph)):
        length = sum(len(_piece(e)) for e in run)
        if at + length > place:
            return _halved(run, place - at) if place > at else last
        at, last = at + length, run
    return last


def _halved(run: Any, length: int) -> Any:
    """The first ``length`` characters of a run; the rest becomes a run of its own behind it."""
    rest = deepcopy(run)
    run.addnext(rest)
    for own, other in zip(list(run), list(rest), strict=True):
        words = _piece(own)
        if own.tag == f"{_W}t":
            _say(own, words[: max(length, 0)])
            _say(other, words[max(length, 0) :])
        elif own.tag != f"{_W}rPr":
            (run.remove(own) if length <= 0 else rest.remove(other))
        length -= len(words)
    return run


def _say(element: Any, words: str) -> None:
    element.text = words
    element.set(_SPACE, "preserve")


def _remove(paragraph: Any, first: Any, last: Any, marks: _Marks) -> Any:
    """Mark the runs behind ``first`` up to ``last`` as deleted; the last mark."""
    runs = list(_runs(paragraph))
    begin = runs.index(first) + 1 if first is not None else 0
    mark = first
    for run in runs[begin : runs.index(last) + 1]:
        mark = marks("del")
        run.addprevious(mark)
        mark.append(run)
        for said in run.findall(f"{_W}t"):
            said.tag = f"{_W}delText"
    return mark


def _run(words: str, like: Any) -> Any:
    """A run with the formatting of another one."""
    run = element("r")
    formatting = like.find(f".//{_W}rPr") if like is not None else None
    if formatting is not None:
        run.append(deepcopy(formatting))
    said = element("t")
    _say(said, office_text(words))
    run.append(said)
    return run


def _insert(paragraph: Any, before: Any, mark: Any) -> None:
    if before is not None:
        before.addnext(mark)
        return
    properties = paragraph.find(f"{_W}pPr")
    paragraph.insert(0 if properties is None else 1, mark)


def _add_after(body: Any, paragraph: Any, words: str, marks: _Marks) -> None:
    """A new paragraph, its mark inserted too, so that rejecting it leaves no empty line."""
    added, properties, mark = element("p"), element("pPr"), element("rPr")
    given = paragraph.find(f"{_W}pPr") if paragraph is not None else None
    if given is not None:
        properties = deepcopy(given)
        for old in properties.findall(f"{_W}rPr") + properties.findall(f"{_W}sectPr"):
            properties.remove(old)
    mark.append(marks("ins"))
    properties.append(mark)
    inserted = marks("ins")
    inserted.append(_run(words, paragraph))
    added.extend([properties, inserted])
    if paragraph is not None:
        paragraph.addnext(added)
    else:
        end = body.find(f"{_W}sectPr")
        end.addprevious(added) if end is not None else body.append(added)
