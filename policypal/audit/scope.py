"""Claims that leave out cases the rule covers: exceptions, "only for …", thresholds, samples (A4)."""

from __future__ import annotations

import re

from policypal.audit.limits import claim_values, rule_limits
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.polarity import polarity
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.text.obligations import Modality

_EXCEPTION = re.compile(
    r"\b(?P<cue>except(?:ing)?(?: for| in| on| where)?|excluding|with the exception of|other than|(?:do|does|shall|will|need) not (?:apply|extend) to|(?:is|are) not (?:required|needed|necessary|applied|carried out) for|(?:is|are) waived for|apart from|save for|but not (?:for |to |in )?)\s+(?P<who>(?:[\w-]+\s*){1,6})",
    re.I,
)
_EXEMPT = re.compile(
    r"(?P<who>(?:[\w,-]+\s+){1,8})(?P<cue>(?:is|are|remain|remains) (?:exempt(?:ed)?|excluded|excused|out of scope|left out|unaffected|not (?:covered|included|in scope|affected|recorded|subject|eligible|entitled|considered|required to|obliged to|expected to))|"
    r"need not|(?:do|does) not (?:need|have) to|(?:do|does) not (?:attend|take part|participate)|(?:do|does|is|are|need|will) not(?=\s*[.;]|$))",
    re.I,
)
_REMAINDER = re.compile(r"[;,]\s+(?:and |but |while |whereas )?(?P<who>(?:smaller|larger|lower|higher|older|younger|newer|other|minor|remaining|existing|all other|the other|the rest)\b[^,;.]{0,40}?)\s+(?P<cue>(?:is|are|do|does|need|will) not\b[^,;.]{0,30})", re.I)  # fmt: skip
_ONLY = re.compile(r"\b(?P<cue>only|solely|exclusively|limited to|restricted to|confined to)\s+(?:for |to |by |of |on |in |at |the |as |from |with )*(?P<who>(?:[\w-]+\s*){1,4})", re.I)  # fmt: skip
_FOR_ONLY = re.compile(
    r"\b(?:to|for|by|from|in|at|of|with) (?P<who>(?:[\w-]+ ){1,6})(?:only|alone|exclusively)\b(?=[.,;)]|$)", re.I
)
_ONLY_CONDITION = re.compile(
    r"\b(?:only|solely)\s+(?:after|once|with|if|when|where|then|upon approval|following|under|on (?:the )?(?:basis|documented|written)|in accordance|as long|to the extent|until)\b", re.I
)  # fmt: skip
_SHIELDS = re.compile(
    r"\b(?:confidential\w*|secre\w+|restrict\w*|protect\w* against|unauthori[sz]ed|limit\w*|need[- ]to[- ]know)\b", re.I
)
_PURPOSE = re.compile(r"\b(?:purposes?|extent|use)\b", re.I)
_ON_DEMAND = re.compile(
    r"\bonly (?:up)?on (?:\w+ )?(?:request|demand)|(?:up)?on request only|only (?:if|when|where) (?:they are |it is |the customer )?(?:asked|requested|asks)\b|"
    r"\bwho (?:explicitly |specifically |expressly |actively )?(?:ask|asks|request|requests|enquire|want|demand)(?: for)?(?: (?:it|them|this|one))?\b",
    re.I,
)
_ON_REQUEST = re.compile(r"\b(?:up)?on (?:written |prior |express )?(?:request|demand)\b", re.I)
_MADE_AVAILABLE = re.compile(r"\b(?:available|access\w*|inspect\w*)\b", re.I)
_GRADED = re.compile(r"\b(?P<grade>larger?|bigger?|significant|material|major|important|high-value|high-risk|key|new|permanent|full-time|regular|external|internal)\s+(?P<noun>[\w-]+)", re.I)  # fmt: skip
_SOME = re.compile(
    r"\b(?:some(?: of)?|most(?: of)?|selected|certain|a (?:random |representative |small )?(?:sample|selection|number|few|handful) of|the majority of|"
    r"on a sample basis|sample[- ]based|spot[- ]checks?|random(?:ly)? (?:checks?|chosen|selected)|a few)\b(?! (?:time|point|extent|circumstances|cases))",
    re.I,
)
_SINCE = re.compile(r"\b(?:launched|concluded|opened|signed|hired|recruited|acquired|built|installed|created|issued|made|registered|introduced|bought|developed)\s+(?:after|since|from|on or after|before|until|prior to)\b[^.,;]{0,30}", re.I)  # fmt: skip
_UNIVERSAL = re.compile(
    r"\b(?:all|every|each|any|both|including|whole|entire|always|at all times|regardless|irrespective|no|everyone|anyone)\b",
    re.I,
)
_WHATEVER = re.compile(r"\b(?:whatever|whichever|regardless|irrespective|including|no matter|independent(?:ly)? of|alike|as well as|of any)\b", re.I)  # fmt: skip
_RULE_EXCEPTION = re.compile(
    r"\b(?:except|unless|exempt\w*|other than|excluding|does not apply|shall not apply)\b", re.I
)
_MIN_RELATION = 0.38
_CLOSE_RELATION = 0.5


def scope_conflict(pair: Pair) -> Conflict | None:
    """The claim carves out cases the rule covers."""
    if pair.rule.obligation is None or pair.rule.obligation.modality is not Modality.REQUIRED:
        return None
    if pair.relation < _MIN_RELATION or not pair.shared:
        return None
    said = _carve_out(pair)
    if said is None:
        return None
    universal = _UNIVERSAL.search(pair.rule.text)
    ruled = pair.rule.text[universal.start() :] if universal else pair.rule.text
    return Conflict(Nature.SCOPE, said, " ".join(ruled.split()[:8]).rstrip(" ,;."), min(1.0, 0.4 + pair.relation / 2))


