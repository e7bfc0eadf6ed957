"""Severity, theme, consequence and suggestion of a finding, by stated rules and templates (A4, R4)."""

from __future__ import annotations

import re

from policypal.audit.pairs import Conflict, Nature
from policypal.audit.reading import Statement
from policypal.domain.audits import Severity
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.search.terms import STOP_WORDS, terms
from policypal.text.obligations import Modality

_TO_AUTHORITY = re.compile(
    r"\b(?:authorit(?:y|ies)|regulators?|supervisors?|agency|central bank|financial intelligence unit|fiu|ombudsman)\b",
    re.I,
)
_GRAVE = re.compile(
    r"\b(?:suspicious|sanctions?|terroris\w+|money[- ]laundering|identity|personal data|client (?:money|funds|assets)|capital|own funds|"
    r"confidential\w*|mislead\w*|guarantee\w*|prohibit\w*)\b",
    re.I,
)

_BASE: dict[Nature, Severity] = {
    Nature.PROHIBITED: Severity.CRITICAL,
    Nature.PROMISE: Severity.CRITICAL,
    Nature.UNBOUNDED: Severity.HIGH,
    Nature.DENIED: Severity.HIGH,
    Nature.ORDER: Severity.HIGH,
    Nature.CONTRAST: Severity.HIGH,
    Nature.RETENTION: Severity.HIGH,
    Nature.DEADLINE: Severity.HIGH,
    Nature.LIMIT: Severity.HIGH,
    Nature.UNDISCLOSED: Severity.HIGH,
    Nature.FREQUENCY: Severity.MEDIUM,
    Nature.SCOPE: Severity.MEDIUM,
    Nature.WEAKENED: Severity.MEDIUM,
    Nature.VAGUE: Severity.MEDIUM,
    Nature.INCOMPLETE: Severity.MEDIUM,
    Nature.MISSING: Severity.MEDIUM,
}


def severity(nature: Nature, rule: Statement) -> Severity:
    """How grave a conflict is (A4); the table is in docs/audit.md.

    Critical: prohibited conduct, impossible promises, a missed deadline towards an authority. High: other broken
    numbers, denials, wrong order, exclusion, retention, missing warnings; a missing obligation with a figure towards an
    authority or in a grave matter; one towards an authority in a grave matter narrowed, weakened or missing.
    Medium: weaker modality, narrower scope, vagueness, rarer reviews, partial lists, other missing obligations.
    Low: a missing recommendation."""
    base = _BASE[nature]
    if nature is Nature.DEADLINE and _TO_AUTHORITY.search(rule.text):
        return Severity.CRITICAL
    if nature in (Nature.MISSING, Nature.SCOPE, Nature.WEAKENED) and (
        _TO_AUTHORITY.search(rule.text) and _GRAVE.search(rule.text)
    ):
        return Severity.HIGH
    if nature is Nature.MISSING:
        return _missing_severity(rule)
    return base


def _missing_severity(rule: Statement) -> Severity:
    if rule.obligation is not None and not rule.obligation.binding:
        return Severity.LOW
    if rule.obligation is not None and rule.obligation.modality is Modality.PROHIBITED:
        return Severity.HIGH if _GRAVE.search(rule.text) else Severity.MEDIUM
    grave = _GRAVE.search(rule.text) or _TO_AUTHORITY.search(rule.text)
    return Severity.HIGH if grave and rule.quantities else Severity.MEDIUM


