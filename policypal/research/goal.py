"""What a research goal says, read without a model: its subject, what it asks, what it leaves open (W2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from policypal.answer.questions import is_generic
from policypal.answer.rewrite_query import clean
from policypal.domain.research import Aspect
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.request.words import NOUNS, ONLY_IN_NAMES, singular
from policypal.research.disclosure import request_without_draft
from policypal.research.timeframe import names_period
from policypal.search.terms import STOP_WORDS, terms

MAX_GOAL_CHARACTERS = 10_000
ASPECTS: tuple[Aspect, ...] = ("scope", "timeframe", "depth", "use")

_WORD = re.compile(r"[^\W_]+(?:[-.'’/][^\W_]+)*")

_TASK_WORDS = frozenset(
    "compare comparison contrast differ difference summarize summarise summary analyse analyze analysis assess assessment evaluate evaluation "
    "review identify list explain describe outline examine investigate research report write draft prepare create produce "
    "make give show tell find look get help want need know learn understand discuss explore study check do use include in-depth deep "
    "detailed comprehensive exhaustive thorough short brief overview briefing page compile map focus advise "
    "change changed cover update say require demand expect lay meet also between within since during over under please against "
    "january february march april june july august september october november december".split()
)  # fmt: skip
_VAGUE_WORDS = frozenset(
    "thing stuff info information everything anything something all topic subject area matter issue question point detail best good practice time "
    "latest new newest recent current relevant important various general different regulator supervisor authority regulatory "
    "legal law rule regulation requirement obligation compliance policy procedure document library company internal own e-mail email letter".split()
)  # fmt: skip
_NOT_SUBJECT = _TASK_WORDS | _VAGUE_WORDS | (NOUNS.keys() - ONLY_IN_NAMES)
_DEFINITE = re.compile(
    r"\b(?:compar(?:e|es|ing|ison)|contrast|versus|vs\.?|differ(?:s|ences?)?|identify|list|assess|evaluate|explain|outline|map|summari[sz]e|check|"
    r"gap analysis|gaps? between|determine|recommend|draft|calculate|rank|trace|verify|quantify|which|whether|"
    r"how (?:do|does|did|must|should|shall|can|may|is|are|was|were|has|have|long|soon|often|much|many|quickly|far)|"
    r"(?:what|who|whom|when|where|why) (?:[\w’'-]+ ){0,6}?(?:must|should|shall|may|can|do|does|did|is|are|was|were|has|have|had|will|would|"
    r"requires?|changed|changes|applies|apply|happens|counts?|says?))\b|^(?:does|do|did|is|are|was|were|must|may|can|should|has|have)\b.*\?",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(?:our|my|the (?:company|group|bank)['’]s)\s+(?:\w+\s+){0,3}?(?:regulators?|supervisors?|authorit(?:y|ies)|polic(?:y|ies)|rules?|procedures?|documents?|"
    r"library|regulations?|e-?mails?|contracts?|standards?)\b",
    re.IGNORECASE,
)
_WHOM = re.compile(
    r"\b(?:banks?|insurers?|insurance (?:companies|undertakings)|fintechs?|brokers?|asset managers?|fund managers?|payment (?:institutions?|firms?)|"
    r"investment firms?|credit institutions?|credit unions?|lenders?|controllers?|processors?|hospitals?|universit(?:y|ies)|(?:public|government) (?:bodies|agencies)|"
    r"companies|small businesses|mid-?size\w*|smes?|subsidiar(?:y|ies)|manufacturers?|retailers?|suppliers?|operators?)\b",
    re.IGNORECASE,
)
_TOPIC_ACRONYMS = frozenset(
    "AI AML API BCM BCP CDD CEO CFT CISO CTF DPIA DPO ESG HR ICT IP IT KYC MFA ML NDA OK PDF PEP PII RPO RTO SLA TPRM".split()
)
_DEPTH = re.compile(
    r"\b(?:overview|summar(?:y|i[sz]e)|brief(?:ly)?|short|concise|in[- ]depth|deep[- ]dive|detail(?:s|ed)?|comprehensive|exhaustive|thorough|"
    r"(?:one|two|three|\d+)[- ]pages?r?|compar(?:e|ison)|differ(?:s|ences?)?|tables?|matrix|list|checklist|step[- ]by[- ]step|clause[- ]by[- ]clause|"
    r"gap analysis|every|each)\b",
    re.IGNORECASE,
)
_USE = re.compile(
    r"\b(?:for (?:the|our|my|a|an)\s+(?:\w+\s+){0,2}?(?:board|management|committee|training|audit|inspection|examination|meeting|presentation|customers?|staff|"
    r"workshop|team|client|decision|regulator|update|revision)|so that (?:we|i)|in order to|(?:to|can) (?:update|revise|decide|prepare|train|brief|present|"
    r"implement|comply|convince)|(?:change|update|revise|amend|improve|adapt)\w* (?:in |to )?(?:our|its|my|the|their) (?:\w+ ){0,3}(?:polic|procedure|framework|process)|"
    r"presentation|board paper|training material|prepar(?:e|ing) for)",
    re.IGNORECASE,
)
_BROAD = re.compile(
    r"\b(?:everything|anything|all (?:\w+ ){0,2}(?:rules|laws|regulations|countries|jurisdictions|requirements|aspects|topics|areas)|every (?:country|jurisdiction|law|rule|"
    r"regulation|aspect)|worldwide|global(?:ly)?|around the world|(?:complete|full|entire) (?:history|picture|body)|exhaustive|comprehensive)\b",
    re.IGNORECASE,
)  # fmt: skip


def checked_goal(goal: str) -> str:
    """``goal`` as it is stored. Raises InvalidInput: it is empty, says nothing, or is a document rather than a goal."""
    goal = storable(goal).strip()
    if len(goal) > MAX_GOAL_CHARACTERS:
        raise InvalidInput(
            f"The goal has {len(goal):,} characters; at most {MAX_GOAL_CHARACTERS:,} are possible. Please add long texts to the "
            "library as documents, and say in a few sentences what the report is to find out."
        )
    if len([c for c in goal if c.isalpha()]) < 2:
        raise InvalidInput("Please say in a sentence or two what the report is to find out.")
    return goal


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal as it was read. ``words`` are those of its subject; ``asks``: there is a question in it, or something to do;
    ``stated`` is what it says of scope, timeframe, depth and use; ``broad``: it wants everything there is."""

    words: tuple[str, ...]
    asks: bool
    stated: frozenset[Aspect]
    broad: bool

    @property
    def missing(self) -> list[Aspect]:
        """What it leaves open, in the order in which it is asked for."""
        return [aspect for aspect in ASPECTS if aspect not in self.stated]


