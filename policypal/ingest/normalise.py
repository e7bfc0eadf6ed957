"""From the raw text of pages to the text that is stored, searched and quoted (D6).

Lines wrapped by the page's layout are joined to paragraphs, words broken at line ends made whole, headers and footers
removed. Every normalised code point knows which raw character it came from, so a quotation can be found again on the
page's image (D9).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise

from policypal.ingest.lines import Line, Piece, split_lines
from policypal.text.headings import bare_title, is_bare_division, is_structural

PARAGRAPH = "\n\n"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MARKER = re.compile(
    r"[•▪‣●○◦■□➢✓*·–—-]\s|\(?(?:[a-z]{1,2}|[ivxl]{1,6}|[A-Z]|\d{1,3})[).]\s|\(\w{1,4}\)|\d+(?:\.\d+)+\.?\s|§"
)
# A line that ends like this goes on, even where the next one begins like a list item: "referred to in paragraph ⏎ (1)".
_DANGLING = re.compile(
    r"(?:(?<![;,]\s)\b(?:and|or)|\b(?:in|of|to|the|under|with|by|from|than|for|as|paragraphs?|points?|articles?|sections?|"
    r"sub-sections?|clauses?|rules?|notes?|parts?|annex|see|No\.?)|\b(?:article|paragraph|section|clause|rule)s?\s+\d+)$",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[$€£(]*-?\d[\d,.]*%?\)?|[—–$%-]")
_FOOTNOTE = re.compile(r"(\d{1,3})\s+[A-Z“]")
_LEADER_END = re.compile(r"\.{4}\s*[\divxl]+$")
_HYPHEN_PREFIXES = frozenset(
    "all anti cross day ex first full half high long low multi non on one post pre risk second self semi "
    "short so third two up well year".split()
)


@dataclass(frozen=True)
class NormalisedPage:
    """The stored text of one page, and the raw characters it was made from."""

    text: str
    pieces: tuple[Piece, ...] = ()

    @cached_property
    def source_offsets(self) -> list[int]:
        """For every code point of ``text``, the index of its raw character."""
        offsets: list[int] = []
        for text, at, step in self.pieces:
            offsets.extend(range(at, at + len(text)) if step else [at] * len(text))
        return offsets


class _Kind(Enum):
    """What a line is, as far as joining goes."""

    PROSE = 0
    HEADING = 1
    ROW = 2
    FOOTNOTE = 3
    TITLE_REST = 4


def normalise_pages(raw_pages: Sequence[str], outline: Iterable[str] = ()) -> list[NormalisedPage]:
    """Normalise all pages of a document together: headers and footers are recognised by their repetition, the titles of its
    own table of contents (``outline``) by their words."""
    titles = frozenset(title for entry in outline if (title := bare_title(entry)))
    pages = [split_lines(raw) for raw in raw_pages]
    heads = find_running_heads([[line.text for line in page] for page in pages])
    kept = [
        [line for i, line in enumerate(page) if i not in dropped] for page, dropped in zip(pages, heads, strict=True)
    ]
    vocabulary = _vocabulary(kept) if any(line.hyphen is not None for page in kept for line in page) else frozenset()
    return [_unwrapped(page, vocabulary, titles) for page in kept]


def normalise_page(raw: str) -> NormalisedPage:
    """Normalise one page by itself; headers and footers stay."""
    return _unwrapped(split_lines(raw), frozenset())


def _unwrapped(
    lines: Sequence[Line], vocabulary: frozenset[str], titles: frozenset[str] = frozenset()
) -> NormalisedPage:
    widths = _local_widths(lines)
    kinds = _kinds(lines, titles)
    filled = [i for i, line in enumerate(lines) if line.text]
    pieces: list[Piece] = list(lines[filled[0]].pieces) if filled else []
    for before, i in pairwise(filled):
        kind = (kinds[before], kinds[i])
        joint = _joint(lines[before], lines[i].text, kind, i - before > 1, widths[before], vocabulary)
        if joint:
            pieces.append((joint, _end(lines[before]), 0))
        pieces.extend(lines[i].pieces)
    if filled and (hyphen := lines[filled[-1]].hyphen) is not None:
        pieces.append(("-", hyphen, 0))
    return NormalisedPage("".join(piece[0] for piece in pieces), tuple(pieces))


def _end(line: Line) -> int:
    if line.hyphen is not None:
        return line.hyphen
    text, at, step = line.pieces[-1]
    return at + step * (len(text) - 1)


def _local_widths(lines: Sequence[Line]) -> list[int]:
    """The longest line nearby: how wide the column is here, in characters."""
    lengths = [len(line.text) for line in lines]
    return [max(lengths[max(0, i - 2) : i + 3]) for i in range(len(lengths))]


def _kinds(lines: Sequence[Line], titles: frozenset[str]) -> list[_Kind]:
    kinds = [_kind(line.text) for line in lines]
    if titles:
        _mark_titles(kinds, [bare_title(line.text) for line in lines], titles)
    for i in range(len(lines) // 2, len(lines)):
        match = _FOOTNOTE.match(lines[i].text)
        if match and any(_refers(line.text, match[1]) for line in lines[:i]):
            kinds[i] = _Kind.FOOTNOTE
    return kinds


def _mark_titles(kinds: list[_Kind], lines: Sequence[str], titles: frozenset[str]) -> None:
    """Lines that are a title of the table of contents, alone or with the line below."""
    for i, line in enumerate(lines):
        if line in titles:
            kinds[i] = _Kind.HEADING
        elif line and i + 1 < len(lines) and lines[i + 1] and line + lines[i + 1] in titles:
            kinds[i : i + 2] = [_Kind.HEADING, _Kind.TITLE_REST]


def _refers(line: str, number: str) -> bool:
    """Whether a line holds a footnote's number right after a word's punctuation: "years. 6" or "(PII).3"."""
    return number in line and re.search(rf"[.,;:)”’]\s?{number}(?:\s|$)", line) is not None


def _kind(line: str) -> _Kind:
    if is_structural(line):
        return _Kind.HEADING
    return _Kind.ROW if line and _is_row(line) else _Kind.PROSE


def _joint(
    line: Line, after: str, kinds: tuple[_Kind, _Kind], blank_between: bool, width: int, vocabulary: frozenset[str]
) -> str:
    """What stands between two lines, of these ``kinds``, in the normalised text: nothing, a hyphen, a space, or a line break."""
    before = line.text
    if line.hyphen is not None:
        return _hyphen_joint(before, after, vocabulary)
    if before[-1] == "(" or after[0] == ")":
        return ""
    if kinds[1] is _Kind.TITLE_REST:
        return " "
    if kinds[0] is _Kind.TITLE_REST:
        return PARAGRAPH
    if _Kind.HEADING in kinds:
        return _heading_joint(before, after, width)
    if kinds[1] is _Kind.FOOTNOTE:
        return PARAGRAPH
    if _Kind.ROW in kinds:
        return "\n"
    full = len(before) + 1 + _first_word_length(after) > 0.85 * width
    if _MARKER.match(after):
        in_sentence = after[0] == "(" and before[-1] not in ".;:," and not before.endswith((" and", " or"))
        return " " if full and (in_sentence or _is_dangling(before)) else "\n"
    if after[0].islower():
        return " "
    if blank_between:
        return PARAGRAPH
    if full or before[-1] == ",":
        return " "
    return " " if len(before) > 0.5 * width and _is_dangling(before) else PARAGRAPH


def _is_dangling(line: str) -> bool:
    return _DANGLING.search(line[-24:]) is not None


def _heading_joint(before: str, after: str, width: int) -> str:
    """A heading ends a paragraph, but a heading may itself be wrapped: into more capitals, or a few last words."""
    full = len(before) + 1 + _first_word_length(after) > 0.85 * width
    rest = before.isupper() and after.isupper()
    rest = rest or (after[0].isupper() and after[-1].isalpha() and after.count(" ") < 3 and is_structural(before))
    return " " if full and rest and not _MARKER.match(after) and not is_bare_division(before) else PARAGRAPH


def _first_word_length(text: str) -> int:
    space = text.find(" ")
    return len(text) if space < 0 else space


def _is_row(line: str) -> bool:
    """A row of figures or an entry of a table of contents: its line break means something."""
    if "...." in line and _LEADER_END.search(line):
        return True
    if not _FIGURE.fullmatch(line[line.rfind(" ") + 1 :]):
        return False
    words = line.split()
    figures = sum(_FIGURE.fullmatch(word) is not None for word in words)
    return figures >= 3 and figures >= 0.4 * len(words)


def _hyphen_joint(before: str, after: str, vocabulary: frozenset[str]) -> str:
    """Decide whether a hyphen at a line's end belongs to the word ("third-party") or to the layout ("obli-gation")."""
    head = before.rsplit(None, 1)[-1].lstrip("(“\"'‘[")
    found = _WORD.match(after)
    tail = found[0] if found else ""
    if not head.isalpha() or not tail or not tail[0].islower():
        return "-"
    if tail in ("and", "or", "to"):
        return "- "
    return "-" if _is_compound(head.lower(), tail.lower(), vocabulary.__contains__) else ""


