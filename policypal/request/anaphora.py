"""Documents meant by their place in the conversation: "it", "those two", "the first one", "the newer edition" (G11)."""

from __future__ import annotations

from datetime import date

from policypal.domain.conversations import Action
from policypal.request.library import Documents, Library, select
from policypal.request.outcome import MAX_CHOICES, Outcome
from policypal.request.phrases import Phrase
from policypal.request.words import ANY_DOCUMENT, VERSION_NOUNS, Word

_NEEDS_TWO = frozenset({Action.COMPARE, Action.AUDIT})


class Anaphora:
    """Reads references back; ``said`` are the documents the message has named already."""

    def __init__(self, library: Library, action: Action, said: Documents, found: Outcome) -> None:
        self._library, self._action, self._said, self._found = library, action, said, found

    def read(self, phrase: Phrase, before: Word | None, today: date) -> None:
        """Add what ``phrase`` means to the outcome; ``before`` is the word in front of it."""
        if phrase.kind == "version":
            self._version(phrase)
        elif phrase.kind == "ordinal":
            self._ordinal(phrase)
        elif not self._refers_inside_message():
            self._plural(phrase) if phrase.plural else self._singular(phrase)

    def _refers_inside_message(self) -> bool:
        """In "Summarize @A and say whom it binds", "it" is A; "Compare @A with it" needs one from before."""
        return bool(self._said) and (self._action not in _NEEDS_TWO or len(self._said) > 1)

    def _version(self, phrase: Phrase) -> None:
        if phrase.determiner == "other":
            self._other(phrase)
            return
        if not phrase.selector:
            self._versions(phrase)
            return
        base = self._said or self._library.last_turn()
        pool = self._version_pool(base)
        chosen = select(self._library, pool, phrase.selector, base)
        if len(chosen) == 1 or (chosen and phrase.plural and phrase.selector.years):
            self._found.use(chosen, f"“{phrase.text}” of what is being discussed", implicit=True)
        elif base or self._action is not Action.INQUIRE:
            self._found.offer(self._few(chosen or pool), f"“{phrase.text}” fits no single version", name=phrase.text)

    def _version_pool(self, base: Documents) -> Documents:
        if not base:
            return [d for d in self._library.documents if len(self._library.family(d)) > 1]
        families = [d for b in base for d in self._library.family(b)]
        pool = list({d.id: d for d in families}.values())
        return pool if len(pool) > 1 else []

    def _versions(self, phrase: Phrase) -> None:
        """ "compare both versions": of what was named or used last."""
        base = self._said or self._library.last_turn()
        pool = self._version_pool(base)
        if pool and (phrase.count is None or phrase.count == len(pool)) and len({d.title for d in pool}) == 1:
            self._found.use(pool, f"“{phrase.text}”", implicit=True)
        else:
            self._found.offer(self._few(pool), f"“{phrase.text}” fits several", name=phrase.text)

    def _other(self, phrase: Phrase) -> None:
        recent = self._library.last_turn()
        rest = [d for d in self._library.conversation if d not in recent and d not in self._said]
        if len(rest) == 1:
            self._found.use(rest, f"“{phrase.text}” of this conversation", implicit=True)
        elif self._library.conversation:
            self._found.offer(self._few(rest or self._library.documents), f"“{phrase.text}”", name=phrase.text)

    def _ordinal(self, phrase: Phrase) -> None:
        listed = self._listed(phrase)
        index = phrase.ordinal or 0
        if not listed:
            if self._library.conversation or self._action is not Action.INQUIRE:
                self._found.offer(self._few(self._library.documents), f"“{phrase.text}”", name=phrase.text)
        elif self._library.order_is_known(listed) and -len(listed) <= index < len(listed):
            self._found.use([listed[index]], f"“{phrase.text}” in the order they were named", implicit=True)
        else:
            self._found.offer(listed, f"“{phrase.text}”: the order is not certain", name=phrase.text)

    def _listed(self, phrase: Phrase) -> Documents:
        recent = self._fitting(self._library.last_turn(), phrase)
        if len(recent) > 1:
            return recent
        return self._fitting(self._library.ordered_conversation(), phrase)

    def _fitting(self, documents: Documents, phrase: Phrase) -> Documents:
        if not phrase.noun or phrase.noun in ANY_DOCUMENT or phrase.noun in VERSION_NOUNS:
            return documents
        pool = self._library.of_noun(phrase.noun)
        return [d for d in documents if d in pool]

    def _plural(self, phrase: Phrase) -> None:
        recent, used = self._library.last_turn(), self._library.ordered_conversation()
        for documents in (self._fresh(recent), self._fresh(used)):
            if self._is_whole(phrase, documents, used):
                self._found.use(documents, f"“{phrase.text}”: what this conversation is about", implicit=True)
                return
        if used or (self._action is not Action.INQUIRE and phrase.determiner in ("both", "the", "all")):
            options = used or self._library.documents
            self._found.offer(self._few(options), f"“{phrase.text}” fits several", name=phrase.text)

    def _is_whole(self, phrase: Phrase, documents: Documents, used: Documents) -> bool:
        if phrase.count:
            return len(documents) == phrase.count
        return len(documents) > 1 and (
            len(documents) == 2 or len(documents) < len(used) or len(self._library.last_turn()) > 1
        )

    def _singular(self, phrase: Phrase) -> None:
        recent = self._complement(self._fresh(self._library.last_turn()))
        if len(recent) == 1:
            self._found.use(recent, f"“{phrase.text}”: the document of the last turn", implicit=True)
        elif recent:
            self._found.offer(recent, f"“{phrase.text}” may be any document of the last turn", name=phrase.text)
        elif not self._library.conversation and self._action is Action.SUMMARIZE:
            self._without_conversation(phrase)

    def _without_conversation(self, phrase: Phrase) -> None:
        documents = self._library.documents
        if len(documents) == 1:
            self._found.use(documents, f"“{phrase.text}”: the only document", implicit=True)
        else:
            self._found.offer(self._few(documents), f"“{phrase.text}” refers to nothing yet", name=phrase.text)

    def _complement(self, documents: Documents) -> Documents:
        """In an audit, "it" is the other side: of a policy the regulation, of a regulation the policy."""
        if self._action is not Action.AUDIT or len(documents) < 2 or len(self._said) != 1:
            return documents
        return [d for d in documents if d.type != self._said[0].type] or documents

    def _fresh(self, documents: Documents) -> Documents:
        return [d for d in documents if d not in self._said]

    @staticmethod
    def _few(documents: Documents) -> Documents:
        return documents if len(documents) <= MAX_CHOICES else []
