"""From the references of a message to documents, without a model (G4).

The rule above all others: a document is used silently only where the words leave one reading. Where they leave
several, the candidates are offered; where they name something unknown, the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from policypal.domain.conversations import Action
from policypal.ingest.drafts import request_of
from policypal.request.anaphora import Anaphora
from policypal.request.descriptions import Descriptions
from policypal.request.document_names import KnownDocument
from policypal.request.library import Documents, Library, select
from policypal.request.names import Named, find_names
from policypal.request.outcome import Outcome
from policypal.request.phrases import Phrase, find_phrases
from policypal.request.sets import find_sets
from policypal.request.shape import complete
from policypal.request.unknown import foreign_names, misspelled
from policypal.request.words import Word, split_words

_DRAFT = re.compile(r":\s+(?=\S+(?:\s+\S+){3,})")


def resolve_references(
    message: str,
    action: str,
    tagged: Sequence[str],
    documents: Sequence[KnownDocument],
    history: Sequence[str],
    today: date,
    has_text: bool = False,
) -> Outcome:
    """Every document the message refers to besides the ``tagged`` ones. ``today`` decides "last year's"; ``has_text`` says that
    a text to be audited comes with the message, so that no other source is missing."""
    library = Library(documents, history)
    reading = _Reading(own_words(message, action), Action(action), tagged, library, today)
    return reading.outcome(has_text)


def own_words(message: str, action: str) -> str:
    """The message without the text that is to be audited or quoted: names in there are no request."""
    request = request_of(message)
    draft = _DRAFT.search(request) if action == Action.AUDIT else None
    return request[: draft.start()] if draft and len(request[: draft.start()].split()) > 1 else request


class _Reading:
    """One pass over one message."""

    def __init__(self, message: str, action: Action, tagged: Sequence[str], library: Library, today: date) -> None:
        self._message, self._action, self._library, self._today = message, action, library, today
        self._words = split_words(message)
        self._tagged = [library.by_id[i] for i in dict.fromkeys(tagged) if i in library.by_id]
        self._found = Outcome()
        self._used: set[int] = set()

    def outcome(self, has_text: bool) -> Outcome:
        names = find_names(self._message, self._words, self._library, self._today)
        self._take(names)
        sets = find_sets(self._words, self._used, self._library)
        self._used.update(i for s in sets for i in range(s.start, s.end))
        spelling = misspelled(self._message, self._words, self._used, self._library.documents)
        self._used.update(i for start, end, _ in spelling for i in range(start, end))
        phrases = find_phrases(self._message, self._words, self._used, self._today)
        self._used.update(i for p in phrases for i in range(p.start, p.end))
        self._read_names(names)
        for named in sets:
            self._found.use(named.documents, f"the documents of “{named.name}”")
        for _, _, name in spelling:
            self._found.miss(name)
        for phrase in phrases:
            self._read_phrase(phrase)
        for _, _, name in foreign_names(self._message, self._words, self._used):
            self._found.miss(name)
        if not (has_text and (self._tagged or self._found.certain)):
            complete(self._found, self._action, self._message, self._words, self._tagged, self._library)
        return self._found

    def _take(self, names: list[Named]) -> None:
        self._used.update(i for n in names for i in range(n.start, n.end))

    def _read_names(self, names: list[Named]) -> None:
        for named in names:
            if named.is_tag and any(d in self._tagged for d in named.documents):
                continue
            self._read_name(named)

    def _read_name(self, named: Named) -> None:
        documents = list(named.documents)
        text = self._message[self._words[named.start].start : self._words[named.end - 1].end]
        if named.selector:
            chosen = select(self._library, documents, named.selector, self._base())
            self._settle_selected(chosen, documents, text, exact=not named.selector.relative)
        elif len(documents) == 1 or (named.is_plural and len(documents) > 1):
            self._found.use(documents, f"“{text}”")
        else:
            self._narrow(documents, text)

    def _settle_selected(self, chosen: Documents, documents: Documents, text: str, *, exact: bool) -> None:
        if chosen and (exact or len(chosen) == 1):
            self._found.use(chosen, f"“{text}”")
        else:
            self._found.offer(chosen or documents, f"“{text}” fits no single version", name=text)

    def _narrow(self, documents: Documents, text: str) -> None:
        """Several documents share the name: the one of this conversation is meant, if there is just one; of several editions
        the one in force (G4)."""
        if any(d in self._tagged for d in documents):
            return
        used = [d for d in documents if d.in_conversation]
        meant = self._library.in_force(used or documents)
        if len(used) == 1:
            self._found.use(used, f"“{text}” as used in this conversation", implicit=True)
        elif len(meant) == 1:
            self._found.use(meant, f"“{text}”: the edition in force")
        else:
            self._found.offer(meant, f"“{text}” is the name of several documents", name=text)

    def _base(self) -> Documents:
        """What "newer" is relative to: documents of this message, else of the last turn."""
        return [*self._tagged, *self._found.certain] or self._library.last_turn()

    def _read_phrase(self, phrase: Phrase) -> None:
        said = [*self._tagged, *self._found.certain]
        if phrase.kind == "described":
            Descriptions(self._library, self._action, said, self._found).read(phrase)
        elif not (self._is_about_draft(phrase)):
            Anaphora(self._library, self._action, said, self._found).read(phrase, self._before(phrase), self._today)

    def _is_about_draft(self, phrase: Phrase) -> bool:
        """In "Is this compliant: …" the pronoun stands for the text that follows or is attached."""
        drafted = re.search(
            r"\b(?:draft|attached|attachment|following|below|pasted|text)\b", self._message, re.IGNORECASE
        )
        return self._action is Action.AUDIT and phrase.kind == "singular" and bool(drafted)

    def _before(self, phrase: Phrase) -> Word | None:
        return self._words[phrase.start - 1] if phrase.start else None
