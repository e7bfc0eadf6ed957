"""Promises a communication must not make, and warnings it must carry (A4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from policypal.audit.matching import Weights
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.reading import Statement
from policypal.gate.vocabulary import GENERIC, concepts

_MONEY_WORD = r"(?:returns?|profits?|income|yields?|gains?|growth|performance|interest|payouts?|earnings|capital|savings|results?|outperform\w*|investments?)"
_ABSOLUTE = re.compile(
    rf"\b(?:guarantee[ds]?(?=[^.]{{0,60}}\b{_MONEY_WORD}\b)|{_MONEY_WORD}\b[^.]{{0,40}}\b(?:is|are) (?:fully |100% )?guaranteed|risk[- ]free|zero[- ]risk|"
    rf"(?:no|without (?:any )?|free of|zero|never any) risks?\b|can(?:not|'t|’t) (?:possibly )?(?:lose|go down|fall|fail)|never lose[sd]?|no chance of (?:a )?loss|"
    rf"100 ?% (?:safe|secure|certain|protected)|completely safe|absolutely safe|always (?:outperform\w*|wins?|beats?|pays?|profit\w*)|"
    rf"certain (?:profits?|returns?|gains?)|assured (?:returns?|profits?)|double your money|get rich|too good to miss|never (?:falls?|goes down)(?! (?:below|under|short)))",
    re.I,
)
_NOT_A_PROMISE = re.compile(r"\b(?:not|never|no|nor|isn't|aren't|cannot be|neither|nothing)\b[^.,;]{0,25}$", re.I)
_SPOKEN_OF = re.compile(
    r"\b(?:not|never) (?:be )?(?:used|made|promised?|described?|claim(?:ed)?|state[ds]?|contain|include|permitted|allowed)\b|\b(?:words?|terms?|expressions?|claims?|statements?) (?:such as|like)\b|"
    r"\b(?:prohibited|forbidden|avoid(?:s|ed)?|must not|may not|do not|does not)\b",
    re.I,
)
_AGAINST_PROMISES = re.compile(
    r"\b(?:guarantee\w*|promis(?:e|es|ing)|risk[- ]free|free of risk|without risk|absence of risk|assur(?:e|es|ing|ance) of (?:return|profit)s?|downplay\w*|understate\w*)\b",
    re.I,
)
_FAIR = re.compile(
    r"\b(?:misleading|mislead|deceptive|false|fair[, ]+(?:and )?(?:clear|balanced)|balanced|exaggerat\w+|unsubstantiated)\b",
    re.I,
)


def promise_conflict(pair: Pair) -> Conflict | None:
    """An absolute promise against a rule on promises, or on fair and clear communication."""
    said = absolute_promise(pair.claim.text)
    if said is None or pair.rule.obligation is None or not pair.rule.obligation.binding:
        return None
    against, fair = _AGAINST_PROMISES.search(pair.rule.text), _FAIR.search(pair.rule.text)
    if against:
        return Conflict(Nature.PROMISE, said, against.group(), 0.95)
    return Conflict(Nature.PROMISE, said, fair.group(), 0.8) if fair else None


@lru_cache(maxsize=8_192)
def absolute_promise(text: str) -> str | None:
    """The words that promise the impossible, unless they are denied ("returns are not guaranteed")."""
    for match in _ABSOLUTE.finditer(text):
        rest = text[: match.start()] + text[match.end() :]
        if not _NOT_A_PROMISE.search(text[: match.start()]) and not _SPOKEN_OF.search(rest):
            return match.group()
    return None


_COMMUNICATION = r"(?:advert\w*|promotions?\w*|communications?|marketing|e-?mails?|offers?|publicity|materials?|brochures?|posts?|messages?|newsletters?)"
_MUST_CARRY = re.compile(
    r"\b(?:must|shall)\s+(?:(?!not\b)\w+ ){0,2}(?:include|contain|carry|display|state|disclose|bear|show|be accompanied by|be followed by|mention|indicate)\b(?P<what>[^.;]+)",
    re.I,
)
_ABOUT_COMMUNICATION = re.compile(rf"\b(?:{_COMMUNICATION}|references? to|mention of|statements? (?:about|of))\b", re.I)
_PROMOTES = re.compile(
    r"\b(?:invest|apply|join|sign up|subscribe|buy|open|enjoy|earn|discover|benefit|get|grab|try|secure|switch) (?:now|today|in|your|our|an?|up to|the)\b|"
    r"\b(?:our|new|exclusive|special|limited) (?:\w+ ){0,3}(?:offer|fund|product|account|card|loan|deal|plan)\b|\bup to \d|!\s*$|!\s",
    re.I,
)
_POLICY_VOICE = re.compile(
    r"\b(?:policy|procedure|staff|employees?|compliance|must|shall|is approved|are approved|is reviewed|are reviewed)\b",
    re.I,
)
_COMMUNICATION_CONCEPTS = frozenset(
    concepts("advertisement promotion communication marketing email offer material publicity message product service customer reference statement brochure post mention newsletter e mail")
)  # fmt: skip
_PRESENT = 0.5


def undisclosed(
    source: Sequence[Statement], rule: Statement, weights: Weights
) -> tuple[int, Conflict] | None:  # fmt: skip
    """The source statement that triggers a mandatory warning which no part of the source carries, by its index."""
    carry = _MUST_CARRY.search(rule.text)
    subject = rule.text[: carry.start()] if carry else ""
    if carry is None or not _ABOUT_COMMUNICATION.search(subject):
        return None
    what = frozenset(concepts(carry["what"])) - GENERIC - {"promin", "warn", "clear"}
    topic = frozenset(concepts(subject)) - GENERIC - _COMMUNICATION_CONCEPTS
    whole = frozenset().union(*(frozenset(concepts(s.full)) for s in source))
    if (
        not what
        or weights.share(whole - _trigger_only(source, topic), what) >= _PRESENT
        or _carried(source, what, weights)
    ):
        return None
    trigger = _trigger(source, topic, weights)
    if trigger is None:
        return None
    return trigger, Conflict(Nature.UNDISCLOSED, source[trigger].text, " ".join(carry["what"].split()), 0.7)


def _trigger_only(source: Sequence[Statement], topic: frozenset[str]) -> frozenset[str]:
    """What the subject names does not count as carried."""
    return topic if source else frozenset()


def _carried(source: Sequence[Statement], what: frozenset[str], weights: Weights) -> bool:
    return any(weights.share(frozenset(concepts(s.full)), what) >= _PRESENT for s in source)


def _trigger(source: Sequence[Statement], topic: frozenset[str], weights: Weights) -> int | None:
    for index, statement in enumerate(source):
        about = not topic or weights.share(frozenset(concepts(statement.full)), topic) >= 0.5
        if about and _PROMOTES.search(statement.text) and not _POLICY_VOICE.search(statement.text):
            return index
    return None
