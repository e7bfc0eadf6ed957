"""Action: summarize documents (A1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from policypal.answer.alignment import capitalised
from policypal.answer.evidence import CitedSentence, Quote
from policypal.answer.readings import Reading as Clauses
from policypal.answer.readings import on_topic
from policypal.domain.citations import MAX_QUOTE_CHARACTERS, literal, unmarked
from policypal.domain.text import counted
from policypal.graph.agent.actions.reading import cell, cited, extents_of, reading_confidence, with_extent
from policypal.graph.agent.nodes.retrieve import load_evidence, resolved
from policypal.graph.agent.readings import numbered, readings_of
from policypal.graph.agent.state import AgentState, request_of
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.summary.register_view import (
    SECTIONS,
    SetLimit,
    bound_parties,
    kinds,
    sections,
    set_limits,
    weightiest,
)
from policypal.summary.task import SUMMARIZE, DocumentSummary, Duty, SummarizeInput, title_key
from policypal.text.clauses import Clause

_PARTIES = 6
_TABLE_OF_LIMITS = ("Limit", "What it measures", "Provision")


def summarize(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """One section per document: what it says, whom it binds, to what, until when and how much; each statement cited. Limits and outline
    are counted from its provisions, whoever writes the rest."""
    hits, documents, topic = load_evidence(state, context), resolved(state, context), request_of(state).focus
    read = readings_of(documents, context)
    clauses = numbered(read, after=len(hits))
    extents = extents_of(state, read, hits)
    given = SummarizeInput(
        request=state["text"], titles=[e.title for e in extents], evidence=numbered_evidence(hits),
        excerpted=[e.title for e in extents if e.parts is not None], readings=clauses, topic=topic,
    )  # fmt: skip
    summary, totals = context.run_task(state, SUMMARIZE, given)
    citer = citer_for(context, [*(h.passage for h in hits), *(p for r in read for p in r.passages)])
    ids = {title_key(r.title): d.id for r, d in zip(clauses, documents, strict=True)}
    told = {title_key(d.document): _said(d, citer, ids.get(title_key(d.document), "")) for d in summary.documents}
    relevance = bullets(summary.relevance, citer)
    # of what the summary claims, not of the limits, whose quotations are always right
    confidence = reading_confidence(citer) if citer.checked else {}
    nothing = citer.lost_everything
    about = on_topic(topic, clauses) if topic else [r.clauses for r in clauses]
    parts = [
        _section(told.get(title_key(r.title), {}), r, ours, topic, citer)
        for r, ours in zip(clauses, about, strict=True)
    ]
    if relevance:
        parts.append(f"### What this means for you\n\n{relevance}")
    if nothing:
        parts.append(NOTHING_VERIFIED)
    response = with_extent("\n\n".join(parts), extents)
    confidence = confidence or reading_confidence(citer)
    return {**totals, "response": response, **cited(citer), **confidence}


def _said(document: DocumentSummary, citer: Citer, document_id: str) -> dict[str, str]:
    """What an engine says of a document, by the title of its part: what rests on its own sentences."""
    return {
        _PURPOSE: bullets([citer.of_document(s, document_id) for s in document.key_points], citer),
        _BOUND: bullets([citer.of_document(s, document_id) for s in document.who_is_bound], citer),
        _DUTIES: "\n".join(_duties([citer.of_document(d, document_id) for d in document.obligations], citer)),
    }


def _section(said: Mapping[str, str], read: Clauses, about: Sequence[Clause], topic: str, citer: Citer) -> str:
    head = f"### {unmarked(read.title)}" + (f" on “{literal(topic)}”" if topic else "")
    if not read.clauses:
        return f"{head}\n\nNo text could be read in this document."
    if not about and topic:
        return f"{head}\n\nNothing on this was found (searched {len(read.clauses):,} clauses)."
    by_place = sorted(about, key=lambda c: (c.page, c.places[0].start))
    parts = [
        (_PURPOSE, said.get(_PURPOSE, "")),
        (_BOUND, said.get(_BOUND) or _parties(by_place)),
        (_DUTIES, said.get(_DUTIES) or _no_duty(by_place)),
        ("Deadlines and limits", _limits(by_place, read, citer)),
        ("Outline", "" if topic else _outline(read)),
    ]
    return "\n\n".join([head, *(f"**{title}**\n\n{body}" for title, body in parts if body)])


_PURPOSE, _BOUND, _DUTIES = "Key points", "Who is bound", "Key obligations"


def _no_duty(clauses: Iterable[Clause]) -> str:
    """What stands in for key obligations where none was named: a model's silence is not the document's."""
    listed = sum(len(b.duties) for b in bound_parties(clauses))
    if not listed:
        return "No sentence obliges or prohibits anything, as far as it could be read."
    return f"None was singled out; the register of the document lists {counted(listed, 'obligation or prohibition', 'obligations and prohibitions')}."


def _parties(clauses: Iterable[Clause]) -> str:
    """Whom the register binds, with how many obligations and prohibitions."""
    bound = bound_parties(clauses)
    named = [b for b in bound if b.party]
    told = [f"{unmarked(literal(capitalised(b.party)))} ({_counted(b.duties)})" for b in named[:_PARTIES]]
    more = sum(len(b.duties) for b in bound) - sum(len(b.duties) for b in named[:_PARTIES])
    return " · ".join([*told, *([f"{more} more that bind others or name nobody"] if more else [])])


def _counted(duties: Sequence[Clause]) -> str:
    obligations, prohibitions = kinds(duties)
    counts = ((obligations, "obligation"), (prohibitions, "prohibition"))
    return ", ".join(counted(n, noun) for n, noun in counts if n)


def _duties(duties: Sequence[Duty], citer: Citer) -> Iterator[str]:
    """Duties under the party they bind, in the order in which the parties come up."""
    for party in dict.fromkeys(d.party.strip().lower() for d in duties):
        ours = [d for d in duties if d.party.strip().lower() == party]
        yield f"- *{unmarked(literal(capitalised(ours[0].party))) or 'Everyone concerned'}*"
        yield from (f"  - {_rendered(d, citer)}" for d in ours)


def _limits(clauses: Sequence[Clause], read: Clauses, citer: Citer) -> str:
    found = set_limits(clauses)
    if not found:
        return "No deadline, frequency, amount or bounded figure was found."
    shown = weightiest(found)
    rows = [_limit_cells(f, read, citer) for f in shown]
    table = [_line(_TABLE_OF_LIMITS), "|---" * len(_TABLE_OF_LIMITS) + "|", *map(_line, rows)]
    more = f"\n\n{len(shown)} of {len(found)}, from all sections; the register of the document has those that bind."
    return "\n".join(table) + (more if len(found) > len(shown) else "")


def _limit_cells(found: SetLimit, read: Clauses, citer: Citer) -> tuple[str, str, str]:
    """The quotation behind a limit is its whole sentence; what it measures is shown of it."""
    whole = read.quote(found.clause).quotes[-1]
    words, cut, _ = (found.limit.measures or whole.text).partition(" …")
    text = whole.text if words in whole.text else words[:MAX_QUOTE_CHARACTERS]
    said = CitedSentence(text=f"“{words}{' […]' if cut else ''}”", quotes=[Quote(evidence=whole.evidence, text=text)])
    place = found.clause.provision or found.clause.heading
    return unmarked(literal(found.limit.words)), citer.render_quotation(said), unmarked(literal(place))


def _outline(read: Clauses) -> str:
    parts = sections(read.clauses)
    if not parts:
        return "No headings were found."
    lines = [
        f"- {unmarked(literal(s.title))} · p. {s.first}{f'–{s.last}' if s.last > s.first else ''}"
        + (f" · {counted(s.duties, 'obligation')}" if s.duties else "")
        for s in parts[:SECTIONS]
    ]
    more = [f"- {len(parts) - SECTIONS} more sections"] if len(parts) > SECTIONS else []
    return "\n".join([*lines, *more])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(cell, cells)) + " |"


def _rendered(sentence: CitedSentence, citer: Citer) -> str:
    return citer.render(sentence, must_cite=True)


def bullets(sentences: Sequence[CitedSentence], citer: Citer) -> str:
    return "\n".join(f"- {_rendered(s, citer)}" for s in sentences)
