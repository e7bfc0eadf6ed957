"""Who does what in a sentence: every verb with whoever acts, in the active, the passive or behind "requires … to" (C2b).

English; of a sentence in another language whoever stands before its first modal verb.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from policypal.gate.words import stem_of, without_figures, words_of
from policypal.text.lexicon import is_action
from policypal.text.logic import language_of, read_logic

_TOKEN = re.compile(r"[^\W\d_]+(?:[-‑/&][^\W\d_]+)*(?:['’]s\b)?|[,;:.?!()—–|]")
_MARK = re.compile(r":?\s*\((?:[a-z]|[ivx]+)?\)\s*", re.I)
_ASIDE = re.compile(
    r",? (?:where|if|as|when) (?:applicable|any|possible|appropriate|necessary|relevant|feasible|designated|required)\b,?",
    re.I,
)
_MODAL = frozenset("must shall should may can cannot could might will would need ought".split())
_BE = frozenset("is are was were be been being am".split())
_AUXILIARY = frozenset(
    "not never only also be been being have has had do does did to always immediately already required obliged obligated allowed permitted "
    "entitled expected encouraged advised recommended bound responsible for still then itself themselves need nevertheless nonetheless therefore thereby instead likewise otherwise".split()
)
_CAUSES = frozenset(
    "require oblige allow permit let enable mandate instruct order expect bar prohibit forbid prevent ban exempt stop preclude".split()
)
_PREPOSITIONS = frozenset(
    "of in on for to with at by from under into about against within without after before during through between among upon until over "
    "above below than as regarding concerning including per via towards".split()
)
_SUBORDINATES = frozenset(
    "where when whenever if unless because although while whereas that whether once until since how why".split()
)
_RELATIVES = frozenset("who which that whom whose".split())
_DETERMINERS = frozenset(
    "the a an its their his her each every any all no this that these those such another both either neither only".split()
)
_ARTICLES = frozenset("the a an its their his her".split())
_BEHIND_A_VERB = frozenset("to with into on at".split())
_PRONOUNS = frozenset("it they he she them him you we i".split())
_JOINS = frozenset("and or but nor".split())
_IRREGULAR = frozenset(
    "made given kept held taken sent written put shown drawn set done built borne begun bound brought chosen drawn found known laid led left "
    "met paid read heard said seen sold spent sought taught told understood withdrawn overseen undertaken withheld".split()
)
_TELLS = frozenset("notify inform tell told alert advise warn".split())
_TIMES = frozenset(
    "end day date deadline week month quarter year time hour means way virtue default law close start".split()
)


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb and whoever acts: several where they are joined, none where the sentence does not say. ``of`` is who or what the
    verb is done to or said of, where the passive puts it first, ``to`` to whom it is done, ``what`` the words of content of what it is done to."""

    verb: str
    by: tuple[tuple[str, ...], ...]
    of: tuple[tuple[str, ...], ...] = ()
    to: tuple[tuple[str, ...], ...] = ()
    what: frozenset[str] = frozenset()


@lru_cache(maxsize=8_192)
def deeds_of(text: str, before: str = "") -> tuple[Deed, ...]:
    """The deeds of a text, in its order. ``before`` is the sentence that its first "it" or "they" stands for somebody of."""
    if language_of(text) != "en":
        return _first_deed(text)
    tokens = _TOKEN.findall(_ASIDE.sub(" ", _MARK.sub(" ", without_figures(text))))
    last: tuple[tuple[str, ...], ...] = ()
    if before:
        last = next(((d.by or d.of) for d in deeds_of(before) if d.by or d.of), ())
    return tuple(_deeds(tokens, last))


def _first_deed(text: str) -> tuple[Deed, ...]:
    """Who stands before the first modal verb, in a language whose verbs are not read."""
    all_words = read_logic(text).words
    modal = next((w for w in all_words if w.role in ("required", "needed", "permitted", "recommended")), None)
    clause = [w for w in all_words if modal and w.clause == modal.clause]
    if any(w.text in _PASSIVE_ELSEWHERE for w in clause):
        return ()
    at = clause.index(modal) if modal else 0
    words = [w.text for w in clause[:at] if words_of(w.text) and w.role not in ("small", "universal")]
    return (Deed(clause[-1].text, (tuple(words),)),) if words and at < len(clause) - 1 else ()


_PASSIVE_ELSEWHERE = frozenset("werden wird worden zu von durch être été par".split())


