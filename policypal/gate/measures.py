"""A statement beside the sentences it cites, measured (C2b). Every measure is in [0, 1]."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from policypal.gate import cases, grammar
from policypal.gate.deeds import Deed, base_of, deeds_of
from policypal.gate.evidence import Cited, CitedText
from policypal.gate.figures import FigureCheck, check_figures, figures_of
from policypal.gate.parties import is_no_party, is_telling, other_actor, other_recipient, verb_likeness
from policypal.gate.words import (
    COVERED,
    covered_by,
    exclude_each_other,
    likest,
    same_party,
    stem_of,
    without_figures,
    words_of,
)
from policypal.gate.words import content_of as content_words
from policypal.search.terms import terms
from policypal.text.lexicon import is_action
from policypal.text.logic import Logic, read_logic
from policypal.text.modality import subject_of

_META = frozenset(
    terms(
        "article section paragraph rule regulation rulebook act policy instruction standard provision according under requires obliges says "
        "provide document edition page person thing case order way institution"
    )
)
"""Words that name the source rather than say what it says; they weigh little."""
_META_WEIGHT = 0.3
_HEADING = 0.9
"""What a heading says counts nearly like what the sentence says."""
_MAIN_SHARE = 0.75
"""Sentences that cover nearly as much of a statement as the best one decide about its force."""
_RELATED = 0.5
"""Those that say less than half as much are about something else."""
_LARGEST_GAP = 0.45
_UNCONDITIONAL = 0.6
"""From here on a condition is left out, which takes a permission or a release for granted."""
_ROW_LEAD = 0.05
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|must|shall|should|may|can|cannot|will|needs?|requires?|obliges?|sets?|says?|reserves?|bears?)\b",
    re.I,
)
_PHRASE = r"(?:the |an? |its |their |his |each |any )?(?P<words>[\w-]+(?: [\w-]+){0,2})"
_AGENT = re.compile(rf"\bby {_PHRASE}", re.I)
_COMPLEMENT = re.compile(rf"\b(?:to|from|with|at|into|under|on|upon|against) {_PHRASE}", re.I)
_NAME = re.compile(r"(?<![.!?:“\"] )(?<!^)\b[A-Z][\w-]+")
_IN_ORDER = re.compile(r"[^\W_]+(?:[-‑'’][^\W_]+)*")
_ARTICLES = frozenset("the a an of to in on its it their is are be by with for that this any such s".split())


@dataclass(frozen=True)
class Comparison:
    """One statement and what it cites. ``main`` are the cited sentences that are about the same thing."""

    statement: str
    cited: Cited

    @cached_property
    def said(self) -> Logic:
        return read_logic(self.statement)

    @cached_property
    def content(self) -> tuple[str, ...]:
        return content_words(self.statement)

    @property
    def texts(self) -> tuple[CitedText, ...]:
        return self.cited.texts

    @cached_property
    def named(self) -> str:
        """What the statement may call its sources."""
        return " ".join([self.cited.headings, self.cited.named, *(text.after for text in self.texts)])

    @cached_property
    def _covers(self) -> list[dict[str, float]]:
        return [covered_by(self.content, grammar.with_antecedent(text)) for text in self.texts]

    @cached_property
    def covered(self) -> dict[str, float]:
        """How far each word of the statement is said by any sentence or heading."""
        headings = covered_by(self.content, f"{self.cited.headings} {self.cited.named}")
        return {w: max(_HEADING * headings[w], *(c[w] for c in self._covers), 0.0) for w in self.content}

    def _share(self, covered: dict[str, float]) -> float:
        weights = {w: _META_WEIGHT if stem_of(w) in _META else 1.0 for w in self.content}
        return sum(weights[w] * covered[w] for w in self.content) / sum(weights.values()) if weights else 1.0

    @cached_property
    def shares(self) -> list[float]:
        """How much of the statement each sentence says."""
        return [self._share(covered) for covered in self._covers]

    @cached_property
    def main(self) -> list[CitedText]:
        return self.with_share(_MAIN_SHARE)

    def with_share(self, of_the_best: float) -> list[CitedText]:
        """The sentences that say so much of the statement as that share of what the best one says."""
        least = of_the_best * max(self.shares, default=0.0)
        return [text for text, share in zip(self.texts, self.shares, strict=True) if share >= least]

    @cached_property
    def figures(self) -> FigureCheck:
        return check_figures(self.statement, [t.text for t in self.texts], self.named, [t.quote for t in self.texts])

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        return deeds_of(self.statement)

    @cached_property
    def cited_deeds(self) -> list[Deed]:
        return [deed for text in self.texts for deed in deeds_of(text.text, text.before)]

    @cached_property
    def is_foreign(self) -> bool:
        """Whether the statement is in another language than all that it cites."""
        return bool(self.texts) and all(self.said.language != read_logic(t.text).language for t in self.texts)

    @cached_property
    def closeness(self) -> float:
        """How much of the statement stands in one sentence word for word and in its order: of a near copy every other word counts, of
        a free wording none."""
        ours = [stem_of(w) for w in _in_order(self.statement)]
        blocks = [
            SequenceMatcher(None, ours, [stem_of(w) for w in _in_order(t.text)], autojunk=False).get_matching_blocks()
            for t in self.main
        ]
        return max((sum(b.size for b in found) / len(ours) for found in blocks), default=0.0) if ours else 0.0

    @property
    def uncovered(self) -> list[str]:
        """The words that nothing cited says, in the statement's order."""
        return [w for w in self.content if self.covered[w] < COVERED and stem_of(w) not in _META]


