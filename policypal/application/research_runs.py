"""The runs of a research thread: whose they are, how they begin, and what may be answered (W, U6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import uuid4

from policypal.application import outcomes
from policypal.application.answer_checks import check_documents, checked_answer
from policypal.application.budget import goes_without_model
from policypal.application.container import Container
from policypal.application.runner import Run
from policypal.db import conversations
from policypal.db import documents as documents_db
from policypal.db import research as research_db
from policypal.db.research import Begin
from policypal.domain.events import Event, InterruptEvent
from policypal.domain.interrupts import Answer
from policypal.domain.research import ResearchThread
from policypal.domain.users import User
from policypal.errors import NoPendingQuestion, NotFound, RunInProgress
from policypal.graph.context import RunContext
from policypal.graph.research.questions import edited_plan

_TITLE_WORDS = 8
_GONE = "This research does not exist. It may have been deleted."


def begin(app: Container, user: User, begin: Begin, work: Callable[[RunContext], Iterator[Event]]) -> None:
    """Start the first run of a thread, once."""
    key = f"research:{begin.thread_id}"

    def accept(run_id: str) -> bool:
        return conversations.add_message(
            app.db, user.id, begin.thread_id, "user", begin.goal, run_id=run_id, idempotency_key=key
        )

    try:
        run(app, user, begin, accept, work)
    except RunInProgress:  # of this very click, made twice
        if not conversations.message_exists(app.db, user.id, key):
            raise


def run(
    app: Container,
    user: User,
    begin: Begin,
    accept: Callable[[str], bool],
    work: Callable[[RunContext], Iterator[Event]],
) -> None:
    """Start a run of the thread under its lease, as ``accept`` allows, with what ``work`` does. Raises
    RunInProgress: the thread is at work."""
    run_id = str(uuid4())
    library = documents_db.list_documents(app.db, user.id)
    spares_model = begin.without_model or goes_without_model(app, user)

    def events_of(run: Run) -> Iterator[Event]:
        recorder = outcomes.Recorder(app, run)
        context = outcomes.run_context(app, run, recorder, library, without_model=spares_model)
        yield from outcomes.recorded(app, run, recorder, work(context), name_after=None)

    app.runner.start(user.id, begin.thread_id, run_id, events_of, accept=lambda: accept(run_id))


def own(app: Container, user: User, thread_id: str) -> ResearchThread:
    """Raises NotFound: no such thread of this user."""
    thread = research_db.find_thread(app.db, user.id, thread_id)
    if thread is None:
        raise NotFound(_GONE)
    return thread


def beginning(app: Container, user: User, thread_id: str) -> Begin:
    """What a thread began with. Raises NotFound: no such thread of this user."""
    begin = research_db.beginning(app.db, user.id, thread_id)
    if begin is None:
        raise NotFound(_GONE)
    return begin


def settled(app: Container, user: User, thread: ResearchThread) -> ResearchThread:
    """A run whose process is gone is not running."""
    if thread.status == "running" and app.runner.live_run(user.id, thread.thread_id) is None:
        return research_db.find_thread(app.db, user.id, thread.thread_id) or thread
    return thread


def open_question(app: Container, user: User, thread_id: str, interrupt_id: str | None) -> InterruptEvent:
    """Raises NoPendingQuestion: nothing is open, or another question than this."""
    question = app.researcher.pending(user.id, thread_id)
    if question is None or (interrupt_id is not None and question.interrupt_id != interrupt_id):
        raise NoPendingQuestion
    return question


def checked(app: Container, user: User, question: InterruptEvent, answer: Answer) -> Answer:
    """The answer as it can be stored, an edited plan as it can be carried out.

    Raises:
        InvalidInput: it does not fit the question.
        NotFound: a document it names is not in the library any more.
    """
    library = documents_db.list_documents(app.db, user.id)
    checked = checked_answer(question, answer, library)
    if checked.type == "plan_approval":
        _, current = app.researcher.planned(user.id, question.thread_id)
        if current is not None:
            check_documents(edited_plan(current, checked.values[0]).document_ids, library)
    return checked


def title(goal: str) -> str:
    """The goal's first words, as lists show it."""
    words = goal.split()
    return " ".join(words[:_TITLE_WORDS])[:80] + ("…" if len(words) > _TITLE_WORDS else "")
