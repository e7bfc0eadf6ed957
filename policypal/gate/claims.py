"""What a text claims in figures and denials, for whoever compares two texts without citing one for the other (A4, C2)."""

import re
from collections.abc import Sequence

from policypal.gate.figures import check_figures
from policypal.text.logic import read_logic

_MULTIPLES = re.compile(
    r"\b(?:twice|thrice|doubl\w+|tripl\w+|quadrupl\w+|half|halv\w+|third of|quarter of|(?:two|three)[- ]thirds|dozens?|hundreds?|"
    r"thousands?|millions?|billions?|\w+fold)\b",
    re.IGNORECASE,
)


def missing_figures(sentence: str, sources: Sequence[str]) -> list[str]:
    """The numbers, amounts, dates and durations of ``sentence``, in digits or words, that none of ``sources`` has or that stand there
    with the opposite bound. 72 hours and three days are one figure; twice as much is a figure of its own."""
    found = check_figures(sentence, sources, " ".join(sources))
    missing = [*found.missing, *found.turned]
    held = " ".join(sources).casefold()
    new = [m.group() for m in _MULTIPLES.finditer(sentence) if m.group().casefold() not in held]
    return missing + [word for word in new if not any(word in figure for figure in missing)]


def negations(text: str) -> tuple[int, int]:
    """How many words deny something, and how many comparisons ("no later than") are bounded by denying."""
    roles = [word.role for word in read_logic(text).words]
    denying = ("negation", "exception", "prohibited", "released")
    return sum(role in denying for role in roles), roles.count("bounding")


def negates(text: str) -> bool:
    """Whether a text denies, forbids or excepts something; "no later than" and the like bound a number instead."""
    return negations(text)[0] > 0