def _deeds(tokens: Sequence[str], last: tuple[tuple[str, ...], ...]) -> Iterator[Deed]:
    low = [t.lower() for t in tokens]
    behind = 0
    at = 0
    while at < len(low):
        verb_at, passive = _verb_group(low, at)
        if verb_at is None:
            at += 1
            continue
        subject, said = _subject(low, behind, at, last)
        last = subject if said else last
        verb = low[verb_at]
        by = _agents(low, verb_at + 1) if passive else subject
        of = subject if passive else ()
        what = (
            [w for p in of for w in p] if passive else [w for w in _phrase(low, verb_at + 1) if w not in _DETERMINERS]
        )
        to = _recipients(low, verb_at, of)
        yield Deed(verb, by, of, to, frozenset(stem_of(w) for w in what if words_of(w)))
        if base_of(verb) in _CAUSES and not passive:
            caused = _caused(low, verb_at)
            if caused:
                yield caused
        behind, at = verb_at + 1, verb_at + 1
    yield from _participles(low)


def _verb_group(low: Sequence[str], at: int) -> tuple[int | None, bool]:
    """Where the verb is of the group that begins at ``at``, and whether it is passive; None where none begins."""
    word = low[at]
    if word in _MODAL or word in _BE or (word in ("has", "have", "had", "does", "do") and at + 1 < len(low)):
        here, be = at, word in _BE
        here += 1
        while here < min(len(low), at + 8) and (low[here] in _AUXILIARY or low[here].endswith("ly")):
            be = low[here] in _BE or (be and low[here] != "to")
            here += 1
        if (
            here >= len(low)
            or not low[here][0].isalpha()
            or low[here] in _DETERMINERS | _PREPOSITIONS | _SUBORDINATES | _PRONOUNS
        ):
            return None, False
        return here, be and _is_participle(low[here])
    if _is_plain_verb(low, at):
        return at, False
    return None, False


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _IRREGULAR


