"""Documents meant by a description: "our policy", "the outsourcing guideline", "both rulebooks", "the FSA guidelines"."""

from __future__ import annotations

from policypal.domain.conversations import Action
from policypal.request.library import Documents, Library, select, title_stems
from policypal.request.outcome import MAX_CHOICES, Outcome
from policypal.request.phrases import Phrase
from policypal.request.unknown import looks_like_name
from policypal.request.words import ANY_DOCUMENT, DRAFTS, ONLY_IN_NAMES, TYPE_NOUNS

_IN_ONE_REQUEST = 5
_LONG_AGO = 3
"""Turns after which an earlier document is no longer a rival of the latest one."""
_NEEDS_TWO = frozenset({Action.COMPARE, Action.AUDIT})


class Descriptions:
    """Reads described references; ``said`` are the documents the message has named already."""

    def __init__(self, library: Library, action: Action, said: Documents, found: Outcome) -> None:
        self._library, self._action, self._said, self._found = library, action, said, found

    def read(self, phrase: Phrase) -> None:
        """Add what ``phrase`` means to the outcome. Without an article, in a question, it is a topic."""
        if (phrase.is_bare and self._action is Action.INQUIRE) or self._is_everyday(phrase):
            return
        documents = self._by_topic(phrase)
        modifiers = [w.stem for w in phrase.modifiers]
        if documents:
            self._settle(phrase, documents)
        elif modifiers:
            self._described(phrase, modifiers)
        elif not phrase.is_bare and not self._repeats_name(phrase):
            self._by_type(phrase)

    def _is_everyday(self, phrase: Phrase) -> bool:
        """ "the plan" is a document where a title says so and the talk is of documents; "this e-mail" of an audit is
        the text in the message, whatever e-mails the library holds."""
        if phrase.noun not in ONLY_IN_NAMES:
            return False
        if self._action is Action.AUDIT and phrase.noun in DRAFTS and not looks_like_name(phrase.modifiers):
            return True
        if [w for w in phrase.modifiers if len(w.stem) > 1]:
            return False
        titled = [d for d in self._library.documents if phrase.noun in title_stems(d)]
        asked = self._action is not Action.INQUIRE or any(d.in_conversation for d in titled)
        return not titled or not asked

    def _by_topic(self, phrase: Phrase) -> Documents:
        """ "our policy on gifts": the longest topic that some title carries."""
        modifiers = [w.stem for w in phrase.modifiers]
        topic = [w.stem for w in phrase.topic]
        for size in range(len(topic), 0, -1):
            documents = self._library.described([*modifiers, *topic[:size]], phrase.noun)
            if documents:
                return documents
        return []

    def _described(self, phrase: Phrase, modifiers: list[str]) -> None:
        documents = self._library.described(modifiers, phrase.noun)
        each = self._each_described(phrase, modifiers)
        if documents:
            self._settle(phrase, documents)
        elif each:
            self._found.use(each, f"“{phrase.text}”")
        elif not phrase.is_bare and self._is_surely_a_name(phrase, modifiers):
            self._found.miss(phrase.text)

    def _each_described(self, phrase: Phrase, modifiers: list[str]) -> Documents:
        """ "the reserve and leverage notices": one document for every modifier, or nothing."""
        found = [self._library.described([m], phrase.noun) for m in modifiers]
        certain = phrase.plural and len(modifiers) > 1 and all(len(documents) == 1 for documents in found)
        return [documents[0] for documents in found] if certain else []

    def _is_surely_a_name(self, phrase: Phrase, modifiers: list[str]) -> bool:
        """A proper name, or words that an analyst would use only of a document at hand. In a question, "the monetary
        policy" is a topic; in "summarize the monetary policy" it is a document."""
        if looks_like_name(phrase.modifiers):
            return True
        if phrase.noun in ANY_DOCUMENT or phrase.noun in ONLY_IN_NAMES:
            return False
        named = phrase.is_personal or phrase.is_demonstrative
        return named or self._action is not Action.INQUIRE or self._library.mentions_any(modifiers)

    def _settle(self, phrase: Phrase, documents: Documents) -> None:
        reason = f"“{phrase.text}”"
        if phrase.selector:
            self._selected(phrase, documents, reason)
        elif len(documents) == 1 or self._means_all(phrase, documents):
            self._found.use(documents, reason)
        elif not phrase.plural:
            self._narrow(phrase, documents)
        elif self._action is not Action.INQUIRE or phrase.is_personal or phrase.is_demonstrative:
            self._found.offer(self._ranked(documents), f"{reason} fits several", name=phrase.text)

    def _means_all(self, phrase: Phrase, documents: Documents) -> bool:
        if not phrase.plural:
            return False
        if phrase.determiner == "all" or phrase.count is not None:
            return phrase.count in (None, len(documents))
        versions_only = len({d.title for d in documents}) == 1  # "the record standards" may be standards in general
        return not versions_only and len(documents) <= _IN_ONE_REQUEST

    def _selected(self, phrase: Phrase, documents: Documents, reason: str) -> None:
        base = [d for d in (self._said or self._library.last_turn()) if d in documents]
        chosen = select(self._library, documents, phrase.selector, base)
        families = {d.title for d in chosen}
        if chosen and (len(chosen) == 1 or (phrase.selector.years and (phrase.plural or len(families) == 1))):
            self._found.use(chosen, reason)
        elif not chosen and len(documents) == 1 and not phrase.selector.years:
            self._found.use(documents, reason)  # "the new lending policy" where there is one
        else:
            self._found.offer(chosen or documents, f"{reason} fits no single version", name=phrase.text)

    def _repeats_name(self, phrase: Phrase) -> bool:
        """In "Does @GDPR apply, and what does the regulation say", the regulation is GDPR; in "@A @B Compare these documents"
        they are A and B."""
        if phrase.determiner == "other" or phrase.is_personal:
            return False
        fits = [d for d in self._said if d in self._pool(phrase)]
        if self._action is Action.AUDIT and fits and not phrase.plural and not phrase.selector:
            return True  # "@Rulebook (2025) … against the rulebook" widens no tag
        if phrase.plural:
            pointed = phrase.determiner in ("these", "those", "both", "the")
            return pointed and len(fits) > 1 and phrase.count in (None, len(fits))
        return bool(fits) and (self._action not in _NEEDS_TWO or len(self._said) > 1)

    def _pool(self, phrase: Phrase) -> Documents:
        """An e-mail or a report in the library is a company document, but nobody calls it "our policy"."""
        pool = self._library.of_noun(phrase.noun)
        if phrase.noun not in TYPE_NOUNS:
            return pool
        return [d for d in pool if phrase.noun in title_stems(d) or not title_stems(d) & (DRAFTS | {"report"})]

    def _by_type(self, phrase: Phrase) -> None:
        pool = self._pool(phrase)
        if phrase.determiner == "other":
            recent = self._library.last_turn()
            pool = [d for d in pool if d not in recent]
        if self._action is Action.AUDIT and phrase.is_personal and any(d in self._said for d in pool):
            return  # "@Policy @Rules: audit our policy against the rules" names no further one
        if self._action in _NEEDS_TWO and not phrase.plural:
            pool = [d for d in pool if d not in self._said]
        if phrase.selector.relative == "previous":
            self._before_last(phrase, pool)
        elif phrase.selector:
            self._settle(phrase, pool)
        elif phrase.plural:
            self._plural(phrase, pool)
        elif self._is_reference(phrase):
            self._singular(phrase, pool)

    def _before_last(self, phrase: Phrase, pool: Documents) -> None:
        """ "the previous document": of this conversation, before the last turn; "the previous rulebook": the edition before."""
        recent = self._library.last_turn()
        earlier = [d for d in self._library.conversation if d in pool and d not in recent]
        if len(earlier) == 1:
            self._found.use(earlier, f"“{phrase.text}” of this conversation", implicit=True)
        elif not earlier and len(chosen := select(self._library, pool, phrase.selector, recent)) == 1:
            self._found.use(chosen, f"“{phrase.text}”")
        else:
            self._found.offer(self._ranked(earlier or pool), f"“{phrase.text}” fits several", name=phrase.text)

    def _is_reference(self, phrase: Phrase) -> bool:
        """ "When must the document be signed?" asks about no document of the library."""
        if self._library.conversation or self._action is not Action.INQUIRE:
            return True
        return phrase.noun not in ANY_DOCUMENT or phrase.is_demonstrative or len(self._library.documents) == 1

    def _singular(self, phrase: Phrase, pool: Documents) -> None:
        if not pool:
            self._nothing(phrase)
        elif len(pool) == 1:
            self._found.use(pool, f"“{phrase.text}”: the only one", implicit=True)
        else:
            self._narrow(phrase, pool)

    def _nothing(self, phrase: Phrase) -> None:
        if self._said and not phrase.is_personal:
            return
        if self._library.documents or self._action is not Action.INQUIRE:
            self._found.miss(phrase.text)

    def _plural(self, phrase: Phrase, pool: Documents) -> None:
        recent = [d for d in self._library.last_turn() if d in pool]
        used = [d for d in self._library.ordered_conversation() if d in pool]
        whole_library = phrase.noun in ANY_DOCUMENT and phrase.determiner in ("all", "our", "my") and not phrase.count
        if whole_library and self._action is Action.INQUIRE and not phrase.is_demonstrative:
            return
        for documents in (recent, used) if phrase.determiner not in ("our", "my") and not whole_library else ():
            if self._is_whole(phrase, documents):
                self._found.use(documents, f"“{phrase.text}” of this conversation", implicit=True)
                return
        self._library_plural(phrase, pool, used)

    def _is_whole(self, phrase: Phrase, documents: Documents) -> bool:
        if phrase.count:
            return len(documents) == phrase.count
        return len(documents) > 1 and phrase.determiner != "all"

    def _library_plural(self, phrase: Phrase, pool: Documents, used: Documents) -> None:
        typed = phrase.noun in TYPE_NOUNS or phrase.noun not in ANY_DOCUMENT
        every = phrase.determiner == "all" or (typed and not phrase.count and len(pool) <= _IN_ONE_REQUEST)
        every = every and not phrase.is_demonstrative
        if pool and (every or phrase.count == len(pool)):
            self._found.use(pool, f"“{phrase.text}”: all {len(pool)} of the library")
        elif self._action is Action.INQUIRE and len(pool) > MAX_CHOICES:
            return
        else:
            self._found.offer(self._ranked(used or pool), f"“{phrase.text}” fits several", name=phrase.text)

    def _narrow(self, phrase: Phrase, documents: Documents) -> None:
        """One document is meant and several fit: the conversation decides, or the user does."""
        used = [d for d in documents if d.in_conversation]
        latest = self._latest(used)
        decided = len(latest) == 1 and (
            phrase.is_demonstrative or len(used) == 1 or self._others_are_old(latest, used)
        )  # fmt: skip
        if decided:
            self._found.use(latest, f"“{phrase.text}” of this conversation", implicit=True)
            return
        options = latest if phrase.is_demonstrative and latest else used or documents
        options = self._library.in_force(options)
        if len(options) == 1:
            self._found.use(options, f"“{phrase.text}”: the edition in force")
            return
        single = self._action is Action.AUDIT and all(d.type == "company" for d in options) and not self._said
        self._found.offer(self._ranked(options), f"“{phrase.text}” fits several", name=phrase.text, single=single)

    @staticmethod
    def _latest(used: Documents) -> Documents:
        turn = max((d.turn or 0 for d in used), default=0)
        return [d for d in used if (d.turn or 0) == turn]

    @staticmethod
    def _others_are_old(latest: Documents, used: Documents) -> bool:
        turn = latest[0].turn or 0
        return all(turn - (d.turn or 0) >= _LONG_AGO for d in used if d not in latest)

    @staticmethod
    def _ranked(documents: Documents) -> Documents:
        return sorted(documents, key=lambda d: -(d.turn if d.turn is not None else -1))
