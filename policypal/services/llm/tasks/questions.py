"""What a question asks for: its subject, and what an answer has to hold (A2)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from policypal.services.quantities import Quantity, QuantityKind, find_quantities
from policypal.services.retrieval.terms import terms

_SYNONYMS = (
    "fine penalty sanction",
    "notify report inform communicate tell told notification notice intimation intimate",
    "retain keep store preserve hold retention storage kept held stored",
    "employee staff personnel worker workforce",
    "customer client consumer",
    "breach incident violation infringement contravention",
    "delete erase erasure destroy destruction remove deletion dispose disposal",
    "maximum exceed limit ceiling cap most highest up",
    "minimum least lowest",
    "deadline period time later limit",
    "allow permit authorise authorize permission",
    "forbid prohibit ban prohibition",
    "define mean definition refer",
    "company firm undertaking organisation organization enterprise business institution entity",
    "begin start commence enter force effect apply commencement",
    "often frequency frequently annually annual yearly quarterly monthly periodically regularly",
    "child minor children",
    "appoint designate nominate appointment designation",
    "board director directors management",
    "review reassess reassessment",
    "obtain get acquire",
    "collect gather collection",
    "purchase buy acquire",
    "document record register log",
    "pay payment paid",
    "approve approval consent sign-off authorise",
    "responsible accountable responsibility accountability",
    "age old years",
    "objective purpose aim goal",
    "condition requirement criterion criteria require",
    "withdraw withdrawn revoke withdrawal",
    "complain complaint grievance",
    "suspend suspension halt",
    "third-party vendor supplier contractor provider outsourcing",
    "password credential passphrase",
    "law legislation statute act regulation",
    "transfer send export transmit",
    "test exercise testing",
    "gift hospitality entertainment",
    "subject liable",
    "exempt exemption derogation exclude",
    "ground basis",
    "give given grant",
    "make made",
    "take taken",
    "send sent",
    "write written",
    "choose chosen select",
    "sell sold sale",
    "contain include least",
)
"""Words that stand for each other in policies and regulations, and irregular forms a stemmer keeps apart."""
_GENERIC_WORDS = """
    per each every
    describe explain say state tell give list mention provide document regulation rule rules section article
    according under must should shall may need needed required require requirement requirements happen happens
    take place many much long soon quickly any some there specific specify specified following kind type types
    case particular please summary overview main key mean means definition define exactly name does set out
    apply applied regarding concerning respect relation whether ensure
