"""The places of a message that stand for documents: names, sets, and without a name "our policy", "the second one", "it"; and names
that the library does not hold (G0, G4, G11). What they mean is decided in :mod:`.binding`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from policypal.request.library import Library, Selector, title_stems
from policypal.request.names import Names, ends_names
from policypal.request.scanning import (
    ABOUT,
    AUXILIARY,
    BOUNDARY,
    COMPARING,
    FOLLOWING,
    MASK,
    PARTS,
    PREPOSITIONS,
    QUOTES,
    REQUESTS,
    SLOTS,
    TYPE_WORDS,
    Mention,
    year_of,
)
from policypal.request.words import (
    DEFINITE,
    INDEFINITE,
    LINKING,
    NOUNS,
    NUMBERS,
    ONLY_IN_NAMES,
    ORDINALS,
    OWN,
    RELATIVE,
    ROMANCE,
    SAYING,
    VERSION_NOUNS,
    Word,
    speak_of_both,
    split_words,
    stems,
    years,
)
from policypal.search.terms import STOP_WORDS


class Phrases(Names):
    """All that stands for documents: names, then the stretches that describe documents or point at them."""

    def find(self) -> list[Mention]:
        """Every mention, in reading order; none overlaps another."""
        for step in (self._names, self._sets, self._fragments, self._phrases, self._foreign):
            step()
        return sorted(self._found, key=lambda m: m.start)

    # phrases

    def _phrases(self) -> None:
        for at, word in enumerate(self._words):
            if at in self._used:
                continue
            mention = self._noun_phrase(at) if word.stem in NOUNS and not self._is_verb(at) else None
            mention = (
                mention
                or self._numbered(at)
                or self._compound_noun(at)
                or self._plural_for_title(at)
                or self._pronoun(at)
            )
            if mention is not None:
                self._add(mention)

    def _is_verb(self, at: int) -> bool:
        """ "does the bank act", "report the breach", "notice that"."""
        verbs = ("act", "report", "notice", "mail", "document", "file", "plan", "text", "rule", "guide")
        after = ("to", "must", "shall", "should", "may", "can", "will", "not", "i", "we", "you")
        alone = len(self._words) == 1
        return self._lower(at) in verbs and not alone and (at == 0 or self._lower(at - 1) in after)

    def _numbered(self, at: int) -> Mention | None:
        """ "issue 9", "the 66th edition", where one document only has that version."""
        word, before = self._words[at], self._lower(at - 1)
        if not any(c.isdigit() for c in word.text) or word.lower in PARTS:
            return None
        is_alone = not word.text.isdecimal() and not years(word.text)
        fits = [
            d
            for d in self._library.documents
            if word.stem in stems(d.version) and (is_alone or before in stems(d.version))
        ]
        start = at - (not is_alone)
        return Mention(start, at + 1, "name", documents=tuple(fits)) if len(fits) == 1 else None

    def _compound_noun(self, at: int) -> Mention | None:
        """A German compound: "Produktsicherheitsverordnung", "Datenschutzrichtlinie"."""
        word = self._words[at]
        head = next((n for n in ("verordnung", "richtlinie", "gesetz") if word.stem.endswith(n)), "")
        whole = replace(word, stem=word.stem.removesuffix(head).rstrip("s"))
        return (
            Mention(at, at + 1, "described", determiner=self._lower(at - 1), noun=head, modifiers=(whole,))
            if head
            else None
        )

    def _plural_for_title(self, at: int) -> Mention | None:
        """ "against the rules", "what do the rules say", where the titles of one family of regulations have a word that begins so: its Rulebook."""
        word, first = self._words[at], at
        if word.stem not in NOUNS or not word.is_plural or not self._stands_alone(at):
            return None
        first -= self._lower(first - 1) in DEFINITE
        before, says = self._lower(first - 1), self._lower(at + 1) in SAYING
        if before not in SLOTS - {"in", "with", "to"} and not (says and before in ("do", "what")):
            return None
        fits = [d for d in self._library.documents
                if d.type == "regulatory" and any(s in NOUNS and s.startswith(word.stem) for s in title_stems(d))]  # fmt: skip
        family = self._library.family(fits[0]) if fits else []
        return Mention(at, at + 1, "name", documents=tuple(fits)) if fits and all(d in family for d in fits) else None

    def _noun_phrase(self, at: int) -> Mention | None:
        words, start = self._words, self._left_edge(at)
        inside = words[start:at]
        determiners = [w.lower for w in inside if w.lower in DEFINITE]
        determiner = next((d for d in determiners if d in ("other", "same")), next((d for d in determiners if d in OWN), determiners[0] if determiners else ""))  # fmt: skip
        if start and not determiner and self._lower(start - 1) in INDEFINITE:
            return None
        noun = words[at]
        modifiers = tuple(
            w for i, w in enumerate(inside, start)
            if _is_modifier(w) and year_of(words, i, self._today) is None and not re.fullmatch(r"v\d[\d.]*", w.lower)
            and (w.stem not in VERSION_NOUNS or noun.stem in VERSION_NOUNS)
        )  # fmt: skip
        topic, end = self._topic(at, modifiers), at + 1
        if topic:
            modifiers, end = (*modifiers, *topic), self._words.index(topic[-1]) + 1
        ordinal = next((ORDINALS[w.lower] for i, w in enumerate(inside, start + 1) if w.lower in ORDINALS and words[i].stem != "year"), None)  # fmt: skip
        dated = self._lower(at + 1).isdecimal() and year_of(words, at + 1, self._today) is not None
        mention = Mention(
            start, at + 2 if dated else end, "described", determiner=determiner, noun=noun.stem, modifiers=modifiers,
            plural=noun.is_plural, count=next((NUMBERS[w.lower] for w in inside if w.lower in NUMBERS), None),
            ordinal=ordinal, selector=self._selector(start, at),
        )  # fmt: skip
        return self._classified(self._with_edition(mention))

    def _with_edition(self, m: Mention) -> Mention:
        """ "Issue 8 and Issue 9 of the standard": with the editions in front of what is described."""
        meant = self._library.described([w.stem for w in m.modifiers], m.noun)
        if len(meant) < 2:
            return m
        start, selector = self._version_before(replace(m, documents=tuple(meant)))
        return replace(m, start=start, selector=selector) if selector.versions else m

    def _classified(self, m: Mention) -> Mention | None:
        if self._is_compound(m.end) and not m.is_demonstrative:
            return None
        if m.ordinal is not None and not m.modifiers:
            return replace(m, kind="ordinal")
        if m.noun in VERSION_NOUNS and not m.modifiers:
            if m.selector or m.determiner == "other" or (m.plural and m.determiner):
                return replace(m, kind="version")
            return replace(m, kind="singular") if m.determiner in ("this", "that", "same") else None
        if m.noun in VERSION_NOUNS and not m.is_proper:
            return (
                m if self._library.described([w.stem for w in m.modifiers], m.noun) else None
            )  # "the risk management one"
        if m.noun not in ONLY_IN_NAMES:
            return m
        if m.plural:
            return replace(m, plural=False) if self._is_named_in_plural(m) else None
        return m if m.determiner or m.modifiers else None

    def _is_named_in_plural(self, m: Mention) -> bool:
        """ "the conduct rules", where a title ends in this very word."""
        meant = self._library.described([w.stem for w in m.modifiers], m.noun) if m.determiner and m.modifiers else ()
        return bool(meant) and ends_names(self._words[m.end - 1], meant)

    def _left_edge(self, at: int) -> int:
        """The first word of the phrase that ends in the noun ``at``."""
        start = at
        for i in range(at - 1, max(-1, at - 9), -1):
            word = self._words[i]
            if i in self._used or self._breaks(i + 1) or word.lower in INDEFINITE:
                break
            if (i == at - 1 and self._is_of_title(word, at)) or self._joins_editions(i):
                start = i
                continue
            joins = self._lower(i - 1) in ("both", "all") or self._words[i - 1].stem in VERSION_NOUNS
            if word.lower in BOUNDARY and not (word.lower == "of" and joins):
                break
            start = i
            if word.lower in DEFINITE - {"same", "other", "all", "both"} and self._lower(i - 1) not in (
                "all",
                "both",
                "of",
            ):
                break
        return start

    def _joins_editions(self, at: int) -> bool:
        """The "and" of "the old and the new rulebook", "the 2023 and 2025 ones"."""
        after = at + 2 if self._lower(at + 1) in DEFINITE else at + 1
        return self._lower(at) in ("and", "or", "with", "to", "vs") and all(
            self._lower(i) in RELATIVE or year_of(self._words, i, self._today) is not None for i in (at - 1, after)
        )

    def _is_of_title(self, word: Word, noun: int) -> bool:
        """ "the conflicts policy": a verb elsewhere, and a word of such a document's title here."""
        is_verb = word.lower in BOUNDARY - STOP_WORDS - SAYING
        if word.lower in REQUESTS and self._lower(noun - 2) not in DEFINITE | TYPE_WORDS:
            return False  # "audit report 7", but "the internal audit report"
        return is_verb and bool(self._library.described([word.stem], self._words[noun].stem))

    def _selector(self, start: int, at: int) -> Selector:
        found = {y for i in range(start, at) if (y := year_of(self._words, i, self._today)) is not None}
        said = [RELATIVE[w.lower] for w in self._words[start:at] if w.lower in RELATIVE]
        if speak_of_both(said):
            return Selector(every=True)
        relative = said[0] if said else None
        if at + 1 < len(self._words) and self._words[at + 1].text.isdecimal() and (year := year_of(self._words, at + 1, self._today)):  # fmt: skip
            found.add(year)
        versions = {w.stem for w in self._words[start:at] if re.fullmatch(r"v\d[\d.]*", w.lower)}
        return Selector(frozenset(found), frozenset(versions), relative)

    def _topic(self, at: int, modifiers: Sequence[Word]) -> tuple[Word, ...]:
        """ "policy on remote work", "reglamento de máquinas": of at most four words after the preposition, the longest run that
        describes a document."""
        is_romance = self._words[at].stem in ROMANCE
        first = at + 2 if self._lower(at + 1) in ABOUT else at + 1 if is_romance else len(self._words)
        topic: list[Word] = []
        for i in range(first, min(len(self._words), first + 4)):
            if i in self._used or self._breaks(i, " \t"):
                break
            topic.append(self._words[i])
        for size in range(len(topic), 0, -1):
            told = tuple(w for w in topic[:size] if w.lower not in LINKING | DEFINITE | ABOUT)
            if told and self._library.described([w.stem for w in (*modifiers, *told)], self._words[at].stem):
                return told
        return ()

    def _pronoun(self, at: int) -> Mention | None:
        lower, before = self._lower(at), self._lower(at - 1)
        if lower == "ours":
            return Mention(at, at + 1, "described", determiner="our", noun="policy")
        if lower in ORDINALS and before == "the" and self._ends_clause(at):
            return Mention(at - 1, at + 1, "ordinal", determiner="the", ordinal=ORDINALS[lower])
        if lower == "both" and self._stands_alone(at):
            return Mention(at, at + 1, "plural", determiner="both", plural=True, count=2)
        if lower in NUMBERS and self._stands_alone(at) and before in ("those", "these", "the", "all", "them"):
            return Mention(at - 1, at + 1, "plural", determiner=before, plural=True, count=NUMBERS[lower])
        year = year_of(self._words, at, self._today)
        if year is not None and self._words[at].stem == "year" and self._stands_alone(at):
            return Mention(
                at - 1, at + 1, "version", determiner="the", noun="edition", selector=Selector(frozenset({year}))
            )
        if not self._stands_for_document(at):
            return None
        alone = lower in ("these", "those", "this", "that") and self._stands_alone(at)
        if lower in ("they", "them", "their", "theirs") or (alone and lower in ("these", "those")):
            return Mention(at, at + 1, "plural", determiner=lower, plural=True)
        if lower in ("it", "its") or alone:
            return Mention(at, at + 1, "singular", determiner=lower)
        return None

    def _stands_alone(self, at: int) -> bool:
        """No noun follows, so the word itself is the reference."""
        return self._ends_clause(at) or self._lower(at + 1) in FOLLOWING

    def _ends_clause(self, at: int) -> bool:
        return at + 1 == len(self._words) or self._breaks(at + 1, " \t")

    def _stands_for_document(self, at: int) -> bool:
        """Where a pronoun stands for a document rather than for something said in the same sentence: "does it …",
        "compare them", "… against it"."""
        before = self._lower(at - 1)
        if before in ("run", "do", "repeat", "redo", "try"):
            return False  # "run it again": what was done, no document
        return at == 0 or before in REQUESTS | PREPOSITIONS or (before in AUXILIARY and at <= 4)

    # names nobody knows

    def _foreign(self) -> None:
        """Capitalised names where a document would stand ("against MiFID II", "what does DORA say")."""
        at = 0
        while at < len(self._words):
            end = self._capitalised_until(at)
            if end > at and self._is_document_position(at, end):
                self._add(Mention(at, end, "unknown"))
            at = max(end, at + 1)

    def _capitalised_until(self, start: int) -> int:
        word = self._words[start]
        begins = word.is_acronym if start == 0 else word.is_capitalised
        if start in self._used or word.lower in PARTS | LINKING or not begins:
            return start
        end = start + 1
        while end < len(self._words) and end not in self._used and not self._breaks(end, " \t-–/&"):
            linked = self._lower(end) in ("of", "on", "for") and any(
                w.is_capitalised for w in self._words[end + 1 : end + 2]
            )
            if not (self._words[end].is_capitalised or self._words[end].text[0].isdigit() or linked):
                break
            end += 1
        return end

    def _is_document_position(self, start: int, end: int) -> bool:
        if start and self._breaks(start):
            return False
        after = "" if self._ends_clause(end - 1) else self._lower(end)
        before = self._lower(start - 1 - (self._lower(start - 1) == "the"))
        if after and after not in FOLLOWING:
            return False
        if after in SAYING:
            return before in ("does", "do", "did", "what", "") or self._words[start].is_acronym
        slots = SLOTS - {"in", "with", "to"}
        comparing = any(w.lower in COMPARING | slots for w in self._words[max(0, start - 8) : start])
        return before in slots or (before in ("with", "to", "by", "and") and comparing)


