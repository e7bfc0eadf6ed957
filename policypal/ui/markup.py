"""Text that others wrote, made safe to show (X2).

Documents, web pages and models are data. What they wrote reaches the browser in one of three ways: as text for a
Streamlit label (:func:`plain`), as escaped text inside our own HTML (:func:`text`), or as the small Markdown subset
below (:func:`answer`), in which everything that is not one of its constructs is text. Images, links, HTML, formulas
and Streamlit's own directives are not part of it.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import punctuation

from markdown_it import MarkdownIt
from markdown_it.token import Token

from policypal.domain.citations import Citation
from policypal.domain.support import IN_OTHER_WORDS

_DIRECTION_OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MARKER = re.compile(r"([📄🌐])\ufe0f?\s?(\d{1,4})")
_BULLET = re.compile(r"^([ \t]*)•(?=[ \t])", re.MULTILINE)
_BLANKS = re.compile(r"^(?:[ \t]*\n){5,}", re.MULTILINE)
_INDENTED = re.compile(r"^([ \t]{40})[ \t]+", re.MULTILINE)
_MOST_BRACKETS = 500
_DEEP = re.compile(r"^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,3}[.)](?=[ \t]))){8}[ \t]*)(?=[>*+-])", re.MULTILINE)
"""Marks of more blocks within one another than anybody means; what follows them is text."""

Chip = Callable[[Citation], str]


def text(value: object) -> str:
    """Escaped text for our own HTML. Characters that turn the reading direction around are dropped."""
    return html.escape(_DIRECTION_OVERRIDES.sub("", str(value)), quote=True)


def plain(value: object) -> str:
    """Text for a Streamlit label or message, which would otherwise read it as Markdown: no image, no link, no formula."""
    shown = _DIRECTION_OVERRIDES.sub("", str(value))
    shown = re.sub(r"(?<=:)(?=[\w/+-])|(?<=www)(?=\.)|(?<=@)(?=\w)", "\u2060", shown)  # no emoji code, no address
    return "".join("\\" + c if c in punctuation else c for c in shown)


def beginning(words: str, most: int) -> str:
    """The first ``most`` characters, and a sign where that is not all."""
    return words if len(words) <= most else f"{words[:most].rstrip()} …"


def answer(markdown: str, citations: Mapping[int, Citation], chip: Chip) -> str:
    """The answer as HTML. Markers 📄1 and 🌐2 of known ``citations`` become what ``chip`` makes of them (C3)."""
    tokens = _PARSER.parse(_tamed(_BULLET.sub(r"\1-", markdown)))
    _hide_first_paragraphs(tokens)
    kinds = sorted({token.tag for token in tokens if token.type == "heading_open"})
    levels = {tag: f"h{min(level, 5)}" for level, tag in enumerate(kinds, 2)}  # whoever hears the page misses none (U8)
    return "".join(_blocks(tokens, levels, lambda said: _with_chips(said, citations, chip)))


@dataclass(slots=True)
class Section:
    """A part of an answer. ``points`` are its list items and the rows of its tables, ``words`` its paragraphs, all as Markdown."""

    title: str = ""
    words: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)


def outline(markdown: str) -> list[Section]:
    """The parts of an answer in their order, each begun by a heading or by a line in bold; what a card of it is made of (U2c)."""
    found, row = [Section()], list[str]()
    tokens = _PARSER.parse(_tamed(_BULLET.sub(r"\1-", markdown)))
    inside: list[str] = []
    for token in tokens:
        if token.type == "tr_close" and "tbody" in inside and any(row):
            found[-1].points.append(" · ".join([f"**{row[0]}**", *row[1:]]))
        if token.type in ("tr_open", "tr_close"):
            row = []
        if token.nesting == 1:
            inside.append(token.tag)
        elif token.nesting == -1:
            inside.pop()
        elif token.type == "inline" and (title := _title(token, inside)):
            found.append(Section(title))
        elif token.type == "inline" and "td" in inside:
            row.append(token.content)
        elif token.type == "inline" and "th" not in inside and not _is_label(token):
            (found[-1].points if "li" in inside else found[-1].words).append(token.content)
    return [section for section in found if section.title or section.words or section.points]


def _title(token: Token, inside: Sequence[str]) -> str:
    """The words of a heading, or of a paragraph that is nothing but bold."""
    said = [child for child in token.children or [] if child.content or child.nesting]
    is_bold = inside == ["p"] and len(said) == 3 and said[0].type == "strong_open"
    return "".join(child.content for child in said) if is_bold or inside[-1].startswith("h") else ""


def _is_label(token: Token) -> bool:
    """A line in italics says what the list below it is about."""
    said = [child for child in token.children or [] if child.content or child.nesting]
    return len(said) == 3 and said[0].type == "em_open"


def _tamed(markdown: str) -> str:
    """Without what would keep the parser busy for long, or make it leave words out: nesting without end, blank lines and
    brackets by the thousand. Nobody writes these for a reader."""
    markdown = _DEEP.sub(lambda deep: deep[1] + "\\", _INDENTED.sub(r"\1", _BLANKS.sub("\n\n", markdown)))
    return markdown.replace("[", "\\[") if markdown.count("[") > _MOST_BRACKETS else markdown


def _parser() -> MarkdownIt:
    """CommonMark with tables. Addresses are no more than their words, entities and definitions are text like any other."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 200}).enable("table")
    parser.disable(["html_block", "html_inline", "entity", "reference", "lheading", "code"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # or its words would be shown with the address
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser


_PARSER = _parser()


def _hide_first_paragraphs(tokens: Sequence[Token]) -> None:
    """Of list items, whether or not blank lines stand between them."""
    for item, opening, _, closing in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if item.type == "list_item_open" and opening.type == "paragraph_open":
            opening.hidden = closing.hidden = True


def _blocks(tokens: Sequence[Token], levels: Mapping[str, str], shown: Callable[[str], str]) -> Iterator[str]:
    for token in tokens:
        tag = levels.get(token.tag, token.tag) if token.type.startswith("heading") else token.tag
        match token.type:
            case "inline":
                yield "".join(_inline(token.children or [], shown))
            case "fence":
                yield f"<pre>{text(token.content.removesuffix(chr(10)))}</pre>"
            case "hr":
                yield "<hr>"
            case "paragraph_open" | "paragraph_close" if token.hidden:
                continue
            case "table_open" | "table_close":
                yield '<div class="pp-scroll"><table>' if token.nesting == 1 else "</table></div>"
            case "ordered_list_open":
                yield f'<ol start="{int(token.attrs["start"])}">' if "start" in token.attrs else "<ol>"
            case _ if token.nesting:
                yield f"<{tag}>" if token.nesting == 1 else f"</{tag}>"


def _inline(tokens: Sequence[Token], shown: Callable[[str], str]) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "code_inline":
                yield f"<code>{text(token.content)}</code>"
            case "softbreak":
                yield " "
            case "hardbreak":
                yield "<br>"
            case "image":
                yield from _inline(token.children or [], shown)
            case "link_open" | "link_close":
                continue
            case _ if token.nesting:
                yield f"<{token.tag}>" if token.nesting == 1 else f"</{token.tag}>"
            case _:
                yield shown(token.content)


_DEGREE = re.compile(rf"(?<=>){IN_OTHER_WORDS}")
_LEGEND = (
    '<span class="pp-degree" role="img" aria-label="Supported in other words" title="Supported: what it cites says this in other words. '
    f'Sentences without this sign are quotations.">{IN_OTHER_WORDS}</span>'
)


def _with_chips(said: str, citations: Mapping[int, Citation], chip: Chip) -> str:
    def marker(found: re.Match[str]) -> str:
        citation = citations.get(int(found[2]))
        return chip(citation) if citation is not None else found[0]

    return _DEGREE.sub(_LEGEND, _MARKER.sub(marker, text(said)))
