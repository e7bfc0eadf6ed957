"""Lines of evidence, and how much of what a question asks about stands with one (A2)."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from policypal.answer.evidence import Evidence
from policypal.answer.questions import Question, is_generic
from policypal.domain.provisions import Kind
from policypal.search.synonyms import stand_ins
from policypal.search.terms import terms

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, list item or row of an evidence's text. ``follows``: nothing is left out between it and the one before."""

    evidence: Evidence
    span: Span
    follows: bool = True

    @property
    def text(self) -> str:
        return self.evidence.text[slice(*self.span)]


@dataclass(frozen=True, slots=True)
class ShownProvision:
    """A provision as it is shown: its lines in reading order, ``best`` the one that matches the question most. ``goes_on``: there is
    more of it behind the last line."""

    lines: tuple[Line, ...]
    best: Line
    score: float
    goes_on: bool = False

    @property
    def evidence(self) -> Evidence:
        """The part that its first line is of."""
        return self.lines[0].evidence


_LINE = re.compile(r"[^\n]+")
_OPENS = re.compile(r"(?::|[—–])\s*$")


def opens_list(line: Line) -> bool:
    """Whether a line introduces what follows it."""
    return _OPENS.search(line.text) is not None


def lines_of(evidence: Evidence) -> list[Line]:
    """The lines of its text that hold a word."""
    return [Line(evidence, m.span()) for m in _LINE.finditer(evidence.text) if any(c.isalnum() for c in m[0])]


_OPENING = 120
_MEANS = re.compile(r"\W*(?:\([^)]*\)\W*)?(?:shall )?(?:means?|refers to|(?:is|are) defined|has the meaning|[–—:-])")
_BEGINS = re.compile(r"\W*(?:\(?\w{1,4}[).]\W+)*(?:(?:the|an?) )?(?:(?:terms?|expressions?|words?) )?\W*")


def is_meaning(definiendum: str, line: Line) -> bool:
    """Whether a line begins with the term and goes on to say what it means, or says of the term in quotation marks that it does."""
    opening = " ".join(line.text.split())[:_OPENING].lower()
    before, found, rest = opening.partition(definiendum.lower())
    if not found or not (_BEGINS.fullmatch(before) or before.endswith(("“", "‘", '"', "'"))):
        return False
    return Kind.DEFINITION in line.evidence.kinds or _MEANS.match(rest) is not None


def matched(question: Question, text: str) -> float:
    """How many of the words asked about it holds, a synonym counting half."""
    wanted = subject_terms(question)
    own = len(wanted) * share_held(wanted, set(terms(text)))
    return own + 0.5 * question.is_met_by(text) if question.expected else own


def subject_terms(question: Question) -> list[str]:
    """The stems a question is about, without those that belong to asking."""
    return [t for t in question.terms if not is_generic(t)] or list(question.terms)


def share_held(wanted: Collection[str], held: Collection[str]) -> float:
    """The share of the stems ``wanted`` that are ``held``, in [0, 1]; a synonym counts half."""
    credits = (1.0 if t in held else 0.5 * any(other in held for other in stand_ins(t)) for t in wanted)
    return sum(credits) / max(len(wanted), 1)


def words_with(line: Line) -> set[str]:
    """The stems of a line, of its headings and of what introduces it."""
    return set(terms(f"{line.text} {line.evidence.heading or ''} {line.evidence.introduction}"))


_SUBJECT_HELD = 0.75


def holds_subject(question: Question, line: Line) -> bool:
    """Whether what is asked about stands with a line: in its words, its headings or what introduces it; not in its document's title, which
    stands with every line. A count of all there are of something has no subject that a line could hold."""
    subject = subject_terms(question)
    wanted = [t for t in subject if t not in (question.form, question.category)] or subject
    return wanted != [question.counted] and share_held(wanted, words_with(line)) >= _SUBJECT_HELD
