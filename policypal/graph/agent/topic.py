"""Is a comparison about something in particular? (A3)"""

import re

from policypal.graph.agent.state import AgentState, names_of
from policypal.graph.context import NodeContext
from policypal.request.focus import focus_of
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


_ASKED = re.compile(
    r"\bsummar\w+(?:\s+(?!about|on|regarding)\w+){0,4}\s+(?:about|on|regarding)\s+(?P<topic>[^.?!;\n]{3,120})",
    re.IGNORECASE,
)


def summary_topic(state: AgentState, context: NodeContext) -> str:
    """What a summary is limited to, in the user's words; empty for all of its documents."""
    names = names_of(state, context.run.library)
    said = without_document_names(state["clean_query"], names.called, names.sets)
    found = _ASKED.search(said)
    return focus_of(said, names.called) or (found["topic"].strip() if found else "")


def comparison_topic(clean_query: str, names: Names) -> str:
    """What a comparison is focused on, in the user's words; empty for a holistic one.

    ``clean_query`` has no mentions; ``names`` are cut from it as from every question (:mod:`.subject`).
    """
    rest = without_document_names(clean_query, names.called, names.sets)
    title_terms = {t for title in names.called for t in terms(title)}
    words = [w for w in rest.split() if any(t not in _GENERIC and t not in title_terms for t in terms(w))]
    meaningful = [w for w in words if any(len(t) > 2 for t in terms(w))]
    return " ".join(meaningful).strip(" .,:;?!") if meaningful else ""
