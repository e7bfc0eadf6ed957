"""What the small words of a statement do against those of what it cites: force, denial, exceptions, alternatives, time (C2b).

Every measure is in [0, 1]; 0 says that nothing speaks against the statement.
"""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from policypal.domain.provisions import Kind
from policypal.gate.evidence import CitedText
from policypal.gate.figures import figures_of
from policypal.gate.words import COVERED, content_of, likest, stem_of, without_figures
from policypal.text.logic import Logic, Stance, read_logic
from policypal.text.quantities import QuantityKind

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
_CLAUSE = re.compile(r";|, but\b|\balthough\b|\bwhile\b|\bwhereas\b", re.I)
_CONDITION = re.compile(
    r"(?:^|[,;:]\s*|\s)((?:if|where|when|whenever|in case|provided that|wenn|sofern)\b[^,;.:]*)", re.I
)
_REMARK = re.compile(r"^\W*(?:guidance|note|example|recital)\b", re.I)
_WAS = re.compile(r"\b(?:was|were|had)\b")
_PAST = re.compile(r"\b(?:was|were|had|required|could|bore|applied|used to)\b", re.I)
_DENIES_FIGURES = (
    (re.compile(r"\b(?:hours?|days?|deadlines?|periods?|time-?limits?|how long|timeframe)\b", re.I), {QuantityKind.DURATION, QuantityKind.FREQUENCY}),
    (re.compile(r"\b(?:fines?|amounts?|fees?|penalt(?:y|ies))\b", re.I), {QuantityKind.MONEY}),
)  # fmt: skip
_NOT_A_VERB = frozenset({"without", "ohne", "sans", "nor", "neither"})
_BINDING = {Stance.REQUIRED, Stance.PROHIBITED, Stance.PERMITTED, Stance.EXCLUSIVE}


def logic_of(text: CitedText) -> Logic:
    """The logic of a cited sentence; an imperative demands."""
    logic = read_logic(text.text)
    demands = {Stance.REQUIRED, Stance.PROHIBITED, Stance.EXCLUSIVE, Stance.DENIED}
    if text.kind is Kind.OBLIGATION and not logic.stances & demands:
        kept = logic.stances - {Stance.STATED, Stance.PERMITTED}
        return Logic(logic.language, logic.words, frozenset({Stance.REQUIRED}) | kept, logic.roles)
    return logic


def other_force(statement: str, said: Logic, main: Sequence[CitedText]) -> bool:
    """Whether the statement obliges, permits, releases or forbids where its sentences, or the clause its figures stand in, do not."""
    logics = [logic_of(text) for text in main]
    clauses = [read_logic(clause) for text in main for clause in _clauses_of_figures(statement, text)]
    return _against(said, logics) >= _STRONG or any(_against(said, [clause]) >= _STRONG for clause in clauses)


def _against(said: Logic, logics: Sequence[Logic]) -> float:
    """The worst of the statement's forces against the best of the cited ones."""
    held = {_ORDER.index(stance) for logic in logics for stance in logic.stances}
    return max((min(_AGAINST[own][other] for other in held) for own in said.stances), default=0.0) if held else 0.0


def _clauses_of_figures(statement: str, text: CitedText) -> list[str]:
    """The later clauses of a sentence that hold every figure of the statement."""
    figures = figures_of(statement)
    later = _CLAUSE.split(text.text)[1:] if figures else []
    return [
        c for c in later if all(any(f.kind is q.kind and f.value == q.value for q in figures_of(c)) for f in figures)
    ]


_COPY = 0.75
"""So much of a statement word for word in one sentence makes it a copy, in which every small word counts."""
_DECISIVE = {
    "negation",
    "required",
    "recommended",
    "permitted",
    "prohibited",
    "released",
    "only",
    "exception",
    "before",
    "after",
    "bounding",
}
_WITH_NEGATION = {"required": "prohibited", "permitted": "prohibited", "needed": "released"}


def is_altered_copy(said: Logic, texts: Sequence[CitedText]) -> bool:
    """Whether the statement is a copy of one cited sentence but for a small word that decides what it says."""
    ours = _keys(said)
    copies = []
    for text in texts:
        theirs = _keys(read_logic(text.text))
        codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        equal = [n for n, code in enumerate(codes) if code[0] == "equal"]
        if equal and sum(codes[n][2] - codes[n][1] for n in equal) >= _COPY * len(ours):
            differing = [
                c for n, c in enumerate(codes) if c[0] != "equal" and (c[1] < c[2] or equal[0] < n < equal[-1])
            ]
            copies.append(any(_roles_in(ours[a:b]) != _roles_in(theirs[c:d]) for _, a, b, c, d in differing))
    return bool(copies) and all(copies)


