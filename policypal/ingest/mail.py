"""E-mails: who wrote what to whom, and the names of what was attached (D1, D7)."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable, Iterator
from email.message import Message

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
Decode = Callable[[bytes], str]
ReadHtml = Callable[[str], str]


def read_email(data: bytes, decode: Decode, read_html: ReadHtml) -> tuple[str, str]:
    """The subject, and headers and body as text. Attachments are not read, but named: nothing is lost silently."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    headers = [f"{name}: {value}" for name in _SHOWN_HEADERS if (value := _header(message, name))]
    leaves = list(_leaves(message))
    if attached := [_attachment_name(leaf) for leaf in leaves if _is_attachment(leaf)]:
        headers.append(f"Attachments (not read): {', '.join(attached)}")
    body = _body([leaf for leaf in leaves if not _is_attachment(leaf)], decode, read_html)
    return _header(message, "Subject"), "\n".join(headers) + "\n\n" + body


def _leaves(part: Message) -> Iterator[Message]:
    """The parts that hold something themselves. An attached e-mail is one of them."""
    payload = part.get_payload()
    if part.get_content_maintype() == "multipart" and isinstance(payload, list):
        for inner in payload:
            if isinstance(inner, Message):
                yield from _leaves(inner)
    else:
        yield part


def _is_attachment(part: Message) -> bool:
    if part.get_content_disposition() == "attachment":
        return True
    if part.get_content_maintype() == "image" and part["Content-ID"]:
        return False  # a picture in the text, such as a logo
    return part.get_content_maintype() not in ("text", "multipart") or part.get_filename() is not None


def _attachment_name(part: Message) -> str:
    name = " ".join((part.get_filename() or "").split())
    return name or f"without a name ({part.get_content_type()})"


def _body(parts: list[Message], decode: Decode, read_html: ReadHtml) -> str:
    """The plain text if there is any, else what the HTML shows."""
    # a message of several parts that holds none is broken, and its text all there is
    plain = [_text(part, decode) for part in parts if part.get_content_type() == "text/plain" or _is_broken(part)]
    if any(text.strip() for text in plain):
        return "\n\n".join(plain)
    return "\n\n".join(read_html(_text(part, decode)) for part in parts if part.get_content_type() == "text/html")


def _is_broken(part: Message) -> bool:
    return part.get_content_maintype() == "multipart"


def _text(part: Message, decode: Decode) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "")
    except (LookupError, UnicodeDecodeError):  # no charset declared, an unknown one, or not the one it says
        return decode(raw)


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(message[name] or "").split())
    except Exception:  # noqa: BLE001 - the header parser fails in many ways on malformed ones; the raw text is left
        raw = dict(reversed([(key.lower(), value) for key, value in message.raw_items()]))
        return " ".join(str(raw.get(name.lower(), "")).split())
