"""What the small words of a sentence do: its force, negation, exclusivity, exceptions, direction in time (C2b).

Closed classes of grammar are data (``logic.toml``), in English, German and French; what they mean together is decided here, once.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files


class Stance(StrEnum):
    """What a sentence does to whoever it is about. ``EXCLUSIVE``: allowed under a condition only, however that is said ("may only
    with", "must not without"). ``DENIED`` and ``STATED`` are plain statements with and without a negation."""

    REQUIRED = "required"
    RECOMMENDED = "recommended"
    PERMITTED = "permitted"
    RELEASED = "released"
    PROHIBITED = "prohibited"
    EXCLUSIVE = "exclusive"
    DENIED = "denied"
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class Word:
    """A word in small letters; ``role`` is the class of grammar it is in, "" for a word of content. ``clause`` counts the clauses of
    the sentence from 0; ``is_main`` is False behind a conjunction that subordinates."""

    text: str
    role: str
    clause: int
    is_main: bool = True


@dataclass(frozen=True, slots=True)
class Logic:
    """A sentence as its small words make it."""

    language: str
    words: tuple[Word, ...]
    stances: frozenset[Stance]
    roles: frozenset[str]

    @property
    def content(self) -> tuple[str, ...]:
        return tuple(w.text for w in self.words if not w.role)

    @property
    def is_negative(self) -> bool:
        return bool(self.stances & {Stance.PROHIBITED, Stance.DENIED, Stance.RELEASED})


_MODAL = ("required", "needed", "recommended", "permitted", "prohibited", "released")
_TOKEN = re.compile(r"n['’]t\b|[^\W\d_]+(?:[-‑][^\W\d_]+)*|[,;:.()–—]", re.I)
_BREAKS = frozenset(",;:.()–—")
_RELATIVE_WORDS = 7
"""So many words behind a relative pronoun belong to it; then the main clause may go on without a comma."""
_RELATIVE = frozenset("which who whose whom that because although whether why how".split())
_AHEAD = {"en": 4, "de": 24, "fr": 4}
"""Within how many words behind a modal verb its negation stands; German puts it at the end of the clause."""


@cache
def _data() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("policypal.text").joinpath("logic.toml").read_text(encoding="utf-8"))


