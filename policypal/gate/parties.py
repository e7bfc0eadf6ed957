"""Whether two deeds are one: the same verb, done by and to the same party (C2b)."""

from collections.abc import Sequence

from policypal.gate.deeds import Deed, base_of, deeds_of
from policypal.gate.words import likeness, same_party, stem_of
from policypal.search.terms import terms
from policypal.text.lexicon import is_thing
from policypal.text.logic import read_logic

_VERB_LIKENESS = 0.5
_NOBODY = frozenset("nobody none noone no-one anyone anybody everyone everybody whoever one person persons".split())


def other_actor(said: Sequence[Deed], cited: Sequence[Deed]) -> float:
    """How surely somebody else does in the statement what is cited: the likeness of the two verbs; 0 where it is the same one, or one of both
    is not said."""
    worst = 0.0
    for deed in said:
        if not deed.by or all(is_no_party(p) for p in deed.by) or read_logic(deed.verb).roles & _FORCES:
            continue
        alike = [(verb_likeness(deed.verb, other.verb), other) for other in cited if other.by]
        best = max((a for a, _ in alike), default=0.0)
        held = [other for a, other in alike if a == best]
        if len(held) > 1 and any(deed.what & other.what for other in held):
            held = [other for other in held if deed.what & other.what]
        if best >= _VERB_LIKENESS and not any(is_by_same(deed, other) for other in held):
            worst = max(worst, best)
    return worst


def verb_likeness(one: str, other: str) -> float:
    return (
        1.0
        if stem_of(one) == stem_of(other) or base_of(one) == base_of(other)
        else likeness(base_of(one), base_of(other))
    )


def other_recipient(said: Sequence[Deed], cited: Sequence[Deed]) -> bool:
    """Whether the statement has something done to somebody else than what is cited."""
    for deed in said:
        held = [other for other in cited if other.to and verb_likeness(deed.verb, other.verb) >= _VERB_LIKENESS]
        if (
            deed.to
            and held
            and not any(is_same(ours, theirs) for other in held for ours in deed.to for theirs in other.to)
        ):
            return True
    return False


def different_recipients(one: str, other: str) -> bool:
    """Whether both texts say who is told or given something, and nobody is by both: a deadline towards customers says nothing about the one towards
    an authority (A4)."""
    ours, theirs = ([party for deed in deeds_of(text) for party in deed.to] for text in (one, other))
    return bool(ours and theirs) and not any(likeness(a[-1], b[-1]) >= _VERB_LIKENESS for a in ours for b in theirs)


def is_telling(verb: str) -> bool:
    """Whether a verb says by itself what is done: "train" does, "take" and "go" do with other words, "forbidden" says a force."""
    return bool(terms(verb)) and not {verb, base_of(verb)} & _LIGHT and not read_logic(verb).roles - {"small"}


_FORCES = frozenset(("required", "needed", "recommended", "permitted", "prohibited", "released"))
_LIGHT = frozenset(
    "be become come do get give go have let make put run set stand take turn leave look pass reach see able happen begin begun "
    "gone taken put made given left done".split()
)


def is_by_same(deed: Deed, other: Deed) -> bool:
    """Whether a party that a statement names is among those that are cited."""
    return any(is_no_party(party) or any(is_same(party, held) for held in other.by) for party in deed.by)


def is_same(party: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two phrases name one party: the same noun, and no qualifiers that differ ("security officer", "safety officer")."""
    if len(party) > 1 and {stem_of(w) for w in party} <= {stem_of(w) for w in other}:
        return True
    if _is_kind_of(party, other) or _is_kind_of(other, party):
        return True
    if not same_party(party[-1], other[-1]):
        return False
    ours, theirs = party[:-1], other[:-1]
    return not ours or not theirs or any(same_party(a, b) for a in ours for b in theirs)


def _is_kind_of(party: Sequence[str], other: Sequence[str]) -> bool:
    """ "Bank" and "banking organisation": the qualifier of a general noun names the party."""
    general = other[-1].rstrip("s") in _GENERAL and len(other) > 1
    return general and len(party) == 1 and any(likeness(party[0], word) >= _VERB_LIKENESS for word in other[:-1])


_GENERAL = frozenset(
    "organisation organization institution entity company undertaking firm body operator party member unit group provider".split()
)


_WHOEVER = frozenset("firm company organisation organization institution entity undertaking".split())


def is_no_party(party: Sequence[str]) -> bool:
    """Whether a phrase names nobody in particular: a thing, everybody, or "the firm", which is whoever a rule binds."""
    return is_thing(party[-1]) or party[-1] in _NOBODY or (len(party) == 1 and party[0].rstrip("s") in _WHOEVER)
