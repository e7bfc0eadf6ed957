"""Whether a message needs what is newer than the library (G3)."""

import re
from collections.abc import Sequence
from datetime import date

_RECENT = re.compile(
    r"\b(?:latest|recent|recently|today|this year|last year"
    r"|(?<!our )(?<!my )current(?:ly)?(?! (?:accounts?|assets?|liabilit\w+|account-holders?|version|edition|draft|policy|policies))"
    r"|now)\b",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"(?:(?:^|[.!?;:,\n]|\bok(?:ay)?|\band|\bright|\bso|\bplease)\s*)now\b(?![?.!]|\s*$)|\bnow that\b|\bby now\b",
    re.IGNORECASE,
)
"""The "now" that only moves a conversation on: "Now compare them", "and now the guideline"."""
_YEAR = r"(?<![\w./-]){year}(?![\w/-]|\.\d)(?!\s+(?:edition|version|revision|one|rulebook|handbook|guidelines?|policy|act)\b)"

_NUANCED = re.compile(
    r"\bstill\s+(?:in\s+(?:force|effect)|enforced|enforceable|valid|applicable|applies|apply|legal|law|active|up[- ]to[- ]date)\b"
    r"|\b(?:is|are)\s+[^?.]{1,60}\bstill\s+(?:enforced|valid|applicable|legal)\b"
    r"|\bwhat(?:'s|’s| is| has been)\s+(?:happening|going on|new)\s+(?:with|in|on|at|around)\b(?!\s+the\s+(?:\d{4}|new|latest|second)\b)"
    r"|\b(?:any|some)\s+(?:news|updates?|developments?)\b|\b(?:in the|breaking)\s+news\b|\bnews\s+(?:on|about|regarding)\b"
    r"|\b(?:is|are|was|were|has|have|had)\b[^?.]{0,70}\b(?:been\s+)?(?:repealed|superseded|withdrawn|amended|postponed|delayed|rescinded|revoked|suspended|overturned|struck down)\b"
    r"|\b(?:is|are)\s+there\s+(?:an?\s+|any\s+)?(?:newer\s+|new\s+)?(?:updates?|amendments?|developments?|news)\b"
    r"|\bup[- ]to[- ]date\b|\bas of (?:late|this)\b|\bthese days\b|\bat the moment\b|\bnowadays\b|\bin recent\b"
    r"|\b(?:search|look\s+\w*\s*up|check|find|google)\b[^?.]{0,40}\b(?:online|web|internet|google)\b|\bweb\s*search\b|\bgoogle\b"
    r"|\benforcement (?:actions?|cases?)\b[^?.]*\b(?:against|lately|new)\b|\blately\b|\bupcoming\b|\bnot yet in force\b",
    re.IGNORECASE,
)

WEB_WISH = re.compile(
    r"[\s,;]{0,9}(?:\band\b\s*)?\b(?:please\s+)?(?:search|browse|check|look)(?:\s+(?:it|this|that))?(?:\s+up)?\s+"
    r"(?:(?:on|in)\s+)?(?:(?:the\s+)(?:web|internet)|online)(?![-\w])(?:\s+(?:too|as well|also))?(?:\s+(?:for|about)\b)?"
    r"|\bweb\s*search\b(?:\s+for\b)?",
    re.IGNORECASE,
)
"""The words that ask for a web search itself: "search the web for …", "… and check online"."""


def asks_for_web(text: str) -> bool:
    """Whether the message says in so many words that the web is to be searched, as @WebSearch does."""
    return bool(WEB_WISH.search(text))


def without_web_wish(text: str) -> str:
    """``text`` without these words, which are no part of what is asked; unchanged where nothing else is left."""
    rest = WEB_WISH.sub(" ", text).strip()
    return rest if re.search(r"\w", rest) else text


def temporal_web_need(text: str, today: date, ignore: Sequence[str] = ()) -> bool:
    """Keyword scan (G3): latest, recent, current, now, today, this year, last year, and the numbers of this and last year.

    ``ignore`` are titles and versions the message mentions: a year in "Rulebook (2025)" is no wish for news. A "now" that
    opens a request ("Now compare them") and a "current account" are none either.
    """
    for name in sorted(ignore, key=len, reverse=True):
        text = _without(text, name)
    text = _THEN.sub(" ", text)
    if _RECENT.search(text):
        return True
    years = (today.year, today.year - 1)
    return any(re.search(_YEAR.format(year=year), text, re.IGNORECASE) for year in years)


def nuanced_web_need(text: str) -> bool:
    """Recency in other words: "is this still enforced?", "what's happening with …", "has it been repealed?" (G3)."""
    return bool(_NUANCED.search(text))


def _without(text: str, name: str) -> str:
    words = re.findall(r"\w+", name)
    if not words:
        return text
    return re.sub(r"(?<!\w)" + r"\W{1,3}".join(map(re.escape, words)) + r"(?!\w)", " ", text, flags=re.IGNORECASE)
