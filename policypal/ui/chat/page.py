"""The conversation with PolicyPal: history, progress, questions, composer, sources (U2–U6)."""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import streamlit as st

from policypal.application import ask, budget, conversations
from policypal.application.container import Container
from policypal.application.conversations import History
from policypal.domain.events import InterruptEvent
from policypal.domain.users import User
from policypal.errors import NoPendingQuestion, NotFound, RunInterrupted
from policypal.ui import deps, errors, state
from policypal.ui.chat import (
    composer,
    conversation_list,
    messages,
    pal_assist,
    pal_reasoning,
    request_chips,
    scope_bar,
    sources,
    welcome,
)
from policypal.ui.chat.tiptap_composer import Suggestion

_TALKERS = ("user", "pal_assist")


@dataclass(frozen=True)
class _Standing:
    """A conversation as it stands: nothing told yet where it is new, or where it could not be read. ``version`` is older
    than all the rest, so that whatever comes meanwhile counts as new."""

    thread: str
    told: History | None = None
    version: str = ""
    is_running: bool = False
    question: InterruptEvent | None = None


def show(user: User) -> None:
    """The page. Whatever happens in the browser, the run goes on in the process; coming back re-attaches (U6).

    The composer comes before everything that is drawn above it: what was submitted is sent without drawing the
    conversation once more, and no error above takes the composer away (U2e).
    """
    app = deps.container()
    thread = conversation_list.current_thread()
    sources.take_click(app, user)
    stands = None
    with errors.shown():
        stands = _standing(app, user, thread)
    conversation_list.show(app, user, thread)  # after that: a name that came since then is a change that is noticed
    with errors.shown():
        if stands is not None and stands.told is None and welcome.ask_profile(app, user):
            return
    if stands is None:
        _compose(app, user, _Standing(thread or conversation_list.thread_for_new()))
        return
    _compose(app, user, stands)
    with errors.shown():
        if stands.told is None:
            _empty(app, user, stands.thread)
        else:
            _conversation(app, user, stands, stands.told)
    with errors.shown():
        composer.show_unsent(stands.thread)
    with errors.shown():
        sources.panel(app, user, stands.told.messages if stands.told else [])
    if stands.is_running:
        pal_reasoning.end_soon(app, user, stands.thread)


def _standing(app: Container, user: User, thread: str | None) -> _Standing:
    if not thread:
        return _Standing(conversation_list.thread_for_new())
    version = ask.version(app, user, thread)
    try:
        thread = checked_thread_id(thread)
        # before the history: a run that has ended by now has its answer there
        is_running = ask.progress(app, user, thread)[1]
        told = conversations.history(app, user, thread)
    except NotFound as error:
        conversation_list.open_new()
        errors.show(error.title, error.message)
        return _Standing(conversation_list.thread_for_new())
    question = None
    with errors.shown():
        question = None if is_running else ask.pending(app, user, thread)
    return _Standing(thread, told, version, is_running, question)


def checked_thread_id(thread: str) -> str:
    """An id as the database spells it; anybody can type anything into an address. Raises NotFound: it is no id."""
    try:
        return str(UUID(thread))
    except ValueError:
        raise NotFound("This conversation does not exist. It may have been deleted.") from None


def _empty(app: Container, user: User, thread: str) -> None:
    with st.container():
        pal_reasoning.mark_place("", is_running=False)
        picked = welcome.show_empty_chat(app, user)
    if picked:
        composer.send_text(app, user, thread, picked)


def _conversation(app: Container, user: User, stands: _Standing, told: History) -> None:
    st.empty()  # stands where a new chat has its greeting, which would stay below the first answer until all is drawn
    conversation_list.show_head(app, user, told.conversation)
    messages.show(app, user, told, _asked_so_far(told) if stands.is_running else len(told.messages))
    if stands.is_running:
        pal_reasoning.follow(app, user, stands.thread)
    else:
        _lost_answer(app, user, told)
        request_chips.next_action(app, user, told)
        _offer_without_model(app, user, told)
        pal_reasoning.watch(app, user, stands.thread, stands.version)
    pal_reasoning.mark_place(stands.thread, is_running=stands.is_running)


def _asked_so_far(told: History) -> int:
    """Up to the message that is being worked on; what comes after it is what the run leaves."""
    return max((n for n, m in enumerate(told.messages, 1) if m.role in _TALKERS), default=0)


