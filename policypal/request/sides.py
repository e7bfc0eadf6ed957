"""What an audit holds against what: the text or the company's documents against the rules (G0)."""

import re
from collections.abc import Sequence
from datetime import date

from policypal.request.binding import bind
from policypal.request.foreign import in_english
from policypal.request.library import KnownDocument, Library

_AGAINST = re.compile(r"\b(?:against|versus|vs|v\.(?=\s+[^\W\d]))(?!\w)", re.IGNORECASE)
_MEETS = re.compile(
    r"\b(?:compl(?:y|ies|iant|iance)|conform\w*|consistent|in line|accordance|compatible|conflicts?|ok(?:ay)?|fine|allowed|permitted|lawful)\s+"
    r"(?:with|to|w/|by|under)|\b(?:meets?|satisf(?:y|ies)|fulfils?|follows?|violat\w*|breach(?:es)?|infring\w*|contradicts?|under)\b"
    r"|\bw/",
    re.IGNORECASE,
)


def audit_sides(
    request: str, documents: Sequence[KnownDocument], tagged: Sequence[str], today: date, *, has_text: bool
) -> tuple[list[str], list[str]]:
    """Ids of the documents that may be what is audited, and of the rules. ``request`` is the message without the text to audit.

    Company documents are sources unless the analyst has named them as the rules; one that is alone with a text is the rule that the
    text is held against; a regulation is a source only where it is said.
    """
    before, rules = _around(request, documents, today)
    companies = [d.id for d in documents if d.type == "company" and d.id not in rules]
    sources: list[str] = []
    if has_text and len(companies) == len(documents):
        pass
    elif companies:
        chosen = [i for i in companies if i in tagged]
        sources = companies[:1] if len(companies) == len(documents) and chosen else chosen or companies
    elif len(documents) > 1 and not has_text:
        sources = [d.id for d in documents if d.id in before]
    left_out = companies if sources else []
    return sources, [d.id for d in documents if d.id not in sources and d.id not in left_out]


def _around(request: str, documents: Sequence[KnownDocument], today: date) -> tuple[frozenset[str], frozenset[str]]:
    """Ids named before and after the word that sets them against each other: "our policy against the Rulebook", "is the e-mail in
    line with our policy"; both empty without one."""
    request = in_english(request)
    found = next((match for p in (_AGAINST, _MEETS) for match in list(p.finditer(request))[-1:]), None)
    if found is None:
        return frozenset(), frozenset()
    spans = bind(request, "inquire", (), Library(documents), today).spans
    before = frozenset(i for start, _, ids in spans if start < found.start() for i in ids)
    after = frozenset(i for start, _, ids in spans if start >= found.end() for i in ids)
    if found.group().casefold() in ("vs", "versus") and not any(
        d.type == "regulatory" and d.id in after for d in documents
    ):
        before, after = after, before  # "newest standard vs our policy: gaps?"
    return before - after, after
