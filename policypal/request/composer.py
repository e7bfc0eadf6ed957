"""What the composer hands over: text, tags and the query without them (G4 stage 1, U3)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentSet
from policypal.domain.text import storable
from policypal.errors import InvalidInput, TooManyDocuments
from policypal.request.library import KnownDocument

MAX_DOCUMENTS = 5
"""Documents in one request (G4)."""
MAX_DEPTH = 100
MAX_NODES = 20_000
_CATEGORIES = frozenset({"action", "set", "document", "web"})
_BLOCKS = frozenset({"paragraph", "heading", "blockquote", "codeBlock", "listItem", "bulletList", "orderedList"})
_WEB_NAMES = ("web search", "websearch", "web")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")  # those that are no white space
_PASTES = re.compile(r":[^\S\n]*\n[^\S\n]*\n")
_PASTED_WORDS = 40
_TAG = re.compile(r"(?<![\w@])@(?P<quote>[\"“„«]?)")
_CLOSING_QUOTES = ('"', "”", "“", "»")
_NAME_WORD = re.compile(r"[^\W_]+")
_VERSION_LEAD = r"[\s(\[,–-]*(?:v(?:ersion|\.)?\s*)?"
_JOINING = frozenset({"and", "with", "to", "vs", "versus", "against", "or", "please", "the"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A tag. ``id`` is a document's or set's id, an action's name, or "web"."""

    id: str
    label: str
    category: str


Piece = str | Mention


@dataclass(frozen=True, slots=True)
class ComposedMessage:
    """A message as written. ``text`` has the mentions in place as "@Label", ``clean_query`` has none.
    ``is_pure_mention``: nothing but tags and words
    that join them ("@Compare @A with @B"), so there is nothing left to resolve."""

    text: str
    clean_query: str
    document_ids: tuple[str, ...] = ()
    set_ids: tuple[str, ...] = ()
    action: str | None = None
    web: bool = False
    is_pure_mention: bool = False


def parse_composer(content: Mapping[str, Any]) -> ComposedMessage:
    """Read the composer's JSON (TipTap's shape: ``doc`` → nodes, ``mention`` with ``id``, ``label``, ``category``).

    Raises:
        InvalidInput: it is not of that shape, or nested deeper than :data:`MAX_DEPTH`.
    """
    if not isinstance(content, Mapping) or content.get("type") != "doc":
        raise InvalidInput("The message could not be read. Please type it again.")
    return _composed(list(_pieces(content)))


def compose(text: str, documents: Sequence[KnownDocument], sets: Sequence[DocumentSet] = ()) -> ComposedMessage:
    """Read plain text with "@Title", "@Title version", "@alias", "@Set", "@Summarize" and "@Web Search" in it.

    The longest name wins; names may have several words and stand in quotation marks (@"Data Rulebook (2025)"); an "@" that starts no known name stays as typed.
    A title with several versions tags none of them unless the version is given: the words stay for the resolver.
    A long text below "Audit this e-mail:" and a blank line is pasted; its writer tags nothing (X2).
    """
    text = _string(text)
    end = _end_of_request(text)
    return _composed([*_plain_pieces(text[:end], _tag_names(documents, sets)), text[end:]])


def _end_of_request(text: str) -> int:
    begun = _PASTES.search(text)
    return begun.end() if begun and len(text[begun.end() :].split()) > _PASTED_WORDS else len(text)


def check_document_limit(ids: Sequence[str]) -> None:
    """Raise :class:`TooManyDocuments` for more than five different documents (G4)."""
    count = len(set(ids))
    if count > MAX_DOCUMENTS:
        raise TooManyDocuments(
            f"This request uses {count} documents; at most {MAX_DOCUMENTS} are possible. Please remove some and send again."
        )


def _pieces(root: Mapping[str, Any]) -> Iterator[Piece]:
    """Text and mentions in reading order. Iterative, because a hostile document could be nested a million deep."""
    stack: list[tuple[Any, int]] = [(root, 0)]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node, depth = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        if depth > MAX_DEPTH or not isinstance(node, Mapping):
            raise InvalidInput("The message could not be read: its structure is not one the composer makes.")
        yield from _own_piece(node)
        if node.get("type") in _BLOCKS:
            stack.append(("\n", depth))
        stack.extend((child, depth + 1) for child in reversed(_children(node)))
    if stack:
        raise InvalidInput("The message is too long. Please shorten it.")


def _children(node: Mapping[str, Any]) -> list[Any]:
    children = node.get("content")
    if children is None:
        return []
    if not isinstance(children, list) or any(isinstance(c, str) for c in children):
        raise InvalidInput("The message could not be read: its structure is not one the composer makes.")
    return children


def _own_piece(node: Mapping[str, Any]) -> Iterator[Piece]:
    kind = node.get("type")
    if kind == "text":
        yield _string(node.get("text"))
    elif kind == "hardBreak":
        yield "\n"
    elif kind == "mention":
        yield _mention(node.get("attrs"))


