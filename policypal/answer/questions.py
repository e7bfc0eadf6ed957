"""What a question asks for: its subject, and what an answer has to hold (A2)."""

import re
from dataclasses import dataclass
from enum import Enum

from policypal.search.lists import category_of
from policypal.search.terms import terms
from policypal.text.quantities import Quantity, QuantityKind, find_quantities

_GENERIC_WORDS = """
    per each every
    describe explain say state tell give list mention provide document regulation rule rules section article
    according under must should shall may need needed required require requirement requirements happen happens
    take place many much long soon quickly any some there specific specify specified following kind type types
    case particular please summary overview main key mean means definition define exactly name does set out
    apply applied regarding concerning respect relation whether ensure
    anything something everything nothing anyone someone everyone anybody somebody everybody
    get gets got just still some all other one people want wants happen problem deal together count show quote paragraph
    after before can
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
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CURRENCY = re.compile(r"[$€£₹¥]|\b(?:rupees?|euros?|dollars?|pounds?|crore|lakh|[A-Z]{3}\s?\d)", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|in order to|so as to|due to|since|to ensure|purpose|objective|therefore|reason|as a result|aims?)\b",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"\b(?:(?P<form>contain|include|cover|consist|comprise|list|elements?)|what (?:must|should|shall) (?:[\w-]+ ){1,5}say)\b"
)
_NAMES_SEVERAL = re.compile(r"\b(?:what|which) (?:\w+ ){0,3}?(?:are|\w+s)\b|\bwhat (?:must|should|shall)\b|^when\b")


_SOURCE = re.compile(
    r",?\s*\b(?:(?:according to|as (?:stated|set out|laid down|required|provided) (?:in|by)|based on|under|in|per)"
    r"\s+(?:(?:the|our|your|these|those|all|any)\s+)?"
    r"(?:(?:latest|newest|current|existing|applicable|relevant|most recent|present|new|updated|internal)\s+){0,2}"
    r"(?:rules?|regulations?|polic(?:y|ies)|documents?|laws?|guidelines?|provisions|legislation|library|standards)\b"
    r"(?!\s+(?:on|of|for|about|that|which|\d|[A-Z]))|(?:currently|nowadays|as of (?:today|now)|at present|these days)\b)",
    re.IGNORECASE,
)


def without_source(question: str) -> str:
    """The question without the words that only say where the answer is to come from ("according to the latest rules",
    "currently"); unchanged if hardly anything else is left."""
    rest = " ".join(_SOURCE.sub(" ", question).split()).replace(" ?", "?").strip(" ,")
    return rest if len([t for t in terms(rest) if t not in GENERIC_TERMS]) >= 2 else question


_OF_ASKING = frozenset(
    terms(
        "rules requirements provisions obligations duties guidance law regulations principles standards want expect like know find"
        " show looking information details part section"
    )
)


class Expectation(Enum):
    """What an answer has to hold. TIME is also answered by an event ("before", "upon")."""

    DURATION = "duration"
    FREQUENCY = "frequency"
    TIME = "time"
    MONEY = "money"
    NUMBER = "number"
    REASON = "reason"

    def met_by(self, text: str) -> bool:
        """Whether ``text`` holds it."""
        kinds = {q.kind for q in find_quantities(text)}
        match self:
            case Expectation.DURATION:
                return bool(QuantityKind.DURATION in kinds or _PROMPTLY.search(text))
            case Expectation.FREQUENCY:
                return bool(QuantityKind.FREQUENCY in kinds or _REGULARLY.search(text))
            case Expectation.TIME:
                return bool(kinds & _TIMES or _PROMPTLY.search(text) or _EVENT.search(text) or _YEAR.search(text))
            case Expectation.MONEY:
                return bool(kinds & {QuantityKind.MONEY, QuantityKind.PERCENT} or _CURRENCY.search(text))
            case Expectation.NUMBER:
                return bool(kinds)
            case Expectation.REASON:
                return _REASON.search(text) is not None


_TIMES = {QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE}
_NOT_MEASURED = (None, Expectation.REASON)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as answers see it. ``expected`` is what an answer has to hold, ``unit`` the unit asked for ("hour"), ``counted`` the stem of
    what is counted ("attempt"), ``definiendum`` the term to define; ``enumerates``: it asks for several things, ``contents``: for what something
    contains. ``form`` is the stem of the word for how it is said or measured ("contain", "high"), ``category`` of what it asks the kinds of
    ("grounds", "conditions"): an answer may give both without that word. ``topic`` are the stems of what it asks everything about ("What are
    the rules on outsourcing?"), empty where it asks for something in particular. ``sought`` are those of the thing or deed it asks for
    ("Which *vendor* …?", "Who *signs* …?"), empty where the answer has another name.
    ``extreme``: 1 for the highest of several values, -1 for the lowest, else 0."""

    text: str
    terms: tuple[str, ...]
    expected: Expectation | None = None
    unit: str = ""
    counted: str = ""
    definiendum: str | None = None
    enumerates: bool = False
    contents: bool = False
    category: str = ""
    topic: frozenset[str] = frozenset()
    form: str = ""
    sought: tuple[str, ...] = ()
    extreme: int = 0

    @property
    def measures(self) -> bool:
        """Whether it asks for a time, an amount or a number."""
        return self.expected not in _NOT_MEASURED

    def is_met_by(self, text: str) -> bool:
        """Whether ``text`` holds what the question expects, cross-references aside."""
        if self.expected is None:
            return True
        if self.unit:
            return any(_counts(quantity, self.unit) for quantity in find_quantities(text))
        return self.expected.met_by(text)


