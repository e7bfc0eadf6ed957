"""What a conversation is called: after what its first request turned out to be, else in the request's own words (M4, U2b)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policypal.domain.conversations import Action
from policypal.request.words import LINKING, NOUNS, split_words, stems

UNTITLED = "New conversation"
MOST_CHARACTERS = 60

_ROOM = 40
"""Characters up to which documents are named in full: a list of conversations shows little more."""
_MOST_OF_A_SUBJECT = 44
_MOST_OF_A_NAME = 24
_READ = 2_000
"""A title is in the first characters; what follows may be a pasted document."""

_ACTION_MENTION = re.compile(r"(?<!\w)@(?:summari[sz]e|inquire|compare|audit|web ?search)\b", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)|https?://\S+")
_MARKUP = re.compile(r"<[^<>]{0,200}>|:[a-z_]{1,30}(?:/[a-z_]{1,30})?:|[*_`#>~|\\@]+", re.IGNORECASE)
_WORD = re.compile(r"[\w’'&%€$£§+.,:;/-]+|\(?\w[\w’'.-]*\)?|\d[\w.]*(?:\(\w{1,4}\))+")
"""What a title is made of: words, numbers, "17(3)", "(2025)". Whatever else looks like a program's text is left out."""
_COURTESY = re.compile(
    r"^(?:(?:hi|hello|hey|please|kindly|(?:could|can|would) you|i (?:want|need|would like) (?:you )?to(?: know)?|tell me|show me|"
    r"give me|help me|explain|describe|about)\b[\s,:]*)+",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"^(?:what(?:'s|’s| is| are)|which are)\s+(?:(?:the|an?)\s+)?", re.IGNORECASE)
_SAYS_ABOUT = re.compile(
    r"^[^\n]{0,120}?\b(?:say|says|said|state|states|mention|mentions) (?:anything )?(?:about|on|regarding)\s+(?=\w)",
    re.IGNORECASE,
)
_MARK = re.compile(r"[,;:]\s|\s[-–—]\s")
_EDGES = " \t.,;:!?\"'“”‘’[]-–—·×…"
_BY_INITIALS = frozenset(("act", "directive", "regulation", "standard"))
_LABELS = {
    Action.AUDIT: "Audit",
    Action.COMPARE: "Compare",
    Action.SUMMARIZE: "Summary",
}


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document as a title names it."""

    title: str
    version: str = ""
    others: tuple[str, ...] = ()
    """The titles it may be taken for: those of the library."""

    @property
    def full(self) -> str:
        """ "Data Rulebook 2025"."""
        return f"{self.title} {self.version}".strip()

    @property
    def short(self) -> str:
        """ "GDPR", "Rulebook 2025", "Group Policy": initials where such documents go by them, else the noun that says what it is, with what
        tells it from the others of its kind. Where another title says the same, the words in which they differ: "Privacy Procedures"."""
        initials = by_initials(self.title)
        if initials and not any(by_initials(other) == initials for other in self.others if other != self.title):
            return f"{initials} {self.version}".strip()
        kind = _kind(self.title, bool(self.version))
        if not kind:
            return _cut(self.full, _MOST_OF_A_NAME)
        alike = [t for t in self.others if t != self.title and _kind(t, bool(self.version)) == kind]
        name = _cut(_differing(self.title, alike), _MOST_OF_A_NAME) if alike else kind
        return f"{name} {self.version}".strip()


def by_initials(title: str) -> str:
    """What a law or a standard with a long name goes by: "General Data Protection Regulation" is GDPR; "" of other titles."""
    words = [w for w in split_words(_MARK.split(title)[0]) if w.lower not in LINKING]
    goes_by_them = len(words) > 2 and words[-1].stem in _BY_INITIALS and all(w.text[0].isupper() for w in words)
    return "".join(w.text[0] for w in words) if goes_by_them else ""


def _kind(title: str, has_version: bool) -> str:
    """What a title says the document is: "Rulebook", "Group Policy" where no version tells it from others; "" where it does not."""
    words = title.split()
    nouns = [w.strip(_EDGES) for w in words if any(part.stem in NOUNS for part in split_words(w))]
    if nouns and not has_version:
        return f"{words[0]} {nouns[-1]}" if nouns[-1] != words[0].strip(_EDGES) else ""
    return nouns[-1] if nouns else ""


def _differing(title: str, others: Sequence[str]) -> str:
    """The words of a title from the first that none of ``others`` has in its place, up to the next mark; all of it where there is
    none."""
    places = [dict(enumerate(stems(t))) for t in others]
    own = [
        w
        for n, w in enumerate(split_words(title))
        if w.lower not in LINKING and all(p.get(n) != w.stem for p in places)
    ]
    return _MARK.split(title[own[0].start :])[0].strip(_EDGES) if own else title


def title_of_words(message: str) -> str:
    """The message's own words without courtesies and markup, at most 60 characters; "New conversation" where it has none."""
    return _subject(message, MOST_CHARACTERS) or UNTITLED