def _mention(attrs: object) -> Mention:
    if not isinstance(attrs, Mapping):
        raise InvalidInput("A tag in the message is incomplete. Please remove it and tag again.")
    identity, category = _string(attrs.get("id")).strip(), _string(attrs.get("category")).strip().lower()
    label = _string(attrs.get("label") or identity).strip().removeprefix("@")
    if not identity or category not in _CATEGORIES or not _is_known_tag(identity, category):
        raise InvalidInput(f"The tag “{label or '?'}” is not known. Please remove it and tag again.")
    return Mention(identity, label, category)


def _is_known_tag(identity: str, category: str) -> bool:
    return category != "action" or identity.lower().removeprefix("@") in set(Action)


def _string(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput("The message could not be read: its structure is not one the composer makes.")
    return _CONTROL.sub("", storable(value))  # NUL and lone surrogates cannot be stored, other controls not be shown


def _composed(pieces: list[Piece]) -> ComposedMessage:
    mentions = [p for p in pieces if isinstance(p, Mention)]
    clean = _tidy("".join(" " if isinstance(p, Mention) else p for p in pieces)).lstrip(" ,;:.")
    pure = bool(mentions) and set(_NAME_WORD.findall(clean.lower())) <= _JOINING
    return ComposedMessage(
        text=_tidy("".join(f"@{p.label}" if isinstance(p, Mention) else p for p in pieces)),
        clean_query="" if pure else clean,
        document_ids=tuple(dict.fromkeys(m.id for m in mentions if m.category == "document")),
        set_ids=tuple(dict.fromkeys(m.id for m in mentions if m.category == "set")),
        action=next((m.id.lower().removeprefix("@") for m in mentions if m.category == "action"), None),
        web=any(m.category == "web" for m in mentions),
        is_pure_mention=pure,
    )


def _tidy(text: str) -> str:
    """One space between words, none before punctuation that lost its word, paragraphs kept."""
    text = re.sub(r"[^\S\n]+", " ", text)
    text = re.sub(r" +([,.;:?!])", r"\1", text)
    return re.sub(r" ?\n ?", "\n", re.sub(r"\n{3,}", "\n\n", text)).strip()


def _plain_pieces(text: str, names: list[tuple[str, Mention]]) -> Iterator[Piece]:
    position = 0
    for at in _TAG.finditer(text):
        if at.start() < position:
            continue
        found = _longest(text, at.end(), names)
        if found is not None:
            end, mention = found
            yield text[position : at.start()]
            yield mention
            position = end + (bool(at["quote"]) and text[end : end + 1] in _CLOSING_QUOTES)
    yield text[position:]


def _longest(text: str, start: int, names: list[tuple[str, Mention]]) -> tuple[int, Mention] | None:
    # Of five hundred documents only the few that begin like the text are worth a pattern.
    ahead = text[start : start + 2].casefold()
    likely = [(name, mention) for name, mention in names if name[:2].casefold() == ahead[: len(name[:2])]]
    matches = ((m.end(), mention) for name, mention in likely if (m := _name_pattern(name).match(text, start)))
    return max(matches, key=lambda found: found[0], default=None)


def _tag_names(documents: Sequence[KnownDocument], sets: Sequence[DocumentSet]) -> list[tuple[str, Mention]]:
    # Documents come first, so that a document wins over a set or an action of the same name.
    spelled = [*_document_names(documents)]
    spelled += [(s.name, Mention(s.id, s.name, "set")) for s in sets]
    spelled += [(a.value, Mention(a.value, a.label, "action")) for a in Action]
    spelled += [("summarise", Mention("summarize", "Summarize", "action"))]
    spelled += [(name, Mention("web", "Web Search", "web")) for name in _WEB_NAMES]
    return [(name.strip(), mention) for name, mention in spelled if _NAME_WORD.search(name)]


def _document_names(documents: Sequence[KnownDocument]) -> Iterator[tuple[str, Mention]]:
    plain: dict[str, set[str]] = {}
    for document in documents:
        for name in (document.title, *document.aliases):
            plain.setdefault(name.casefold(), set()).add(document.id)
    for document in documents:
        mention = Mention(document.id, document.display_title, "document")
        for name in (document.title, *document.aliases):
            if len(plain[name.casefold()]) == 1:
                yield name, mention
            if document.version:
                yield f"{name}\0{document.version}", mention


@lru_cache(maxsize=1000)
def _name_pattern(name: str) -> re.Pattern[str]:
    """The name in any case and spacing; a version after it with or without brackets or "v"."""
    title, _, version = name.partition("\0")
    pattern = _spelled(title)
    if version:
        pattern += _VERSION_LEAD + _spelled(version) + r"(?!\w)[)\]]?"
    return re.compile(pattern + r"(?!\w)", re.IGNORECASE)


def _spelled(name: str) -> str:
    return r"\s+".join(re.escape(part) for part in name.split())