def measure(statement: str, cited: Cited) -> dict[str, float]:
    """What speaks for and against a statement, by name; see ``weights.toml`` for what each weighs."""
    comparison = Comparison(statement, cited)
    values = {**_of_grammar(comparison), **_of_figures(comparison)}
    if not comparison.is_foreign and not (grammar.is_absence(comparison.said) and not values["altered"]):
        values |= _of_words(comparison)
    return {name: float(value) for name, value in values.items()}


def _of_grammar(c: Comparison) -> dict[str, float]:
    said, main, texts = c.said, c.main, c.texts
    altered = grammar.is_altered_copy(said, texts)
    absence = not altered and grammar.is_absence(said)
    forced = not absence and grammar.other_force(
        c.statement, said, main, c.with_share(_RELATED), is_near=c.closeness >= _NEAR
    )
    logics = [grammar.logic_of(text) for text in main]
    universal = "universal" in said.roles
    limiting = {"condition", "exception", "only"}
    return {
        "altered": altered,
        "forced": forced,
        "denied": not absence and grammar.affirms_denied(said, logics),
        "universal": universal and not any("universal" in read_logic(f"{t.text} {t.headings}").roles for t in main),
        "sweeping": (universal and any(x.roles & limiting for x in logics))
        or (
            bool(said.stances & grammar.LEAVE) and cases.dropped_condition(said.roles, c.content, main) > _UNCONDITIONAL
        ),
        "unlimited": any("only" in read_logic(t.text).roles for t in grammar.nearest_clauses(c.statement, main))
        and not grammar.is_limited(said)
        and "needed" not in said.roles,
        "exception": not absence and any(grammar.drops_exception(said, t) for t in main),
        "condition": cases.dropped_condition(said.roles, c.content, main),
        "time": grammar.turns_time(said, texts),
        "either": grammar.mixes_alternatives(c.statement, main),
        "kind": grammar.binds_nobody(said, main),
        "reported": grammar.is_reported(said, main),
        "past": grammar.is_no_longer(c.statement, said, main),
    }


def _of_figures(c: Comparison) -> dict[str, float]:
    every = [grammar.logic_of(text) for text in c.texts]
    return {
        "missing": bool(c.figures.missing),
        "turned": bool(c.figures.turned) and not grammar.bounds_are_turned(c.said, every),
        "elsewhere": _figures_elsewhere(c),
        "opposite": _says_opposite(c),
        "actor": other_actor(c.deeds, c.cited_deeds),
        "party": _is_new_party(c),
        "recipient": other_recipient(c.deeds, c.cited_deeds),
        "replaced": max(_replaced(c), default=0.0) * c.closeness**2,
    }


def _of_words(c: Comparison) -> dict[str, float]:
    return {
        "far": max(0.0, 1 - c._share(c.covered) - _LARGEST_GAP) * 2,
        "denies": grammar.denies_unknown(c.said, c.covered),
        "agent": _names_other(c, _AGENT),
        "complement": _names_other(c, _COMPLEMENT),
        "run": _longest_run(c),
        "verb": _verb_uncovered(c),
        "name": _other_name(c),
    }


def _figures_elsewhere(c: Comparison) -> float:
    """How much better another sentence says the statement than those its figures stand in; in a table it is another row."""
    if not c.figures.places:
        return 0.0
    if all(cases.is_of_another_case(figures_of(c.statement), c.content, c.texts[n]) for n in c.figures.places):
        return 1.0
    lead = max(c.shares) - max(c.shares[n] for n in c.figures.places)
    rows = [c.texts[n] for n in (*c.figures.places, c.shares.index(max(c.shares)))]
    of_other_row = lead > _ROW_LEAD and all(" | " in text.text for text in rows)
    return 1.0 if of_other_row else lead


