"""What a report can be made of: the statements worth quoting, and those that speak of a subject (W3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from policypal.answer.evidence import CitedSentence, Evidence
from policypal.answer.questions import Question, analyse, is_generic
from policypal.answer.quoting import attribution, quote
from policypal.answer.ranking import Ranked, Weights, rank
from policypal.answer.salience import is_readable
from policypal.answer.statements import Statement, statements_of
from policypal.search.embeddings import Embedder
from policypal.search.terms import terms

_LONGEST = 90
"""Words: rules of regulators are told in long sentences, and cut to their quotable parts."""
_SPOKEN_OF = 0.34
_KNOWN, _COVERED = 0.7, 0.75
LONGEST_SUBJECT = 1000
"""Characters: what a goal of many pages is about stands at its beginning."""
NEAR = 0.65
"""Nearness from which a statement answers what was asked, rather than touching upon it."""


def material_of(evidence: Sequence[Evidence]) -> list[Statement]:
    """The statements of the evidence that can stand in a report, each once though passages overlap."""
    found: dict[tuple[str, str], Statement] = {}
    for statement in statements_of(evidence):
        if is_readable(statement, _LONGEST) and not statement.is_illustration:
            found.setdefault((statement.evidence.document, statement.full_text.lower()), statement)
    return list(found.values())


def together(statements: Iterable[Statement]) -> list[list[Statement]]:
    """Statements of different sources that say the same word for word, as editions of one text do, are told once."""
    groups: dict[str, list[Statement]] = {}
    for statement in statements:
        groups.setdefault(statement.full_text.casefold(), []).append(statement)
    return list(groups.values())


def cite_together(group: Sequence[Statement], focus: Collection[str] = ()) -> CitedSentence:
    """The words once, after the names of all sources that have them, quoted from each."""
    names = "; ".join(attribution(s.evidence) for s in group)
    said = quote_together(group, focus, with_items=bool(group[0].items))
    return CitedSentence(text=f"{names}: {said.text}", quotes=said.quotes)


def quote_together(
    group: Sequence[Statement], focus: Collection[str] = (), *, with_items: bool = False
) -> CitedSentence:
    """The words alone, quoted from each of the sources."""
    said = [quote(s, focus, with_items=with_items and bool(s.items)) for s in group]
    return CitedSentence(text=said[0].text, quotes=[q for one in said for q in one.quotes])


def nearness(subjects: Sequence[str], statements: Sequence[Statement], embedder: Embedder) -> dict[int, float]:
    """How near each statement is to all the ``subjects`` together, by its identity: 1 for the nearest, 0 for those without a
    word of them. What a plan searched for says better than a long goal what it is about; so both count."""
    together = dict.fromkeys(map(id, statements), 0.0)
    for subject in dict.fromkeys(s[:LONGEST_SUBJECT] for s in subjects):
        scores = {id(r.statement): max(r.score, 0.0) * (r.coverage > 0) for r in _ranked(subject, statements, embedder)}
        best = max(scores.values(), default=0.0) or 1.0
        for key, score in scores.items():
            together[key] += score / best
    best = max(together.values(), default=0.0) or 1.0
    return {key: score / best for key, score in together.items()}


def _ranked(subject: str, statements: Sequence[Statement], embedder: Embedder) -> list[Ranked]:
    known = _known(subject, statements)
    return rank(Question(text=subject, terms=tuple(known)), statements, embedder) if known else []


def _known(subject: str, statements: Sequence[Statement]) -> list[str]:
    """The terms of the subject that tell statements apart: some of them know these terms, unlike "compare" and "our", and
    they are not of the kind that any rule has ("rules", "requirements"), unless there are no others."""
    weights = Weights(statements)
    known = [t for t in dict.fromkeys(terms(subject)) if weights.known(t)]
    return [t for t in known if not is_generic(t)] or known


def is_covered(subject: str, statements: Sequence[Statement], embedder: Embedder) -> bool:
    """Whether the statements know most of what the subject names, and one of them accounts for most of that."""
    named = [t for t in analyse(subject).terms if not is_generic(t)]
    known = set(_known(subject, statements))
    if not named or sum(t in known for t in named) < _KNOWN * len(named):
        return False
    return any(r.coverage >= _COVERED for r in _ranked(subject, statements, embedder))


def is_spoken_of(subjects: Iterable[str], statements: Sequence[Statement]) -> bool:
    """Whether the statements know at least a third of what one of the subjects names."""
    weights = Weights(statements)
    for subject in subjects:
        named = [t for t in analyse(subject[:LONGEST_SUBJECT]).terms if not is_generic(t)]
        if not named or sum(weights.known(t) for t in named) / len(named) >= _SPOKEN_OF:
            return True
    return False