def title_of_request(
    action: Action,
    message: str,
    *,
    documents: Sequence[NamedDocument],
    source: NamedDocument | None = None,
    focus: str = "",
) -> str:
    """ "Audit · Group Policy × Rulebook 2025 · complaints", "Compare · Data Rulebook 2023 × 2025", "Outsourcing · Rulebook 2025".

    ``message`` is what is asked, without the documents' names. ``source`` is what is audited against ``documents``, ``focus`` what
    an audit or a comparison is limited to.
    """
    if action is Action.INQUIRE:
        subject = _subject(message, _MOST_OF_A_SUBJECT if documents else MOST_CHARACTERS)
        return _fitting([subject], documents, ", ") if subject else title_of_words(message)
    names = [source, *documents] if source is not None else list(documents)
    if not names:
        return title_of_words(message)
    return _fitting([_LABELS[action]], names, ", " if action is Action.SUMMARIZE else " × ", _plain(focus))


def _fitting(head: Sequence[str], names: Sequence[NamedDocument], joint: str, focus: str = "") -> str:
    """The names in full if there is room, else in short; cut where even that is too much."""
    full = " · ".join(filter(None, [*head, _joined([n.full for n in names], names, joint), focus]))
    if len(full) <= _ROOM:
        return full
    if len(names) == 1 and not focus and names[0].short.endswith("…"):
        return _cut(full, MOST_CHARACTERS)  # nothing shorter says what it is
    return _cut(
        " · ".join(filter(None, [*head, _joined([n.short for n in names], names, joint), focus])), MOST_CHARACTERS
    )


def _joined(shown: Sequence[str], names: Sequence[NamedDocument], joint: str) -> str:
    """Several editions of one document are named once."""
    editions = [
        n.version if at and n.version and n.title == names[at - 1].title else shown[at] for at, n in enumerate(names)
    ]
    return joint.join(editions)


def _subject(message: str, most: int) -> str:
    plain = _COURTESY.sub("", _plain(message[:_READ]))
    for lead in (_SAYS_ABOUT, _WHAT_IS):
        plain = lead.sub("", plain, count=1)
    return _capitalised(_cut(plain.strip(_EDGES), most))


def _plain(message: str) -> str:
    text = _LINK.sub(lambda m: m.group(1) or " ", message)
    text = _MARKUP.sub(" ", _ACTION_MENTION.sub(" ", text))
    words = [w for w in text.split() if _WORD.fullmatch(w.strip(_EDGES))]
    return " ".join(words).strip(_EDGES)


def _cut(text: str, most: int) -> str:
    """At most so many characters, in whole words that do not leave a linking word at the end."""
    if len(text) <= most:
        return text
    words = text[:most].rsplit(" ", 1)[0].split() if " " in text[:most] else [text[: most - 1]]
    while len(words) > 1 and words[-1].lower() in LINKING:
        words.pop()
    return " ".join(words).rstrip(_EDGES)[: most - 1] + "…"


def _capitalised(text: str) -> str:
    """First letter in upper case; shouting becomes lower case, acronyms stay."""
    if text.isupper() and len(text.split()) > 2:
        text = text.lower()
    return text[:1].upper() + text[1:]
