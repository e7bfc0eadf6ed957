"""What a summary, a comparison or an audit is limited to: "focus on complaints", "compare the retention periods of …" (G0)."""

import re
from collections.abc import Sequence

from policypal.request.foreign import in_english
from policypal.request.words import NOUNS, VERSION_NOUNS, stems, years
from policypal.search.terms import terms

_ABOUT = r"(?:on|about|regarding|concerning|with (?:regard|respect) to|in terms of|when it comes to|to)"
_TOPIC = r"(?P<topic>(?:[^.?!;:\n]|\.(?=\d)){3,200})"
_FOCUS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:focus(?:ing|ed)?|concentrat\w+|limit\w*|restrict\w*)\b[^.?!;:\n]{{0,30}}?(?:\b{_ABOUT}\b|:)\s*{_TOPIC}",
        rf"\b(?:points?|topics?|aspects?|areas?|themes?|questions?)\s*:\s*{_TOPIC}",
        rf"\b(?:only|solely|just|especially|particularly|specifically|attention|emphasis)\b[^.?!;:\n]{{0,30}}?\b{_ABOUT}\s+{_TOPIC}",
        rf"(?<!writing )\b(?:regarding|concerning|with (?:regard|respect) to|w\.?r\.?t\.?|(?<=\S )re:|in terms of|when it comes to)\s+{_TOPIC}",
        rf"\b(?:xdoc|chapter|section|part|{'|'.join(sorted(NOUNS))})s?\s+(?:on|about)\s+{_TOPIC}",
        r"[,;:.?!\n(–—-]\s{0,3}(?P<topic>[^.?!;:,\n–—]{3,60}?)\s{1,3}only\b",
        r"[,;:.?!\n(–—-]\s{0,3}(?:(?:but|and|please)\s+)?(?:only|especially|particularly|specifically)\s+(?P<topic>(?:[^.?!;:,\n–—]|\.(?=\d)){3,60})",
        r"\bxdoc\b[^.?!:;\n]{0,15}:\s*(?!(?:which|what|who|how|is|are|do|does|did|any)\b)(?P<topic>[^.?!;:\n]{3,60}?)\.?\s*$",
        r"(?<!based )(?<!depending )\b(?:on|about)\s+(?P<topic>[^.?!;:\n]{3,80})[.?!]*\s*$",
        rf"\b(?:compare|contrast|(?:differences?|changes?)\s+(?:in|of|on|to))\s+(?!(?:what|how|which|who|where)\b){_TOPIC}",
    )
)
_EXCLUDED = re.compile(
    r"\b(?:leav\w+ out|except|exclud\w*|without|ignor\w*|skip\w*|omit\w*|not|n[’']t|other than|apart from|no)\b"
    r"(?:(?!\b(?:but|just|only|focus\w*|limit\w*)\b)[^.?!;\n])*$",
    re.IGNORECASE,
)
"""What is left out is no focus: "leave out the chapters on fees"."""
_ABOUT_FORM = re.compile(
    r"^(?:\d+|one|a|half|\w+ly)\b|^(?:everything|anything|all|one|gaps?|differences|changes|conflicts?|issues|problems|compliance|summar(?:y|ies)|overviews?)$|\b(?:words?|sentences?|lines?|pages?|bullets?|points?|minutes?|english|german|french|spanish)\b",
    re.IGNORECASE,
)
"""How long and in which form: "only three bullets", "only briefly" is no topic."""
_AFTER = re.compile(
    r",?\s*\b(?:against|please|pls|thanks|thank you|only|but not|(?:between|in|of|from|under|across|for|vs|versus)\s+(?:\w+\s+){0,3}xdoc)\b.*$"
    r"|,\s*(?:\w+\s+){0,2}xdoc\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_LEAD = re.compile(
    r"^(?:for |on |in |the |our |all |any |its |both |two |following |topics? |points? |of )+", re.IGNORECASE
)
_STEM, _SENTENCE = 5, 200
"""Characters that tell a word's stem, and those in which a sentence says what is left out."""
_PART = re.compile(r"[,;/&]|\band\b|\bor\b|\bas well as\b|\bplus\b", re.IGNORECASE)


def focus_of(request: str, titles: Sequence[str] = ()) -> str:
    """What ``request`` limits itself to, in its own words; empty where it does not. ``titles`` are the documents it names: in
    "the guideline on outsourcing" they take up the words after "on". Names of documents may stand as "xdoc"."""
    request = in_english(request)
    named = [set(stems(title)) | NOUNS.keys() for title in titles]
    for found in (m for pattern in _FOCUS for m in pattern.finditer(request)):
        topic = _LEAD.sub("", _AFTER.sub("", found["topic"]).strip(" ,")).strip(" ,")
        is_name = "xdoc" in topic or any(set(stems(topic)) <= words for words in named)
        is_name = is_name or bool(years(topic)) or not VERSION_NOUNS.isdisjoint(stems(topic))
        if _EXCLUDED.search(request[max(0, found.start("topic") - _SENTENCE) : found.start("topic")]):
            continue
        if terms(topic) and not is_name and not _ABOUT_FORM.search(topic):
            return topic
    return ""


def concerns(focus: str, *texts: str) -> bool:
    """Whether ``texts`` (a clause and its heading) speak of one of the topics of ``focus``: of all words of a short topic, of
    half of those of a longer one. Everything concerns an empty focus."""
    said = set(terms(" ".join(texts)))
    wanted = [set(terms(part)) for part in _PART.split(focus)]
    return not any(wanted) or any(2 * sum(_is_said(t, said) for t in topic) > len(topic) for topic in wanted if topic)


def _is_said(term: str, said: set[str]) -> bool:
    """In this form or a longer or shorter one of the same stem: "notification" where they "notify"."""
    return term in said or any(
        min(len(term), len(s)) >= _STEM and (s.startswith(term) or term.startswith(s)) for s in said
    )