"""
GENERIC_TERMS = frozenset(stem for word in _GENERIC_WORDS.split() for stem in terms(word))
"""Stems that belong to the way a question is asked rather than to its subject."""

_PROMPTLY = re.compile(
    r"\b(?:immediate(?:ly)?|without (?:undue |unreasonable )?delay|promptly|forthwith|as soon as)\b", re.IGNORECASE
)
_REGULARLY = re.compile(
    r"\b(?:regular(?:ly)?|periodic(?:ally)?|once|each time|ongoing|continuous(?:ly)?)\b", re.IGNORECASE
)
_EVENT = re.compile(
    r"\b(?:when|upon|before|after|prior to|until|where|whenever|following|during|once|in any case|in the case of|if)\b",
    re.IGNORECASE,
)
_HOW_QUICKLY = re.compile(r"\bhow (?:soon|quickly|fast)\b|^\s*when\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CURRENCY = re.compile(r"[$€£₹¥]|\b(?:rupees?|euros?|dollars?|pounds?|crore|lakh|[A-Z]{3}\s?\d)", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|in order to|so as to|due to|since|to ensure|purpose|objective|therefore|reason|as a result|aims?)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:may|can|shall|must|should|cannot|permitted|prohibited|allowed|required|unless|right|only)\b", re.IGNORECASE
)
_AGENT = re.compile(r"\b(?:shall|must|should|may|is|are|will|by|responsib\w+|accountab\w+)\b", re.IGNORECASE)
_PROVISION = re.compile(
    r"\b(?:article|section|rule|principle|clause|chapter|annex|part|requirement)\s+(?:\d[\w.-]*\w|\d|[ivx]+\b)"
)
_CONTENTS = re.compile(r"\b(?:contain|include|cover|consist|comprise|list|elements?)\b")
_NAMES_SEVERAL = re.compile(r"\b(?:what|which) (?:\w+ ){0,3}?(?:are|\w+s)\b|\bwhat (?:must|should|shall)\b|^when\b")


class Expectation(Enum):
    """What an answer has to hold. TIME is also answered by an event ("before", "upon")."""

    DURATION = "duration"
    FREQUENCY = "frequency"
    TIME = "time"
    MONEY = "money"
    NUMBER = "number"
    REASON = "reason"
    PERMISSION = "permission"
    PARTY = "party"

    def met_by(self, text: str) -> bool:
        """Whether ``text`` holds it."""
        kinds = {q.kind for q in find_quantities(text)}
        match self:
            case Expectation.DURATION:
                return bool(kinds & {QuantityKind.DURATION, QuantityKind.FREQUENCY} or _PROMPTLY.search(text))
            case Expectation.FREQUENCY:
                return bool(kinds & {QuantityKind.DURATION, QuantityKind.FREQUENCY} or _REGULARLY.search(text))
            case Expectation.TIME:
                return bool(kinds & _TIMES or _PROMPTLY.search(text) or _EVENT.search(text) or _YEAR.search(text))
            case Expectation.MONEY:
                return bool(kinds & {QuantityKind.MONEY, QuantityKind.PERCENT} or _CURRENCY.search(text))
            case Expectation.NUMBER:
                return bool(kinds)
            case _:
                return _WORDING[self].search(text) is not None


_TIMES = {QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE}
_WORDING = {Expectation.REASON: _REASON, Expectation.PERMISSION: _MODAL, Expectation.PARTY: _AGENT}


_MEASURED = {
    Expectation.DURATION,
    Expectation.FREQUENCY,
    Expectation.TIME,
    Expectation.MONEY,
    Expectation.NUMBER,
}
_MEASURE_WORDS = (
    "maximum minimum deadline period limit time timeframe frame term duration amount frequency threshold number date"
)
MEASURE_TERMS = frozenset(stem for word in _MEASURE_WORDS.split() for stem in terms(word))
"""Stems that only say which quantity is asked for; a statement that holds it need not say "deadline"."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the ranking sees it. ``strict``: a statement that lacks what is ``expected`` cannot be the answer.
    ``unit`` is the unit asked for ("hour"), ``counted`` the stem of what is counted ("attempt"), ``definiendum`` the term to define, ``provision`` a
    provision it names ("article 33"), ``enumerates`` asks for several things, ``contents`` for what something contains. ``category`` is the stem of what it
    asks the kinds of ("grounds", "conditions"): a list may give them without that word."""

    text: str
    terms: tuple[str, ...]
    expected: Expectation | None = None
    unit: str = ""
    counted: str = ""
    strict: bool = False
    definiendum: str | None = None
    provision: str = ""
    enumerates: bool = False
    contents: bool = False
    category: str = ""

    @property
    def measures(self) -> bool:
        """Whether it asks for a time, an amount or a number."""
        return self.expected in _MEASURED

    def measured_in(self, text: str) -> bool:
        """Whether ``text`` states a figure where one is asked for: a deadline is "72 hours" rather than "promptly", while
        "how quickly" is answered by either."""
        if not self.measures or _HOW_QUICKLY.search(self.text):
            return False
        return any(q.kind is not QuantityKind.NUMBER for q in find_quantities(text))

    def is_met_by(self, text: str) -> bool:
        """Whether ``text`` holds what the question expects, cross-references aside."""
        if self.expected is None:
            return True
        if self.unit:
            return any(_counts(quantity, self.unit) for quantity in find_quantities(text))
        return self.expected.met_by(text)

    def counts(self, text: str) -> bool:
        """Whether ``text`` states a number of what the question counts: "five consecutive invalid attempts"."""
        if not self.counted:
            return False
        return any(self.counted in terms(text[q.end : q.end + 60])[:5] for q in find_quantities(text))


def _counts(quantity: Quantity, unit: str) -> bool:
    return unit in quantity.unit or unit in quantity.text.lower()


def synonym_groups() -> dict[str, frozenset[str]]:
    """For each stem, the stems that may stand for it in regulatory prose."""
    groups: dict[str, set[str]] = {}
    for line in _SYNONYMS:
        stems = {stem for word in line.split() for stem in terms(word)}
        for stem in stems:
            groups.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in groups.items()}


SYNONYMS = synonym_groups()


def analyse(text: str, leave_out: Collection[str] = ()) -> Question:
    """What a question asks for. ``leave_out`` are stemmed terms that name documents rather than their content."""
    lowered = " ".join(text.lower().split())
    expected, strict = _expectation(lowered)
    unit = re.search(r"how many (?:calendar |business |working )?(minute|hour|day|week|month|year)s?\b", lowered)
    return Question(
        text=text,
        terms=tuple(t for t in dict.fromkeys(terms(text)) if t not in leave_out),
        expected=expected,
        unit=unit.group(1) if unit else "",
        counted=_counted(lowered),
        strict=strict,
        definiendum=_definiendum(lowered),
        provision=provision.group() if (provision := _PROVISION.search(lowered)) else "",
        enumerates=bool(_NAMES_SEVERAL.search(lowered) or _CONTENTS.search(lowered)),
        contents=bool(_CONTENTS.search(lowered)),
        category=_category(lowered),
    )


_CATEGORY = re.compile(
    r"\b(?:what|which) are (?:the |all (?:the )?)?(?:[\w-]+ )*?([\w-]+s|criteria)(?= (?:for|of|on|under|to|in|that|when|which|by)\b|\s*\?|$)|"
    r"\b(?:on|under|in) (?:what|which) ([\w-]+s)\b"
)
_LEADS_IN = re.compile(r"\b(?:following|any of|one of|if|where|when|unless|only)\b[^.]*(?::|[–—-])$", re.IGNORECASE)
_FOLLOWING = re.compile(r"\bfollowing\s+([\w-]+)", re.IGNORECASE)
_CONDITIONAL = frozenset(
    stem
    for word in "grounds bases conditions circumstances cases situations criteria reasons exceptions exemptions derogations".split()
    for stem in terms(word)
)
"""What a list that begins with "if", "where" or "one of the following applies" can be a list of."""
_NAMES_NO_CATEGORY = frozenset(
    "applies apply is are namely has have conditions cases circumstances grounds requirements".split()
)


def _category(question: str) -> str:
    match = _CATEGORY.search(question)
    return "".join(terms(match.group(1) or match.group(2))[:1]) if match else ""


def leads_in(line: str, category: str) -> bool:
    """Whether a line introduces a list of such a ``category`` without saying its name: "… only if at least one of the
    following applies:" lists grounds, "the following tasks:" lists tasks and nothing else."""
    if not category or not _LEADS_IN.search(line.strip()):
        return False
    named = _FOLLOWING.search(line)
    if named is None or named.group(1).lower() in _NAMES_NO_CATEGORY:
        return category in _CONDITIONAL
    stem = "".join(terms(named.group(1))[:1])
    return stem == category or stem in SYNONYMS.get(category, frozenset())


