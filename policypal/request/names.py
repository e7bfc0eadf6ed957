"""Names in a message: titles, their parts, aliases and initials, misspelled ones too, with the edition beside them; sets (G4)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from policypal.request.foreign import translated
from policypal.request.library import KnownDocument, Selector, carries, forms, may_be_called, version_words
from policypal.request.scanning import ABOUT, BEFORE_VERB, BOUNDARY, PARTS, QUOTES, SLOTS, Mention, Scan, year_of
from policypal.request.words import (
    ANY_DOCUMENT,
    DEFINITE,
    INDEFINITE,
    LINKING,
    NOUNS,
    NUMBERS,
    RELATIVE,
    SAYING,
    TYPE_NOUNS,
    VERSION_NOUNS,
    Word,
    alike,
    gap,
    speak_of_both,
    split_words,
    stems,
    years,
)
from policypal.search.terms import STOP_WORDS


class Names(Scan):
    """The stretches that carry the names of documents."""

    # names

    def _names(self) -> None:
        index: dict[tuple[str, ...], list[KnownDocument]] = {}
        sets = {stems(d.set_name) for d in self._library.documents if d.set_name}
        for document in self._library.documents:
            given = {stems(n) for n in (document.title, *document.aliases)}
            own = {form for form in forms(document) if form in given or form not in sets}
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
                tagged = self._message[: span[0].start].endswith("@")
                return Mention(start, start + size, "name", documents=tuple(documents), is_tag=tagged,
                               plural=span[-1].is_plural and not ends_names(span[-1], documents))  # fmt: skip
        return None

    def _reads_as_name(self, start: int, end: int, documents: Sequence[KnownDocument]) -> bool:
        span = self._words[start:end]
        before, after = self._message[: span[0].start], self._message[span[-1].end :]
        if before.endswith("@") or (before[-1:] in QUOTES and after[:1] in QUOTES and before and after):
            return True
        if end - start == 1:
            return self._word_reads_as_name(start, documents)
        written = self._message[span[0].start : span[-1].end]
        if any(w.is_capitalised for w in span[1:]) or (span[0].is_capitalised and start > 0):
            return self._lower(start - 1) not in INDEFINITE or any(written in (d.title, *d.aliases) for d in documents)
        if self._lower(start - 1) in INDEFINITE or self._is_compound(end):
            return False
        if self._is_definite(start) or (span[-1].is_plural and not ends_names(span[-1], documents)):
            return self._is_definite(start)  # "explain incident rules" is about rules, not about the Incident Rule
        said = any(w.stem in NOUNS for w in span)
        return said or self._is_asked_for(start, end) or (start == 0 and self._in_lower_case)

    def _word_reads_as_name(self, at: int, documents: Sequence[KnownDocument]) -> bool:
        word = self._words[at]
        if word.is_acronym:
            return True
        if self._lower(at - 1) in BEFORE_VERB or word.lower in STOP_WORDS:
            return False
        called = [n for d in documents for n in (d.title, *d.aliases) if stems(n) == (word.stem,)]
        if called and not any(sum(c.isupper() for c in n) >= 2 or any(c.isdigit() for c in n) for n in called):
            return word.text in called and (
                self._stands_out(at) or self._is_asked_for(at, at + 1) or self._is_definite(at)
            )
        if not called and any(c in "aeiou" for c in word.lower):  # initials that are a word, too: "side by side"
            return self._is_asked_for(at, at + 1)
        may_follow = at == 0 or self._lower(at - 1) in LINKING | SLOTS
        if self._in_lower_case and len(word.text) >= (3 if may_follow else 4):
            return True
        return len(word.text) >= 3 and self._is_asked_for(at, at + 1)

    def _stands_out(self, at: int) -> bool:
        """Capitalised within a sentence, and not as part of a longer name."""
        before = [self._words[at - 1]] if at > 1 and not self._breaks(at) else []
        after = [self._words[at + 1]] if at + 1 < len(self._words) and not self._breaks(at + 1) else []
        begins = at == 0 or gap(self._message, self._words[at - 1], self._words[at]).strip()[-1:] in (".", "!", "?")
        return not begins and not self._is_compound(at + 1) and not any(w.is_capitalised for w in before + after)

    def _is_asked_for(self, start: int, end: int) -> bool:
        return not self._is_compound(end) and (self._lower(start - 1) in SLOTS - {"to"} or self._lower(end) in SAYING)

    def _is_definite(self, start: int) -> bool:
        at = start - 1
        while at > 0 and (self._words[at].is_acronym or self._lower(at) in RELATIVE):  # "the UK consumer duty"
            at -= 1
        return self._lower(at) in DEFINITE - {"other", "same"}

    def _with_noun(self, named: Mention) -> Mention:
        """ "the GDPR regulation"."""
        end = named.end
        if (
            end == len(self._words)
            or self._words[end].is_plural
            or self._words[end].stem not in TYPE_NOUNS | ANY_DOCUMENT
        ):
            return named
        held = self._words[end - 1].stem in NOUNS or self._breaks(end, " \t")
        fits = [d for d in named.documents if not held and may_be_called(d, self._words[end].stem)]
        return replace(named, end=end + 1, documents=tuple(fits)) if fits else named

    def _with_version(self, named: Mention) -> Mention:
        end, after = self._version_after(named)
        start, before = self._version_before(named)
        selector = Selector(before.years | after.years, before.versions | after.versions, before.relative, before.every or after.every)  # fmt: skip
        return replace(named, start=start, end=end, selector=selector, name=(named.start, named.end))

    def _version_after(self, named: Mention) -> tuple[int, Selector]:
        known = frozenset[str]().union(*(version_words(d) for d in named.documents))
        found_years, found, end, at = set[int](), set[str](), named.end, named.end
        while at < len(self._words):
            word = self._words[at]
            dated = years(word.text) and gap(self._message, self._words[at - 1], word) == ":"  # "ISO 9001:2015"
            if not dated and self._breaks(at, " \t()[]&-–/v" + QUOTES):
                break
            if pair := _joined_versions(word, known):
                found |= pair
                end = at + 1
            elif years(word.text) or word.stem in known:
                found_years |= years(word.text)
                found |= {word.stem} & known
                end = at + 1
            elif word.stem in VERSION_NOUNS and word.is_plural and at == named.end:
                return at + 1, Selector(every=True)
            elif not (word.lower in ("and", "to", "vs", "with") and end > named.end) and word.lower not in ("v", "version", "edition", "ed"):  # fmt: skip
                break
            at += 1
        return end, Selector(frozenset(found_years), frozenset(found))

    def _version_before(self, named: Mention) -> tuple[int, Selector]:
        """Versions in front of a name: "the 2019 and 2023 …", "both editions of the …", "last year's …", "v2 of the …", "issue 8 of
        the …"."""
        start, known = named.start, frozenset[str]().union(*(version_words(d) for d in named.documents))
        found, versions, relative, every, leftmost = set[int](), set[str](), None, False, start
        for at in range(start - 1, max(-1, start - 9), -1):
            word = self._words[at]
            if at in self._used or self._breaks(at + 1, " \t()[]&-–/v" + QUOTES):
                break
            year = year_of(self._words, at, self._today)
            inside = self._words[at + 1 : start]
            if year is not None:
                found.add(year)
                leftmost = at
            elif re.fullmatch(r"v\d[\d.]*", word.lower):
                versions.add(word.stem)
                leftmost = at
            elif word.stem in known and self._counts_versions(at - 1, known):
                versions.add(word.stem)
                leftmost = at - 1
            elif word.lower in RELATIVE:
                every = every or speak_of_both([relative or RELATIVE[word.lower], RELATIVE[word.lower]])
                relative, leftmost = RELATIVE[word.lower], at
            elif word.lower in {"all", *NUMBERS} and any(w.stem in VERSION_NOUNS and w.is_plural for w in inside):
                every, leftmost = True, at
            elif not (
                word.lower in ("of", "the", "our", "that", "this", "its", "year's", "years", "most", "de", "las", "les", "der")
                or word.stem in VERSION_NOUNS or self._counts_versions(at, known) or (word.lower in ("and", "vs", "to", "with", "or") and at + 1 == leftmost)
            ):  # fmt: skip
                break
        return leftmost, Selector(frozenset(found), frozenset(versions), relative, every)

    def _counts_versions(self, at: int, known: frozenset[str]) -> bool:
        """Whether a number behind this word is a version's: "edition", or what the versions themselves say: "Issue 9"."""
        return (
            at >= 0
            and self._lower(at) not in PARTS
            and (self._words[at].stem in VERSION_NOUNS or self._lower(at) in known)
        )

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
        every = any(w.lower in ("everything", "all") for w in self._words[max(0, start - 6) : start])
        after = self._words[end] if end < len(self._words) else None
        whole = after is not None and after.stem == "set"
        if after is not None and (whole or (after.is_plural and after.stem in NOUNS)):
            called = members if whole or after.stem in ANY_DOCUMENT else _called(members, after.stem)
            if called and (capitalised or whole):
                self._add(Mention(start, end + 1, "set", documents=tuple(called), plural=True, noun=after.stem))
        elif before == "set" or ((every or any(w.stem in NOUNS and w.is_plural for w in near))
                                 and before in ("of", "from", "by", "in", "the", "on")):  # fmt: skip
            first = start
            while first and (
                self._lower(first - 1) in ("the", "of", "from", "in", "set") or self._words[first - 1].stem in NOUNS
            ):
                first -= 1
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
            names = (document.title, *document.aliases)
            for stem in {w.stem for n in names for w in _unshouted(split_words(n)) if _is_code(w)}:
                codes.setdefault(stem, []).append(document)
        for at, word in enumerate(self._words):
            if at in self._used or not (documents := codes.get(word.stem)):
                continue
            if word.is_acronym or word.text[0].isdigit() or self._in_lower_case:
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
                if step > 0 and word.lower in ABOUT and position + 1 < len(self._words):
                    position += 1
                    word = self._words[position]
                    if not 0 < len(_narrowed(meant, word)) < max(2, len(meant)):
                        break
                if word.lower in BOUNDARY | DEFINITE:
                    break
                narrower = _narrowed(meant, word)
                if not narrower and step > 0 and word.stem in NOUNS:
                    narrower = [d for d in meant if may_be_called(d, word.stem)]
                    if not narrower:
                        return None
                if not narrower:
                    break
                meant = narrower
                start, end = min(start, position), max(end, position + 1)
                position += step
        span = self._words[start:end]
        plural = any(w.stem in NOUNS and w.is_plural for w in span) and len(meant) > 1
        return Mention(start, end, "name", documents=tuple(meant), plural=plural)