def base_of(word: str) -> str:
    for cut, add in (("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("d", "")):
        if word.endswith(cut) and is_action(word[: len(word) - len(cut)] + add):
            return word[: len(word) - len(cut)] + add
    return word.removesuffix("s")


def _is_plain_verb(low: Sequence[str], at: int) -> bool:
    """Whether a word is a verb without an auxiliary: "the committee reviews the register"."""
    word = low[at]
    if at == 0 or word.endswith(("ed", "ing")):
        return False
    left, right = low[at - 1], low[at + 1] if at + 1 < len(low) else "."
    if (
        not is_action(base_of(word))
        and not (word.endswith("s") and right in _DETERMINERS - {"such"} and _is_only_verb(low, at))
        and left not in _RELATIVES
    ):
        return False
    if left in _RELATIVES and (is_action(base_of(word)) or word.endswith("s")):
        return True
    if word.endswith("s") and base_of(word) in _CAUSES and left not in _DETERMINERS and _caused(low, at):
        return True
    if (
        left.endswith(("'s", "’s"))
        or left in _PREPOSITIONS | _DETERMINERS | _MODAL | _BE | _AUXILIARY
        or not left[0].isalpha()
    ):
        return False
    if word.endswith("s") and right[0].isalpha() and right not in _MODAL | _BE | _AUXILIARY and _is_only_verb(low, at):
        return True
    return right in _DETERMINERS | _SUBORDINATES | _BEHIND_A_VERB or right.endswith("ly")


def _is_only_verb(low: Sequence[str], at: int) -> bool:
    """Whether the clause around a word has no auxiliary that would be its verb."""
    ends = ",;:.?!()—–|"
    start = max((i for i in range(at) if low[i] in ends or low[i] in _SUBORDINATES | _RELATIVES), default=-1)
    end = next((i for i in range(at, len(low)) if low[i] in ends or low[i] in _SUBORDINATES | _RELATIVES), len(low))
    return not any(w in _MODAL | _BE | {"has", "have", "had"} for w in low[start + 1 : end])


def _subject(
    low: Sequence[str], behind: int, at: int, last: tuple[tuple[str, ...], ...]
) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Who stands before the verb group at ``at``, of the words since ``behind``; and whether the sentence says it there."""
    words = list(low[behind:at])
    if words and words[-1] in _RELATIVES:
        words = words[:-1]
        words = words[:-1] if words and words[-1] == "," else words
        cut = max(
            (i for i, w in enumerate(words) if w in _PREPOSITIONS | _DETERMINERS or not w[0].isalpha()), default=-1
        )
        return _parties(words[cut + 1 :]), False
    if words and words[-1] == ",":  # "the provider, where it can, must"
        inner = len(words) - 2 - next((i for i, w in enumerate(reversed(words[:-1])) if w == ","), len(words))
        words = words[:inner] if inner > 0 else words[:-1]
    start = max(
        (i + 1 for i, w in enumerate(words) if not w[0].isalpha() or w in _SUBORDINATES | _RELATIVES), default=0
    )
    is_relative = start > 0 and words[start - 1] in _RELATIVES - {"that"}
    words = words[start:]
    if behind and start == 0:  # behind another verb of this clause: what is joined to it
        joined = max((i for i, w in enumerate(words) if w in _JOINS), default=-1)
        if joined < 0:
            return (), False
        words = words[joined + 1 :]
    if words and words[0].endswith("ing"):  # "before issuing directions the board must"
        words = words[max((i for i, w in enumerate(words) if w in _ARTICLES), default=0) :]
    if not words or all(w in _JOINS for w in words):
        return last, False
    if words[-1] in _PRONOUNS or words[0] in _PRONOUNS:
        begins = not behind or (start and low[behind + start - 1] in ".?!")
        return (last if begins else ()), False  # within a sentence "it" may be anybody
    return _parties(words), not is_relative


def _agents(low: Sequence[str], at: int) -> tuple[tuple[str, ...], ...]:
    """Who stands behind "by", up to the next verb or the end of the clause."""
    for here in range(at, min(len(low), at + 25)):
        if low[here] == "by":
            found = _parties(_phrase(low, here + 1, joined=True))
            if found and not any(p[-1] in _TIMES or p[0].endswith("ing") for p in found):
                return found
    return ()


def _recipients(low: Sequence[str], at: int, told: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Who is told or gets something: behind "to", and what "notify" and the like are done to."""
    found = (told or _parties(_phrase(low, at + 1, joined=True))) if base_of(low[at]) in _TELLS else ()
    for here in range(at + 1, min(len(low), at + 30)):
        if low[here] in ";:.?!|" or low[here] in _MODAL | _BE | _SUBORDINATES | _RELATIVES:
            break
        if low[here] == "to" and not is_action(low[here + 1] if here + 1 < len(low) else ""):
            found += _parties(_phrase(low, here + 1, joined=True))
    return found


def _phrase(low: Sequence[str], at: int, *, joined: bool = False) -> list[str]:
    """The noun phrase that begins at ``at``; with those that "and" joins to it, unless a verb stands behind the "and"."""
    words: list[str] = []
    for here in range(at, min(len(low), at + 12)):
        word = low[here]
        if not word[0].isalpha() or word in _PREPOSITIONS | _SUBORDINATES | _RELATIVES | _MODAL | _BE:
            break
        if words and word in ("no", "not", "less", "more"):
            break
        if word in _JOINS:
            following = low[here + 1 : here + 3]
            is_verb = bool(following) and (_is_participle(following[0]) or is_action(base_of(following[0])))
            if not joined or (is_verb and (len(following) < 2 or following[1] in _DETERMINERS | _PREPOSITIONS)):
                break
        words.append(word)
    return words


def _caused(low: Sequence[str], at: int) -> Deed | None:
    """ "Requires the bank to notify", "bars managers from dealing"."""
    words: list[str] = []
    whole = False
    for here in range(at + 1, min(len(low), at + 16)):
        word = low[here]
        if word in ("to", "from") and here + 1 < len(low):
            return Deed(low[here + 1], _parties(words)) if words else None
        if not word[0].isalpha():
            return None
        whole = whole or word in _RELATIVES | _PREPOSITIONS  # "obliges a bank whose ratio falls to"
        words += [] if whole else [word]
    return None


def _participles(low: Sequence[str]) -> Iterator[Deed]:
    """ "A permit signed by the supervisor": passives without "is"."""
    for at, word in enumerate(low[:-2]):
        if _is_participle(word) and low[at + 1] == "by" and not (at and low[at - 1] in _BE | _AUXILIARY):
            by = _agents(low, at + 1)
            if by:
                yield Deed(word, by)


def _parties(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The noun phrases that words join, each without what hangs on it: "the head of the unit and the board" is two."""
    found: list[tuple[str, ...]] = []
    phrase: list[str] = []
    for word in [*words, "and"]:
        if word in _JOINS or word in _PREPOSITIONS or not word[0].isalpha():
            kept = tuple(
                w.removesuffix("'s").removesuffix("’s")
                for w in phrase
                if w not in _DETERMINERS and words_of(w) and not (w.endswith("ly") and len(phrase) > 1)
            )
            while len(kept) > 1 and kept[-1].endswith("ed"):  # "the persons concerned"
                kept = kept[:-1]
            if kept:
                found.append(kept)
            phrase = []
            if word == "than" and found:  # "apprentices younger than"
                found[-1] = found[-1][:-1] or found[-1]
        else:
            phrase.append(word)
    return tuple(found)
