"""What the small words of a statement do against those of what it cites: force, denial, exceptions, alternatives, time (C2b).

Every measure is in [0, 1]; 0 says that nothing speaks against the statement.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from policypal.domain.provisions import Kind
from policypal.gate.deeds import deeds_of
from policypal.gate.evidence import CitedText
from policypal.gate.figures import figures_of, plain_figures
from policypal.gate.words import COVERED, content_of, covered_by, exclude_each_other, likest, stem_of, without_figures
from policypal.search.terms import terms
from policypal.text.logic import Logic, Stance, read_logic

_STRONG = 0.8
"""From here on another force is another statement."""
_ORDER = [
    Stance.REQUIRED, Stance.RECOMMENDED, Stance.PERMITTED, Stance.RELEASED, Stance.PROHIBITED, Stance.EXCLUSIVE, Stance.DENIED, Stance.STATED,
]  # fmt: skip
_AGAINST: dict[Stance, tuple[float, ...]] = {
    Stance.REQUIRED: (0, 1, 1, 1, 1, 0.2, 0.6, 0.2),
    Stance.RECOMMENDED: (0.6, 0, 1, 1, 1, 0.8, 1, 0.6),
    Stance.PERMITTED: (0.9, 0.9, 0, 0.3, 1, 0.4, 0.9, 0.4),
    Stance.RELEASED: (1, 0.1, 0.3, 0, 1, 0.6, 0.3, 0.6),
    Stance.PROHIBITED: (0.9, 0.9, 1, 0.9, 0, 0.3, 0.1, 0.9),
    Stance.EXCLUSIVE: (0.4, 0.8, 0.7, 0.8, 0.3, 0, 0.4, 0.5),
    Stance.DENIED: (0.8, 0.8, 0.8, 0.1, 0.1, 0.3, 0, 0.7),
    Stance.STATED: (0.1, 0.5, 0.4, 0.8, 0.9, 0.4, 0.8, 0),
}
"""How much a cited sentence of each force, in :data:`_ORDER`, speaks against a statement of the force that is the key."""
_REMARK = re.compile(r"^\W*(?:guidance|note|example|recital)\b", re.I)
_WAS = re.compile(r"\b(?:was|were|had)\b")
_PAST = re.compile(r"\b(?:was|were|had|required|could|bore|applied|used to)\b", re.I)
_BOUND_ONCE = re.compile(
    r"\b(?:had to|(?:was|were) (?:\w+ )?(?:required|obliged|allowed|permitted|prohibited|forbidden|entitled) to)\b",
    re.I,
)
_NOT_A_VERB = frozenset({"without", "ohne", "sans", "nor", "neither"})
LEAVE = {Stance.PERMITTED, Stance.RELEASED}
_BINDING = {Stance.REQUIRED, Stance.PROHIBITED, Stance.PERMITTED, Stance.EXCLUSIVE}


def logic_of(text: CitedText) -> Logic:
    """The logic of a cited sentence; an imperative demands."""
    logic = read_logic(text.text)
    demands = {Stance.REQUIRED, Stance.PROHIBITED, Stance.EXCLUSIVE, Stance.DENIED}
    if text.kind is Kind.OBLIGATION and not logic.stances & demands:
        kept = logic.stances - {Stance.STATED, Stance.PERMITTED}
        return Logic(logic.language, logic.words, frozenset({Stance.REQUIRED}) | kept, logic.roles)
    return logic


def other_force(
    statement: str, said: Logic, main: Sequence[CitedText], texts: Sequence[CitedText], *, is_near: bool
) -> bool:
    """Whether the statement obliges, permits, releases or forbids where its sentences, or the clause its figures stand in, do not. Only of a
    statement that ``is_near`` in its wording can anybody tell which clause it repeats; a free one is held against all of them."""
    clauses = [read_logic(clause) for text in main for clause in _clauses_of_figures(statement, text)]
    if any(_against(said, [clause]) >= _STRONG for clause in clauses):
        return True
    for clause in [own for own in _CLAUSES.split(statement) if len(content_of(own)) > 1] or [statement]:
        logic = read_logic(clause)
        nearest = nearest_clauses(clause, texts) if len(logic.stances) == 1 else []
        nearest = nearest if is_near and nearest else [*nearest, *texts]
        if _against(logic, [x for x in _logics(nearest, texts) if not _denies_opposite(said, x)]) >= _STRONG:
            return True
    return False


def _logics(clauses: Sequence[CitedText], whole: Sequence[CitedText]) -> list[Logic]:
    """What each says; only a whole sentence is the imperative that its kind says."""
    return [logic_of(clause) if clause in whole else read_logic(clause.text) for clause in clauses]


def _denies_opposite(said: Logic, cited: Logic) -> bool:
    """Whether one denies the opposite of what the other affirms: "must decline" and "must not accept"."""
    ours, theirs = ({stem_of(w) for w in x.content} for x in (said, cited))
    if said.is_negative:
        return not cited.is_negative and any(exclude_each_other(a, b) for a in denied(said) for b in theirs - ours)
    return cited.is_negative and any(exclude_each_other(a, b) for a in ours - theirs for b in denied(cited))


_PRONOUN = re.compile(r"^\W*(?:\(?\w{1,4}[.)]\s*)?(?:it|they|this|these|he|she|such)\b", re.I)


def with_antecedent(text: CitedText) -> str:
    """A sentence that begins with "it" or "they", with whom it is about."""
    if not _PRONOUN.match(text.text):
        return text.text
    about = next((deed.by or deed.of for deed in deeds_of(text.before) if deed.by or deed.of), ())
    return f"{text.text} {' '.join(word for party in about for word in party)}"


def nearest_clauses(statement: str, main: Sequence[CitedText]) -> list[CitedText]:
    """The clauses of cited sentences that are about what the statement is about: "A must do this and must not do that" are two."""
    clauses = [
        replace(text, text=clause) for text in main for clause in _CLAUSES.split(text.text) if clause.strip(" .,;")
    ]
    content = content_of(statement)
    shares = [sum(covered_by(content, with_antecedent(clause)).values()) for clause in clauses]
    return [clause for clause, share in zip(clauses, shares, strict=True) if share >= _NEAR * max(shares)]


_NEAR = 0.75
"""Clauses that cover nearly as much of a statement as the best one."""
_CLAUSES = re.compile(
    r";|, but\b|\balthough\b|\bwhile\b|\bwhereas\b|,? (?:and|or|but) (?=(?:shall|must|may|should|can|cannot|will|has to|have to|is|are)\b)",
    re.I,
)


def _against(said: Logic, logics: Sequence[Logic]) -> float:
    """The worst of the statement's forces against the best of the cited ones."""
    held = {_ORDER.index(stance) for logic in logics for stance in logic.stances}
    return max((min(_AGAINST[own][other] for other in held) for own in said.stances), default=0.0) if held else 0.0