_SAYS: dict[Nature, str] = {
    Nature.DEADLINE: "The text states “{said}” where {title} sets {ruled}",
    Nature.RETENTION: "The text keeps records for “{said}” where {title} sets {ruled}",
    Nature.FREQUENCY: "The text provides for “{said}” where {title} requires {ruled}",
    Nature.LIMIT: "The text states “{said}” where {title} sets {ruled}",
    Nature.UNBOUNDED: "The text keeps data “{said}” where {title} limits storage ({ruled})",
    Nature.PROHIBITED: "The text describes conduct that {title} rules out ({ruled})",
    Nature.DENIED: "The text says “{said}” where {title} requires the opposite ({ruled})",
    Nature.ORDER: "The text acts “{said}”, but {title} requires it beforehand ({ruled})",
    Nature.CONTRAST: "The text says “{said}”, which {title} excludes by requiring “{ruled}”",
    Nature.SCOPE: "The text limits the duty (“{said}”), but {title} covers {ruled}",
    Nature.WEAKENED: "The text leaves a mandatory duty open (“{said}”); {title} says {ruled}",
    Nature.VAGUE: "The text names no figure (“{said}”) where {title} sets {ruled}",
    Nature.INCOMPLETE: "The text names only part of what {title} requires; not found: {ruled}",
    Nature.PROMISE: "The text makes an absolute promise (“{said}”), contrary to the rule on “{ruled}” in {title}",
    Nature.UNDISCLOSED: "The text lacks what {title} requires it to carry: {ruled}",
    Nature.MISSING: "Nothing in the text was found that meets this requirement of {title}{said}",
}
_RISK: dict[Severity, str] = {
    Severity.CRITICAL: "acting on it would breach the rule outright and may have to be disclosed or sanctioned",
    Severity.HIGH: "acting on it would breach a binding requirement",
    Severity.MEDIUM: "compliance would depend on individual judgement and could not be evidenced",
    Severity.LOW: "good practice expected by the document would not be met",
}

_UNMET = "the requirement would not be met, or could not be evidenced"


def consequence(conflict: Conflict, level: Severity, title: str) -> str:
    """What is wrong, in the words of both sides, and what it leads to."""
    said = conflict.said if conflict.nature is Nature.MISSING else _short(conflict.said)
    ruled = _short(conflict.ruled)
    ruled = ruled if conflict.nature in (Nature.CONTRAST, Nature.PROMISE) else f"“{ruled}”"
    risk = _UNMET if conflict.nature in (Nature.MISSING, Nature.UNDISCLOSED) else _RISK[level]
    return f"{_SAYS[conflict.nature].format(said=said, ruled=ruled, title=title)}; {risk}."


def suggestion(conflict: Conflict, rule: Statement) -> str:
    """What to write instead, built from the rule's own words."""
    words = _short(rule.full, 220)
    if conflict.nature is Nature.MISSING:
        return f"Add a clause that implements: “{words}”"
    if conflict.nature in (Nature.UNDISCLOSED, Nature.INCOMPLETE):
        return f"Add the required statement: “{_short(conflict.ruled, 220)}”"
    if conflict.nature in (Nature.PROHIBITED, Nature.PROMISE):
        return f"Remove the statement “{_short(conflict.said)}” and reflect: “{words}”"
    if conflict.nature in _NUMERIC:
        return f"Replace “{_short(conflict.said)}” to meet “{_short(conflict.ruled)}” and reflect: “{words}”"
    return f"Update the clause to require: “{words}”"


_NUMERIC = (Nature.DEADLINE, Nature.RETENTION, Nature.FREQUENCY, Nature.LIMIT, Nature.VAGUE, Nature.UNBOUNDED)


def theme(rule: Statement, themes: list[str]) -> str:
    """The given theme that fits best, else the rule's heading, else its main words."""
    subject = frozenset(concepts(f"{rule.heading or ''} {rule.full}"))
    fitting = [(len(frozenset(concepts(t)) & subject), -i, t) for i, t in enumerate(themes)]
    best = max(fitting, default=(0, 0, ""))
    if best[0]:
        return best[2]
    heading = _NUMBERING.sub("", rule.heading or "").strip(" .:–—-")
    return _clipped(heading) if heading else _main_words(rule.text)


_NUMBERING = re.compile(
    r"^\s*(?:(?:article|section|chapter|part|annex|rule|title)\s+[\dIVXLC]+[\w.()]*|\d+(?:\.\d+)*\.?)\s*", re.I
)


def _main_words(text: str) -> str:
    words = [
        w for w in re.findall(r"[A-Za-z][A-Za-z-]+", text)
        if w.lower() not in STOP_WORDS and not (set(terms(w)) & GENERIC) and len(w) > 3
    ]  # fmt: skip
    return " ".join(words[:3]).capitalize() or "General"


def _short(text: str, limit: int = 110) -> str:
    flat = " ".join(text.split()).strip(" .;")
    return flat if len(flat) <= limit else flat[:limit].rsplit(" ", 1)[0] + " …"


def _clipped(heading: str, limit: int = 80) -> str:
    """A long heading, cut between words."""
    return heading if len(heading) <= limit else heading[: heading.rfind(" ", 0, limit)].rstrip(" ,;:") + " …"
