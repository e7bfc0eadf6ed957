"""The planner's drawer: one question at a time, what was answered before, then the plan to approve or edit (W2, W5). It is
read from the checkpoint on every run of the page, so it is there again after a reload or a restart (U5)."""

import json
from collections.abc import Sequence

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.events import InterruptEvent, Option
from policypal.domain.interrupts import Answer
from policypal.domain.research import Plan
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import plain, text
from policypal.ui.research import plan as research_plan

_ALL = "all"
_APPROVE = "approve"


def show(app: Container, user: User, question: InterruptEvent) -> None:
    """The open question with the widgets that answer it; keys carry the question's id."""
    answers, plan = research.plan(app, user, question.thread_id)
    with st.container(key="planner_drawer"):
        st.html(f'<h2 class="pp-panel-title">{badges.pal_assist("Planner")}</h2>{research_plan.answers_html(answers)}')
        if question.interrupt_type == "plan_approval" and plan is not None:
            _approval(app, user, question, plan)
        elif question.interrupt_type == "plan_choice":
            _choice(app, user, question)
        else:
            _told(question)
            _buttons(app, user, question, question.options or [])
        if st.button("Cancel this research", key=_key(question, "cancel"), type="tertiary"):
            _send(app, user, question, Answer(type="cancel"))


def show_settled(app: Container, user: User, thread_id: str) -> None:
    """What was answered and planned, while the work goes on."""
    answers, plan = research.plan(app, user, thread_id)
    if answers:
        html(research_plan.answers_html(answers))
    if plan is not None:
        with st.expander("The plan"):
            html(research_plan.html(plan, research_plan.titles(app, user)))


def _told(question: InterruptEvent) -> None:
    st.html(f'<div class="pp-answer pp-question" role="status">{text(question.message)}</div>')


def _choice(app: Container, user: User, question: InterruptEvent) -> None:
    """Four options and one's own words; checkboxes where several may hold."""
    _told(question)
    options = [o for o in question.options or [] if o.id != _ALL]
    everything = next((o for o in question.options or [] if o.id == _ALL), None)
    if question.allow_multiple:
        _several(app, user, question, options, everything)
    else:
        _buttons(app, user, question, [*options, *([everything] if everything else [])], is_first_primary=False)
    _custom(app, user, question)


def _several(
    app: Container, user: User, question: InterruptEvent, options: Sequence[Option], everything: Option | None
) -> None:
    chosen = [o.id for o in options if st.checkbox(plain(o.label), key=_key(question, o.id))]
    with st.container(horizontal=True):
        if st.button("Continue", key=_key(question, "continue"), type="primary", disabled=not chosen):
            _answer(app, user, question, chosen)
        if everything and st.button(plain(everything.label), key=_key(question, _ALL)):
            _answer(app, user, question, [_ALL])


def _custom(app: Container, user: User, question: InterruptEvent) -> None:
    with st.form(_key(question, "custom"), border=False):
        words = st.text_input("Custom", key=_key(question, "words"), placeholder="Or answer in your own words")
        if st.form_submit_button("Use my answer") and (words or "").strip():
            _answer(app, user, question, [words.strip()] if question.allow_multiple else words.strip())


def _approval(app: Container, user: User, question: InterruptEvent, plan: Plan) -> None:
    """The plan to read, the way on, and the same plan as a form."""
    names = research_plan.titles(app, user)
    st.html(f'<h3 class="pp-panel-title">This is the plan</h3>{research_plan.html(plan, names)}')
    label = next((o.label for o in question.options or [] if o.id == _APPROVE), "Start the research")
    if st.button(plain(label), key=_key(question, _APPROVE), type="primary", icon=":material/check:", width="stretch"):
        _answer(app, user, question, _APPROVE)
    with st.expander("Edit the plan"), st.form(_key(question, "plan"), border=False):
        edited = research_plan.fields(plan, names, _key(question, "plan"))
        if st.form_submit_button("Start with these changes", icon=":material/check:"):
            _answer(app, user, question, edits(plan, edited))


def edits(plan: Plan, edited: Plan) -> str:
    """What was changed, as the planner takes it."""
    before = plan.model_dump()
    changed = {name: value for name, value in edited.model_dump().items() if value != before[name]}
    return json.dumps(changed, ensure_ascii=False) if changed else _APPROVE


def _buttons(
    app: Container, user: User, question: InterruptEvent, options: Sequence[Option], *, is_first_primary: bool = True
) -> None:
    for number, option in enumerate(options):
        kind = "primary" if is_first_primary and not number else "secondary"
        if st.button(plain(option.label), key=_key(question, option.id), type=kind, width="stretch"):  # type: ignore[arg-type]
            _answer(app, user, question, option.id)


def _answer(app: Container, user: User, question: InterruptEvent, value: str | list[str]) -> None:
    _send(app, user, question, Answer.model_validate({"type": question.interrupt_type, "value": value}))


def _send(app: Container, user: User, question: InterruptEvent, given: Answer) -> None:
    """Once: a second click or tab changes nothing and is told so (G9)."""
    with errors.toasted():
        research.resume(app, user, question.thread_id, given, interrupt_id=question.interrupt_id)
        st.rerun()


def _key(question: InterruptEvent, part: str) -> str:
    return f"{state.PLANNER}_{question.interrupt_id}_{part}"