def _clauses_of_figures(statement: str, text: CitedText) -> list[str]:
    """The later clauses of a sentence that hold every figure of the statement."""
    figures = figures_of(statement)
    later = _CLAUSES.split(text.text)[1:] if figures else []
    return [
        c for c in later if all(any(f.kind is q.kind and f.value == q.value for q in figures_of(c)) for f in figures)
    ]


_COPY = 0.75
"""So much of a statement word for word in one sentence makes it a copy, in which every small word counts."""
_DECISIVE = frozenset(
    "negation required recommended permitted prohibited released only exception before after bounding".split()
)
_WITH_NEGATION = {"required": "prohibited", "permitted": "prohibited", "needed": "released"}


def is_altered_copy(said: Logic, texts: Sequence[CitedText]) -> bool:
    """Whether the statement is a copy of one cited sentence but for a small word that decides what it says."""
    copies = []
    for text in texts:
        cited = read_logic(text.text)
        alike = said.stances == cited.stances == {Stance.EXCLUSIVE}  # "may only once" and "may not until"
        if "needed" in said.roles - cited.roles and Stance.EXCLUSIVE in cited.stances:
            continue  # "needs a permit" and "not without a permit"
        theirs = _keys(cited)
        ours = _keys(said)
        if said.stances <= {Stance.REQUIRED, Stance.STATED} and logic_of(text).stances <= {
            Stance.REQUIRED,
            Stance.STATED,
        }:  # imperatives, what is done
            ours, theirs = ([key for key in keys if key != "=required"] for keys in (ours, theirs))
        codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        equal = [n for n, code in enumerate(codes) if code[0] == "equal"]
        if equal and sum(codes[n][2] - codes[n][1] for n in equal) >= _COPY * len(ours):
            differing = [
                c for n, c in enumerate(codes) if c[0] != "equal" and (c[1] < c[2] or equal[0] < n < equal[-1])
            ]
            new = sum((_roles_in(ours[a:b]) for _, a, b, _, _ in differing), Counter[str]())
            old = sum((_roles_in(theirs[c:d]) for _, _, _, c, d in differing), Counter[str]())
            moved = any(
                _roles_in(ours[a:b])["=negation"] != _roles_in(theirs[c:d])["=negation"] for _, a, b, c, d in differing
            )
            copies.append((new != old or moved) and not (alike and {"=only", "=exception"} & (new.keys() | old.keys())))
    return bool(copies) and all(copies)


