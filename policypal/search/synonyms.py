"""Words that stand for each other in policies, in regulations and in questions about them."""

from functools import lru_cache

import numpy as np

from policypal.search.embeddings import Vectors, built_in_embedder
from policypal.search.terms import terms

_NEAR = 0.5
"""From which cosine on two words may mean the same: "money" and "funds", "permission" and "authorization"."""

_GROUPS = (
    "fine penalty sanction",
    "notify report inform communicate tell told notification notice intimation intimate",
    "retain keep store preserve hold retention storage kept held stored",
    "employee staff personnel worker workforce",
    "customer client consumer",
    "breach incident leak violation infringement contravention",
    "delete erase erasure destroy destruction remove deletion dispose disposal",
    "maximum exceed limit ceiling cap most highest up",
    "minimum least lowest",
    "deadline period time later limit",
    "allow permit authorise authorize permission",
    "forbid prohibit ban prohibition",
    "define mean definition refer",
    "company firm undertaking organisation organization enterprise business institution entity",
    "begin start commence enter force effect apply commencement",
    "often frequency frequently annually annual yearly quarterly monthly periodically regularly",
    "child minor children",
    "appoint designate nominate appointment designation",
    "board director directors management",
    "review reassess reassessment",
    "obtain get acquire",
    "collect gather collection",
    "purchase buy acquire",
    "document record register log",
    "pay payment paid",
    "approve approval consent sign-off authorise",
    "responsible accountable responsibility accountability",
    "age old years",
    "objective purpose aim goal",
    "condition requirement criterion criteria require",
    "withdraw withdrawn revoke withdrawal",
    "complain complaint grievance",
    "suspend suspension halt",
    "third-party vendor supplier contractor provider outsourcing",
    "password credential passphrase",
    "login logon sign-in log-in",
    "fail failed failure invalid unsuccessful",
    "answer respond response reply",
    "duty obligation task responsibility",
    "law legislation statute act regulation",
    "lawful legal legitimate lawfulness",
    "consider regard account",
    "error mistake inaccuracy",
    "person individual people",
    "transfer send export transmit",
    "test exercise testing",
    "gift hospitality entertainment",
    "subject liable",
    "exempt exemption derogation exclude",
    "ground basis bases",
    "give given grant provide",
    "make made",
    "take taken",
    "send sent",
    "write written",
    "choose chosen select",
    "sell sold sale",
    "contain include least",
)


def _by_stem() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _GROUPS:
        stems = {stem for word in group.split() for stem in terms(word)}
        for stem in stems:
            found.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in found.items()}


SYNONYMS = _by_stem()
"""For each stem, the stems that may stand for it in regulatory prose."""


@lru_cache(maxsize=16_384)
def stand_ins(term: str) -> frozenset[str]:
    """The stems that may stand for a stem where a question asks in other words than its document's: its synonyms and its :func:`nearest`."""
    return SYNONYMS.get(term, frozenset()) | nearest(term)


@lru_cache(maxsize=16_384)
def nearest(term: str) -> frozenset[str]:
    """The stems of common words whose vectors in the built-in model are near to that of a word with this stem; none for what is no common word."""
    stems, places, vectors = _common_words()
    if term not in places:
        return frozenset()
    cosines = (vectors[places[term]] @ vectors.T).max(axis=0)
    return frozenset(stems[n] for n in np.flatnonzero(cosines >= _NEAR)) - {term}


@lru_cache(maxsize=1)
def _common_words() -> tuple[list[str], dict[str, list[int]], Vectors]:
    """The stem and the unit vector of every common word, and the places of each stem's words; about 10 MB."""
    stems = {word: found[0] for word in sorted(built_in_embedder().common_words()) if (found := terms(word))}
    places: dict[str, list[int]] = {}
    for n, stem in enumerate(stems.values()):
        places.setdefault(stem, []).append(n)
    return list(stems.values()), places, built_in_embedder().embed(list(stems))