def _counts(quantity: Quantity, unit: str) -> bool:
    return unit in quantity.unit or unit in quantity.text.lower()


def analyse(text: str) -> Question:
    """What a question asks for."""
    text = without_source(text)
    lowered = " ".join(text.lower().split())
    expected, contents = _expectation(lowered), _CONTENTS.search(lowered)
    form = contents["form"] if contents else _how(lowered)
    definiendum, category = _definiendum(lowered), category_of(lowered)
    is_open = expected is None and not definiendum and (not category or category in GENERIC_TERMS)
    unit = re.search(r"how many (?:calendar |business |working )?(minute|hour|day|week|month|year)s?\b", lowered)
    return Question(
        text=text,
        terms=tuple(dict.fromkeys(terms(text))),
        expected=expected,
        unit=unit.group(1) if unit else "",
        counted=_counted(lowered),
        definiendum=definiendum,
        enumerates=bool(_NAMES_SEVERAL.search(lowered) or contents),
        contents=contents is not None,
        form=next(iter(terms(form or "")), ""),
        category=category,
        topic=frozenset(content_terms(text)) if is_open else frozenset(),
        sought=() if category or definiendum else _sought(lowered),
        extreme=bool(_HIGHEST.search(lowered)) - bool(_LOWEST.search(lowered)),
    )


_HIGHEST, _LOWEST = (
    re.compile(r"\b(?:maximum|highest|longest|largest)\b"),
    re.compile(r"\b(?:minimum|lowest|shortest|smallest)\b"),
)
_AUXILIARY = r"(?:is|are|was|were|be|do|does|did|has|have|can|may|must|shall|should|will|would)"
_SOUGHT = re.compile(
    rf"^who (?!(?:do|does|did)\b)(?:(?:{_AUXILIARY}|to) )*(?P<deed>[\w-]+)"
    rf"|\b(?:what|which) (?!(?:{_AUXILIARY}|party|person|body|authority)\b)(?P<thing>(?:[\w-]+ ){{1,5}}?)(?:of|{_AUXILIARY}|we|you|i)\b"
    r"|^what (?:is|are) (?:the |an? )?(?P<part>(?:[\w-]+ ){1,3}?)(?:of|for)\b"
)


def _how(question: str) -> str:
    """The word that asks how much ("how *high* is", "at what *age* may")."""
    match = re.match(rf"(?:how|(?:at|of) what) ([\w-]+) {_AUXILIARY}\b", question)
    return match[1] if match else ""


