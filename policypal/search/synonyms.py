"""Words that stand for each other in policies, in regulations and in questions about them."""

from policypal.search.terms import terms

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