def _says_opposite(c: Comparison) -> bool:
    """Whether the statement has a word whose opposite, and not itself, is cited; a negation may turn it back."""
    if "negation" in c.said.roles:
        return False
    held = {stem_of(w) for t in c.texts for w in words_of(t.text)}
    ours = {stem_of(w) for w in c.content} - held
    held -= {stem for t in c.texts for stem in grammar.denied(grammar.logic_of(t))}
    return any(exclude_each_other(one, other) for one in ours for other in held)


def _is_new_party(c: Comparison) -> bool:
    """Whether somebody acts in the statement of whom no sentence or heading it cites has a word, where these bind somebody else."""
    subject, acts = subject_of(c.statement)
    own = [w for w in words_of(subject) if stem_of(w) not in _META]
    if not acts or not own or is_no_party(own) or grammar.is_absence(c.said):
        return False
    held = words_of(f"{c.cited.headings} {c.cited.named} {' '.join(t.text for t in c.texts)}")
    others = any(deed.by for deed in c.cited_deeds) or any(t.party and not deeds_of(t.text) for t in c.main)
    return others and not any(same_party(word, other) for word in own for other in held)


def _in_order(text: str) -> list[str]:
    return [w for w in _IN_ORDER.findall(text.lower()) if w not in _ARTICLES]


_LEAST_RATIO = 0.35
_NEAR = 0.5
"""So much of a statement in the words and order of a sentence says which of its clauses it repeats."""


def _replaced(c: Comparison) -> Iterator[float]:
    """Of words that stand in the place of others, between the same neighbours, how little anything there is like them."""
    ours = _in_order(c.statement)
    for text in c.main:
        theirs = _in_order(text.text)
        matcher = SequenceMatcher(None, [stem_of(w) for w in ours], [stem_of(w) for w in theirs], autojunk=False)
        if matcher.ratio() < _LEAST_RATIO:
            continue
        for kind, start, end, there, until in matcher.get_opcodes():
            new = [w for w in ours[start:end] if terms(w) and not w[0].isdigit() and not is_action(base_of(w))]
            if kind == "replace" and end - start < 4 and until - there < 5 and new:
                stems = {stem_of(w) for w in theirs}
                yield max((1 - likest(w, theirs[there:until]) for w in new if stem_of(w) not in stems), default=0.0)


def _verb_uncovered(c: Comparison) -> bool:
    """Whether nothing cited says what is done, nor enough of the other words, titles aside."""
    held = [w for t in c.texts for w in words_of(t.text)] + list(words_of(c.cited.headings))
    verbs = [d.verb for d in c.deeds if is_telling(d.verb)]
    if not verbs or c.said.language != "en" or not any(_VERB.search(t.text) or deeds_of(t.text) for t in c.texts):
        return False
    if any(max((verb_likeness(v, w) for w in held), default=0.0) >= COVERED for v in verbs):
        return False
    return c._share(c.covered) < _ENOUGH


_ENOUGH = 0.6


def _names_other(c: Comparison, pattern: re.Pattern[str]) -> bool:
    """Whether a party or thing behind a preposition stands nowhere in what is cited."""
    for match in pattern.finditer(c.statement):
        words = [w for w in words_of(match["words"]) if w in c.covered and stem_of(w) not in _META]
        if words and c.covered[words[0]] < COVERED and all(c.covered[w] < 0.6 for w in words[:2]):
            return True
    return False


def _longest_run(c: Comparison) -> float:
    """How long the longest row of words is that nothing says, in a statement whose other words are said."""
    longest = run = 0
    for word in c.content:
        run = run + 1 if c.covered[word] < COVERED else 0
        longest = max(longest, run)
    rest = sorted(c.covered.values())[longest:]
    return min(longest, 4) / 4 * (sum(rest) / len(rest)) ** 2 if longest > 1 and rest else 0.0


def _other_name(c: Comparison) -> bool:
    """Whether the statement names or addresses somebody who stands nowhere in what is cited; German writes every noun large."""
    held = f"{c.named} {' '.join(t.text for t in c.texts)}"
    known = {stem_of(w) for w in words_of(held)} | {w.lower() for w in re.findall(r"[\w-]+", held)}
    initials = "".join(w[0] for w in _IN_ORDER.findall(held.lower()))
    if re.search(r"\byour?\b", c.statement, re.I) and not {"you", "your"} & known:
        return True
    if c.statement.isupper() or c.said.language == "de":
        return False
    found = _NAME.findall(without_figures(c.statement))
    names = [n.lower() for n in found if not n[1:].isdigit() and not (n.isupper() and n.lower() in initials)]
    return any(n not in known and stem_of(n) not in known and stem_of(n) not in _META for n in names)
