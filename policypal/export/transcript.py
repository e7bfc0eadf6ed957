"""Answers and whole conversations as Markdown that keeps its evidence outside PolicyPal, too (U2, C1)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from policypal.domain.citations import Citation
from policypal.domain.confidence import badge_words
from policypal.domain.conversations import Conversation, Message

_MARKER = re.compile(r"([📄🌐])\ufe0f?\s?(\d{1,4})")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LIVE = re.compile(r"\\[!-/:-@\[-`{-~]|<(?=[A-Za-z/!?])|(?<=\])[(:]|\[(?=\^)")
"""What makes HTML, an address behind a text, the address of a reference or a footnote; what is escaped already is passed
over in pairs, so that a backslash in a text cannot take the one before it away."""
_EMPHASIS = re.compile(r"(?<!\\)([*`])")
ENGINES = {"extractive": "extractive engine (quotations and templates only)", "openai": "OpenAI engine"}


def answer_markdown(message: Message, prefix: str = "") -> str:
    """An answer with a footnote for each source: title, version, page or address, and the quote.

    ``prefix`` keeps the footnotes of several answers in one text apart. A quote that could not be verified stands without
    quotation marks and says so (C2).
    """
    cited = message.citations
    numbers = {c.id: f"[^{prefix}{c.id}]" for c in cited}
    body = _MARKER.sub(lambda m: numbers.get(int(m[2]), m[0]), harmless(message.content)).strip()
    notes = [f"{numbers[c.id]}: {_source(c)}" for c in cited]
    return "\n\n".join([body, *notes])


def conversation_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    """Everything that was said, oldest first: questions, PalAssist's questions with their answers, answers with their
    sources, and failures. Times are UTC."""
    lines = [
        f"# {plain_line(conversation.title)}",
        "",
        f"PolicyPal conversation, begun {conversation.created_at:%Y-%m-%d %H:%M} UTC.",
    ]
    for number, message in enumerate(messages, 1):
        lines += ["", f"## {_speaker(message)} · {message.created_at:%Y-%m-%d %H:%M} UTC", "", *_said(message, number)]
    return "\n".join(lines) + "\n"


def _speaker(message: Message) -> str:
    return {"user": "You", "assistant": "PolicyPal", "pal_assist": "PalAssist"}.get(message.role, "Notice")


def _said(message: Message, number: int) -> Iterator[str]:
    """What a person wrote stands as a quotation, so that it can never look like an answer."""
    if message.role == "assistant":
        yield from _answered(message, number)
    elif message.role == "pal_assist":
        yield plain_line(str(message.payload.get("question", {}).get("message", "")))
        yield ""
        yield from _quoted(f"Your answer: {message.content or 'documents tagged'}")
    elif message.role == "user":
        yield from _quoted(message.content)
    else:
        yield f"**{plain_line(str(message.payload.get('title') or 'The run failed'))}** {plain_line(message.content)}"


def _answered(message: Message, number: int) -> Iterator[str]:
    for notice in message.payload.get("notices", []):
        yield f"*{plain_line(str(notice))}*"
        yield ""
    yield answer_markdown(message, f"{number}-")
    yield ""
    yield f"*{_facts(message.payload)}*"


def _facts(told: Mapping[str, Any]) -> str:
    """How sure and how made, in one line; nothing was retrieved where there is neither a citation nor a document."""
    parts = []
    if not told.get("cancelled") and (told.get("citations") or told.get("documents")):
        parts.append(badge_words(str(told.get("retrieval_confidence", "low")), str(told.get("action", ""))))
    engine = str(told.get("engine", ""))
    parts.append(f"Made by: {ENGINES.get(engine, engine or 'PolicyPal')}")
    unknown = "" if told.get("is_priced", True) else " (some prices are unknown)"
    parts.append(f"{int(told.get('tokens_used', 0)):,} tokens, ${float(told.get('cost_usd', 0)):.4f}{unknown}")
    return " · ".join(parts)


def _source(citation: Citation) -> str:
    title = citation.title
    if citation.version and f"({citation.version})" not in title:
        title = f"{title} ({citation.version})"
    where = f", {citation.place}" if citation.page is not None else f", <{citation.url}>" if citation.url else ""
    return f"{plain_line(title)}{where}: {plain_line(citation.quotation)}"


def _quoted(text: str) -> Iterator[str]:
    for line in text.splitlines() or [""]:
        yield f"> {_inert(line)}".rstrip()


def plain_line(text: str) -> str:
    """One line of text, word by word as it was said, in which nothing is emphasis, a link or HTML."""
    return _EMPHASIS.sub(r"\\\1", _inert(" ".join(text.split())))


def harmless(markdown: str) -> str:
    """An answer without what would fetch or run something where it is pasted: images, links and HTML (X2)."""
    return _inert(_IMAGE_OR_LINK.sub(r"\1", markdown))


def _inert(text: str) -> str:
    """The same words, of which none is HTML, a link, an image or a footnote, by reference or in place (X2)."""
    return _LIVE.sub(lambda found: found[0] if found[0].startswith("\\") else f"\\{found[0]}", text)