def _is_modifier(word: Word) -> bool:
    known = (
        DEFINITE
        | TYPE_WORDS
        | NUMBERS.keys()
        | ORDINALS.keys()
        | RELATIVE.keys()
        | {"and", "of", "most", "vs", "versus"}
    )
    return word.lower not in known and word.stem != "year"


def find_mentions(message: str, library: Library, today: date) -> list[Mention]:
    """Every mention, in reading order; none overlaps another."""
    return Phrases(message, library, today).find()


def masked(message: str, library: Library, today: date) -> str:
    """``message`` with every name and named set, and the words that describe a document, as :data:`MASK`: they ask for nothing
    (G0). Years and "both editions of" beside a name stay: they are part of what is asked."""
    words = split_words(message)
    for m in reversed(find_mentions(message, library, today)):
        start, end = m.name if m.name[1] else (m.start, m.end)
        is_described = (
            m.modifiers and m.kind == "described" and library.described([w.stem for w in m.modifiers], m.noun)
        )
        if is_described:
            start = next(
                i for i, w in enumerate(words) if w.start == m.modifiers[0].start or (i >= m.start and w.stem == m.noun)
            )
        if is_described or m.kind in ("name", "set"):
            message = _cut(message, words, start, end)
    return message


def without_mentions(message: str, library: Library, today: date) -> str:
    """``message`` with everything that stands for documents, editions and pronouns included, as :data:`MASK`: what is left is what it
    says about them."""
    words = split_words(message)
    for m in reversed(find_mentions(message, library, today)):
        message = _cut(message, words, m.start, m.end)
    return message


def _cut(message: str, words: Sequence[Word], start: int, end: int) -> str:
    """With the "@" and the quotation marks around the name, and a version in brackets behind it."""
    before, after = message[: words[start].start], message[words[end - 1].end :]
    opened = before.rstrip(QUOTES + "@")
    closed = after.lstrip(QUOTES) if opened != before else after
    possessive = "'s" if words[end - 1].is_possessive else ""
    return f"{opened}{MASK}{possessive}{re.sub(r'^ ?[(][^()]{1,30}[)]', '', closed)}"
