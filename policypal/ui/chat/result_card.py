"""The result of an action as a card in the conversation: its outcome, three things to read first, and the way to all of it (U2c)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

import streamlit as st

from policypal.domain.audits import AuditReport, Finding
from policypal.domain.changes import ChangeList
from policypal.domain.citations import Citation
from policypal.domain.conversations import Action, Message
from policypal.domain.text import counted
from policypal.ui import state
from policypal.ui.chat import badges
from policypal.ui.chat.citations import chip
from policypal.ui.html import html
from policypal.ui.markup import Section, answer, outline, text
from policypal.ui.shared import redline

_MOST = 3
_MOST_COUNTS = 4
_NAMES = {Action.AUDIT: "audit report", Action.COMPARE: "comparison", Action.SUMMARIZE: "summary"}


def is_result(message: Message) -> bool:
    """Whether an answer is an artefact of its own; an answer to a question is read where it was asked."""
    told = message.payload
    is_action = told.get("action") in (Action.AUDIT, Action.COMPARE, Action.SUMMARIZE)
    return (
        is_action
        and not told.get("cancelled")
        and bool(told.get("report") or told.get("changes") or told.get("citations"))
    )


def show(message: Message, gone: Collection[str]) -> None:
    """At most 300 pixels high; ``gone`` are the ids of deleted documents."""
    with st.container(border=True, key=f"result_{message.id}", gap="small"):
        html(_report(message, gone) if message.payload.get("report") else _written(message, gone))
        _open(message)


def changes_of(message: Message) -> ChangeList | None:
    """The redline of a comparison of two editions."""
    told = message.payload.get("changes")
    return ChangeList(**told) if told else None


def title_of(message: Message) -> str:
    """ "Compare · Rulebook 2023 × Rulebook 2025"."""
    told = message.payload
    about = ", ".join(str(d.get("title", "")) for d in told.get("documents", []))
    return str(told.get("title") or f"{Action(told['action']).label} · {about}")


def _open(message: Message) -> None:
    report = message.payload.get("report")
    page, query = (
        ("pages/audit_reports.py", {state.PARAM_REPORT: str(report["id"])})
        if report
        else ("pages/result.py", {state.PARAM_RESULT: message.id})
    )
    label = f"Open the {_NAMES[message.payload['action']]}"
    st.page_link(page, label=label, icon=":material/open_in_full:", query_params=query, width="content")


def _report(message: Message, gone: Collection[str]) -> str:
    report = AuditReport(**message.payload["report"])
    ranked = sorted(report.findings, key=lambda f: f.severity.rank)
    counts = badges.severity_counts(f.severity for f in ranked)
    told = badges.severity_words(counts)
    head = badges.verdict(report.overall_status, report.headline)
    facts = [
        f"{counted(len(ranked), 'finding')}: {told}" if ranked else told,
        f"in {report.source_title}" if report.source_title else "",
    ]
    bar = badges.severity_bar(counts)
    first = [_line(f"{badges.severity(f.severity)} {text(f.title)}", _rule(message, f, gone)) for f in ranked[:_MOST]]
    reason = "" if ranked else f"<p>{text(report.verdict_reason or report.summary)}</p>"
    return _card(head, " · ".join(filter(None, facts)), first, bar + reason)


def _rule(message: Message, finding: Finding, gone: Collection[str]) -> list[str]:
    """The chip of the requirement that a finding was held against."""
    place = (finding.target_document_id, finding.target_page, finding.target_start)
    found = next((c for c in message.citations if (c.document_id, c.page, c.start) == place), None)
    return [_chip(message, found, gone)] if found else []


def _written(message: Message, gone: Collection[str]) -> str:
    known, changes = {c.id: c for c in message.citations}, changes_of(message)
    head = f"<b>{text(title_of(message))}</b>"
    if changes is not None and changes.changes:
        first = []
        for change in redline.weightiest(changes, _MOST):
            cited = [known[i] for i in (change.old_citation, change.new_citation) if i in known]
            first.append(_line(redline.item(change), [_chip(message, c, gone) for c in cited]))
        return _card(head, redline.counted(changes), first, css="pp-redline")
    parts = outline(message.content)
    points = list(_first(parts)) or [words for s in parts for words in s.words][:_MOST]
    return _card(head, _counts(parts), [_point(message, point, known, gone) for point in points])


def _point(message: Message, words: str, known: Mapping[int, Citation], gone: Collection[str]) -> str:
    chips: list[str] = []

    def aside(citation: Citation) -> str:
        chips.append(_chip(message, citation, gone))
        return ""

    return _line(answer(words, known, aside).removeprefix("<p>").removesuffix("</p>"), chips)


def _chip(message: Message, citation: Citation, gone: Collection[str]) -> str:
    return chip(message.id, citation, is_gone=citation.document_id in gone)


def _line(words: str, chips: Sequence[str]) -> str:
    """Of long words the beginning; the chips stand beside them, where nothing cuts them off."""
    return f'<li><div>{words}</div><span class="pp-chips">{" ".join(chips)}</span></li>'


def _card(head: str, told: str, first: Sequence[str], lead: str = "", css: str = "") -> str:
    items = "".join(first)
    return (
        f'<section class="pp-answer pp-result {css}" aria-label="Result"><div class="pp-result-head">{head}</div>'
        f'<div class="pp-muted">{text(told)}</div>{lead}<ol>{items}</ol></section>'
    )


def _first(parts: Sequence[Section]) -> Iterator[str]:
    """The first points of the first part that has any; of several documents from each in turn."""
    title = next((s.title for s in parts if s.points), "")
    ranked = zip_longest(*(s.points for s in parts if s.title == title))
    yield from [point for row in ranked for point in row if point is not None][:_MOST]


def _counts(parts: Sequence[Section]) -> str:
    """ "Key points 9 · Key obligations 12"."""
    counts: dict[str, int] = {}
    for section in parts:
        if section.points and section.title:
            counts[section.title] = counts.get(section.title, 0) + len(section.points)
    return " · ".join(f"{title} {count}" for title, count in list(counts.items())[:_MOST_COUNTS])
