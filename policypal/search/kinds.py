"""What kind of words an answer has to hold: a time, an amount, a list."""

import re
from enum import Enum
from functools import lru_cache

from policypal.search.terms import TEXTS_KEPT

_NUMBER = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|sixty|ninety)"
)


class Kind(Enum):
    """The kinds of answers a question can ask for in so many words."""

    TIME = "time"
    AMOUNT = "amount"
    LIST = "list"


_ASKED: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (
            r"\bhow (?:long|soon|quickly|fast|often|frequently|regularly|many (?:\w+ )?(?:days|hours|weeks|months|years|minutes))\b|"
            r"\bdeadline|\btime ?(?:limit|frame|line)|\bwithin (?:what|which)\b|\bby when\b|\bwhat (?:date|frequency)\b|\bfrequency\b",
            Kind.TIME,
        ),
        (
            r"\bhow (?:much|many)\b|\bwhat age\b|\b(?:maximum|minimum|highest|lowest|threshold|percentage|ratio|amount|fines?|penalt\w+|fees?)\b",
            Kind.AMOUNT,
        ),
        (
            r"\b(?:what|which) (?:[\w-]+ ){0,4}?(?:are|must|should|shall|has to|have to|does|do|is (?:to be|required))\b|"
            r"\b(?:on|in|under) (?:what|which)\b|\bwhen\b|\blist\b",
            Kind.LIST,
        ),
    )
)
_HELD = {
    Kind.TIME: re.compile(
        rf"\b{_NUMBER}\)? (?:\(\w+\) )?(?:calendar |business |working )?(?:minute|hour|day|week|month|year)s?\b|"
        r"\bwithout (?:undue |unreasonable )?delay\b|\b(?:immediately|promptly|forthwith|annual(?:ly)?|yearly|quarterly|monthly|weekly|daily)\b|"
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) (?:\d{1,2}, )?(?:19|20)\d\d\b",
        re.IGNORECASE,
    ),
    Kind.AMOUNT: re.compile(
        rf"[€$£¥₹%]|\b(?:EUR|USD|GBP|CHF|AED|rupees|crore|lakh|per cent|percent|million|billion)\b|\b{_NUMBER} [a-z]",
    ),
    Kind.LIST: re.compile(r"(?:[:–—-]|following)[ \t]*\n\s*(?:\(?(?:a|i|1)[).]|[•▪‣·–—-])\s", re.IGNORECASE),
}


def kind_asked_for(query: str) -> Kind | None:
    """The kind the words of a question ask for; None where any kind of answer will do."""
    return next((kind for pattern, kind in _ASKED if pattern.search(query)), None)


@lru_cache(maxsize=TEXTS_KEPT)
def holds(kind: Kind, text: str) -> bool:
    """Whether ``text`` holds something of the ``kind``."""
    return _HELD[kind].search(text) is not None
