"""Is a comparison about something in particular? (A3)"""

from __future__ import annotations

from policypal.request.subject import Names, without_document_names
from policypal.search.terms import terms

_GENERIC = frozenset(
    terms(
        "compare comparison contrast difference differences differ different similar similarities similarity between versus"
        " against document documents regulation regulations rulebook policy policies guideline edition editions version"
        " versions new newer old older latest two both three these those them please show me tell change changes changed"
        " what's how text vs all main key major overview give list summary"
    )
)


def comparison_topic(clean_query: str, names: Names) -> str:
    """What a comparison is focused on, in the user's words; empty for a holistic one.

    ``clean_query`` has no mentions; ``names`` are cut from it as from every question (:mod:`.subject`).
    """
    rest = without_document_names(clean_query, names.called, names.sets)
    title_terms = {t for title in names.called for t in terms(title)}
    words = [w for w in rest.split() if any(t not in _GENERIC and t not in title_terms for t in terms(w))]
    meaningful = [w for w in words if any(len(t) > 2 for t in terms(w))]
    return " ".join(meaningful).strip(" .,:;?!") if meaningful else ""
