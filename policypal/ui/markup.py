"""Text that others wrote, made safe to show (X2).

Documents, web pages and models are data. What they wrote reaches the browser in one of three ways: as text for a
Streamlit label (:func:`plain`), as escaped text inside our own HTML (:func:`text`), or as the small Markdown subset
below (:func:`answer`), in which everything that is not one of its constructs is text. Images, links, HTML, formulas
and Streamlit's own directives are not part of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import punctuation

from policypal.domain.citations import Citation

_DIRECTION_OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"`([^`\n]+)`")
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)")
_ADDRESS = re.compile(r"&lt;(https?://(?:(?!&[lg]t;)[^\s<>])+)&gt;")
_MARKER = re.compile(r"([📄🌐])\ufe0f?\s?(\d{1,4})")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)(?:([-*+•])|(\d{1,3})[.)])\s+(.*)$")
_RULE = re.compile(r"^\s{0,3}([-*_])(\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_MOST_NESTING = 8

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
    lines = markdown.replace("\r\n", "\n").split("\n")
    return "".join(_blocks(lines, _Inline(citations, chip, _levels(lines)), 0))


def _levels(lines: Sequence[str]) -> dict[int, int]:
    """The level of each kind of heading below the page's title, which is the first: whoever hears the page misses none (U8)."""
    kinds = sorted({len(found[1]) for line in lines if (found := _HEADING.match(line))})
    return {kind: min(level, 5) for level, kind in enumerate(kinds, 2)}


class _Inline:
    """Turns the text of one block into HTML. ``levels`` are those of the headings, by the number of their marks."""

    def __init__(self, citations: Mapping[int, Citation], chip: Chip, levels: Mapping[int, int]) -> None:
        self._citations = citations
        self._chip = chip
        self.levels = levels

    def __call__(self, source: str) -> str:
        shown = _ESCAPED.sub(lambda m: f"\\{ord(m[1])};", source)  # survives escaping, matches nothing below
        shown = _CODE.sub(lambda m: "`" + "".join(f"\\{ord(c)};" if c in punctuation else c for c in m[1]) + "`", shown)
        shown = text(shown)
        shown = _LINK.sub(r"\1", _IMAGE.sub(r"\1", shown))
        shown = _BOLD.sub(lambda m: f"<strong>{m[1] or m[2]}</strong>", shown)
        shown = _ITALIC.sub(lambda m: f"<em>{m[1] or m[2]}</em>", shown)
        shown = _ADDRESS.sub(r"\1", shown)
        shown = _CODE.sub(r"<code>\1</code>", shown)
        shown = re.sub(r"\\(\d{2,3});", lambda m: html.escape(chr(int(m[1]))), shown)
        return _MARKER.sub(self._marker, shown)

    def _marker(self, found: re.Match[str]) -> str:
        citation = self._citations.get(int(found[2]))
        return self._chip(citation) if citation is not None else found[0]


