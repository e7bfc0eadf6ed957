"""What a clause affirms and what it denies, and clauses that contradict each other in it (A4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from policypal.services.audit.pairs import Conflict, Nature, Pair
from policypal.services.audit.vocabulary import GENERIC, concepts
from policypal.services.obligations import Modality
from policypal.services.quantities import find_quantities


@dataclass(frozen=True, slots=True)
class Denial:
    """A negation and the concepts in its scope. ``heads`` are the verbs after it ("sell or disclose");
    ``measured``: a quantity stands in the scope; ``conditional``: "not … without/unless/before …"."""

    text: str
    scope: frozenset[str]
    heads: frozenset[str]
    measured: bool = False
    conditional: bool = False


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
    r"lacks?\b|ignores?\b|skips?\b|omits?\b|waives?\b|in no (?:case|event)\b|under no circumstances\b|refrain from\b|abstain from\b|"
    r"no need to\b|nothing\b|nobody\b|no one\b|none of\b|no(?= [a-z]))",
    re.I,
)
_PASSIVE_BAN = re.compile(
    r"\b(?:is|are|be) (?:strictly |expressly )?(?:prohibited|forbidden|banned|not (?:allowed|permitted))\b", re.I
)
_PASSIVE = re.compile(r"^\s*(?:be|being|been) \w+", re.I)
_CONDITION = re.compile(r"\b(?:without|unless|until|except|before|prior to|other than)\b", re.I)
_SUBORDINATE = re.compile(
    r"\b(?:if|where|when|whenever|which|who|whose|unless|because|in case|provided that|whether)\b[^,;]*$", re.I
)
_RELATIVE = re.compile(r"\bthat (?:is|are|was|were|has|have|do|does|did|can|could) not$", re.I)
_SCOPE_END = re.compile(
    r"[;:]|,(?! (?:or|and|nor) )|\b(?:but|unless|until|because|although|if|when|where|however|so that)\b", re.I
)
_UN_WORD = re.compile(r"\b(?:un|non-?)(?=encrypt|verif|approv|train|review|document|segregat|check|independ)\w+", re.I)  # fmt: skip
_PREDICATE = re.compile(
    r"\b(?:is|are|be|remains?|stays?|left|held|kept|stored|sent|transmitted|transferred|go(?:es)?)(?: \w+)?\s*$", re.I
)
_REFUSES = re.compile(
    r"^[^,;.]*\b(?:(?:do|does|is|are|may|must|shall|will|can) not\b|cannot\b|never\b|refuse|reject)", re.I
)
_SCOPE_WORDS = 12
_FREE = "charge"


@lru_cache(maxsize=20_000)
def polarity(text: str) -> Polarity:
    """Divide the concepts of a clause into affirmed, denied and conditional ones."""
    plain = _NOT_A_DENIAL.sub(lambda m: "_" * len(m.group()), re.sub(r"[’`]", "'", text))
    free = re.search(
        r"free of (?:any )?charge|at no (?:extra |additional )?cost|for free\b|without (?:charge|fees?)\b", plain, re.I
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


def _scope(text: str, start: int) -> tuple[str, str, int]:
    """The words a denial governs, those of a condition after it, and where both end."""
    tail = text[start:]
    end = _SCOPE_END.search(tail)
    condition = _CONDITION.search(tail)
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
    alternatives = re.match(r"\s*(?:be )?[\w-]+(?:(?:, [\w-]+)*,? or [\w-]+)?", scope)
    heads = frozenset(concepts(alternatives.group())) if alternatives else frozenset()
    if _PASSIVE.match(scope) and match.group().lower() != "without":
        subject = re.split(r"[,;:]", text[: match.start()])[-1]
        found = (*found, *concepts(re.sub(r"\b(?:must|shall|may|can|will|should)\s*$", "", subject)))
    return Denial(
        " ".join(f"{match.group()} {scope}".split()), frozenset(found), heads, bool(find_quantities(scope)), conditional
    )


def _bans(text: str) -> list[Denial]:
    bans = []
    for match in _PASSIVE_BAN.finditer(text):
        subject = re.split(r"[;:]", text[: match.start()])[-1]
        scope = frozenset(concepts(f"{subject} {re.sub(r'^ (?:from|to)', '', text[match.end() :])}"))
        bans.append(Denial(match.group(), scope, frozenset()))
    return bans


def _un_words(text: str) -> list[Denial]:
    """ "held unencrypted" denies; "unapproved changes" only names something."""
    found = [m for m in _UN_WORD.finditer(text) if _PREDICATE.search(text[: m.start()])]
    return [Denial(m.group(), frozenset(concepts(m.group())), frozenset()) for m in found]


_SCOPE_SHARE = 0.6
_MIN_RELATION = 0.36
_LEAST_RELATION = 0.2
_ANYWAY = re.compile(r"\b(?:at any time|freely|regardless|automatically|at (?:their|our|its) (?:own )?(?:discretion|convenience)|whenever)\b", re.I)  # fmt: skip
_HYPOTHETICAL = re.compile(r"^\W*(?:if|where|when|whether|unless)\b", re.I)


def polarity_conflict(pair: Pair) -> Conflict | None:
    """The claim denies what the rule requires, or does what the rule prohibits."""
    if pair.relation < _LEAST_RELATION or not pair.shared or pair.rule.obligation is None:
        return None
    claim, rule = polarity(pair.claim.full), polarity(pair.rule.full)
    denied = _denied(pair, claim, rule) if pair.relation >= _MIN_RELATION else None
    return denied or _prohibited(pair, claim, rule)


def _denied(pair: Pair, claim: Polarity, rule: Polarity) -> Conflict | None:
    for denial in claim.denials:
        wanted = rule.required if rule.required & denial.scope else rule.affirmed
        telling = (denial.scope & wanted) - GENERIC
        if (
            denial.measured
            or denial.conditional
            or not telling
            or pair.weights.share(wanted, denial.scope) < _SCOPE_SHARE
        ):
            continue
        if rule.denied and pair.weights.share(rule.denied, denial.scope) >= 0.5:
            continue
        if pair.rule.obligation and pair.rule.obligation.modality is Modality.PROHIBITED and not rule.required:
            continue
        return Conflict(Nature.DENIED, denial.text, _modal_words(pair.rule.text), min(1.0, 0.5 + pair.relation / 2))
    return None


def _prohibited(pair: Pair, claim: Polarity, rule: Polarity) -> Conflict | None:
    if _HYPOTHETICAL.search(pair.claim.text) or not (_prohibits(pair) or any(_FREE in d.heads for d in rule.denials)):
        return None
    for denial in rule.denials:
        if denial.measured or not denial.scope - GENERIC or not _does(pair, claim, denial):
            continue
        if len(denial.scope - GENERIC) < 2 and len(pair.shared) < 2:
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
    if denial.heads and not denial.heads & (_LIGHT_VERBS | claim.affirmed):
        return False
    if pair.weights.share(claim.denied, denial.scope) >= 0.4:
        return False
    done = pair.weights.share(claim.affirmed, denial.scope)
    if pair.relation < _MIN_RELATION:
        return done >= 0.9 and len(claim.affirmed & denial.scope - GENERIC) >= 2
    return done >= _SCOPE_SHARE + 0.05


def _prohibits(pair: Pair) -> bool:
    return pair.rule.obligation is not None and pair.rule.obligation.modality is Modality.PROHIBITED


_LIGHT_VERBS = frozenset({"use", "make", "perform", "be", "take", "give", "provid", "engag", "allow", "permit"})


def _modal_words(text: str) -> str:
    match = re.search(r"\b(?:must|shall|(?:is|are) required to|has to|have to)\b(?:\s+\S+){0,6}", text, re.I)
    return match.group().rstrip(" .,;") if match else text


_BEFORE = re.compile(r"\b(?:before|prior to|until|in advance of|ahead of)\b(?P<x>(?:\s+\S+){0,8})", re.I)
_PRIOR = re.compile(r"\b(?:prior|advance|beforehand|ex[- ]ante)\b", re.I)
_AFTER = re.compile(r"\b(?:after|afterwards|following|subsequently|retrospectively|retroactively|ex[- ]post|once|within (?:\S+ ){1,3}?of)\b(?P<x>(?:\s+\S+){0,8})", re.I)  # fmt: skip


def order_conflict(pair: Pair) -> Conflict | None:
    """The rule wants something done before an event, the claim does it after that event."""
    before, after = _BEFORE.search(pair.rule.text), _AFTER.search(pair.claim.text)
    if (
        pair.relation < _MIN_RELATION
        or not after
        or not (before or _PRIOR.search(pair.rule.text))
        or _BEFORE.search(pair.claim.text)
    ):
        return None
    event = frozenset(concepts(before["x"])) if before else pair.rule_concepts
    done_first = pair.rule_concepts - event if before else frozenset()
    later = frozenset(concepts(after["x"])) - GENERIC
    standing_alone = after.group().split()[0].lower() in (
        "afterwards",
        "subsequently",
        "retrospectively",
        "retroactively",
    )
    if not standing_alone and (
        not later & event or pair.weights.total(later & done_first) >= pair.weights.total(later & event)
    ):
        return None
    ruled = before.group() if before else _modal_words(pair.rule.text)
    return Conflict(Nature.ORDER, after.group().strip(), ruled.strip(" .,;"), min(1.0, 0.5 + pair.relation / 2))


_CONTRASTS: list[tuple[re.Pattern[str], re.Pattern[str]]] = [
    (re.compile(a, re.I), re.compile(b, re.I))
    for a, b in [
        (r"\bencrypt", r"\b(?:unencrypted|plain ?text|clear ?text|in the clear)\b"),
        (r"\b(?:in writing|written)\b", r"\b(?:oral(?:ly)?|verbal(?:ly)?|by (?:tele)?phone|over the phone)\b"),
        (r"\bconfidential", r"\b(?:disclos|reveal|shar(?:e|es|ed|ing)\b|publish|publicly|tells?\b)"),
        (r"\b(?:explicit|express|affirmative|freely given|opt[- ]in)\b", r"\b(?:implied|opt[- ]?out|pre-?ticked|pre-?checked|assumed?|presumed?|deemed|by default|silence)\b"),
        (r"\b(?:segregat|separate)", r"\b(?:commingl\w+|co-?mingl\w+|mixed|pooled|same account)\b"),
        (r"\bindependent", r"\b(?:same person|reports? to the head of|performed by the business|its own work)\b"),
        (r"\b(?:individual|unique|personal)\b.{0,20}\b(?:accounts?|credentials?|ids?|passwords?)\b", r"\b(?:shared|generic|common) (?:\w+ )?(?:accounts?|credentials?|ids?|passwords?)\b"),
        (r"\b(?:prominent|clearly|conspicuous)", r"\b(?:small print|fine print|footnotes?|hidden|buried)\b"),
    ]
]  # fmt: skip


def contrast_conflict(pair: Pair) -> Conflict | None:
    """Words that exclude each other, such as "in writing" and "orally"."""
    if pair.relation < _MIN_RELATION or pair.rule.obligation is None or not pair.shared:
        return None
    for wanted, excluded in _CONTRASTS:
        ruled, said = wanted.search(pair.rule.text), excluded.search(pair.claim.text)
        if ruled and said and not polarity(pair.claim.full).denials and not polarity(pair.rule.full).denials:
            if wanted.search(pair.claim.text.replace(said.group(), "")):
                continue
            return Conflict(Nature.CONTRAST, said.group(), ruled.group(), min(1.0, 0.45 + pair.relation / 2))
    return None