def _carve_out(pair: Pair) -> str | None:
    return _on_demand(pair) or _excepted(pair) or _unless(pair) or _restricted(pair) or _selected(pair)


def _on_demand(pair: Pair) -> str | None:
    close = pair.mutual and pair.relation >= _CLOSE_RELATION and not _MADE_AVAILABLE.search(pair.rule.text)
    demand = _ON_DEMAND.search(pair.claim.text) or (_ON_REQUEST.search(pair.claim.text) if close else None)
    return demand.group() if demand and not re.search(r"\b(?:request\w*|ask\w*)\b", pair.rule.text, re.I) else None


def _excepted(pair: Pair) -> str | None:
    text = pair.claim.text
    match = _REMAINDER.search(text) or _EXEMPT.search(text) or _EXCEPTION.search(text)
    if match is None or _RULE_EXCEPTION.search(pair.rule.text) or re.search(r"\bin which case\b", text, re.I):
        return None
    if re.search(r"\b(?:who|which|that|if|it)\b", match["who"], re.I):
        return None
    if match.re is not _EXCEPTION and not _LEFT_OUT.search(match["cue"]) and not _concerns(match["who"], pair):
        return None
    return " ".join(match.group().strip(" ,;").split())


_LEFT_OUT = re.compile(r"exempt|excluded|excused|out of scope|left out|eligible|need not|not need", re.I)


def _concerns(who: str, pair: Pair) -> bool:
    """Whether those left out are of the kind the rule is about ("legacy systems", "the others")."""
    return bool(frozenset(concepts(who)) & pair.rule_concepts) or bool(
        re.search(r"\b(?:ones?|others?|rest|those|all)\b", who, re.I)
    )


def _unless(pair: Pair) -> str | None:
    """An exception of the claim's own; "not … unless" is a condition instead."""
    match = re.search(r"\bunless\b[^.;]*", pair.claim.text, re.I)
    if match is None or _RULE_EXCEPTION.search(pair.rule.text) or not pair.mutual:
        return None
    denied = re.search(r"\b(?:not|no|never|nothing|nobody|none|only|cannot)\b", pair.claim.text[: match.start()], re.I)
    return None if denied else match.group().strip()


def _restricted(pair: Pair) -> str | None:
    text, rule = pair.claim.text, pair.rule.text
    only = _ONLY.search(text) or _FOR_ONLY.search(text)
    if (
        only is None
        or _ONLY_CONDITION.search(text)
        or re.search(r"\b(?:only|solely|exclusively|limited to)\b", rule, re.I)
    ):
        return None
    if _PURPOSE.search(only.group()) or text[: only.start()].count("(") > text[: only.start()].count(")"):
        return None
    if re.search(r"\bnot\s*$", text[: only.start()], re.I):
        return None
    who = frozenset(concepts(only["who"]))
    narrower = bool(_UNIVERSAL.search(rule)) and (
        pair.weights.share(pair.rule_concepts, who) <= 0.9 or bool(_WHATEVER.search(rule))
    )
    leading = not text[: only.start()].strip()  # "Only licensed operators drive cranes" restricts who acts
    new = not leading and bool(who - pair.rule_concepts - GENERIC) and pair.mutual and pair.relation >= _CLOSE_RELATION
    if _SHIELDS.search(rule):
        return None  # "known only to the ombudsperson" keeps a secret
    one_of_several = _names_one(only["who"], pair)
    refused = any("charge" not in d.scope for d in polarity(text).denials)
    return only.group().strip() if who and (narrower or new or one_of_several) and not refused else None


def _names_one(who: str, pair: Pair) -> bool:
    """Whether the rule names further alternatives beside ``who``: "by post, by e-mail and by telephone"."""
    named = frozenset(concepts(who)) - GENERIC
    elements = [frozenset(concepts(e)) - GENERIC for e in re.split(r",| and | as well as ", pair.rule.text)]
    beside = [e for e in elements if e & named]
    others = [e for e in elements if e and len(e) <= 3 and not e & (named | pair.claim_concepts)]
    return pair.mutual and bool(beside) and bool(others) and len(elements) > 1


def _selected(pair: Pair) -> str | None:
    """Some instead of all, those above a threshold or since a date the rule does not know."""
    text, rule = pair.claim.text, pair.rule.text
    if not _UNIVERSAL.search(rule) or _WHATEVER.search(text) or pair.relation < _CLOSE_RELATION:
        return None
    some = _SOME.search(text)
    if some and not _UNIVERSAL.search(text) and not _SOME.search(rule):
        return some.group()
    since = _SINCE.search(text)
    if since and not _SINCE.search(rule):
        return since.group()
    if not claim_values(pair.claim) and pair.mutual and (graded := _graded(pair)):
        return graded
    triggers = [
        v for v in claim_values(pair.claim) if v.trigger and v.role in ("money", "measure", "number", "percent")
    ]
    if triggers and not any(x.role == triggers[0].role for x in rule_limits(pair.rule)):
        return triggers[0].text
    return None


def _graded(pair: Pair) -> str | None:
    """ "larger transactions" where the rule has "every transaction"."""
    if _UNIVERSAL.search(pair.claim.text):
        return None
    for match in _GRADED.finditer(pair.claim.text):
        noun, grade = frozenset(concepts(match["noun"])), frozenset(concepts(match["grade"]))
        named = re.search(r"\b(?:all|every|each|any)\b((?:\s+[\w-]+){1,3})", pair.rule.text, re.I)
        if re.match(r"\s*(?:,|and|or)\b", pair.claim.text[match.end() :], re.I):
            continue
        if named and noun & frozenset(concepts(named.group(1))) - GENERIC and not grade & pair.rule_concepts:
            return match.group()
    return None