def _blocks(lines: Sequence[str], inline: _Inline, depth: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end, block = _block(lines, at, inline, depth)
        yield block
        at = end


def _block(lines: Sequence[str], at: int, inline: _Inline, depth: int) -> tuple[int, str]:
    """One block from line ``at`` on, and the line after it."""
    line = lines[at]
    if not line.strip():
        return at + 1, ""
    if line.lstrip().startswith("```"):
        return _code(lines, at)
    if heading := _HEADING.match(line):
        level = inline.levels.get(len(heading[1]), 5)
        return at + 1, f"<h{level}>{inline(heading[2])}</h{level}>"
    if _RULE.match(line):
        return at + 1, "<hr>"
    if _starts_table(lines, at):
        return _table(lines, at, inline)
    if _ITEM.match(line) and depth < _MOST_NESTING:
        return _list(lines, at, inline, depth)
    if line.lstrip().startswith(">") and depth < _MOST_NESTING:
        return _quote(lines, at, inline, depth)
    return _paragraph(lines, at, inline)


def _code(lines: Sequence[str], at: int) -> tuple[int, str]:
    end = next((n for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith("```")), len(lines))
    return end + 1, f"<pre>{text(chr(10).join(lines[at + 1 : end]))}</pre>"


def _starts_table(lines: Sequence[str], at: int) -> bool:
    return "|" in lines[at] and at + 1 < len(lines) and "|" in lines[at + 1] and bool(_TABLE_RULE.match(lines[at + 1]))


def _table(lines: Sequence[str], at: int, inline: _Inline) -> tuple[int, str]:
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = _cells(lines[at])
    rows = [_cells(line) for line in lines[at + 2 : end]]
    shown = "".join(f"<th>{inline(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row[: len(head)]) + "</tr>" for row in rows)
    return end, f'<div class="pp-scroll"><table><thead><tr>{shown}</tr></thead><tbody>{body}</tbody></table></div>'


def _cells(line: str) -> list[str]:
    row = line.strip().removeprefix("|")
    cells = _CELL_BORDER.split(row)
    return [c.strip() for c in (cells[:-1] if not cells[-1].strip() and len(cells) > 1 else cells)]


def _list(lines: Sequence[str], at: int, inline: _Inline, depth: int) -> tuple[int, str]:
    """Items of one indentation; deeper lines belong to the item above them."""
    first = _ITEM.match(lines[at])
    assert first is not None
    indent, ordered = len(first[1]), first[3] is not None
    items: list[list[str]] = []
    while at < len(lines):
        item = _ITEM.match(lines[at])
        if item and len(item[1]) <= indent + 1 and len(item[1]) >= indent - 1:
            if (item[3] is not None) != ordered:
                break
            items.append([item[4]])
        elif lines[at].strip() and len(lines[at]) - len(lines[at].lstrip()) > indent:
            items[-1].append(lines[at][indent + 2 :] if lines[at][: indent + 2].isspace() else lines[at].lstrip())
        elif lines[at].strip() or not _list_goes_on(lines, at + 1, indent):
            break
        at += 1
    tag = "ol" if ordered else "ul"
    start = f' start="{int(first[3])}"' if ordered and first[3] != "1" else ""
    inner = "".join(f"<li>{_item(item, inline, depth)}</li>" for item in items)
    return at, f"<{tag}{start}>{inner}</{tag}>"


def _list_goes_on(lines: Sequence[str], at: int, indent: int) -> bool:
    """Whether a blank line before ``at`` only separates two items."""
    item = _ITEM.match(lines[at]) if at < len(lines) else None
    return item is not None and len(item[1]) >= indent


def _item(lines: Sequence[str], inline: _Inline, depth: int) -> str:
    split = next((n for n, line in enumerate(lines[1:], 1) if _ITEM.match(line)), len(lines))
    return inline(" ".join(lines[:split])) + "".join(_blocks(lines[split:], inline, depth + 1))


def _quote(lines: Sequence[str], at: int, inline: _Inline, depth: int) -> tuple[int, str]:
    end = at
    while end < len(lines) and lines[end].lstrip().startswith(">"):
        end += 1
    inner = [re.sub(r"^\s*>\s?", "", line) for line in lines[at:end]]
    return end, f"<blockquote>{''.join(_blocks(inner, inline, depth + 1))}</blockquote>"


def _paragraph(lines: Sequence[str], at: int, inline: _Inline) -> tuple[int, str]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _begins_block(lines, end):
        end += 1
    joined = "\n".join(lines[at:end])
    parts = re.split(r"(?:  |\\)\n", joined)
    return end, "<p>" + "<br>".join(inline(" ".join(part.split("\n"))) for part in parts) + "</p>"


def _begins_block(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    starts = _HEADING.match(line) or _ITEM.match(line) or _RULE.match(line) or line.lstrip().startswith(("```", ">"))
    return bool(starts) or _starts_table(lines, at)