def _keys(logic: Logic) -> list[str]:
    """The words as they are compared: by stem, those of grammar by what they do; "may not" and "must not" are one."""
    keys: list[str] = []
    waiting: tuple[int, int, int] | None = (
        None  # where a negation stands, its clause, and up to which word its verb may follow
    )
    for at, word in enumerate(logic.words):
        if word.text in ("a", "an", "the"):
            continue
        if waiting and (word.clause != waiting[1] or at > waiting[2] or word.role == "negation"):
            keys.insert(waiting[0], "=negation")
            waiting = None
        if word.role == "negation" and keys and keys[-1].removeprefix("=") in _WITH_NEGATION:
            keys[-1] = f"={_WITH_NEGATION[keys[-1].removeprefix('=')]}"
        elif word.text in _AHEAD:
            waiting = (len(keys), word.clause, at + _AHEAD[word.text])
        elif waiting and word.role in _WITH_NEGATION:
            keys.append(f"={_WITH_NEGATION[word.role]}")
            waiting = None
        else:
            keys.append(f"={word.role}" if word.role not in ("", "small") else stem_of(word.text))
    if waiting:
        keys.insert(waiting[0], "=negation")
    return ["=required" if key == "=needed" else key for key in keys]


_AHEAD = {"no": 12, "not": 2, "never": 2}
"""So many words behind a negation its verb may stand: "no approval of the board is needed"."""


def _roles_in(keys: Sequence[str]) -> Counter[str]:
    return Counter(key for key in keys if key.removeprefix("=") in _DECISIVE and key.startswith("="))


def bounds_are_turned(said: Logic, logics: Sequence[Logic]) -> bool:
    """Whether a turned bound says the same because the force is turned as well: "above 10,000 must", "below 10,000 need not"."""
    if "negation" in said.roles and Stance.REQUIRED in said.stances:
        return True  # "none may wait for more than an hour"
    if said.is_negative:
        return any(not logic.is_negative for logic in logics)
    return bool(logics) and all(logic.is_negative for logic in logics)


def affirms_denied(said: Logic, logics: Sequence[Logic]) -> bool:
    """Whether the statement says a word that is denied where it cites."""
    if Stance.EXCLUSIVE in said.stances or said.is_negative:
        return False
    ours = {stem_of(word) for word in said.content}
    return any(denied(logic) & ours for logic in logics if Stance.EXCLUSIVE not in logic.stances)


def denies_unknown(said: Logic, covered: dict[str, float]) -> bool:
    """Whether what the statement denies stands nowhere, so that nobody can tell what its denial says."""
    unknown = {stem_of(word) for word, share in covered.items() if share < COVERED}
    return said.stances == {Stance.DENIED} and bool(denied(said) & unknown)


def denied(logic: Logic) -> set[str]:
    """The stems of the first words of content behind each negation."""
    found = set()
    for at, word in enumerate(logic.words):
        if word.role == "negation" and word.text not in _NOT_A_VERB:
            behind = (w.text for w in logic.words[at + 1 : at + 6] if not w.role and w.clause == word.clause)
            found.add(stem_of(next(behind, "")))
    return found - {""}


_NOT = frozenset({"not", "n't"})


def is_absence(said: Logic) -> bool:
    """Whether the statement says what its source does not say ("sets no deadline", "does not name a fine")."""
    for at, word in enumerate(said.words):
        before, after = said.words[max(0, at - 5) : at], said.words[at + 1 : at + 4]
        denied = any(w.role == "negation" for w in before) or any(
            w.role == "negation" and w.text not in _NOT for w in after
        )
        if word.role == "reports" and denied and not any(w.role in _DECISIVE - {"negation"} for w in before):
            return True
    return False


def drops_exception(said: Logic, text: CitedText) -> bool:
    """Whether the cited sentence has an exception and the statement none, nor a condition with words of it."""
    cited = read_logic(text.text)
    if "exception" not in cited.roles or said.roles & {"exception", "released"}:
        return False
    limits = said.roles & {"condition", "only"} or Stance.EXCLUSIVE in said.stances
    return not (limits and _says_exception(said, cited))


