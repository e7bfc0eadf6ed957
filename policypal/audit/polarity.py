"""What a clause affirms and what it denies, and clauses that contradict each other in it (A4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from policypal.audit.opposites import OPPOSITES
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.text.obligations import Modality
from policypal.text.quantities import Bound, find_quantities


@dataclass(frozen=True, slots=True)
class Denial:
    """A negation and the concepts in its scope. ``heads`` are the verbs after it ("sell or disclose");
    ``measured``: a quantity stands in the scope; ``conditional``: "not … without/unless/before …";
    ``doubled``: what is denied is itself negative ("no incident goes unreported", "staff without a badge do not enter")."""

    text: str
    scope: frozenset[str]
    heads: frozenset[str]
    measured: bool = False
    conditional: bool = False
    doubled: bool = False


@dataclass(frozen=True, slots=True)
class Polarity:
    """``denials`` are unconditional; ``required`` are concepts a "not … without/unless" makes a condition."""

    affirmed: frozenset[str]
    denials: tuple[Denial, ...]
    required: frozenset[str]

    @property
    def denied(self) -> frozenset[str]:
        return frozenset().union(*(d.scope for d in self.denials))


_NOT_A_DENIAL = re.compile(
    r"\b(?:not only|(?:no|not) (?:later|more|less|fewer|longer|lower|higher|earlier|greater) than|not (?:to )?exceed\w*|not limited to|"
    r"whether or not|no longer (?:be )?(?:needed|necessary|required|relevant)|not (?:be )?(?:less|fewer|lower)|no doubt|without prejudice to|"
    r"without undue delay|without (?:any )?delay|without (?:unnecessary|further) delay|not applicable|without (?:any )?(?:exceptions?|restrictions?|limitations?|hesitation|reservations?|interruptions?)|no matter|not even|not just|not merely)\b",
    re.I,
)
_DENIAL = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|will|shall|must|may|can|should|has|have|need|would|could)\s+(?:not|never)\b|cannot\b|can no longer\b|"
    r"\w+n't\b|never\b|refus(?:e|es|ed|ing) to\b|declines? to\b|fails? to\b|without\b|neither\b|no longer\b|not\b|"
    r"(?:ha(?:s|ve) )?(?:given up|stopped|ceased|quit)\b|gives? up\b|ceases? to\b|lacks?\b|ignores?\b|skips?\b|omits?\b|waives?\b|in no (?:case|event)\b|under no circumstances\b|refrain from\b|abstain from\b|(?:withdraws?|steps? back|stays? (?:out|away)|keeps? out) (?:from|of)\b|"
    r"no need to\b|instead of\b|rather than\b|in (?:place|lieu) of\b|nothing\b|nobody\b|no one\b|none of\b|no(?= [a-z]))",
    re.I,
)
_PASSIVE_BAN = re.compile(
    r"\b(?:(?:is|are|be|remains?) (?:strictly |expressly )?(?:prohibited|forbidden|banned|barred|unlawful|illegal|an offence|inadmissible|unacceptable|not (?:allowed|permitted|acceptable|admissible|lawful))|"
    r"(?:is|are|be|been|was|were) (?:\w+ly )?(?:skipped|omitted|waived|dropped|abolished|abandoned|discontinued|suspended|dispensed with|left out|unnecessary|superfluous|exempt from)|"
    r"prohibits?|forbids?|bans?)\b",
    re.I,
)
_PASSIVE = re.compile(r"^\s*(?:be|being|been) \w+", re.I)
_FINITE_BE = re.compile(r"^(?:is|are|was|were) not$", re.I)
_PARTICIPLE = re.compile(r"^\s*(?:\w+ly )?(?:\w+(?:ed|en|wn)|kept|held|sent|made|given|told|sold|taken|put|set|done|necessary|mandatory|compulsory)\b", re.I)  # fmt: skip
_CONDITION = re.compile(r"\b(?:without|unless|until|except|before|prior to|other than)\b", re.I)
_SUBORDINATE = re.compile(
    r"\b(?:(?:if|where|when|whenever|unless|because|in case|as long as|so long as|provided(?: that)?|whether|so that|such that)\b[^,;]*|(?:which|who|whose)(?:\s+[\w-]+)?\s*)$",
    re.I,
)
_REDUCED = re.compile(r"^\s*\w+ing\b", re.I)
_RELATIVE = re.compile(r"\bthat (?:is|are|was|were|has|have|do|does|did|can|could) not$", re.I)
_SCOPE_END = re.compile(
    r"[;:]|,(?! (?:or|and|nor) )|\b(?:but|unless|until|because|although|if|when|where|however|so that)\b", re.I
)
_UN_WORD = re.compile(
    r"\b(?:un(?!der|til|less|it|iq|ion|iv|animous)(?=[a-z]{3,}(?:ed|en)\b)|non-?(?=compliant|encrypt|verif|independ))\w+",
    re.I,
)
_PREDICATE = re.compile(
    r"\b(?:is|are|be|remains?|stays?|left|held|kept|stored|sent|transmitted|transferred|go(?:es)?)(?: \w+)?\s*$", re.I
)
_REFUSES = re.compile(
    r"^[^,;.]*\b(?:(?:do|does|is|are|may|must|shall|will|can) not\b|cannot\b|never\b|refuse|reject|(?:is|are) (?:sent back|returned|declined|blocked|stopped|turned away|invalid|void|disregarded))",
    re.I,
)
_SCOPE_WORDS = 12
_FREE = "charge"


@lru_cache(maxsize=20_000)
def polarity(text: str) -> Polarity:
    """Divide the concepts of a clause into affirmed, denied and conditional ones."""
    plain = _NOT_A_DENIAL.sub(lambda m: "_" * len(m.group()), re.sub(r"[’`]", "'", text))
    free = re.search(
        r"free of (?:any )?charge|at no (?:extra |additional )?(?:cost|charge)|for free\b|without (?:charge|fees?|costs?)\b|"
        r"\b(?:is|are) free(?= for\b|\s*[.,;]|$)|\bcosts? (?:\w+ )?nothing\b|\bnothing to pay\b|\bthere (?:is|are) no (?:\w+ )?(?:fees?|charges?|costs?)\b|\bno (?:extra |additional )?(?:fee|charge)s? (?:is|are) (?:charged|made|levied)",
        plain,
        re.I,
    )
    denials: list[Denial] = [Denial(free.group(), frozenset({_FREE}), frozenset({_FREE}))] if free else []
    if free:
        plain = plain[: free.start()] + "_" * len(free.group()) + plain[free.end() :]
    required: set[str] = set()
    cursor = 0
    for match in _DENIAL.finditer(plain):
        if (
            match.start() < cursor
            or _SUBORDINATE.search(plain[: match.start()])
            or _RELATIVE.search(plain[: match.end()])
            or (match.group().lower() == "not" and _REDUCED.search(plain[match.end() :]))
        ):
            continue
        if match.group().lower() == "without" and _REFUSES.search(plain[match.end() :]):
            break  # "staff without a licence do not work" is a condition, not a denial
        scope, condition, cursor = _scope(plain, match.end())
        required |= frozenset(concepts(condition))
        denials.append(_denial(plain, match, scope, bool(condition)))
    denials += _bans(plain) + _un_words(plain)
    denied = frozenset().union(*(d.scope for d in denials))
    everything = frozenset(concepts(text.replace("_", " ")))
    return Polarity(everything - denied, tuple(denials), frozenset(required))


_MEASURED_FROM = re.compile(r"\b(?:hours?|days?|weeks?|months?|years?|minutes?)['’]? (?:before|prior to|until)$", re.I)


def _scope(text: str, start: int) -> tuple[str, str, int]:
    """The words a denial governs, those of a condition after it, and where both end."""
    tail = text[start:]
    end = _SCOPE_END.search(tail)
    condition = _CONDITION.search(tail)
    if condition and _MEASURED_FROM.search(tail[: condition.end()]):
        condition = None  # "30 days before the event" measures; it is no condition
    if condition and (end is None or condition.start() <= end.start()):
        after = re.split(r"[;.]", tail[condition.end() :])[0]
        return _first_words(tail[: condition.start()]), _first_words(after), start + condition.end() + len(after)
    scope = _first_words(tail[: end.start()] if end else tail)
    return scope, "", start + len(scope)


def _first_words(text: str) -> str:
    match = re.match(rf"(?:\s*\S+){{0,{_SCOPE_WORDS}}}", text)
    return match.group() if match else ""


def _denial(text: str, match: re.Match[str], scope: str, conditional: bool) -> Denial:
    found = concepts(scope)
    alternatives = re.match(r"\s*(?:be )?[\w-]+(?:(?:, [\w-]+)*,? (?:or|and|nor) [\w-]+)?", _verb_on(match, scope))
    heads = frozenset(concepts(alternatives.group())) if alternatives else frozenset()
    heads = heads or frozenset(found[:1])
    passive = _FINITE_BE.match(match.group()) and _PARTICIPLE.match(scope)
    if passive or (_PASSIVE.match(scope) and match.group().lower() != "without"):
        subject = re.split(r"[,;:]", text[: match.start()])[-1]
        found = (*found, *concepts(re.sub(r"\b(?:must|shall|may|can|will|should)\s*$", "", subject)))
    return Denial(
        " ".join(f"{match.group()} {scope}".split()),
        frozenset(found),
        heads,
        _compares(scope),
        conditional,
        _doubled(text, match, scope),
    )


def _doubled(text: str, match: re.Match[str], scope: str) -> bool:
    subject = re.split(r"[;:]|\b(?:and|but)\b", text[: match.start()])[-1]
    return bool(_NEGATIVE.search(scope)) or (match.group().lower() != "without" and bool(_NEGATIVE.search(subject)))


_NEGATIVE = re.compile(
    r"\b(?:not|never|without|un(?!der|til|less|it|iq|ion|iv)[a-z]{3,}(?:ed|en|n)|expired|lapsed|suspended|revoked|lacking|missing)\b",
    re.I,
)


def _compares(scope: str) -> bool:
    """Whether the denial is about a number ("not exceed 5 %") rather than merely near one."""
    return any(q.bound is not Bound.UNSTATED for q in find_quantities(scope)) or bool(_PASSED.search(scope))


_PASSED = re.compile(r"^\s*(?:be )?(?:more|less|fewer|longer|later|earlier|higher|lower|older|exceed\w*)\b", re.I)
_LEADING_WORDS = re.compile(
    r"^\s*(?:(?:an?|the|any|our|its|their|his|her|further|prior|to|yet|also|always|necessarily|even|then|be|been|being|have|has|had)\s+)+",
    re.I,
)
_SUBJECT_OF_NO = re.compile(r"^\s*(?:[\w-]+ ){1,5}?(?:may|shall|must|can|will|is|are)\s+(?:both |be |ever )*", re.I)


def _verb_on(match: re.Match[str], scope: str) -> str:
    """The scope from its verb on: in "no employee may release …" the subject stands before it."""
    verb = _SUBJECT_OF_NO.sub("", scope) if match.group().lower() == "no" else scope
    return _LEADING_WORDS.sub("", verb)


def _bans(text: str) -> list[Denial]:
    bans = []
    for match in _PASSIVE_BAN.finditer(text):
        subject = re.split(r"[;:]", text[: match.start()])[-1]
        scope = frozenset(concepts(f"{subject} {re.sub(r'^ (?:from|to)', '', text[match.end() :])}"))
        bans.append(Denial(match.group(), scope, _banned_act(subject, text[match.end() :])))
    return bans


def _banned_act(subject: str, rest: str) -> frozenset[str]:
    """The verb of "it is not permitted to share …" or "smoking is forbidden"; nothing for "payment is prohibited"."""
    verb = _BANNED.match(rest) or _GERUND.match(subject)
    return frozenset(concepts(verb["verb"])) if verb else frozenset()


_BANNED = re.compile(r"^\s*(?:from|to) (?:\w+ly )?(?P<verb>[\w-]+)", re.I)
_GERUND = re.compile(r"^\W*(?P<verb>[\w-]+ing)\b", re.I)


_NEGATED = re.compile(r"\b(?:no|not|never|nothing|nobody|none)\b[^,;.]*$", re.I)
_UN = re.compile(r"^(?:un|non-?)", re.I)


def _un_words(text: str) -> list[Denial]:
    """ "held unencrypted" denies; "unapproved changes" only names something."""
    found = [
        m for m in _UN_WORD.finditer(text)
        if _PREDICATE.search(text[: m.start()]) and not _NEGATED.search(text[: m.start()])
    ]  # fmt: skip
    return [
        Denial(m.group(), frozenset(concepts(_UN.sub("", m.group()))), frozenset(concepts(_UN.sub("", m.group()))))
        for m in found
    ]


_SCOPE_SHARE = 0.6
_MUTUAL_SHARE = 0.5
_MIN_RELATION = 0.36
_LEAST_RELATION = 0.2
_MUTUAL_RELATION = 0.28
_ANYWAY = re.compile(r"\b(?:at any time|freely|regardless|automatically|at (?:their|our|its) (?:own )?(?:discretion|convenience)|whenever)\b", re.I)  # fmt: skip
_HYPOTHETICAL = re.compile(r"^\W*(?:if|where|when|whether|unless)\b", re.I)


def _only_supposed(text: str) -> bool:
    """Whether the clause is a condition without a main clause."""
    return bool(_HYPOTHETICAL.search(text)) and "," not in text


def polarity_conflict(pair: Pair) -> Conflict | None:
    """The claim denies what the rule requires, or does what the rule prohibits."""
    if pair.relation < _LEAST_RELATION or not pair.shared or pair.rule.obligation is None:
        return None
    claim, rule = polarity(pair.claim.full), polarity(pair.rule.full)
    least = _MUTUAL_RELATION if pair.mutual else _MIN_RELATION
    denied = _denied(pair, claim, rule) if pair.relation >= least else None
    return denied or _prohibited(pair, claim, rule)


def _denied(pair: Pair, claim: Polarity, rule: Polarity) -> Conflict | None:
    for denial in claim.denials:
        wanted = rule.required if rule.required & denial.scope else rule.affirmed
        telling = (denial.scope & wanted) - GENERIC
        if (
            denial.measured
            or denial.conditional
            or denial.doubled
            or (denial.heads and not denial.heads & (wanted | _AUXILIARY_ACTS))
            or _denies_opposite(denial, pair.rule.text)
            or not telling
            or not (pair.weights.share(wanted, denial.scope) >= _SCOPE_SHARE or _same_act(pair, denial, wanted))
        ):
            continue
        if rule.denied and pair.weights.share(rule.denied, denial.scope) >= 0.5:
            continue
        if pair.rule.obligation and pair.rule.obligation.modality is Modality.PROHIBITED and not rule.required:
            continue
        return Conflict(Nature.DENIED, denial.text, _modal_words(pair.rule.text), min(1.0, 0.5 + pair.relation / 2))
    return None


def _denies_opposite(denial: Denial, rule: str) -> bool:
    """ "not orally" where the rule wants writing."""
    return " " in denial.text and any(
        excluded.search(denial.text) and wanted.search(rule) for wanted, excluded in OPPOSITES
    )


def _same_act(pair: Pair, denial: Denial, wanted: frozenset[str]) -> bool:
    """The very verb the rule wants is denied of something it names, whatever else is said ("for salaried staff")."""
    telling = (denial.scope & wanted) - GENERIC
    return pair.mutual and bool(denial.heads & telling) and len(telling) >= 2


def _prohibited(pair: Pair, claim: Polarity, rule: Polarity) -> Conflict | None:
    if _only_supposed(pair.claim.text) or not (_prohibits(pair) or any(_FREE in d.heads for d in rule.denials)):
        return None
    for denial in rule.denials:
        if denial.measured or not denial.scope - GENERIC or not _does(pair, claim, denial):
            continue
        if len(denial.scope - GENERIC) < 2 and len(pair.shared) < 2 and not pair.mutual:
            continue
        if denial.conditional and not _lifted(pair, claim, rule):
            continue
        return Conflict(Nature.PROHIBITED, pair.claim.text, denial.text, min(1.0, 0.5 + pair.relation / 2))
    return None


def _lifted(pair: Pair, claim: Polarity, rule: Polarity) -> bool:
    """Whether the claim drops the condition of a "not … without": denies it, or permits without naming it."""
    if rule.required & claim.denied - GENERIC or _ANYWAY.search(pair.claim.text) or _AFTERWARDS.search(pair.claim.text):
        return True
    named = pair.weights.share(pair.claim_concepts, rule.required)
    return bool(_PERMITS.search(pair.claim.text)) and named < 0.4


_AFTERWARDS = re.compile(
    r"\b(?:afterwards|subsequently|retrospectively|retroactively|after the (?:event|fact)|later on)\b", re.I
)
_PERMITS = re.compile(r"\b(?:may|can|(?:is|are) (?:allowed|permitted|free) to)\b(?! not)", re.I)


def _does(pair: Pair, claim: Polarity, denial: Denial) -> bool:
    """Whether the claim affirms what ``denial`` rules out, its verb included."""
    named = bool(denial.heads & claim.affirmed & _main_clause(pair.claim.text))
    if denial.heads and not named and not denial.heads & _LIGHT_VERBS:
        return False
    if pair.weights.share(claim.denied, denial.scope) >= 0.4 or any(d.heads & denial.heads for d in claim.denials):
        return False
    if _ONLY_THEN.search(pair.claim.text) or (pair.mutual and any(_agrees(d) for d in claim.denials)):
        return False
    if _FREE in claim.denied and denial.scope & {_FREE, "pay"}:
        return False
    done = pair.weights.share(claim.affirmed, denial.scope)
    if pair.relation < _MIN_RELATION:
        return done >= 0.9 and len(claim.affirmed & denial.scope - GENERIC) >= 2
    return done >= (_MUTUAL_SHARE if pair.mutual and (named or not denial.heads) else _SCOPE_SHARE + 0.05)


def _main_clause(text: str) -> frozenset[str]:
    """The concepts of a claim without a time clause at its end ("… before they leave"); all of one that begins with it."""
    end = _TIME_CLAUSE.search(text)
    return frozenset(concepts(text[: end.start()] if end and end.start() > _SHORT_LEAD else text))


_SHORT_LEAD = 20
_TIME_CLAUSE = re.compile(r"\b(?:before|until|so that|because)\b", re.I)


def _agrees(denial: Denial) -> bool:
    """A denial of its own in the claim that is closest to a prohibition: it forbids the same in other words."""
    return (
        not denial.conditional
        and not denial.text.lower().startswith(("without", "instead", "rather"))
        and _FREE not in denial.scope
    )


_ONLY_THEN = re.compile(
    r"\bonly (?:then|after|once|if|when|where|with|under|upon|following|by|for)\b|\bnot until\b|\b(?!risk)\w+-free\b",
    re.I,
)


def _prohibits(pair: Pair) -> bool:
    return pair.rule.obligation is not None and pair.rule.obligation.modality is Modality.PROHIBITED


_LIGHT_VERBS = frozenset({"use", "make", "perform", "be", "take", "give", "provid", "engag", "allow", "permit"})
_AUXILIARY_ACTS = _LIGHT_VERBS | frozenset(
    concepts(
        "require need apply ensure handle keep have do necessary include contain cover exist available possible able"
    )
)
"""Verbs that say little of their own; what is denied with them is their object."""


def _modal_words(text: str) -> str:
    match = re.search(r"\b(?:must|shall|(?:is|are) required to|has to|have to)\b(?:\s+\S+){0,6}", text, re.I)
    return match.group().rstrip(" .,;") if match else text