@cache
def _phrases(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Every phrase of a language as one pattern, longest first, and the role each has."""
    roles: dict[str, str] = {}
    for role, phrases in _data()[language].items():
        if role != "small":
            for phrase in phrases.split("|"):
                roles.setdefault(phrase, role)
    longest = sorted(roles, key=len, reverse=True)
    spelled = "|".join(re.escape(p).replace(r"\~", r"\w*").replace("~", r"\w*") for p in longest)
    return re.compile(rf"(?<![\w-])(?:{spelled})(?![\w-])", re.I), roles


def exception_in(text: str) -> str:
    """The words of a sentence from what introduces its exception ("unless", "except") to the end of that clause, as they stand; "" where it has
    none."""
    flat = " ".join(text.split())
    pattern, roles = _phrases(language_of(flat))
    for match in pattern.finditer(flat):
        if roles.get(match[0].lower()) == "exception":
            rest = flat[match.start() :]
            end = re.search(r"[.;](?:\s|$)|[—:(]" if match.start() else r"[,.;](?:\s|$)|[—:(]", rest)
            return rest[: end.start() if end else len(rest)].strip(" ,")
    return ""


@cache
def _small(language: str) -> frozenset[str]:
    return frozenset(_data()[language]["small"].split())


@cache
def _grammar_of(language: str) -> frozenset[str]:
    """The small words of a language, its modal verbs among them."""
    return _small(language).union(*(_data()[language][role].split("|") for role in _MODAL))


@lru_cache(maxsize=4_096)
def language_of(text: str) -> str:
    """ "en", "de" or "fr", by the small words; English where nothing speaks for another."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(w in _grammar_of(name) for w in words) for name in ("en", "de", "fr")}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > counts["en"] else "en"


@lru_cache(maxsize=8_192)
def read_logic(text: str) -> Logic:
    """The sentence as its small words make it."""
    flat = " ".join(text.split())
    language = language_of(flat)
    words = tuple(_words(flat, language))
    stances = frozenset(_stances(words, language))
    return Logic(language, words, stances, frozenset(w.role for w in words if w.role))


def _words(text: str, language: str) -> list[Word]:
    pattern, roles = _phrases(language)
    text = re.sub(r"(?i)\b(ca|wo|do|does|did|is|are|was|were|must|should|has|have)n['’]t\b", r"\1 not", text).replace(
        "cannot", "can not"
    )
    found: list[Word] = []
    clause, at = 0, 0
    subordinate, relative = -1, -_RELATIVE_WORDS
    small = _small(language)

    def is_main() -> bool:
        return clause != subordinate and len(found) - relative >= _RELATIVE_WORDS

    def plain(stretch: str) -> None:
        nonlocal clause, relative
        for match in _TOKEN.finditer(stretch):
            token = match[0].lower()
            if token in _BREAKS:
                clause += 1
                continue
            relative = len(found) if token in _RELATIVE else relative
            found.append(Word(token, "small" if token in small else "", clause, is_main()))

    for match in pattern.finditer(text):
        plain(text[at : match.start()])
        phrase = match[0].lower()
        role = roles.get(phrase) or next(
            r for p, r in roles.items() if "~" in p and re.fullmatch(p.replace("~", r"\w*"), phrase)
        )
        if role == "permitted" and phrase == "may" and match[0] == "May":
            role = "" if match.start() and text != text.upper() else role
        subordinate = clause if role in ("condition", "exception", "until") and language == "en" else subordinate
        found.append(Word(phrase, role, clause, is_main()))
        at = match.end()
    plain(text[at:])
    return _with_infinitives(found) if language == "de" else found


def _with_infinitives(words: list[Word]) -> list[Word]:
    """ "Ist … zu melden" demands."""
    return [
        replace(word, role="needed")
        if word.text == "zu"
        and any(w.text in ("ist", "sind") and w.clause == word.clause for w in words[max(0, at - 20) : at])
        and at + 1 < len(words)
        and words[at + 1].text.endswith("n")
        else word
        for at, word in enumerate(words)
    ]


def _stances(words: Sequence[Word], language: str) -> list[Stance]:
    exclusive = any(w.role == "only" for w in words)
    excepted = any(w.role == "exception" for w in words) or (
        any(w.role == "negation" and w.text in ("without", "ohne", "sans") for w in words)
    )
    late = any(w.role == "until" for w in words) or any(w.role == "before" for w in words)
    found: list[Stance] = []
    modal = [at for at, word in enumerate(words) if word.role in _MODAL and not (at and words[at - 1].text == "longer")]
    for at in [at for at in modal if words[at].is_main] or modal:
        word = words[at]
        negated = _is_negated(words, at, language)
        if word.role == "required":
            stance = Stance.PROHIBITED if negated else Stance.REQUIRED
        elif word.role == "needed":
            french = language == "fr"
            stance = (Stance.PROHIBITED if french else Stance.RELEASED) if negated else Stance.REQUIRED
        elif word.role == "permitted":
            bounded = any(w.role == "bounding" and _COMPARES.match(w.text) and w.clause == word.clause for w in words)
            stance = Stance.PROHIBITED if negated else Stance.REQUIRED if bounded else Stance.PERMITTED
        elif word.role == "recommended":
            stance = Stance.RECOMMENDED
        elif word.role == "released":
            stance = Stance.REQUIRED if negated else Stance.RELEASED
        else:
            stance = Stance.PERMITTED if negated else Stance.PROHIBITED
        if stance is Stance.PROHIBITED and any(_UNDONE.match(w.text) for w in words[at + 1 : at + 5]):
            stance = Stance.REQUIRED
        if (stance is Stance.PROHIBITED and (excepted or late)) or (
            stance in (Stance.PERMITTED, Stance.STATED) and (exclusive or (negated and late))
        ):
            stance = Stance.EXCLUSIVE
        found.append(stance)
    if not found:
        negations = sum(w.role == "negation" and w.text not in ("without", "ohne", "sans") for w in words)
        if negations:
            found.append(Stance.EXCLUSIVE if excepted or exclusive else Stance.DENIED)
        else:
            found.append(Stance.EXCLUSIVE if exclusive else Stance.STATED)
    return found


_COMPARES = re.compile(r"not? (?:more|later|less|fewer|longer|older|earlier|higher|lower|exceed)")
_UNDONE = re.compile(r"un(?!der|til|less|ion|it)\w+ed$")
"""What must not stay undone is to be done."""
_DENY_SUBJECT = frozenset(
    "no none neither nobody nothing kein keine keiner keines niemand nichts aucun aucune rien personne".split()
) | {"no one"}


def _is_negated(words: Sequence[Word], at: int, language: str) -> bool:
    here = words[at].clause
    for word in words[at + 1 : at + 1 + _AHEAD[language]]:
        if word.clause != here:
            break
        if word.role in _MODAL and language == "en" and word.role != "needed":
            break
        if word.role == "negation" and word.text not in ("without", "ohne", "sans"):
            return True
    before = [w for w in words[max(0, at - 12) : at] if w.clause == here]
    if any(w.role == "negation" and w.text in _DENY_SUBJECT for w in before):
        return True
    last = max((i for i, w in enumerate(before) if w.role in _MODAL), default=-1)
    near = before[last + 1 :][-3:]
    return any(w.role == "negation" and w.text in ("not", "never", "nicht", "nie", "pas", "jamais") for w in near)


@cache
def _figure_words(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    words = dict(pair.split(":") for pair in _data()["figures"][language].split())
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})\b", re.I), words


def english_figures(text: str, language: str) -> str:
    """``text`` with the words of its quantities in English, for the one reader of quantities; English is as it was."""
    if language == "en":
        return text
    pattern, words = _figure_words(language)
    text = re.sub(r"(?<=\d)[.](?=\d{3}\b)", ",", text)
    text = re.sub(r"\b([ldn])['’](?=\w)", r"\1 ", text)
    return pattern.sub(lambda m: words[m[0].lower()].replace("_", " "), text)


@cache
def opposites() -> frozenset[frozenset[str]]:
    """Pairs of words that exclude each other."""
    return frozenset(frozenset(pair.split()) for pair in re.split(r"[|\n]", _data()["opposites"]["pairs"]))
