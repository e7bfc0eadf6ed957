"""From the mentions of a message to documents, without a model (G4, G11).

The rule above all others: a document is used silently only where the words leave one reading. Where they leave several, the
candidates are offered; where they name something unknown, the user is asked.
"""

from collections.abc import Callable, Sequence
from datetime import date

from policypal.domain.conversations import Action
from policypal.domain.requests import Span
from policypal.request.conversation import IN_ONE_REQUEST, MAX_CHOICES, Binding, Conversation
from policypal.request.foreign import translated
from policypal.request.library import Documents, Library, all_stems, title_stems
from policypal.request.scanning import Mention
from policypal.request.words import (
    ANY_DOCUMENT,
    DRAFTS,
    NOUNS,
    ONLY_IN_NAMES,
    VERSION_NOUNS,
    split_words,
)

_LONG_AGO = 3
"""Turns after which an earlier document is no longer a rival of the latest one."""


def bind(
    message: str, action: str, tagged: Sequence[str], library: Library, today: date, has_text: bool = False
) -> Binding:
    """Every document the message refers to besides the ``tagged`` ones. ``today`` decides "last year's"; ``has_text`` says that
    a text to be audited comes with the message, so that no other source is missing."""
    return _Binder(message, Action(action), tagged, library, today).bind(has_text)


def spans_of(message: str, library: Library, today: date) -> tuple[Span, ...]:
    """Where the documents of ``library`` stand in ``message``."""
    return tuple(Span(start=a, end=b, ids=ids) for a, b, ids in bind(message, "inquire", (), library, today).spans)