def _counted(question: str) -> str:
    match = re.search(
        r"how many ((?:[\w-]+ )+?)(?:must|are|is|do|does|can|may|should|shall|will|has|have|were|in|of|per)\b", question
    )
    found = terms(match.group(1)) if match else []
    return found[-1] if found else ""


_EXPECTATIONS: tuple[tuple[str, Expectation, bool], ...] = (
    (r"how many (?:calendar |business |working )?(?:minute|hour|day|week|month|year)", Expectation.DURATION, True),
    (
        r"how (?:long|soon|quickly|fast)\b|deadline|time ?(?:limit|frame|line)|within (?:what|which)",
        Expectation.DURATION,
        True,
    ),
    (r"what is the (?:[\w-]+ ){0,3}(?:period|term|duration)\b", Expectation.DURATION, True),
    (r"how (?:often|frequently|regularly)|frequency", Expectation.FREQUENCY, True),
    (
        r"how much|(?:maximum|minimum|what) (?:[\w-]+ ){0,2}(?:fine|penalt|fee|amount|percentage|ratio)",
        Expectation.MONEY,
        True,
    ),
    (
        r"how many|at what age|what age|what (?:is|are) the (?:minimum|maximum|threshold|limit|number)",
        Expectation.NUMBER,
        True,
    ),
    (r"^when\b|(?:by|on|from|since) (?:when|what date|which date)|what date", Expectation.TIME, True),
    (r"\b(?:fines?|penalt\w+|fees?|thresholds?|percentages?|ratios?)\b", Expectation.MONEY, False),
    (r"^why\b", Expectation.REASON, False),
    (r"^(?:may|can|must|should|shall|is|are|does|do)\b", Expectation.PERMISSION, False),
    (r"^(?:who|whom)\b|^(?:by|to) whom|which (?:party|person|body|authority)", Expectation.PARTY, False),
)


def _expectation(question: str) -> tuple[Expectation | None, bool]:
    for pattern, expected, strict in _EXPECTATIONS:
        if re.search(pattern, question):
            return expected, strict
    return None, False


def _definiendum(question: str) -> str | None:
    match = (
        re.match(
            r"(?:what does|how does .* define|define|how is) (.+?)(?: mean| defined)?(?: (?:in|under|by|for) .*)?\??$",
            question,
        )
        if re.search(r"\bmean\b|\bdefin", question)
        else re.match(r"what (?:is|are) (?:an? |the )?((?:[\w’'-]+ ?){1,4})\??$", question)
    )
    if not match:
        return None
    return re.sub(r"^(?:an?|the|meaning of|definition of)\s+|[\"“”‘’'?]", "", match.group(1)).strip() or None


def is_generic(term: str) -> bool:
    """Whether a stemmed term belongs to the way a question is asked rather than to its subject."""
    return term in GENERIC_TERMS