def _is_compound(head: str, tail: str, known: Callable[[str], bool]) -> bool:
    first = tail.split("-")[0]
    if known(f"{head}-{tail}") or known(f"{head}-{first}"):
        return not known(head + tail)
    if known(head + tail) or known(head + first):
        return False
    return head in _HYPHEN_PREFIXES or (len(head) > 3 and len(first) > 3 and known(head) and known(first))


def _vocabulary(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """The document's own whole words, to judge hyphens by; the halves of broken words are left out."""
    words: set[str] = set()
    tokens: set[str] = set()
    for page in pages:
        for before, line in zip([None, *page], page, strict=False):
            is_rest, is_broken = before is not None and before.hyphen is not None, line.hyphen is not None
            if is_rest or is_broken:
                found = _WORD.findall(line.text.lower())
                words.update(found[1 if is_rest else 0 : -1 if is_broken else None])
            else:
                tokens.update(line.text.lower().split())
    return frozenset(words.union(_WORD.findall(" ".join(tokens))))


_EDGE_LINES = 8
_NUMBERS = re.compile(r"([0-9]+)")
_PAGE_OF = re.compile(r"\W*page\s+\d+(\s*(of|/)\s*\d+)?\W*", re.IGNORECASE)
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)

PageLines = Sequence[str]
Numbered = tuple[str, list[str]]
"""A line with "#" for its numbers, in small letters, and the numbers."""
Running = dict[str, tuple[int, int]]
"""For a line's pattern, which of its numbers counts along, and by how much it is ahead of the page's index."""


