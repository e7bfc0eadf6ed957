"""The places of a message that stand for documents: names, descriptions, sets, editions, pronouns, and names of documents that
the library does not hold (G0, G4). What they mean is decided in :mod:`.binding`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from policypal.request.foreign import translated
from policypal.request.library import KnownDocument, Library, Selector, all_stems, forms, may_be_called, version_words
from policypal.request.words import (
    ANY_DOCUMENT,
    DEFINITE,
    INDEFINITE,
    LINKING,
    NOUNS,
    NUMBERS,
    ONLY_IN_NAMES,
    ORDINALS,
    OWN,
    RELATIVE,
    SAYING,
    TYPE_NOUNS,
    VERSION_NOUNS,
    Word,
    alike,
    gap,
    split_words,
    stems,
    years,
)
from policypal.search.terms import STOP_WORDS

Kind = Literal["name", "described", "set", "version", "ordinal", "singular", "plural", "unknown"]

_COMPOUNDS = frozenset(
    "requirement practice section chapter article team owner rule provision breach violation change statement template holder holder's"
    " limit language wording department review manager committee principle setting area matter issue best maker making management"
    " work writing period expectation obligation question topic law".split()
)
"""What makes "privacy policy requirements" a topic, not the document of that name."""
_REQUESTS = frozenset(
    "summarize summarise compare audit check review explain shorten recap condense read analyse analyze brief outline contrast assess"
    " verify validate vet evaluate test use fasse prufe prufen vergleiche resume compara comparez".split()
)
_SLOTS = _REQUESTS | frozenset("against versus vs in per under with to gegen contra contre selon segun nach".split())
_BEFORE_VERB = frozenset(
    "can can't cannot could must may will won't would should shall not don't didn't couldn't we they i you who".split()
)
_BOUNDARY = (
    (STOP_WORDS - DEFINITE - NUMBERS.keys() - ORDINALS.keys() - RELATIVE.keys())
    | SAYING | _REQUESTS
    | frozenset(
        "and or but against versus vs per under then please pls also say give show tell make find get need explain now only just still"
        " follow follows meet meets comply complies conflict conflicts satisfy satisfies agree agrees match matches respect between"
        " gegen contra contre bitte mit con avec sur und et y i'd want asked asks compliant".split()
    )
)  # fmt: skip
_TYPE_WORDS = frozenset(
    "company internal own corporate regulatory legal whole entire relevant same other attached uploaded above existing mentioned tagged"
    " said full next of applicable".split()
)
_AUXILIARY = frozenset(
    "does do did is are was were can could will would should has have must may how where what whether and if".split()
)
_PREPOSITIONS = frozenset(
    "in against with to from of between under by about than on versus vs across per both all".split()
)
_ABOUT = frozenset("on for about regarding concerning of zur zum uber sur sobre der des de du del".split())
_FILLERS = frozenset(
    "now then please so ok thanks also else many much often long when who which why the main key".split()
)
_FOLLOWING = SAYING | frozenset(
    "and or with against to is are do does did in on for about versus vs too also please now again as regarding conflict comply agree"
    " differ compare compliant consistent stricter binding allow mean have has can meet of".split()
)
_PARTS = frozenset(
    "article section chapter part annex appendix schedule paragraph clause pillar tier title recital page rule principle january"
    " february march april may june july august september october november december i tell q1 q2 q3 q4".split()
)
_COMPARING = frozenset(
    "compare compared comparison comply complies compliant compliance consistent line accordance conform conformity".split()
)
MASK = "xdoc"
"""Stands for a document: a word like any other, so that word boundaries hold."""
_QUOTES = "\"“”'‘’«»„"


@dataclass(frozen=True, slots=True)
class Mention:
    """Words ``start``…``end`` (exclusive) that stand for documents. ``documents`` carry the name or are the set's; a described
    document has a ``noun`` with ``modifiers``."""

    start: int
    end: int
    kind: Kind
    text: str = ""
    documents: tuple[KnownDocument, ...] = ()
    selector: Selector = field(default_factory=Selector)
    determiner: str = ""
    noun: str = ""
    modifiers: tuple[Word, ...] = ()
    plural: bool = False
    count: int | None = None
    ordinal: int | None = None
    is_tag: bool = False
    name: tuple[int, int] = (0, 0)
    """The words of the name itself, without the version."""

    @property
    def is_demonstrative(self) -> bool:
        return self.determiner in ("this", "that", "these", "those", "same")

    @property
    def is_personal(self) -> bool:
        """ "our policy": the user is sure to have one."""
        return self.determiner in OWN

    @property
    def is_bare(self) -> bool:
        """No article and no proper name: "device policy" in "privacy policy vs device policy"."""
        listed = bool(self.selector.years) or (self.count is not None and self.plural)
        return not self.determiner and not self.is_proper and not listed

    @property
    def is_proper(self) -> bool:
        """The words before the noun are a proper name: "FSA", "Basel", "Solvency II"."""
        return any(w.is_capitalised and w.start > 0 and w.stem not in NOUNS for w in self.modifiers)


def find_mentions(message: str, library: Library, today: date) -> list[Mention]:
    """Every mention, in reading order; none overlaps another."""
    return _Finder(message, library, today).find()


def masked(message: str, library: Library, today: date) -> str:
    """``message`` with every name and named set, and the words that describe a document, as :data:`MASK`: they ask for nothing
    (G0). Years and "both editions of" beside a name stay: they are part of what is asked."""
    words = split_words(message)
    for m in reversed(find_mentions(message, library, today)):
        start, end = m.name if m.name[1] else (m.start, m.end)
        if m.kind == "described":
            if not m.modifiers or not library.described([w.stem for w in m.modifiers], m.noun):
                continue
            start = next(i for i, w in enumerate(words) if w.start == m.modifiers[0].start)
        elif m.kind not in ("name", "set"):
            continue
        message = _cut(message, words, start, end)
    return message


def _cut(message: str, words: Sequence[Word], start: int, end: int) -> str:
    """With the "@" and the quotation marks around the name, and a version in brackets behind it."""
    before, after = message[: words[start].start], message[words[end - 1].end :]
    opened = before.rstrip(_QUOTES + "@")
    closed = after.lstrip(_QUOTES) if opened != before else after
    possessive = "'s" if words[end - 1].is_possessive else ""
    return f"{opened}{MASK}{possessive}{re.sub(r'^ ?[(][^()]{1,30}[)]', '', closed)}"


def year_of(words: Sequence[Word], position: int, today: date) -> int | None:
    """The year a word stands for: "2024", or "last year's" from the clock."""
    word = words[position]
    if word.text.isdecimal() and years(word.text):
        return int(word.text)
    if word.lower in ("year's", "years") and position and words[position - 1].lower in ("last", "previous", "this"):
        return today.year - (words[position - 1].lower != "this")
    return None


class _Finder:
    """One pass over one message."""

    def __init__(self, message: str, library: Library, today: date) -> None:
        self._message, self._library, self._today = message, library, today
        self._words = split_words(message)
        self._used: set[int] = set()
        self._found: list[Mention] = []
        self._in_lower_case = not any(w.is_capitalised for w in self._words[1:])

    def find(self) -> list[Mention]:
        for step in (self._names, self._sets, self._fragments, self._phrases, self._foreign):
            step()
        return sorted(self._found, key=lambda m: m.start)

    def _add(self, mention: Mention) -> None:
        words = self._words[mention.start : mention.end]
        text = mention.text or self._message[words[0].start : words[-1].end]
        self._found.append(replace(mention, text=text))
        self._used.update(range(mention.start, mention.end))

    def _lower(self, at: int) -> str:
        return self._words[at].lower if 0 <= at < len(self._words) else ""

    def _breaks(self, at: int, allowed: str = " \t-–&“”\"'(") -> bool:
        """Whether something other than ``allowed`` stands between the word before ``at`` and the one there."""
        return bool(gap(self._message, self._words[at - 1], self._words[at]).strip(allowed))

    # names

    def _names(self) -> None:
        index: dict[tuple[str, ...], list[KnownDocument]] = {}
        for document in self._library.documents:
            own = forms(document)
            shared = {f for d in self._library.editions.get(document.id, ()) for a in d.aliases
                      if not any(c.isdigit() for c in a) for f in (stems(a),)}  # fmt: skip
            for form in own | shared:
                index.setdefault(form, []).append(document)
        longest = max(map(len, index), default=0)
        at = 0
        while at < len(self._words):
            named = self._name_at(at, index, longest)
            if named is not None:
                named = self._with_version(self._with_noun(named))
                self._add(named)
            at = named.end if named else at + 1
        self._misspelled({form: d for form, d in index.items() if len(form) > 1})

    def _misspelled(self, index: dict[tuple[str, ...], list[KnownDocument]]) -> None:
        """Titles and aliases of several words, some of them misspelled: "hippa securty rule"."""
        for form in sorted(index, key=len, reverse=True):
            for start in range(len(self._words) - len(form) + 1):
                span = self._words[start : start + len(form)]
                if all(alike(w.stem, own) or w.stem == own for w, own in zip(span, form, strict=True)) and (
                    any(w.stem != own for w, own in zip(span, form, strict=True))
                    and self._used.isdisjoint(range(start, start + len(form)))
                    and self._lower(start - 1) not in INDEFINITE
                ):
                    self._add(
                        self._with_version(Mention(start, start + len(form), "name", documents=tuple(index[form])))
                    )

    def _name_at(self, start: int, index: dict[tuple[str, ...], list[KnownDocument]], longest: int) -> Mention | None:
        for size in range(min(longest, len(self._words) - start), 0, -1):
            span = self._words[start : start + size]
            form = tuple(w.stem for w in span)
            documents = index.get(form, [])
            stated = [d for d in documents if any(stems(n) == form for n in (d.title, *d.aliases))]
            documents = stated or documents  # an alias before another title's initials
            if documents and self._reads_as_name(start, start + size, documents):
                joined = [d for d in documents if size == 1 and years(span[0].text) & years(d.display_title)]
                own_plural = any(tuple(w.lower for w in split_words(n))[-1:] == (span[-1].lower,)
                                 for d in documents for n in (d.title, *d.aliases))  # fmt: skip
                tagged = self._message[: span[0].start].endswith("@")
                return Mention(start, start + size, "name", documents=tuple(joined or documents), is_tag=tagged,
                               plural=span[-1].is_plural and not own_plural)  # fmt: skip
        return None

    def _reads_as_name(self, start: int, end: int, documents: Sequence[KnownDocument]) -> bool:
        span = self._words[start:end]
        before, after = self._message[: span[0].start], self._message[span[-1].end :]
        if before.endswith("@") or (before[-1:] in _QUOTES and before and after[:1] in _QUOTES and after):
            return True
        if end - start == 1:
            return self._word_reads_as_name(start, documents)
        written = self._message[span[0].start : span[-1].end]
        if any(w.is_capitalised for w in span[1:]) or (span[0].is_capitalised and start > 0):
            return self._lower(start - 1) not in INDEFINITE or any(written in (d.title, *d.aliases) for d in documents)
        if self._lower(start - 1) in INDEFINITE or self._is_compound(end):
            return False
        definite = self._is_definite(start)
        native = any(fold_plural(n) == span[-1].lower for d in documents for n in (d.title, *d.aliases))
        if span[-1].is_plural and not native and not definite:
            return False
        said = any(c.isdigit() for c in written) or any(w.stem in NOUNS for w in span)
        return said or definite or self._is_asked_for(start, end) or (start == 0 and self._in_lower_case)

    def _word_reads_as_name(self, at: int, documents: Sequence[KnownDocument]) -> bool:
        word = self._words[at]
        if word.is_acronym:
            return True
        if self._lower(at - 1) in _BEFORE_VERB or word.lower in STOP_WORDS:
            return False
        called = [n for d in documents for n in (d.title, *d.aliases) if stems(n) == (word.stem,)]
        is_code = not called or any(sum(c.isupper() for c in n) >= 2 or any(c.isdigit() for c in n) for n in called)
        if not is_code:
            return word.text in called and at > 0 and not self._is_compound(at + 1) and self._is_asked_for(at, at + 1)
        if any(c.isdigit() for c in word.text) and len(word.text) > 3:
            return True
        may_follow = at == 0 or self._lower(at - 1) in LINKING | _SLOTS
        if self._in_lower_case and len(word.text) >= (3 if may_follow else 4):
            return True
        return len(word.text) >= 3 and self._is_asked_for(at, at + 1)

    def _is_asked_for(self, start: int, end: int) -> bool:
        if end < len(self._words) and (self._is_compound(end) or self._lower(end) in ("rules", "duties")):
            return False
        return self._lower(start - 1) in _SLOTS - {"to"} or self._lower(end) in SAYING

    def _is_definite(self, start: int) -> bool:
        at = start - 1
        while at > 0 and (years(self._words[at].text) or self._lower(at) in RELATIVE.keys() | NUMBERS.keys() | {"and"}):
            at -= 1
        return at >= 0 and (self._lower(at) in DEFINITE - {"other", "same"} or self._words[at].is_possessive)

    def _is_compound(self, end: int) -> bool:
        return end < len(self._words) and self._words[end].stem in _COMPOUNDS and not self._words[end].is_capitalised

    def _with_noun(self, named: Mention) -> Mention:
        """ "the GDPR regulation"."""
        after = self._words[named.end] if named.end < len(self._words) else None
        held = self._words[named.end - 1].stem in NOUNS or after is None or self._breaks(named.end, " \t")
        if (
            held
            or after is None
            or after.is_capitalised
            or after.is_plural
            or after.stem not in TYPE_NOUNS | ANY_DOCUMENT
        ):
            return named
        fits = [d for d in named.documents if may_be_called(d, after.stem)]
        return replace(named, end=named.end + 1, documents=tuple(fits)) if fits else named

    def _with_version(self, named: Mention) -> Mention:
        end, after = self._version_after(named)
        start, before = self._version_before(named.start)
        selector = Selector(
            before.years | after.years, before.versions | after.versions, before.relative, before.every or after.every
        )
        return replace(named, start=start, end=end, selector=selector, name=(named.start, named.end))

    def _version_after(self, named: Mention) -> tuple[int, Selector]:
        known = frozenset[str]().union(*(version_words(d) for d in named.documents))
        found_years, found, end, at = set[int](), set[str](), named.end, named.end
        while at < len(self._words) and not self._breaks(at, " \t()[]&-–/v" + _QUOTES):
            word = self._words[at]
            if years(word.text) or word.stem in known:
                found_years |= years(word.text)
                found |= set() if years(word.text) and word.stem not in known else {word.stem}
                end = at + 1
            elif word.stem in VERSION_NOUNS and word.is_plural and at == named.end:
                return at + 1, Selector(every=True)
            elif not (word.lower in ("and", "to", "vs", "with") and end > named.end) and word.lower not in ("v", "version", "edition", "ed"):  # fmt: skip
                break
            at += 1
        return end, Selector(frozenset(found_years), frozenset(found))

    def _version_before(self, start: int) -> tuple[int, Selector]:
        """Versions in front of a name: "the 2019 and 2023 …", "both editions of the …", "last year's …", "v2 of the …"."""
        found, versions, relative, every, leftmost = set[int](), set[str](), None, False, start
        for at in range(start - 1, max(-1, start - 9), -1):
            word = self._words[at]
            if at in self._used or self._breaks(at + 1, " \t()[]&-–/v" + _QUOTES):
                break
            year = year_of(self._words, at, self._today)
            inside = self._words[at + 1 : start]
            if year is not None:
                found.add(year)
                leftmost = at
            elif re.fullmatch(r"v\d[\d.]*", word.lower):
                versions.add(word.stem)
                leftmost = at
            elif word.lower in RELATIVE:
                relative, leftmost = RELATIVE[word.lower], at
            elif word.lower in {"all", *NUMBERS} and any(w.stem in VERSION_NOUNS and w.is_plural for w in inside):
                every, leftmost = True, at
            elif not (
                word.lower in ("of", "the", "our", "that", "this", "its", "year's", "years", "most", "de", "las", "les", "der")
                or word.stem in VERSION_NOUNS or (word.lower in ("and", "vs", "to", "with", "or") and at + 1 == leftmost)
            ):  # fmt: skip
                break
        return leftmost, Selector(frozenset(found), frozenset(versions), relative, every)

    # sets

    def _sets(self) -> None:
        """Sets that stand for their documents: "the Bank Negara documents", "everything in the … set", "under the … rules". A set's
        name inside other words ("the FSA guideline") is left alone."""
        names = {d.set_name for d in self._library.documents if d.set_name}
        for name in sorted(names, key=lambda n: -len(n)):
            spelled = stems(name)
            for start in range(len(self._words) - len(spelled) + 1):
                end = start + len(spelled)
                free = self._used.isdisjoint(range(start, end))
                if free and tuple(w.stem for w in self._words[start:end]) == spelled:
                    self._set(name, start, end)

    def _set(self, name: str, start: int, end: int) -> None:
        members = [d for d in self._library.documents if d.set_name == name]
        capitalised = any(w.is_capitalised for w in self._words[start:end])
        before, near = self._lower(start - 1), self._words[max(0, start - 4) : start]
        after = self._words[end] if end < len(self._words) else None
        if before in INDEFINITE - {"what"}:
            return
        whole = after is not None and after.stem == "set"
        if after is not None and (whole or (after.is_plural and after.stem in NOUNS)):
            called = members if whole or after.stem in ANY_DOCUMENT else _called(members, after.stem)
            if called and (capitalised or whole):
                self._add(Mention(start, end + 1, "set", documents=tuple(called), plural=True, noun=after.stem))
        elif before == "set" or (any((w.stem in NOUNS and w.is_plural) or w.lower in ("everything", "all") for w in near)
                                 and before in ("of", "from", "by", "in", "the", "on")):  # fmt: skip
            first = start - 1 if before == "set" else start
            while first and self._lower(first - 1) in ("the", "of", "from", "in"):
                first -= 1
            first -= bool(first and self._words[first - 1].stem in NOUNS)
            self._add(Mention(first, end, "set", documents=tuple(members), plural=True))
        elif capitalised:
            regulatory = [d for d in members if d.type == "regulatory"]
            said = [w.lower for w in near if w.lower != "the"]
            authority = said[-2:] == ["according", "to"] or said[-1:] in (["under"], ["per"])
            if 0 < len(regulatory) <= 5 and ((after is not None and after.lower in SAYING) or authority):
                self._add(Mention(start, end, "set", documents=tuple(regulatory), plural=True))

    # parts of names

    def _fragments(self) -> None:
        """An acronym or number out of a title, with what stands beside it: "EBA outsourcing", "the HIPAA rules", "the DPIA"."""
        codes: dict[str, list[KnownDocument]] = {}
        for document in self._library.documents:
            for word in {
                w.stem: w for n in (document.title, *document.aliases) for w in split_words(n) if _is_code(w)
            }.values():
                codes.setdefault(word.stem, []).append(document)
        for at, word in enumerate(self._words):
            if at in self._used or not (documents := codes.get(word.stem)):
                continue
            if not (
                word.is_acronym
                or word.text.isdecimal()
                or (self._in_lower_case and self._lower(at - 1) not in _BEFORE_VERB)
            ):
                continue
            named = self._extended(at, documents)
            if named is not None:
                self._add(self._with_version(named))

    def _extended(self, at: int, documents: Sequence[KnownDocument]) -> Mention | None:
        """With the words before and after that are of the same names; None where they make it the name of another document."""
        start, end, meant = at, at + 1, list(documents)
        for step in (1, -1):
            position = at + step
            while 0 <= position < len(self._words) and position not in self._used:
                word = self._words[position]
                if self._breaks(max(position, position - step)):
                    break
                if step > 0 and word.lower in _ABOUT and position + 1 < len(self._words):
                    position += 1
                    word = self._words[position]
                    if not 0 < len(_narrowed(meant, word)) < max(2, len(meant)):
                        break
                if word.lower in _BOUNDARY | DEFINITE:
                    break
                narrower = _narrowed(meant, word)
                if not narrower and step > 0 and word.stem in NOUNS:
                    narrower = [d for d in meant if may_be_called(d, word.stem)]
                    if not narrower:
                        return None
                if not narrower:
                    break
                meant = narrower or meant
                start, end = min(start, position), max(end, position + 1)
                position += step
        span = self._words[start:end]
        plural = any(w.stem in NOUNS and w.is_plural for w in span) and len(meant) > 1
        return Mention(start, end, "name", documents=tuple(meant), plural=plural,
                       determiner="the" if self._lower(start - 1) in DEFINITE else "")  # fmt: skip

    # phrases

    def _phrases(self) -> None:
        for at, word in enumerate(self._words):
            if at in self._used:
                continue
            mention = None
            edition_of = word.stem in VERSION_NOUNS and self._lower(at + 1) == "of"  # read with the noun it belongs to
            if word.stem in NOUNS and not edition_of and not self._is_verb(at):
                mention = self._noun_phrase(at)
            mention = mention or self._compound_noun(at) or self._pronoun(at)
            if mention is not None:
                self._add(mention)

    def _is_verb(self, at: int) -> bool:
        """ "does the bank act", "report the breach", "notice that"."""
        verbs = ("act", "report", "notice", "mail", "document", "file", "plan", "text", "rule", "guide")
        after = ("to", "must", "shall", "should", "may", "can", "will", "not", "i", "we", "you")
        alone = len(self._words) == 1
        return self._lower(at) in verbs and not alone and (at == 0 or self._lower(at - 1) in after)

    def _compound_noun(self, at: int) -> Mention | None:
        """A German compound: "Produktsicherheitsverordnung", "Datenschutzrichtlinie"."""
        word = self._words[at]
        heads = [n for n in ("verordnung", "richtlinie", "gesetz") if word.stem.endswith(n) and word.stem != n]
        if not heads:
            return None
        whole = replace(word, stem=word.stem.removesuffix(heads[0]).rstrip("s"))
        return Mention(at, at + 1, "described", determiner=self._lower(at - 1), noun=heads[0], modifiers=(whole,))

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
        topic = self._topic(at)
        if topic and self._library.described([w.stem for w in (*modifiers, *topic)], noun.stem):
            modifiers = (*modifiers, *topic)
        ordinal = next((ORDINALS[w.lower] for i, w in enumerate(inside, start + 1) if w.lower in ORDINALS and words[i].stem != "year"), None)  # fmt: skip
        dated = self._lower(at + 1).isdecimal() and year_of(words, at + 1, self._today) is not None
        mention = Mention(
            start, at + 2 if dated else at + 1, "described", determiner=determiner, noun=noun.stem, modifiers=modifiers,
            plural=noun.is_plural, count=next((NUMBERS[w.lower] for w in inside if w.lower in NUMBERS), None),
            ordinal=ordinal, selector=self._selector(start, at),
        )  # fmt: skip
        return self._classified(mention)

    def _classified(self, m: Mention) -> Mention | None:
        if self._is_compound(m.end) and not m.is_demonstrative:
            return None
        if m.ordinal is not None and not m.modifiers:
            return replace(m, kind="ordinal")
        if m.noun in VERSION_NOUNS and not m.modifiers:
            if m.selector or m.determiner == "other" or (m.plural and m.determiner):
                return replace(m, kind="version")
            pointed = m.noun == "one" and m.determiner in ("this", "that", "same")
            return replace(m, kind="singular") if pointed else None
        if m.noun in VERSION_NOUNS and not m.is_proper:
            return None
        proper = m.is_proper and not m.plural
        common = m.noun in ONLY_IN_NAMES and (m.plural or not m.determiner)
        return None if common and not proper and (m.plural or not m.modifiers) else m

    def _left_edge(self, at: int) -> int:
        """The first word of the phrase that ends in the noun ``at``."""
        start = at
        for i in range(at - 1, max(-1, at - 9), -1):
            word = self._words[i]
            stops = i in self._used or self._breaks(i + 1) or word.lower in INDEFINITE
            joins = self._lower(i - 1) in ("both", "all") or (i > 0 and self._words[i - 1].stem in VERSION_NOUNS)
            if stops or word.lower in _BOUNDARY - {"of"} or (word.lower == "of" and not joins):
                break
            if word.lower == "that" and start != i + 1:
                break
            start = i
            if word.lower in DEFINITE - {"same", "other", "all", "both"} and self._lower(i - 1) not in (
                "all",
                "both",
                "of",
            ):
                break
        while start < at and self._lower(start) in ("and", "of", "to"):
            start += 1
        return start

    def _selector(self, start: int, at: int) -> Selector:
        found = {y for i in range(start, at) if (y := year_of(self._words, i, self._today)) is not None}
        relative = next((RELATIVE[w.lower] for w in self._words[start:at] if w.lower in RELATIVE), None)
        if at + 1 < len(self._words) and self._words[at + 1].text.isdecimal() and (year := year_of(self._words, at + 1, self._today)):  # fmt: skip
            found.add(year)
        versions = {w.stem for w in self._words[start:at] if re.fullmatch(r"v\d[\d.]*", w.lower)}
        return Selector(frozenset(found), frozenset(versions), relative)

    def _topic(self, at: int) -> tuple[Word, ...]:
        """ "policy on remote work", "reglamento de máquinas": the words after the preposition, at most four."""
        topic: list[Word] = []
        for i in range(at + 2, min(len(self._words), at + 6)) if self._lower(at + 1) in _ABOUT else ():
            if i in self._used or self._lower(i) in _BOUNDARY - {"and"} - _ABOUT or self._breaks(i, " \t"):
                break
            topic.append(self._words[i])
        return tuple(w for w in topic if w.lower not in LINKING | DEFINITE | _ABOUT)

    def _pronoun(self, at: int) -> Mention | None:
        lower, before = self._lower(at), self._lower(at - 1)
        last = self._ends_clause(at) or lower in ("former", "latter")
        if last and lower in ORDINALS and before == "the" and at - 1 not in self._used:
            return Mention(at - 1, at + 1, "ordinal", determiner="the", ordinal=ORDINALS[lower])
        if lower in NUMBERS and not lower.isdecimal() and self._stands_alone(at):
            if lower == "both":
                return Mention(at, at + 1, "plural", determiner="both", plural=True, count=2)
            if before in ("those", "these", "the", "all", "them") and at - 1 not in self._used:
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
        if lower in ("it", "its") or (alone and before != "so"):
            return Mention(at, at + 1, "singular", determiner=lower)
        return None

    def _stands_alone(self, at: int) -> bool:
        """No noun follows, so the word itself is the reference."""
        return self._ends_clause(at) or self._lower(at + 1) in _FOLLOWING

    def _ends_clause(self, at: int) -> bool:
        return at + 1 == len(self._words) or self._breaks(at + 1, " \t")

    def _stands_for_document(self, at: int) -> bool:
        """Where a pronoun stands for a document rather than for something said in the same sentence: "does it …",
        "compare them", "… against it"."""
        before = self._lower(at - 1)
        if at == 0 or before in _REQUESTS or before in _PREPOSITIONS:
            return True
        known = _AUXILIARY | _REQUESTS | _PREPOSITIONS | SAYING | _FILLERS
        near = at <= 4 and all(w.lower in known for w in self._words[:at])
        return near and (before in _AUXILIARY or self._lower(at) in ("its", "their"))

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
        if start in self._used or word.lower in _PARTS | LINKING or not begins:
            return start
        end = start + 1
        while end < len(self._words) and end not in self._used and not self._breaks(end, " \t-–/&"):
            linked = (
                self._lower(end) in ("of", "on", "for") and end + 1 < len(self._words) and end + 1 not in self._used
            )
            linked = linked and self._words[end + 1].is_capitalised and self._lower(end + 1) not in _PARTS
            if not (self._words[end].is_capitalised or self._words[end].text[0].isdigit() or linked):
                break
            end += 1
        return end

    def _is_document_position(self, start: int, end: int) -> bool:
        after, closed = self._lower(end), self._ends_clause(end - 1)
        before = self._lower(start - 2) if self._lower(start - 1) == "the" and start > 1 else self._lower(start - 1)
        if after and not closed and after not in _FOLLOWING:
            return False
        if after in SAYING and not closed:
            return before in ("does", "do", "did", "what", "") or self._words[start].is_acronym
        slots = _SLOTS - {"in", "with", "to"}
        comparing = any(w.lower in _COMPARING | slots for w in self._words[max(0, start - 8) : start])
        return before in slots or (before in ("with", "to", "by", "and") and comparing)


def _narrowed(documents: Sequence[KnownDocument], word: Word) -> list[KnownDocument]:
    wanted = translated(word.stem)
    return [d for d in documents if all(any(w == own or alike(w, own) for own in all_stems(d)) for w in wanted)]


def _called(members: Sequence[KnownDocument], noun: str) -> list[KnownDocument]:
    if noun in TYPE_NOUNS:
        return [d for d in members if d.type == NOUNS[noun]]
    titled = [d for d in members if noun in stems(d.title)]
    if len(titled) != 1 or not any(d.type == NOUNS.get(noun) for d in members):
        return titled
    return [d for d in members if d.type == NOUNS[noun]]  # "the EU acts" include a regulation


def _is_modifier(word: Word) -> bool:
    known = word.lower in DEFINITE | _TYPE_WORDS | NUMBERS.keys() | ORDINALS.keys() | RELATIVE.keys()
    return (
        not known
        and word.lower not in ("and", "most", "last", "year's", "vs", "versus", "year")
        and word.stem != "year"
    )


def _is_code(word: Word) -> bool:
    """A word of a title that is a name by itself: BCBS, 13849; not EU, ISO or a year."""
    if word.text.isdecimal():
        return len(word.text) > 4
    return (word.is_acronym and len(word.text) > 3) or (
        word.is_acronym and len(word.text) == 3 and word.lower not in ("iso", "act")
    )


def fold_plural(name: str) -> str:
    """The last word of a name as it is written, in lower case."""
    words = split_words(name)
    return words[-1].lower if words else ""