def _lost_answer(app: Container, user: User, told: History) -> None:
    """The run ended without leaving an answer or an error in the history: say so and offer to send again (M8)."""
    last = told.messages[-1] if told.messages else None
    if last is None or last.role not in _TALKERS:
        return
    error = ask.failure(app, user, told.conversation.thread_id, last.run_id)
    if not (told.lost_run or error):
        return
    lost = RunInterrupted()
    errors.show(error.title if error else lost.title, error.message if error else lost.message)
    label = "Send again" if last.role == "user" else "Go on"
    if st.button(label, key="send_again", icon=":material/refresh:"):
        with errors.shown():
            ask.send_again(app, user, told.conversation.thread_id)
            pal_reasoning.begin(told.conversation.thread_id)
            st.rerun()


def _compose(app: Container, user: User, stands: _Standing) -> None:
    thread, question = stands.thread, stands.question
    asked = _asked_before(thread)
    is_answer = question is not None and pal_assist.takes_text(question)
    with st.bottom:
        suggested: list[Suggestion] = []
        with errors.shown():
            _answered_elsewhere(thread, asked, question)
            _warn_of_budget(app, user)
            if question is not None:
                with st.expander("Answer PalAssist differently") if _was_answered(stands) else nullcontext():
                    pal_assist.show(app, user, question)
            elif not stands.is_running:
                scope_bar.show(app, user)
            suggestions = composer.taggable_in_answer if is_answer else composer.taggable_in_message
            suggested = suggestions(app, user)
        composer.show(
            thread,
            suggested,
            placeholder=_placeholder(question, stands.is_running),
            disabled=stands.is_running or (question is not None and not is_answer),
            on_stop=partial(_stop, app, user, thread) if stands.is_running else None,
        )
    _remember_question(thread, question)
    with errors.shown():
        waiting = composer.waiting()
        if waiting is None:
            return
        written_in, submission = waiting
        if written_in != thread or not asked.get("takes_text"):
            # a question that another tab raised meanwhile is not answered by what was meant as a message (G9)
            composer.send(app, user, written_in, submission)
        elif question is not None and question.interrupt_id == asked["question"]:
            pal_assist.answer_with_text(app, user, question, submission)
        else:  # nor is what was meant as an answer a message
            composer.give_back(thread, submission, NoPendingQuestion())


def _was_answered(stands: _Standing) -> bool:
    """Whether the question is open again because the run that its answer began was lost: going on, offered above, gives the same answer."""
    return stands.told is not None and stands.told.lost_run and stands.told.messages[-1].role == "pal_assist"


def _stop(app: Container, user: User, thread: str) -> None:
    with errors.toasted():
        ask.stop(app, user, thread)
        st.toast("Stopping after the current step.")


def _asked_before(thread: str) -> dict[str, Any]:
    """The question that this tab has shown in this conversation and not answered; empty if there is none."""
    asked = state.mapping(state.ASKED)
    return asked if asked.get("thread") == thread else {}


def _remember_question(thread: str, question: InterruptEvent | None) -> None:
    state.forget(state.ASKED)
    if question is not None:
        takes_text = pal_assist.takes_text(question)
        st.session_state[state.ASKED] = {
            "thread": thread, "question": question.interrupt_id, "takes_text": takes_text,
        }  # fmt: skip


def _answered_elsewhere(thread: str, asked: dict[str, Any], question: InterruptEvent | None) -> None:
    """Say why a question is gone, or why a click on it had no effect: it was answered, but not here (G9)."""
    if asked and (question is None or question.interrupt_id != asked["question"]):
        st.session_state[state.ANSWERED_ELSEWHERE] = thread
    if st.session_state.get(state.ANSWERED_ELSEWHERE) == thread:
        st.html('<div class="pp-notice" role="status">PalAssist’s question was answered in another tab.</div>')


def _placeholder(question: InterruptEvent | None, busy: bool) -> str:
    if busy:
        return "Working on it …"
    if question is None:
        return "Ask, summarize, compare or audit. Type @ to tag."
    return pal_assist.placeholder(question)


def _warn_of_budget(app: Container, user: User) -> None:
    """From four fifths of the budget on; nothing where no model is paid for."""
    if app.engine.name == "extractive":
        return
    held = budget.load(app, user)
    if held.is_nearly_used_up and held.share is not None:
        words = "used up" if held.is_used_up else f"{held.share:.0%} spent"
        st.html(
            f'<div class="pp-notice" role="status">This month’s model budget is {words}. You can change it in Settings.</div>'
        )


def _offer_without_model(app: Container, user: User, told: History) -> None:
    """A button below a run that the model or its budget ended: the same message, answered by the extractive engine."""
    last = told.messages[-1] if told.messages else None
    if last is None or not ask.ended_by_model(last):
        return
    if st.button("Continue without a model", key="continue_without_model", icon=":material/format_quote:"):
        with errors.shown():
            thread = told.conversation.thread_id
            ask.continue_without_model(app, user, thread)
            pal_reasoning.begin(thread)
            st.rerun()