def _says_exception(said: Logic, cited: Logic) -> bool:
    """Whether most words of the cited exception stand in the statement, whose condition turns it round: "if the law does not …"."""
    at = next(n for n, word in enumerate(cited.words) if word.role == "exception")
    clause = cited.words[at].clause
    words = [w.text for w in cited.words[at + 1 :] if w.clause == clause and not w.role and terms(w.text)]
    return bool(words) and sum(likest(w, said.content) >= COVERED for w in words) * 2 >= len(words)


def is_limited(logic: Logic) -> bool:
    """Whether a sentence holds under a condition or for somebody only."""
    return Stance.EXCLUSIVE in logic.stances or bool(logic.roles & {"only", "exception"})


def turns_time(said: Logic, texts: Sequence[CitedText]) -> bool:
    """Whether the statement says before where after is cited, or the other way round."""
    held = _roles(texts)
    return ("before" in said.roles and "before" not in held) or (
        "after" in said.roles and "after" not in held and "before" in held
    )


def mixes_alternatives(statement: str, main: Sequence[CitedText]) -> float:
    """Whether one side joins what the other offers as alternatives: in full where both alternatives stand in the statement."""
    said = read_logic(without_figures(statement))
    logics = [read_logic(without_figures(text.text)) for text in main]
    held = frozenset[str]().union(*(logic.roles for logic in logics))
    if "both" in said.roles and "either" not in said.roles and "either" in held:
        return 1.0 if any(_joins(said, logic, "either") for logic in logics) else 0.5 * ("both" not in held)
    plain = plain_figures(statement)
    if any(re.search(r"\bor\W+(?:[a-z]+ ){0,2}$", plain[: f.start]) for f in figures_of(statement)):
        return 0.0  # "six years, or ten where …": of two cases
    if said.is_negative and any(logic.is_negative for logic in logics):
        return 0.0  # neither one nor the other
    if "either" in said.roles and "both" not in said.roles and "either" not in held and "both" in held:
        return float(any(_joins(logic, said, "either") for logic in logics))
    return 0.0


def _joins(joined: Logic, apart: Logic, role: str) -> bool:
    """Whether the words on both sides of what sets them apart in one sentence stand in the other, which joins them."""
    for at, word in enumerate(apart.words):
        if word.role == role:
            left = [w.text for w in apart.words[max(0, at - 6) : at] if not w.role][-2:]
            right = [w.text for w in apart.words[at + 1 : at + 7] if not w.role][:2]
            if left and right and all(likest(w, joined.content) > _STRONG for w in (*left, *right)):
                return True
    return any(word.text == "either" for word in apart.words)


def binds_nobody(said: Logic, main: Sequence[CitedText]) -> bool:
    """Whether something is demanded that only an example, a recital, a definition or a remark says."""
    if not main:
        return False
    weak = (Kind.EXAMPLE, Kind.RECITAL, Kind.DEFINITION, Kind.REFERENCE)
    if all(text.kind is Kind.EXAMPLE for text in main):
        return True
    return bool(said.stances & _BINDING) and all(text.kind in weak or _is_remark(text) for text in main)


def _is_remark(text: CitedText) -> bool:
    return bool(_REMARK.match(text.text) or _REMARK.match(text.before))


def is_no_longer(statement: str, said: Logic, main: Sequence[CitedText]) -> bool:
    """Whether what is cited held until some day, and the statement is about today."""
    until = any("until" in read_logic(text.text).roles and _WAS.search(text.text) for text in main)
    bound = bool(main) and all(_BOUND_ONCE.search(text.text) for text in main) and bool(said.stances & _BINDING)
    return (until or bound) and not _PAST.search(statement) and "until" not in said.roles


def is_reported(said: Logic, main: Sequence[CitedText]) -> bool:
    """Whether what is cited is called repealed, untrue or somebody else's view, and the statement says it as the rule."""
    return "reported" in _roles(main) and not said.roles & {"reported", "until"}


def _roles(texts: Sequence[CitedText]) -> frozenset[str]:
    return frozenset[str]().union(*(read_logic(text.text).roles for text in texts))


def negations(text: str) -> tuple[int, int]:
    """How many words deny something, and how many comparisons ("no later than") are bounded by denying."""
    roles = [word.role for word in read_logic(text).words]
    denying = ("negation", "exception", "prohibited", "released")
    return sum(role in denying for role in roles), roles.count("bounding")


def negates(text: str) -> bool:
    """Whether a text denies, forbids or excepts something; "no later than" and the like bound a number instead."""
    return negations(text)[0] > 0
