"""Documents meant by their place in the conversation, and what a message leaves out (G4, G11)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from policypal.domain.conversations import Action
from policypal.request.foreign import in_english, translated
from policypal.request.library import Documents, KnownDocument, Library, document_years
from policypal.request.mentions import find_mentions
from policypal.request.scanning import GOES_ON, NEGATED, Mention
from policypal.request.words import ANY_DOCUMENT, VERSION_NOUNS, split_words, years

MAX_CHOICES = 12
"""More candidates than this are no choice: the user is asked to name the document."""
IN_ONE_REQUEST = 5
NEEDS_TWO = frozenset({Action.COMPARE, Action.AUDIT})
_NOT_MEANT = re.compile(
    r"\b(?:not|instead of|rather than|except(?: for)?|without|drop|forget|leav(?:e|ing) out|exclud(?:e|ing)|remove|minus|ignor(?:e|ing)|nicht|statt"
    r"|(?:gave|sent|showed) (?:me|us))\s+(?:the\s+|our\s+)?(?:old\s+|new\s+)?$",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(
    r"^\W*(?:and|but|so|fine|ok(?:ay)?|what about|how about|also|what did (?:we|you)|und|et|y)\b", re.IGNORECASE
)
_PROVISION = re.compile(
    r"\b(?:articles?|art\.?|sections?|chapters?|annex|recitals?|clauses?|paragraphs?)\s+[\dIVX]", re.IGNORECASE
)
_DRAFTED = re.compile(
    r"\b(?:draft|attached|attachment|following|below|pasted|this (?:text|clause|e-?mail|ad|post)|text)\b", re.IGNORECASE
)
_WE_COMPLY = re.compile(
    r"\bwe\b[^.?!:]{0,40}\b(?:compl(?:y|iant|ying)|conform\w*|meet|satisfy|fulfil\w*|fall short|in line|in breach)\b",
    re.IGNORECASE,
)
"""What is held against the rules is what the company has laid down."""
_EDITIONS = re.compile(
    r"\b(?:chang\w+|new|different|since|differ\w*|updat\w+|edition|version|geandert|cambi\w+)\b", re.IGNORECASE
)
_BARE = frozenset(
    "now please pls again then and also the a an of me give it run do make just ok summary summarize summarise compare comparison audit"
    " check compliance report overview short shorter brief longer detailed differences can you could i want would like create produce"
    " start policy our".split()
)


@dataclass(slots=True)
class Binding:
    """Documents that are certain, candidates where the message leaves a choice, and names that stay unknown. ``spans`` are code
    points of the message that stand for documents, with the ids they were taken for."""

    certain: Documents = field(default_factory=list)
    candidates: Documents = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    spans: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)

    def use(self, documents: Iterable[KnownDocument]) -> None:
        """The mention means these documents, without doubt."""
        self.certain.extend(d for d in documents if d not in self.certain)

    def offer(self, documents: Iterable[KnownDocument], name: str) -> None:
        """The mention means one or some of these; too many or none of them make it an unknown name."""
        options = [d for d in documents if d not in self.candidates]
        if (not options and not self.candidates) or len(options) > MAX_CHOICES:
            self.unknown.append(name)
        else:
            self.candidates.extend(options)


class Conversation:
    """One pass over one message, seen from the conversation."""

    def __init__(self, message: str, action: Action, tagged: Sequence[str], library: Library, today: date) -> None:
        self._message, self._action, self._library, self._today = message, action, library, today
        self._tagged = [library.by_id[i] for i in dict.fromkeys(tagged) if i in library.by_id]
        self._found = Binding()
        mentions = find_mentions(message, library, today)
        self._mentions = [m for m in mentions if not self._is_denied(m)]
        self._denied = [d for m in mentions if m not in self._mentions for d in self._meant_by(m)]

    def _meant_by(self, m: Mention) -> Documents:
        return list(m.documents) or self._library.described([w.stem for w in m.modifiers], m.noun)

    def _recent(self) -> Documents:
        """The documents of the latest turn but for those that are denied: "without the UK one"."""
        return [d for d in self._library.last_turn() if d not in self._denied]

    def _is_denied(self, mention: Mention) -> bool:
        """ "the PRA statement, not the EBA one", "no comparison with the Act, please"."""
        at = self._message.find(mention.text)
        refused = any(n.start() <= at < n.end() for n in NEGATED.finditer(self._message))
        return refused or bool(_NOT_MEANT.search(self._message[max(0, at - 30) : max(0, at)]))

    @property
    def _said(self) -> Documents:
        return [*self._tagged, *self._found.certain]

    def _version(self, m: Mention) -> None:
        base = self._said or self._recent()
        pool = self._version_pool(base)
        if m.determiner == "other":
            recent = self._recent()
            rest = [d for d in self._library.conversation if d not in (*recent, *self._said)]
            self._one_or_offer(recent if self._denied else rest, m)
        elif not m.selector:  # "compare both versions"
            if pool and m.count in (None, len(pool)) and len({d.title for d in pool}) == 1:
                self._found.use(pool)
            else:
                self._found.offer(pool, m.text)
        else:
            self._selected(m, pool)

    def _selected(self, m: Mention, documents: Documents) -> None:
        """The editions that years, versions or words like "latest" choose."""
        chosen = self._library.select(documents, m.selector, self._said or self._recent())
        all_meant = not m.selector.relative and (m.kind == "name" or m.plural or len({d.title for d in chosen}) == 1)
        if len(chosen) == 1 or (chosen and all_meant):
            self._found.use(chosen)
        else:
            self._found.offer(chosen or documents, m.text)

    def _one_or_offer(self, documents: Documents, m: Mention) -> None:
        if len(documents) == 1:
            self._found.use(documents)
        else:
            self._found.offer(documents or self._library.documents, m.text)

    def _version_pool(self, base: Documents) -> Documents:
        """The editions of what is spoken of; of all documents that have several, where that has none."""
        for documents in (base, self._library.documents):
            families = [f for d in documents if len(f := self._library.family(d)) > 1]
            if families:
                return list({d.id: d for family in families for d in family}.values())
        return []

    def _ordinal(self, m: Mention) -> None:
        listed = self._fitting(self._recent(), m)
        if len(listed) < 2:
            listed = self._fitting(self._library.conversation, m)
        index = m.ordinal or 0
        if -len(listed) <= index < len(listed):
            self._found.use([listed[index]])
        elif listed or self._action is not Action.INQUIRE:
            self._found.offer(listed or self._library.documents, m.text)

    def _fitting(self, documents: Documents, m: Mention) -> Documents:
        if not m.noun or m.noun in ANY_DOCUMENT | VERSION_NOUNS:
            return documents
        pool = self._library.of_noun(m.noun)
        return [d for d in documents if d in pool]

    def _pronoun(self, m: Mention) -> None:
        """In "Summarize @A and say whom it binds", "it" is A; "Compare @A with it" needs one from before; in "Is this compliant: …"
        it stands for the text that follows or is attached."""
        if self._said and (self._action not in NEEDS_TWO or len(self._said) > 1):
            return
        if m.plural:
            self._they(m)
        elif not (self._action is Action.AUDIT and _DRAFTED.search(self._message)):
            self._it(m)

    def _they(self, m: Mention) -> None:
        used = self._library.conversation
        for documents in (self._recent(), used):
            others = [d for d in documents if d not in self._said]
            if len(others) == m.count or (not m.count and len(others) > 1):
                self._found.use(others)
                return
        if used or self._action is not Action.INQUIRE:
            self._found.offer(used or self._library.documents, m.text)

    def _it(self, m: Mention) -> None:
        recent = [d for d in self._recent() if d not in self._said]
        if self._action is Action.AUDIT and len(recent) > 1 and self._said:  # "it" is the other side
            recent = [d for d in recent if d.type != self._said[0].type]
        if recent or (not self._library.conversation and self._action is Action.SUMMARIZE):
            self._one_or_offer(recent, m)

    # what the message leaves out

    def _complete(self) -> None:
        """Filled from the last turn where that is certain; else candidates are offered."""
        if self._found.unknown or self._found.candidates:
            return
        said = self._said
        if not said:
            self._without_reference()
        elif self._action is Action.COMPARE and len(said) == 1:
            self._second_of_comparison(said[0])
        elif self._action is Action.AUDIT:
            self._other_side(said)

    def _without_reference(self) -> None:
        recent, words = self._recent(), re.findall(r"[^\W_]+", self._message.casefold())
        goes_on = bool(GOES_ON.search(self._message)) or all(w in _BARE for w in words)
        if self._action is Action.INQUIRE:
            if recent and (_FOLLOW_UP.search(self._message) or _PROVISION.search(self._message)):
                self._found.use(recent)
        elif recent and (goes_on or self._action is Action.COMPARE) and self._suffices(recent):
            self._found.use(recent)
        elif not _DRAFTED.search(self._message):
            self._propose()

    def _points_only(self) -> bool:
        """ "The 2024 one, please": nothing is said besides which document is meant."""
        rest = self._message
        for mention in self._mentions:
            rest = rest.replace(mention.text, " ", 1)
        return all(w in _BARE for w in re.findall(r"[^\W_]+", rest.casefold()))

    def _propose(self) -> None:
        """The library holds just what the action needs: offered, never used silently."""
        documents = self._library.documents
        most = {Action.SUMMARIZE: 1, Action.COMPARE: 2, Action.AUDIT: IN_ONE_REQUEST}[self._action]
        if self._suffices(documents) and len(documents) <= most:
            self._found.offer(documents, "")

    def _suffices(self, documents: Documents) -> bool:
        """Whether the action can be done with ``documents``."""
        if self._action is Action.AUDIT:
            return {d.type for d in documents} == {"company", "regulatory"}
        return len(documents) > (self._action is Action.COMPARE)

    def _second_of_comparison(self, said: KnownDocument) -> None:
        family = [d for d in self._library.family(said) if d != said]
        others = [d for d in self._recent() if d != said]
        dated = [d for d in family if document_years(d) & years(self._message)]
        if len(dated) == 1:
            self._found.use(dated)
        elif not others and _EDITIONS.search(self._message) and len(family) == 1:
            self._found.use(family)  # "what changed in v2?"
        elif not others:
            self._found.offer(family or [d for d in self._library.documents if d != said], "")
        elif said in self._recent() or len(others) == 1:
            self._found.use(others)
        else:
            self._found.offer(others, "")

    def _other_side(self, said: Documents) -> None:
        """An audit needs a source (the company's) and targets (regulatory)."""
        types = {d.type for d in said}
        if len(types) == 2 or ("company" in types and len(said) > 1):
            return
        missing = "regulatory" if "company" in types else "company"
        if missing == "company" and _WE_COMPLY.search(in_english(self._message)):
            companies = [d for d in self._library.in_force(self._library.documents) if d.type == "company"]
            words = {t for w in split_words(self._message) for t in translated(w.stem)}
            near = self._library.nearest(companies, said, words)
            self._found.offer(near, "")
            return
        recent = [d for d in self._recent() if d.type == missing]
        if recent and (GOES_ON.search(self._message) or self._points_only()):
            self._found.use(recent)
        elif missing == "regulatory":
            used = [d for d in self._library.conversation if d.type == missing]
            self._found.offer(used or [d for d in self._library.documents if d.type == missing], "")