def _sought(question: str) -> tuple[str, ...]:
    """The stems of the deed, thing or part that the question word asks for."""
    found = _SOUGHT.search(question)
    return tuple(content_terms(next(filter(None, found.groups())))) if found else ()


def _counted(question: str) -> str:
    match = re.search(
        r"how many ((?:[\w-]+ )+?)(?:must|are|is|do|does|can|may|should|shall|will|has|have|were|in|of|per)\b", question
    )
    found = terms(match.group(1)) if match else []
    return found[-1] if found else ""


_EXPECTATIONS: tuple[tuple[str, Expectation], ...] = (
    (r"how many (?:calendar |business |working )?(?:minute|hour|day|week|month|year)", Expectation.DURATION),
    (
        r"how (?:long|soon|quickly|fast)\b|deadline|time ?(?:limit|frame|line)|within (?:what|which)",
        Expectation.DURATION,
    ),
    (r"what is the (?:[\w-]+ ){0,3}(?:period|term|duration)\b", Expectation.DURATION),
    (r"how (?:often|frequently|regularly)|frequency", Expectation.FREQUENCY),
    (
        r"how much|(?:maximum|minimum|what) (?:[\w-]+ ){0,2}(?:fine|penalt|fee|amount|percentage|ratio)",
        Expectation.MONEY,
    ),
    (
        r"how many|(?:what|which|minimum|maximum) (?:[\w-]+ )?(?:age|length|size)\b|what (?:is|are) the (?:minimum|maximum|threshold|limit|number)",
        Expectation.NUMBER,
    ),
    (
        r"^when\b(?! (?:[\w-]+ )*?(?:not|may|can)\b)|(?:by|on|from|since) (?:when|what date|which date)|what date",
        Expectation.TIME,
    ),
    (
        r"^(?!wh(?:y|en|ere|om?)\b|(?:how )?(?:may|can|must|should|shall|does|do|is|are)\b(?! there)).*\b(?:fines?|penalt\w+|fees?|thresholds?|percentages?|ratios?)\b",
        Expectation.MONEY,
    ),
    (r"^why\b", Expectation.REASON),
)


def _expectation(question: str) -> Expectation | None:
    return next((expected for pattern, expected in _EXPECTATIONS if re.search(pattern, question)), None)


_ASKS_MEANING = re.compile(
    r"(?:(?:definition|meaning) of|(?:meant|understood) by|what (?:does|do)(?= .+ mean)|how (?:is|are)(?= .+ (?:defined|understood))|"
    r"\bdefine|what (?:counts|qualifies) as|what is (?:considered|deemed|regarded as))"
    r" (?P<term>.+?)(?: (?:mean|defined|understood))?(?: (?:in|under|by|for|according to) .*)?[.?!]*$"
)
_ASKS_WHAT = re.compile(r"(?:what|who) (is|are) (an? |the )?((?:[\w’'-]+ ?){1,4})\??$")
_OF_SOMETHING = re.compile(r"\b(?:of|for|to|on|in|under|with|from|by|about)\b")


def _definiendum(question: str) -> str | None:
    """The term a question wants explained. "What are the grounds for processing" and "what is the highest fine" ask for
    what the document provides, not for a meaning."""
    if match := _ASKS_MEANING.search(question):
        return _named_term(match["term"])
    match = _ASKS_WHAT.match(question)
    if match is None or _expectation(question) not in _NOT_MEASURED:
        return None
    verb, article, term = match.groups()
    if article == "the " and (verb == "are" or _OF_SOMETHING.search(term)):
        return None
    return _named_term(term)


def _named_term(words: str) -> str | None:
    return re.sub(r"^(?:an?|the|meaning of|definition of)\s+|[\"“”‘’'?]", "", words).strip() or None


def content_terms(text: str) -> list[str]:
    """The stemmed terms of ``text`` that do not belong to the way of asking."""
    return [t for t in terms(text) if t not in GENERIC_TERMS and t not in _OF_ASKING]


def is_generic(term: str) -> bool:
    """Whether a stemmed term belongs to the way a question is asked rather than to its subject."""
    return term in GENERIC_TERMS
