"""The lines of a page as its producer drew them, cleaned character by character (D6)."""

import re
import unicodedata
from dataclasses import dataclass

Piece = tuple[str, int, int]
"""Text, index of the raw character it came from, and step: 1 for a copy, 0 where one raw character stands for all of it."""

# U+FFFE is how pdfium reports "hyphen and line break"; it stands for both.
_BREAK = re.compile(r"\r\n|\n|\r|\x0b|\x0c|\x85|\u2028|\u2029|\ufffe(?:\r\n|[\r\n])?")
_SPACES = r" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_DROPPED = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd\uffff\ud800-\udfff\U000e0000-\U000e0fff"
_BULLETS = "\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf06e\uf0a8"
_SPECIAL = re.compile(
    rf"(?P<space>[{_SPACES}][{_SPACES}{_DROPPED}]+|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000])"
    rf"|(?P<dropped>[{_DROPPED}]+)"
    r"|(?P<ligature>[\ufb00-\ufb06])"
    r"|(?P<hyphen>[\u2010\u2011])"
    rf"|(?P<bullet>[{_BULLETS}])"
    r"|(?P<private>[\ue000-\uf8ff]+)"
    r"|(?P<leader>\.{5,}|(?: \.){4,} ?)"
    r"|(?P<accent>[^\W\d_][\u0300-\u036f]+)"
)
_SPECIAL_CHARACTER = re.compile(
    rf"[{_DROPPED}\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufb00-\ufb06\u2010\u2011\ue000-\uf8ff\u0300-\u036f]"
)
_HYPHENS = ("-", "\u2010", "\u2011", "\u00ad")
_HYPHENATED = re.compile(rf"\w[{''.join(_HYPHENS)}]")


@dataclass(slots=True)
class Line:
    """One line without surrounding white space. ``hyphen`` is the raw index of the hyphen that ended it, which is
    then no longer part of ``text``; whether it comes back is decided when lines are joined."""

    text: str
    pieces: list[Piece]
    hyphen: int | None = None


def split_lines(raw: str) -> list[Line]:
    """The lines of a page's raw text, empty ones included: they are what separates paragraphs."""
    lines: list[Line] = []
    start = 0
    for match in _BREAK.finditer(raw):
        lines.append(_line(raw, start, match.start(), match.start() if match[0][0] == "\ufffe" else None))
        start = match.end()
    lines.append(_line(raw, start, len(raw), None))
    return lines


def _line(raw: str, start: int, end: int, hyphen: int | None) -> Line:
    whole = raw[start:end]
    text = whole.strip()
    if len(text) < len(whole):
        start += len(whole) - len(whole.lstrip())
    if hyphen is None and text[-1:] in _HYPHENS and _HYPHENATED.match(text, len(text) - 2):
        hyphen, text = start + len(text) - 1, text[:-1]
    if _is_plain(text):
        return Line(text, [(text, start, 1)] if text else [], hyphen if text else None)
    pieces = _trimmed(_pieces(text, start))
    text = "".join(piece[0] for piece in pieces)
    return Line(text, pieces, hyphen if text else None)


def _is_plain(text: str) -> bool:
    """Whether nothing in a line needs replacing: true of nearly all lines, so it has to be quick."""
    if "  " in text or "....." in text or " . . ." in text:
        return False
    return (text.isascii() and text.isprintable()) or not _SPECIAL_CHARACTER.search(text)


def _pieces(text: str, start: int) -> list[Piece]:
    pieces: list[Piece] = []
    done = 0
    for match in _SPECIAL.finditer(text):
        if match.start() > done:
            pieces.append((text[done : match.start()], start + done, 1))
        replacement = _replacement(match)
        if replacement:
            pieces.append((replacement, start + match.start(), 0))
        done = match.end()
    if done < len(text):
        pieces.append((text[done:], start + done, 1))
    return pieces


def _replacement(match: re.Match[str]) -> str:
    match match.lastgroup:
        case "space":
            return " "
        case "hyphen":
            return "-"
        case "bullet":
            return "•"
        case "leader":
            return " .... " if match[0][0] == " " else "...."
        case "ligature":
            return unicodedata.normalize("NFKC", match[0])
        case "accent":
            return unicodedata.normalize("NFC", match[0])
        case _:
            return ""


def _trimmed(pieces: list[Piece]) -> list[Piece]:
    """Without the white space that dropped characters left at either end."""
    while pieces and not pieces[0][0].strip():
        pieces.pop(0)
    while pieces and not pieces[-1][0].strip():
        pieces.pop()
    if pieces:
        text, at, step = pieces[0]
        kept = text.lstrip()
        pieces[0] = (kept, at + step * (len(text) - len(kept)), step)
        text, at, step = pieces[-1]
        pieces[-1] = (text.rstrip(), at, step)
    return pieces
