"""Promises that nobody can keep, beside a rule on promises or on fair communication (A4)."""

import re
from functools import lru_cache

from policypal.audit.units import Unit

_MONEY = r"(?:returns?|profits?|income|yields?|gains?|growth|performance|interest|payouts?|earnings|capital|savings|results?|investments?)"
_ABSOLUTE = re.compile(
    rf"\b(?:guarantee[ds]?(?=[^.]{{0,60}}\b{_MONEY}\b)|{_MONEY}\b[^.]{{0,40}}\b(?:is|are) (?:fully |100% )?guaranteed|risk[- ]free|zero[- ]risk|"
    rf"(?:no|without (?:any )?|free of|zero) risks?\b|can(?:not|'t|’t) (?:possibly )?(?:lose|go down|fall|fail)|never lose[sd]?|no chance of (?:a )?loss|"
    rf"100 ?% (?:safe|secure|certain|protected)|(?:completely|absolutely) safe|always (?:outperform\w*|wins?|beats?|profit\w*)|"
    rf"(?:certain|assured) (?:profits?|returns?|gains?))",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|never|no|nor|isn't|aren't|cannot be|neither|nothing)\b[^.,;]{0,25}$", re.I)
_SPOKEN_OF = re.compile(
    r"\b(?:not|never) (?:be )?(?:used|made|promised?|described?|claim(?:ed)?|state[ds]?|contain|include)\b|"
    r"\b(?:words?|terms?|expressions?|claims?|statements?) (?:such as|like)\b|\b(?:prohibited|forbidden|avoid(?:s|ed)?|(?:must|may|do|does) not)\b",
    re.I,
)
_ON_PROMISES = re.compile(
    r"\b(?:guarantee\w*|promis(?:e|es|ing)|risk[- ]free|free of risk|without risk|absence of risk|misleading|mislead|deceptive|"
    r"fair[, ]+(?:and )?(?:clear|balanced)|exaggerat\w+|unsubstantiated)\b",
    re.I,
)


@lru_cache(maxsize=8_192)
def absolute_promise(text: str) -> str:
    """The words that promise the impossible; "" where none do, or they are denied ("returns are not guaranteed")."""
    for match in _ABSOLUTE.finditer(text):
        rest = text[: match.start()] + text[match.end() :]
        if not _DENIED.search(text[: match.start()]) and not _SPOKEN_OF.search(rest):
            return match[0]
    return ""


def forbidden_promise(claim: Unit, rule: Unit) -> tuple[str, str] | None:
    """The promise of the claim and the rule's words against it; None where there is no such promise or rule."""
    said, ruled = absolute_promise(claim.text), _ON_PROMISES.search(rule.text)
    return (said, ruled[0]) if said and ruled and rule.kind.binds else None
