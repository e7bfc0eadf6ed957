"""A plan to read, and the same plan as fields (W2)."""

from collections.abc import Iterable, Sequence

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.documents import DocumentStatus
from policypal.domain.research import Plan, PlanAnswer
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui.labels import Labels
from policypal.ui.markup import text

_ASPECTS = {"scope": "Scope", "timeframe": "Time frame", "depth": "Depth", "use": "Use"}


def answers_html(answers: Sequence[PlanAnswer]) -> str:
    """What was asked and answered so far; nothing if nothing was."""
    if not answers:
        return ""
    lines = "".join(
        f'<li><span class="pp-muted">{_ASPECTS.get(a.aspect, a.aspect)} · {text(a.question)}</span>'
        f"<b>{text(', '.join(a.values) or 'No answer')}</b></li>"
        for a in answers
    )
    return f'<ul class="pp-settled" aria-label="Your answers">{lines}</ul>'


def html(plan: Plan, titles: dict[str, str] | None = None) -> str:
    """The whole plan. ``titles`` are the names of the library's documents by id."""
    named = [(titles or {}).get(i, "a document no longer in your library") for i in plan.document_ids]
    rows = [
        ("Goal", text(plan.goal)),
        ("Deliverable", text(plan.deliverable)),
        ("Constraints", _listed(plan.constraints)),
        ("Steps", _listed(plan.steps, "ol")),
        ("Searches", _listed(plan.queries)),
        ("Documents", _listed(named) or "All documents of your library"),
        ("Web pages since", text(plan.since)),
        ("Estimate", text(estimate(plan))),
    ]
    told = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value)
    return f'<dl class="pp-plan">{told}</dl>'


def estimate(plan: Plan) -> str:
    """ "about 40 pages · about $0.12"."""
    pages = f"about {counted(plan.estimated_pages, 'page')}" if plan.estimated_pages else "no web pages"
    dollars = plan.estimated_cost_usd
    cost = "no model cost" if not dollars else "less than $0.01" if dollars < 0.01 else f"about ${dollars:.2f}"
    return f"{pages} · {cost}"


def titles(app: Container, user: User) -> dict[str, str]:
    """The names of the documents that can be used, by id."""
    return {d.id: d.display_title for d in library.list_documents(app, user) if d.status is DocumentStatus.READY}


def fields(plan: Plan, names: dict[str, str], key: str, *, with_goal: bool = True) -> Plan:
    """The plan as it stands in the fields. ``names`` are the titles of the usable documents by id."""
    goal = st.text_area("Goal", plan.goal, key=f"{key}_goal", height=90) if with_goal else plan.goal
    deliverable = st.text_area("Deliverable", plan.deliverable, key=f"{key}_deliverable", height=90)
    constraints = _lines("Constraints, one per line", plan.constraints, f"{key}_constraints")
    steps = _lines("Steps, one per line", plan.steps, f"{key}_steps")
    queries = _lines("Searches, one per line", plan.queries, f"{key}_queries")
    used = st.multiselect(
        "Documents", list(names), default=[i for i in plan.document_ids if i in names], format_func=Labels(names),
        key=f"{key}_documents", placeholder="All documents of your library",
    )  # fmt: skip
    since = st.text_input("Web pages not older than (YYYY-MM-DD)", plan.since, key=f"{key}_since")
    return plan.model_copy(
        update={
            "goal": (goal or "").strip(), "deliverable": " ".join((deliverable or "").split()), "constraints": constraints,
            "steps": steps, "queries": queries, "document_ids": used, "since": (since or "").strip(),
        }
    )  # fmt: skip


def _lines(label: str, lines: Sequence[str], key: str) -> list[str]:
    written = st.text_area(label, "\n".join(lines), key=key, height=68 + 24 * min(6, len(lines)))
    return [line.strip() for line in (written or "").splitlines() if line.strip()]


def _listed(lines: Iterable[str], tag: str = "ul") -> str:
    items = "".join(f"<li>{text(line)}</li>" for line in lines)
    return f"<{tag}>{items}</{tag}>" if items else ""