def read_goal(goal: str, *, names_documents: bool) -> Goal:
    """Read a goal; ``names_documents``: it names documents of the library."""
    asked = request_without_draft(goal)
    return Goal(
        words=tuple(subject_words(asked)),
        asks=_DEFINITE.search(asked) is not None,
        stated=_stated(asked, names_documents),
        broad=_BROAD.search(asked) is not None,
    )


def subject_words(text: str) -> list[str]:
    """The words of ``text`` that carry its subject, in order, without those that only say what to do with it."""
    found: dict[str, str] = {}
    for word in _WORD.findall(clean(text)):
        if word.lower() not in STOP_WORDS and _carries(word):
            found.setdefault(word.lower(), word)
    return list(found.values())


def _carries(word: str) -> bool:
    found = terms(word)
    is_filler = word.isdecimal() or bool({word.lower(), singular(word.lower())} & _NOT_SUBJECT)
    return bool(found) and not is_filler and not all(is_generic(t) for t in found)


def _stated(text: str, names_documents: bool) -> frozenset[Aspect]:
    found: dict[Aspect, bool] = {
        "scope": names_documents or bool(_OURS.search(text) or _WHOM.search(text)) or _has_proper_name(text),
        "timeframe": names_period(text),
        "depth": _DEPTH.search(text) is not None,
        "use": _USE.search(text) is not None,
    }
    return frozenset(aspect for aspect, is_stated in found.items() if is_stated)


def _has_proper_name(text: str) -> bool:
    """A capitalised word inside a sentence that is otherwise not: a country, an authority, a law."""
    inside = [w for sentence in re.split(r"(?<=[.?!:])\s+|\n+", text) for w in _WORD.findall(sentence)[1:]]
    names = [w for w in inside if w[0].isupper() and w not in _TOPIC_ACRONYMS and w != "I"]
    telling = [w for w in inside if w.lower() not in STOP_WORDS]
    first = _WORD.findall(text)[:1]
    acronym = bool(first) and len(first[0]) > 2 and first[0].isupper() and first[0] not in _TOPIC_ACRONYMS
    if acronym and inside and not text.isupper():
        return True
    return bool(names) and len(names) < len(telling)
