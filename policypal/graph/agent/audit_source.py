"""What an audit request asks to be audited: a text inside the message, or documents (A4, G6)."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[“\"«](?P<text>[^”\"»]{20,})[”\"»]", re.S)
_MIN_WORDS = 3
_MAX_DIRECTIVE_WORDS = 40


def split_audit_request(message: str) -> tuple[str, str]:
    """Split a message into (what is asked, the text to audit); the text is empty if the message holds none.

    The text stands after a colon ("Audit this email: …"), after the first line, or in quotation marks.
    """
    for split in (_after_colon, _after_first_line, _in_quotes):
        directive, text = split(message)
        if len(text.split()) >= _MIN_WORDS:
            return directive, text
    return message, ""


def _after_colon(message: str) -> tuple[str, str]:
    head, colon, text = message.partition(":")
    if not colon or "\n\n" in head.strip() or len(head.split()) > _MAX_DIRECTIVE_WORDS:
        return message, ""
    return head, text.strip()


def _after_first_line(message: str) -> tuple[str, str]:
    head, newline, text = message.strip().partition("\n")
    if not newline or len(head.split()) > _MAX_DIRECTIVE_WORDS:
        return message, ""
    return head, text.strip()


def _in_quotes(message: str) -> tuple[str, str]:
    match = _QUOTED.search(message)
    if match is None:
        return message, ""
    return message[: match.start()] + message[match.end() :], match["text"].strip()