def find_running_heads(pages: Sequence[PageLines]) -> list[frozenset[int]]:
    """For each page, the indexes of its lines that are headers, footers or page numbers.

    A line is a running head when it stands, word for word, at the page's edge on at least two pages in five, about once a page;
    or when, wherever it stands, it carries a number that counts along with the pages. Body lines that merely
    recur ("Illustration.") meet neither condition.
    """
    numbered = [_numbered(page) for page in pages]
    running = _running_numbers(pages, numbered)
    edges = _edge_lines(pages)
    heads = [_on_page(page, numbered[n], n, running, edges) for n, page in enumerate(pages)]
    if all(len(found) == sum(map(bool, page)) for page, found in zip(pages, heads, strict=True)):
        return [frozenset() for _ in pages]  # nothing but repetition: then the repetition is the document
    return heads


def _numbered(page: PageLines) -> dict[int, Numbered]:
    """The lines of a page with numbers, by their index."""
    split = ((i, _NUMBERS.split(line)) for i, line in enumerate(page))
    return {i: ("#".join(parts[::2]).casefold(), parts[1::2]) for i, parts in split if len(parts) > 1}


def _on_page(
    page: PageLines, numbered: dict[int, Numbered], number: int, running: Running, edges: frozenset[str]
) -> frozenset[int]:
    along = {
        i
        for i, (key, numbers) in numbered.items()
        # A document with one article per page counts its articles along with its pages.
        if (place := running.get(key)) and int(numbers[place[0]]) - number == place[1] and not is_bare_division(page[i])
    }  # fmt: skip
    # A bare "#" or "§ #" is too common inside tables to be trusted away from the edge.
    found = {i for i in along if len(page[i]) > 6}
    filled = [i for i, line in enumerate(page) if line]
    for order in (filled, filled[::-1]):
        for i in order:
            if i not in found and i not in along and not _is_edge_line(page[i], running, edges):
                break
            found.add(i)
    return frozenset(found)


def _is_edge_line(line: str, running: Running, edges: frozenset[str]) -> bool:
    is_roman_number = "#" in running and _ROMAN.fullmatch(line) is not None
    return is_roman_number or line.casefold() in edges or _PAGE_OF.fullmatch(line) is not None


def _edge_lines(pages: Sequence[PageLines]) -> frozenset[str]:
    """Lines that stand, word for word, near an edge on many pages and hardly anywhere else."""
    if len(pages) < 3:
        return frozenset()
    near_edge: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    for page in pages:
        filled = [line.casefold() for line in page if line]
        near_edge.update(set(filled[:_EDGE_LINES]) | set(filled[-_EDGE_LINES:]))
        everywhere.update(filled)
    needed = max(3, 0.4 * len(pages))
    # A bare number needs to count along with the pages to be a page number; see _running_numbers.
    return frozenset(
        line
        for line, count in near_edge.items()
        if count >= needed and not line.isdecimal() and everywhere[line] <= 1.2 * count
    )


def _running_numbers(pages: Sequence[PageLines], numbered: Sequence[dict[int, Numbered]]) -> Running:
    """Lines in which the same number grows by one from page to page, on at least a quarter of the pages."""
    if len(pages) < 3:
        return {}
    seen: defaultdict[str, list[tuple[int, list[str]]]] = defaultdict(list)
    for n, page in enumerate(pages):
        filled = [i for i, line in enumerate(page) if line]
        edge = {*filled[:2], *filled[-2:]}
        for i, (key, numbers) in numbered[n].items():
            # bare numbers may be a page's only where they stand first or last
            if len(page[i]) <= 200 and (i in edge or not page[i].isdecimal()):
                seen[key].append((n, numbers))
    needed = max(3, 0.25 * len(pages))
    running = {}
    for key, lines in seen.items():
        places = Counter(_places(lines)) if len(lines) >= needed else None
        if places:
            place, count = places.most_common(1)[0]
            if count >= needed and count >= 0.6 * len({number for number, _ in lines}):
                running[key] = place
    return running


def _places(lines: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, int]]:
    """Which of its numbers a line has how far ahead of its page's index, of its first six."""
    for number, numbers in lines:
        for position, value in enumerate(numbers[:6]):
            if len(value) < 6:
                yield position, int(value) - number
