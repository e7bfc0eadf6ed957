"""Telling a request from the text pasted with it: words of a draft ask for nothing and name no documents."""

import re

_LONGEST = 1500
_REQUEST_WORDS = 40
_QUOTED_DRAFT = re.compile(r"[“\"«](?P<text>[^”\"»]{20,})[”\"»]", re.S)
_MIN_WORDS = 3
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_LONG_QUOTE = re.compile(r"[\"“«]([^\"”»]{40,})[\"”»]")
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_MAIL_HEADER = re.compile(
    r"(?:^[ \t>]*--[^\n]*\n)?(?:^[ \t>*]{0,9}[A-Z][a-z]{1,8}:\*?[ \t][^\n]*(?:\n|\Z)){3,}", re.MULTILINE
)
"""Three lines or more of "Name: value", as above a forwarded e-mail: from, to, subject in any language."""
_TITLE_WORDS = 15
_TITLE_WORD = re.compile(r"[\W_]*(?:[A-Z]|\w*\d)")
_SMALL_WORDS = frozenset("a an and as at by for from in of on or the to with".split())
_NAMES_A_DOCUMENT = re.compile(
    r"\b(?:(?:19|20)\d\d|v\d|polic(?:y|ies)|regulations?|rulebooks?|rules?|guidelines?|guidance|guides?|directives?|acts?|circulars?"
    r"|notices?|standards?|frameworks?|codes?|handbooks?|manuals?|procedures?|statutes?|laws?|agreements?|contracts?|principles)\b",
    re.I,
)
_ASKING = re.compile(
    r"\?|\b(?:audit|check|review|compl(?:y|ies|iant|iance)|against|violat\w*|summari[sz]e|compare|please|pls|in line)\b",
    re.I,
)


def request_of(message: str) -> str:
    """The part of a message that asks: without long quotations, and of a message with a pasted draft only the short
    paragraph before or after it. Characters that no model or tokenizer takes are removed."""
    message = message.encode("utf-8", "ignore").decode("utf-8").replace("\x00", " ")
    message = without_mail_headers(_FENCED.sub(" ", message))
    quoting, rest = _up_to_last_quote(message)
    message = _LONG_QUOTE.sub(lambda quote: quote[0] if reads_as_title(quote[1]) else " ", quoting) + rest
    paragraphs = [p.strip() for p in _PARAGRAPH.split(message) if p.strip()]
    if len(paragraphs) > 1:
        message = "\n".join(_requests(paragraphs))
    if len(message) > _LONGEST:
        return f"{message[: _LONGEST * 2 // 3]} {message[-_LONGEST // 3 :]}"
    return message


def without_mail_headers(message: str) -> str:
    """``message`` without the lines above a forwarded e-mail: its subject asks for nothing."""
    return _MAIL_HEADER.sub("\n", message)


def _up_to_last_quote(message: str) -> tuple[str, str]:
    """The message up to its last closing quotation mark, and the rest. In the rest every opening mark would be tried against
    all that follows: half a minute for a message of nothing else."""
    end = max(message.rfind(mark) for mark in '"”»') + 1
    return message[:end], message[end:]


def reads_as_title(quoted: str) -> bool:
    """Whether words in quotation marks are the name of a document ("Data Rulebook (2025)") rather than a text: every word
    that carries meaning begins with a capital letter or holds a number, and one of them says what it is or which year."""
    words = quoted.split()
    if not words or len(words) > _TITLE_WORDS or not _NAMES_A_DOCUMENT.search(quoted):
        return False
    return all(w.lower() in _SMALL_WORDS or _TITLE_WORD.match(w) for w in words)


def _requests(paragraphs: list[str]) -> list[str]:
    first, last = paragraphs[0], paragraphs[-1]
    if first.endswith(":") and _is_short(first):
        return [first]
    if all(_is_short(p) for p in paragraphs):
        return paragraphs
    return [p for p in (first, last) if _is_short(p) and is_request(p)] or paragraphs


def _is_short(paragraph: str) -> bool:
    return len(paragraph.split()) <= _REQUEST_WORDS


def is_request(text: str) -> bool:
    """Whether ``text`` asks for something: a question, or the words for one of the actions."""
    return bool(_ASKING.search(text))


def split_audit_request(message: str) -> tuple[str, str]:
    """Split a message into (what is asked, what may be a text of the person's own), generously: whatever stands after a colon,
    after the first line, or in quotation marks. For what must not leave the house; what is audited is read by
    :func:`policypal.request.material.audited_text`.
    """
    for directive, text in (_split_at(":", message), _split_at("\n", message.strip()), in_quotes(message)):
        if len(text.split()) >= _MIN_WORDS:
            return directive, text
    return message, ""


def _split_at(sign: str, message: str) -> tuple[str, str]:
    head, found, text = message.partition(sign)
    if not found or "\n\n" in head.strip() or not _is_short(head):
        return message, ""
    return head, text.strip()


def in_quotes(message: str) -> tuple[str, str]:
    """Split a message into (what is asked, the first long quotation that is no title); the second is empty without one."""
    quoting, _ = _up_to_last_quote(message)
    match = next((m for m in _QUOTED_DRAFT.finditer(quoting) if not reads_as_title(m["text"])), None)
    if match is None:
        return message, ""
    return message[: match.start()] + message[match.end() :], match["text"].strip()
