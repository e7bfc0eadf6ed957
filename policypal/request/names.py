"""Titles and aliases that stand verbatim in a message, with the version next to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from policypal.domain.versions import version_families
from policypal.request.document_names import KnownDocument, is_document_noun
from policypal.request.library import RELATIVE, Library, Selector, initials, version_words
from policypal.request.words import LINKING, VERSION_NOUNS, Word, gap, is_plural, stems, years
from policypal.search.terms import STOP_WORDS

NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
COMPOUNDS = frozenset(
    [
        "requirement", "practice", "section", "chapter", "article", "team", "owner", "rule", "provision", "breach",
        "violation", "change", "statement", "template", "holder", "holder's", "limit", "language", "wording",
        "department", "review", "manager", "committee", "principle", "setting", "area", "matter", "issue", "best",
        "maker", "making", "management", "work", "writing", "period", "expectation", "obligation", "question", "topic",
        "law",
    ]
)  # fmt: skip
"""What makes "privacy policy requirements" a topic, not the document of that name."""
INDEFINITE = frozenset(["a", "an", "any", "every", "which", "what", "some", "no", "whose", "another", "many", "most"])
SAYING = frozenset(
    [
        "say", "says", "said", "state", "states", "require", "requires", "mention", "mentions", "cover", "covers",
        "contain", "contains", "define", "defines", "allow", "allows", "permit", "permits", "demand", "demands", "set",
        "sets", "treat", "treats", "address", "addresses", "apply", "applies", "expect", "expects", "prohibit",
        "prohibits", "forbid", "forbids", "specify", "specifies", "include", "includes", "provide", "provides", "name",
        "names", "refer",
    ]
)  # fmt: skip
ASKING = frozenset(
    [
        "summarize", "summarise", "audit", "compare", "explain", "condense", "shorten", "recap", "against", "versus",
        "vs", "in", "per", "under", "with", "to",
    ]
)  # fmt: skip
_JOINING = frozenset(["and", "vs", "versus", "to", "with", "or"])
_QUOTES = "\"“”'‘’«»„"
_ARTICLES = frozenset(["the", "our", "my", "this", "that", "these", "those", "both", "all"])
_BEFORE_VERB = frozenset(
    [
        "can", "can't", "cannot", "could", "must", "may", "will", "won't", "would", "should", "shall", "not", "don't",
        "didn't", "couldn't", "we", "they", "i", "you", "who",
    ]
)  # fmt: skip
_SKIPPED = frozenset(["of", "the", "our", "that", "this", "its"])


@dataclass(frozen=True, slots=True)
class Named:
    """A name found in words ``start``…``end`` (exclusive): ``documents`` carry it, ``selector`` is the version given. The name
    itself, without the version, are words ``name_start``…``name_end``."""

    start: int
    end: int
    documents: tuple[KnownDocument, ...]
    selector: Selector = field(default_factory=Selector)
    is_tag: bool = False
    is_plural: bool = False
    name_start: int = 0
    name_end: int = 0


def find_names(message: str, words: list[Word], library: Library, today: date) -> list[Named]:
    """Every title or alias in the message, longest first; a name in lower case that reads as ordinary words is none."""
    index = _index(library.documents)
    longest = max((len(name) for name in index), default=0)
    found: list[Named] = []
    position = 0
    while position < len(words):
        named = _name_at(message, words, position, index, longest)
        if named is None:
            position += 1
            continue
        named = _with_version(message, words, named, today, found[-1].end if found else 0)
        found.append(named)
        position = named.end
    return found


def _index(documents: Iterable[KnownDocument]) -> dict[tuple[str, ...], list[tuple[str, KnownDocument]]]:
    index: dict[tuple[str, ...], list[tuple[str, KnownDocument]]] = {}
    documents = list(documents)
    families = version_families(documents)
    for document in documents:
        own = [document.title, *document.aliases, document.filename]
        for name in dict.fromkeys([*own, *_shared_aliases(families.get(document.id, ()))]):
            for spelled in _spellings(name, document):
                index.setdefault(spelled, []).append((name, document))
    return index


def _shared_aliases(family: Sequence[KnownDocument]) -> list[str]:
    """An alias belongs to the work, whichever of its editions carries it; one with a number in it may name the edition."""
    return [alias for d in family for alias in d.aliases if not any(c.isdigit() for c in alias)]


def _spellings(name: str, document: KnownDocument) -> set[tuple[str, ...]]:
    plain = stems(name)
    spelled = {plain, plain[1:] if plain[:1] == ("the",) else plain, ("".join(plain),)}
    undated = tuple(word for word in plain if not years(word))
    spelled |= {undated} if 1 < len(undated) < len(plain) else set()
    spelled |= {("".join(plain + stems(document.version)),)} | {(letters,) for letters in initials(name)}
    return {s for s in spelled if s and s[0]}


def _name_at(
    message: str,
    words: list[Word],
    start: int,
    index: dict[tuple[str, ...], list[tuple[str, KnownDocument]]],
    longest: int,
) -> Named | None:
    for size in range(min(longest, len(words) - start), 0, -1):
        span = words[start : start + size]
        entries = index.get(tuple(w.stem for w in span), [])
        entries = [(n, d) for n, d in entries if _reads_as_name(message, words, start, start + size, n)]
        if entries:
            documents = tuple({d.id: d for _, d in entries}.values())
            tagged = message[: span[0].start].endswith("@")
            joined = _joined_with_version(span, documents)
            plural = is_plural(span[-1]) and not stems_plural(entries[0][0])
            return Named(
                start, start + size, joined or documents, is_tag=tagged, is_plural=plural, name_start=start,
                name_end=start + size,
            )  # fmt: skip
    return None


def stems_plural(name: str) -> bool:
    """Whether a name ends in a plural itself ("Guidelines")."""
    last = name.split()[-1].casefold() if name.split() else ""
    return bool(last) and stems(last)[-1:] != (last,)


def _joined_with_version(span: list[Word], documents: Sequence[KnownDocument]) -> tuple[KnownDocument, ...]:
    """ "BankNegara2024" means that version only."""
    if len(span) != 1 or not years(span[0].text):
        return ()
    return tuple(d for d in documents if years(span[0].text) & years(f"{d.title} {d.version}"))


def _reads_as_name(message: str, words: list[Word], start: int, end: int, name: str) -> bool:
    span = words[start:end]
    before, after = message[: span[0].start], message[span[-1].end :]
    if before.endswith("@") or (before[-1:] in _QUOTES and before and after[:1] in _QUOTES and after):
        return True
    written = message[span[0].start : span[-1].end]
    if len(span) == 1:
        return _single_word_reads_as_name(words, start, name)
    if any(w.is_capitalised for w in span[1:]) or (span[0].is_capitalised and start > 0):
        return not _is_indefinite(words, start) or written == name
    return _lower_case_reads_as_name(words, start, end, name)


def _lower_case_reads_as_name(words: list[Word], start: int, end: int, name: str) -> bool:
    """ "the lending policy" and "summarize lending policy" are documents; "a lending policy" and "lending policy
    requirements" are topics."""
    if _is_indefinite(words, start) or _is_compound(words, end):
        return False
    if is_plural(words[end - 1]) and not stems_plural(name) and not _is_definite(words, start):
        return False
    if (
        any(c.isdigit() for c in name)
        or _is_definite(words, start)
        or any(is_document_noun(w.stem) for w in words[start:end])
    ):
        return True
    return _is_asked_for(words, start, end)