class _Binder(Conversation):
    """One pass over one message."""

    def bind(self, has_text: bool) -> Binding:
        readers: dict[str, Callable[[Mention], object]] = {"name": self._name, "set": self._set, "described": self._described,
                   "version": self._version, "ordinal": self._ordinal, "singular": self._pronoun, "plural": self._pronoun,
                   "unknown": lambda m: self._found.unknown.append(m.text)}  # fmt: skip
        for mention in sorted(self._mentions, key=lambda m: (m.kind != "name", m.kind != "set", m.start)):
            before = set(self._ids())
            readers[mention.kind](mention)
            self._note(mention, set(self._ids()) - before)
        if not has_text:
            self._complete()
        return self._found

    def _ids(self) -> list[str]:
        return [d.id for d in (*self._found.certain, *self._found.candidates)]

    def _note(self, mention: Mention, ids: set[str]) -> None:
        start = self._message.find(mention.text)
        meant = tuple(i for i in self._ids() if i in ids or any(d.id == i for d in mention.documents))
        if meant:
            self._found.spans.append((start, start + len(mention.text), meant))

    # names

    def _set(self, m: Mention) -> None:
        """ "The FSA documents" are all of them; what "everything in the set" says is said by the editions in force (G4)."""
        documents = list(m.documents)
        self._found.use(documents if m.noun in ANY_DOCUMENT else self._library.in_force(documents))

    def _name(self, m: Mention) -> None:
        documents = list(m.documents)
        if any(d in self._tagged for d in documents) and (m.is_tag or not m.selector):
            return
        if m.selector:
            self._selected(m, documents)
        elif m.plural:
            meant = self._library.in_force(documents)
            self._found.use(self._nearest(m, meant) if self._is_in_plural(m) else meant)
        else:
            self._one_of(m, documents)

    @staticmethod
    def _is_in_plural(m: Mention) -> bool:
        """ "the EBA guidelines" may be one document, where a title itself is a plural."""
        names = [n for d in m.documents for n in (d.title, *d.aliases)]
        titled = {w.lower for n in names for w in split_words(n) if w.stem in NOUNS and w.is_plural}
        return any(w.lower in titled for w in split_words(m.text))

    def _one_of(self, m: Mention, documents: Documents) -> None:
        """Several documents share the name: the one of this conversation is meant, if there is just one; of several editions
        the one in force (G4); else the one whose subject is spoken of."""
        meant = self._library.in_force([d for d in documents if d.in_conversation] or documents)
        if len(meant) == 1:
            self._found.use(meant)
        elif self._action is Action.INQUIRE:
            self._found.use(meant[:IN_ONE_REQUEST])  # "what does HIPAA require": of each
        else:
            self._choose(m, meant)

    def _choose(self, m: Mention, documents: Documents) -> None:
        near = self._nearest(m, documents)
        if len(near) == 1:
            self._found.use(near)
        else:
            self._found.offer(self._ranked(documents), m.text)

    def _nearest(self, m: Mention, documents: Documents) -> Documents:
        """The one on what the message speaks of besides; "our policy", on what the conversation is about."""
        said = [*self._said, *(d for other in self._mentions for d in other.documents)] or self._recent()
        words = {t for w in split_words(self._message.replace(m.text, " ")) for t in translated(w.stem)}
        return self._library.nearest(documents, [d for d in said if d not in documents], words)

    # descriptions

    def _described(self, m: Mention) -> None:
        """What a description means. Without an article, in a question, it is a topic."""
        modifiers = [w.stem for w in m.modifiers]
        if self._is_everyday(m):
            return
        if m.is_bare and self._action is Action.INQUIRE:
            return
        if modifiers:
            self._by_modifiers(m, modifiers)
        elif not m.is_bare and not self._repeats_name(m):
            self._by_type(m)

    def _is_everyday(self, m: Mention) -> bool:
        """ "the plan" is a document where a title says so; "this e-mail" of an audit is the text in the message, whatever e-mails
        the library holds."""
        told = [w.stem for w in m.modifiers if len(w.stem) > 1]  # "e-mail" is two words
        if self._action is Action.AUDIT and m.noun in DRAFTS and not m.is_proper:
            return not told or not self._library.described(told, m.noun)
        return (
            m.noun in ONLY_IN_NAMES and not told and not any(m.noun in title_stems(d) for d in self._library.documents)
        )

    def _by_modifiers(self, m: Mention, modifiers: list[str]) -> None:
        documents = self._library.described(modifiers, m.noun)
        if m.is_personal and m.count is None:  # "our outsourcing guideline" is the company's, if it has one
            documents = [d for d in documents if d.type == "company"]
        if documents:
            self._settle(m, documents)
        elif not m.is_bare and self._is_surely_a_name(m, modifiers):
            self._found.unknown.append(m.text)

    def _is_surely_a_name(self, m: Mention, modifiers: list[str]) -> bool:
        """A proper name, or words that an analyst would use only of a document at hand. In a question, "the monetary
        policy" is a topic; in "summarize the monetary policy" it is a document."""
        if m.is_proper or m.noun in ANY_DOCUMENT | ONLY_IN_NAMES:
            return m.is_proper
        known = any(w in all_stems(d) for d in self._library.documents for w in modifiers)
        return m.is_personal or m.is_demonstrative or self._action is not Action.INQUIRE or known

    def _settle(self, m: Mention, documents: Documents) -> None:
        if m.selector:
            self._selected(m, documents)
        elif len(documents) == 1 or self._means_all(m, documents):
            self._found.use(documents)
        elif not m.plural:
            self._narrow(m, documents)
        elif self._action is not Action.INQUIRE:
            self._choose(m, documents)

    def _means_all(self, m: Mention, documents: Documents) -> bool:
        if not m.plural:
            return False
        if m.determiner == "all" or m.count is not None:
            return m.count in (None, len(documents))
        versions_only = len({d.title for d in documents}) == 1  # "the record standards" may be standards in general
        return not versions_only and len(self._nearest(m, documents)) > 1

    def _repeats_name(self, m: Mention) -> bool:
        """In "Does @GDPR apply, and what does the regulation say", the regulation is GDPR; in "@A @B Compare these documents"
        they are A and B."""
        if m.is_personal:
            return False
        pool = self._library.of_noun(m.noun)
        fits = [
            d for d in self._said if d in (self._library.select(pool, m.selector, self._said) if m.selector else pool)
        ]
        if m.plural:
            return len(fits) > 1 and m.count in (None, len(fits))
        if self._action is Action.AUDIT:  # "@Rulebook (2025) … against the rulebook" widens no tag
            return any(d.type == "regulatory" or m.noun in title_stems(d) for d in fits)
        return bool(fits) and (self._action is not Action.COMPARE or len(self._said) > 1)

    def _by_type(self, m: Mention) -> None:
        pool = self._library.of_noun(m.noun)
        if m.determiner == "other":
            pool = [d for d in pool if d not in self._recent()]
        if self._action is Action.AUDIT and m.is_personal and any(d in self._said for d in pool):
            return  # "@Policy @Rules: audit our policy against the rules" names no further one
        if m.selector:
            self._settle(m, pool)
        elif m.plural:
            self._all_of_type(m, pool)
        elif pool:
            self._narrow(m, pool)
        elif m.is_personal or not self._said:
            self._found.unknown.append(m.text)

    def _all_of_type(self, m: Mention, pool: Documents) -> None:
        if m.noun in ANY_DOCUMENT and m.is_personal and self._action is Action.INQUIRE:
            return  # the whole library
        used = [d for d in self._library.conversation if d in pool]
        for documents in ([d for d in self._recent() if d in pool], used) if not m.is_personal else ():
            if len(documents) == m.count or (not m.count and len(documents) > 1 and m.determiner != "all"):
                self._found.use(documents)
                return
        every = m.determiner == "all" or (m.noun not in ANY_DOCUMENT and not m.count and len(pool) <= IN_ONE_REQUEST)
        if pool and ((every and not m.is_demonstrative) or m.count == len(pool)):
            self._found.use(pool)
        elif self._action is not Action.INQUIRE or len(pool) <= MAX_CHOICES:
            self._found.offer(self._ranked(used or pool), m.text)

    def _narrow(self, m: Mention, documents: Documents) -> None:
        """One document is meant and several fit: the conversation decides, or the subject, or the user does."""
        used = [d for d in documents if d.in_conversation]
        turn = max((d.turn or 0 for d in used), default=0)
        rivals = [d for d in used if turn - (d.turn or 0) < (1 if m.is_demonstrative else _LONG_AGO)]
        options = self._library.in_force(rivals or documents)
        if (
            len(options) == 1 or m.noun not in VERSION_NOUNS or self._action is not Action.INQUIRE
        ):  # "the EU one" of two
            self._choose(m, options)

    @staticmethod
    def _ranked(documents: Documents) -> Documents:
        return sorted(documents, key=lambda d: -(d.turn or 0))