def _joined_versions(word: Word, known: frozenset[str]) -> set[str]:
    """ "2023/2025", "23/25": several versions in one word; empty where one of them is none."""
    parts = word.stem.split("/")
    meant = [next((v for v in (p, f"20{p}") if v in known), "") for p in parts]
    return set(meant) if len(parts) > 1 and all(meant) else set()


def _narrowed(documents: Sequence[KnownDocument], word: Word) -> list[KnownDocument]:
    return [d for d in documents if carries(d, translated(word.stem))]


def _called(members: Sequence[KnownDocument], noun: str) -> list[KnownDocument]:
    if noun in TYPE_NOUNS:
        return [d for d in members if d.type == NOUNS[noun]]
    titled = [d for d in members if noun in stems(d.title)]
    return titled if len(titled) != 1 else [d for d in members if d.type == NOUNS.get(noun)] or titled  # "the EU acts"


_SHOUTED = 4


def _unshouted(words: Sequence[Word]) -> list[Word]:
    """The words of a name without its longer runs in capitals, where those tell no acronym: "THE DIGITAL PERSONAL DATA PROTECTION ACT"."""
    runs = [list(run) for _, run in groupby(words, key=lambda w: w.text.isupper())]
    return [w for run in runs if len(run) < _SHOUTED or not run[0].text.isupper() for w in run]


def _is_code(word: Word) -> bool:
    """A word of a title that is a name by itself: BCBS, 13849; not EU, ISO or a year."""
    if word.text.isdecimal():
        return len(word.text) > 4
    if word.text[0].isdigit() and "/" in word.text:  # 852/2004
        return True
    if len(word.text) < 3:
        return (
            word.is_acronym and word.text[-1].isdigit() and word.text[0] not in "RV" and word.lower not in PARTS
        )  # E6; no revision, no quarter
    return word.is_acronym and (len(word.text) > 3 or word.lower not in ("iso", "act"))


def ends_names(word: Word, documents: Sequence[KnownDocument]) -> bool:
    """Whether a title or alias ends in this very word: its plural is no plural of documents."""
    return any(w.lower == word.lower for d in documents for n in (d.title, *d.aliases) for w in split_words(n)[-1:])