def _single_word_reads_as_name(words: list[Word], at: int, name: str) -> bool:
    word = words[at]
    is_code = sum(c.isupper() for c in name) >= 2 or any(c.isdigit() for c in name)
    if word.is_acronym:
        return True
    if is_code or len(stems(name)) > 1:  # an acronym, initials or a joined name in lower case
        if at and words[at - 1].lower in _BEFORE_VERB:
            return False
        if (
            is_code
            and _is_all_lower(words)
            and len(word.text) >= (3 if _may_follow(words, at) else 4)
            and word.lower not in STOP_WORDS
        ):
            return True
        return len(word.text) >= 5 or (is_code and len(word.text) >= 3 and _is_asked_for(words, at, at + 1))
    return word.text == name and at > 0 and not _is_compound(words, at + 1) and _is_asked_for(words, at, at + 1)


def _may_follow(words: list[Word], at: int) -> bool:
    """Whether a name may stand at ``at``: first in the message, or after a preposition."""
    return at == 0 or words[at - 1].lower in LINKING | ASKING


def _is_all_lower(words: list[Word]) -> bool:
    """Somebody who writes no capitals writes acronyms without them."""
    return not any(w.is_capitalised for w in words[1:])


def _is_asked_for(words: list[Word], start: int, end: int) -> bool:
    before = words[start - 1].lower if start else ""
    after = words[end].lower if end < len(words) else ""
    if end < len(words) and (_is_compound(words, end) or after in ("rules", "duties")):
        return False
    return before in ASKING or after in SAYING