def _keys(logic: Logic) -> list[str]:
    """The words as they are compared: by stem, those of grammar by what they do; "may not" and "must not" are one."""
    keys: list[str] = []
    for word in logic.words:
        negates = word.role == "negation" and keys and keys[-1].removeprefix("=") in _WITH_NEGATION
        if negates:
            keys[-1] = f"={_WITH_NEGATION[keys[-1].removeprefix('=')]}"
        else:
            keys.append(f"={word.role}" if word.role not in ("", "small") else stem_of(word.text))
    return ["=required" if key == "=needed" else key for key in keys]


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
    return any(_denied(logic) & ours for logic in logics if Stance.EXCLUSIVE not in logic.stances)


def denies_unknown(said: Logic, covered: dict[str, float]) -> bool:
    """Whether what the statement denies stands nowhere, so that nobody can tell what its denial says."""
    unknown = {stem_of(word) for word, share in covered.items() if share < COVERED}
    return said.stances == {Stance.DENIED} and bool(_denied(said) & unknown)


def _denied(logic: Logic) -> set[str]:
    """The stems of the first words of content behind each negation."""
    found = set()
    for at, word in enumerate(logic.words):
        if word.role == "negation" and word.text not in _NOT_A_VERB:
            behind = (w.text for w in logic.words[at + 1 : at + 6] if not w.role and w.clause == word.clause)
            found.add(stem_of(next(behind, "")))
    return found - {""}


def is_absence(said: Logic) -> bool:
    """Whether the statement says what its source does not say ("sets no deadline", "does not name a fine")."""
    for at, word in enumerate(said.words):
        before, after = said.words[max(0, at - 3) : at], said.words[at + 1 : at + 4]
        denied = any(w.role == "negation" for w in (*before, *after))
        if word.role == "reports" and denied and not any(w.role in _DECISIVE - {"negation"} for w in before):
            return True
    return False


def figure_is_there(statement: str, texts: Sequence[CitedText]) -> bool:
    """Whether a figure stands there of the kind that the statement says is not."""
    kinds = {q.kind for text in texts for q in figures_of(text.text)}
    denied = statement[next((m.start() for m in re.finditer(r"\b(?:no|not|never|none)\b", statement)), 0) :]
    return any(words.search(denied) and kinds & own for words, own in _DENIES_FIGURES)


def drops_exception(said: Logic, text: CitedText) -> bool:
    """Whether the cited sentence has an exception and the statement none."""
    answered = said.roles & {"exception", "only", "released", "condition"} or Stance.EXCLUSIVE in said.stances
    return "exception" in read_logic(text.text).roles and not answered


def dropped_condition(said: Logic, content: Sequence[str], main: Sequence[CitedText]) -> float:
    """The share of a cited condition's words that the statement lacks; half of it where it has a condition of its own."""
    conditions = [content_of(match[1]) for text in main for match in _CONDITION.finditer(text.text)]
    lacking = [sum(1 - likest(w, content) for w in words) / len(words) for words in conditions if len(words) > 1]
    return max(lacking, default=0.0) * (0.5 if "condition" in said.roles else 1.0)


def is_limited(logic: Logic) -> bool:
    """Whether a sentence holds under a condition or for somebody only."""
    return Stance.EXCLUSIVE in logic.stances or bool(logic.roles & {"only", "exception"})


def turns_time(said: Logic, texts: Sequence[CitedText]) -> bool:
    """Whether the statement says before where after is cited, or the other way round."""
    held = _roles(texts)
    if "until" in held or "until" in said.roles:
        return False
    return ("before" in said.roles and "before" not in held) or (
        "after" in said.roles and "after" not in held and "before" in held
    )


def mixes_alternatives(statement: str, main: Sequence[CitedText]) -> float:
    """Whether one side joins what the other offers as alternatives: in full where both alternatives stand in the statement."""
    said = read_logic(without_figures(statement))
    logics = [read_logic(without_figures(text.text)) for text in main]
    held = frozenset[str]().union(*(logic.roles for logic in logics))
    if "both" in said.roles and "either" not in said.roles and "either" in held:
        return 1.0 if any(_joins(said, logic) for logic in logics) else 0.5 * ("both" not in held)
    return float("either" in said.roles and "either" not in held and "both" in held and "both" not in said.roles)


def _joins(said: Logic, cited: Logic) -> bool:
    """Whether the words on both sides of an "or" stand in the statement."""
    for at, word in enumerate(cited.words):
        if word.role == "either":
            left = [w.text for w in cited.words[max(0, at - 6) : at] if not w.role][-2:]
            right = [w.text for w in cited.words[at + 1 : at + 7] if not w.role][:2]
            if left and right and all(likest(w, said.content) > _STRONG for w in (*left, *right)):
                return True
    return any(word.text == "either" for word in cited.words)


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
    return until and not _PAST.search(statement) and "until" not in said.roles


def is_reported(said: Logic, main: Sequence[CitedText]) -> bool:
    """Whether what is cited is called repealed, untrue or somebody else's view, and the statement says it as the rule."""
    return "reported" in _roles(main) and not said.roles & {"reported", "until"}


def _roles(texts: Sequence[CitedText]) -> frozenset[str]:
    return frozenset[str]().union(*(read_logic(text.text).roles for text in texts))