def _is_indefinite(words: list[Word], start: int) -> bool:
    return start > 0 and words[start - 1].lower in INDEFINITE


def _is_definite(words: list[Word], start: int) -> bool:
    position = start - 1
    while position > 0 and _qualifies(words[position]):
        position -= 1
    return position >= 0 and (words[position].lower in _ARTICLES or words[position].is_possessive)


def _qualifies(word: Word) -> bool:
    """What may stand between the article and the title: "the 2019 and 2023 …", "the latest …", "the two …"."""
    return bool(years(word.text)) or word.lower in RELATIVE or word.lower in NUMBERS or word.lower in _JOINING


def _is_compound(words: list[Word], end: int) -> bool:
    return end < len(words) and words[end].stem in COMPOUNDS and not words[end].is_capitalised


def _with_version(message: str, words: list[Word], named: Named, today: date, floor: int) -> Named:
    end, after = _version_after(message, words, named)
    start, before = _version_before(message, words, named.start, floor, today)
    every = before.every or after.every
    selector = Selector(before.years | after.years, after.versions, before.relative, every)
    return replace(named, start=start, end=end, selector=selector)


def _version_after(message: str, words: list[Word], named: Named) -> tuple[int, Selector]:
    known = frozenset[str]().union(*(version_words(d) for d in named.documents))
    found_years: set[int] = set()
    found_versions: set[str] = set()
    end = position = named.end
    while position < len(words) and _is_close(gap(message, words[position - 1], words[position])):
        word = words[position]
        if years(word.text) or word.stem in known:
            found_years |= years(word.text)
            found_versions |= set() if years(word.text) and word.stem not in known else {word.stem}
            end = position + 1
        elif word.stem in VERSION_NOUNS and is_plural(word) and position == named.end:
            return position + 1, Selector(every=True)
        elif not (word.lower in _JOINING and end > named.end) and word.lower not in ("v", "version", "edition", "ed"):
            break
        position += 1
    return end, Selector(frozenset(found_years), frozenset(found_versions))


def _version_before(message: str, words: list[Word], start: int, floor: int, today: date) -> tuple[int, Selector]:
    """Versions in front of a name: "the 2019 and 2023 …", "both editions of the …", "last year's …"."""
    found_years: set[int] = set()
    relative, every, leftmost = None, False, start
    for position in range(start - 1, max(floor, start - 9) - 1, -1):
        word = words[position]
        if not _is_close(gap(message, word, words[position + 1])):
            break
        year = year_of(words, position, today)
        if year is not None:
            found_years.add(year)
            leftmost = position
        elif word.lower in RELATIVE:
            relative, leftmost = RELATIVE[word.lower], position
        elif word.lower in ("both", "all", *NUMBERS) and is_plural_version(words, position, start):
            every, leftmost = True, position
        elif not _may_stand_between(words, position, leftmost):
            break
    return leftmost, Selector(frozenset(found_years), relative=relative, every=every)


def is_plural_version(words: list[Word], position: int, end: int) -> bool:
    return any(w.stem in VERSION_NOUNS and is_plural(w) for w in words[position + 1 : end])


def _may_stand_between(words: list[Word], position: int, leftmost: int) -> bool:
    lower = words[position].lower
    if lower in _SKIPPED or words[position].stem in VERSION_NOUNS or lower in ("year's", "years", "most"):
        return True
    return lower in _JOINING and position + 1 == leftmost


def year_of(words: Sequence[Word], position: int, today: date) -> int | None:
    """The year a word stands for: "2024", or "last year's" from the clock."""
    word = words[position]
    if word.text.isdecimal() and years(word.text):
        return int(word.text)
    if word.lower in ("year's", "years") and position and words[position - 1].lower in ("last", "previous", "this"):
        return today.year - (words[position - 1].lower != "this")
    return None


def _is_close(between: str) -> bool:
    return not between.strip(" \t()[]&-–/v" + _QUOTES)
