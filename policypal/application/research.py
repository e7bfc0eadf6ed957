"""Research reports: start, answer, come back, look into the steps, fork (section W)."""

from collections.abc import Callable, Collection, Iterator, Sequence
from uuid import UUID, uuid4, uuid5

from policypal.application import ask, outcomes
from policypal.application.answer_checks import check_documents, checked_answer
from policypal.application.budget import goes_without_model
from policypal.application.container import Container
from policypal.application.runner import Run
from policypal.db import conversations
from policypal.db import documents as documents_db
from policypal.db import research as research_db
from policypal.db.research import Begin
from policypal.domain.conversations import TraceEntry
from policypal.domain.events import Event, InterruptEvent
from policypal.domain.interrupts import Answer
from policypal.domain.research import Gate, Mode, Plan, PlanAnswer, Report, ResearchThread, Step, StepValues
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NoPendingQuestion, NotFound, QuestionPending, RunInProgress
from policypal.graph.context import RunContext
from policypal.graph.research.forking import Edits
from policypal.graph.research.questions import edited_plan
from policypal.research.document import report_docx, report_markdown
from policypal.research.gate import assess, model_cost_of
from policypal.research.goal import checked_goal
from policypal.research.scope import research_document

MAX_REPORT_CHARACTERS = 500_000

events, progress, version, stop = ask.events, ask.progress, ask.version, ask.stop
"""A research run is followed, looked at and stopped like every other."""

EXPORTS: dict[str, Callable[[Report], bytes]] = {"md": report_markdown, "docx": report_docx}
"""By file extension: a report as a file, with the list of its references (W6)."""


def start(
    app: Container, user: User, goal: str, *, mode: Mode = "auto", idempotency_key: str,
    document_ids: Sequence[str] = (), without_model: bool = False,
) -> str:  # fmt: skip
    """Begin a research thread; its id. Follow it with :func:`events`. The same ``idempotency_key`` is one thread (U6).
    Raises InvalidInput: the goal is empty, or a document rather than a goal; NotFound: a document is not in the library
    any more."""
    goal = checked_goal(goal)
    check_documents(document_ids, documents_db.list_documents(app.db, user.id))
    thread_id = _id_for(user, idempotency_key)
    spares_model = without_model or goes_without_model(app, user)
    begin = Begin(thread_id, goal, _title(goal), mode, list(document_ids), spares_model)
    research_db.add_thread(app.db, user.id, begin)
    _begin(app, user, begin, lambda run: app.researcher.start(goal, mode, list(begin.document_ids), run))
    return thread_id


def gate(app: Container, user: User, goal: str) -> Gate:
    """Advice while somebody types: whether the goal is clear and cheap enough to run at once (W2). No model call."""
    library = [research_document(d) for d in documents_db.list_documents(app.db, user.id)]
    return assess(
        storable(goal), library, has_web=app.web is not None, model_cost=model_cost_of(app.engine),
        reading_tokens=app.engine.reading_tokens,
    )  # fmt: skip


def list_threads(app: Container, user: User) -> list[ResearchThread]:
    """The user's research threads, latest first, forks too."""
    return [_settled(app, user, thread) for thread in research_db.list_threads(app.db, user.id)]


def find(app: Container, user: User, thread_id: str) -> ResearchThread:
    """A thread as it stands. A report that was complete when its process died is stored now (W7). Raises NotFound:
    no such thread of this user."""
    thread = _settled(app, user, _own(app, user, thread_id))
    if thread.status == "failed":
        standing = app.researcher.standing(user.id, thread_id)
        if outcomes.recover(app, user.id, thread_id, standing):
            return _own(app, user, thread_id)
    return thread


def pending(app: Container, user: User, thread_id: str) -> InterruptEvent | None:
    """The thread's open question, restored from its checkpoint (U5)."""
    if research_db.find_thread(app.db, user.id, thread_id) is None or app.runner.live_run(user.id, thread_id):
        return None
    return app.researcher.pending(user.id, thread_id)


def resume(app: Container, user: User, thread_id: str, answer: Answer, *, interrupt_id: str | None = None) -> None:
    """Answer (or cancel) the open question and let the run go on; follow it with :func:`events`. Raises NotFound: no
    such thread of this user, or a document of an edited plan is gone; NoPendingQuestion: nothing is open, or this
    question was answered before; InvalidInput: the answer does not fit the question, which stays open; RunInProgress:
    the thread is at work."""
    begin = _beginning(app, user, thread_id)
    question = _open_question(app, user, thread_id, interrupt_id)
    checked = _checked(app, user, question, answer)

    def accept(run_id: str) -> bool:
        # under the lease: nobody else can answer between this look and the run
        _open_question(app, user, thread_id, question.interrupt_id)
        conversations.record_answer(app.db, user.id, thread_id, question.interrupt_id, checked.model_dump())
        outcomes.note_answer(app, user.id, thread_id, run_id, question, checked)
        return True

    _run(app, user, begin, accept, lambda run: app.researcher.resume(question.interrupt_id, checked, run))


def continue_run(app: Container, user: User, thread_id: str) -> None:
    """Go on from the last good checkpoint after a failure, a stop or a crash (W7). Raises NotFound: no such thread of
    this user; QuestionPending: it waits for an answer; RunInProgress: it is at work; InvalidInput: it is finished."""
    begin = _beginning(app, user, thread_id)

    def accept(run_id: str) -> bool:
        standing = app.researcher.standing(user.id, thread_id)
        if standing.question is not None:
            raise QuestionPending
        if standing.answer is None:
            return True
        if not outcomes.recover(app, user.id, thread_id, standing):
            raise InvalidInput("This report is finished. There is nothing to continue.")
        return False

    def go_on(run: RunContext) -> Iterator[Event]:
        if app.researcher.has_begun(user.id, thread_id):
            return app.researcher.proceed(run)
        return app.researcher.start(begin.goal, begin.mode, list(begin.document_ids), run)

    _run(app, user, begin, accept, go_on)


def plan(app: Container, user: User, thread_id: str) -> tuple[list[PlanAnswer], Plan | None]:
    """The answers given so far, and the plan once it is made. Raises NotFound: no such thread of this user."""
    _own(app, user, thread_id)
    return app.researcher.planned(user.id, thread_id)


def reports(app: Container, user: User, thread_id: str) -> list[Report]:
    """All versions of the report, latest first. Raises NotFound: no such thread of this user."""
    _own(app, user, thread_id)
    return research_db.list_reports(app.db, user.id, thread_id)


def edit_report(app: Container, user: User, thread_id: str, markdown: str, *, expected_version: int) -> Report:
    """A new version with these words; the one before stays. Nothing vouches for statements written by hand, so that it
    has no checked sections. Raises NotFound: no such thread of this user, or no report yet; InvalidInput: nothing is
    left of it, or it is too long; Conflict: somebody else has stored a later version."""
    markdown = storable(markdown).strip()
    if not markdown:
        raise InvalidInput("The report is empty. Delete the research instead, if it is not needed any more.")
    if len(markdown) > MAX_REPORT_CHARACTERS:
        raise InvalidInput(f"A report can have at most {MAX_REPORT_CHARACTERS:,} characters.")
    latest = next(iter(reports(app, user, thread_id)), None)
    if latest is None:
        raise NotFound("There is no report to edit yet.")
    edited = latest.model_copy(update={"markdown": markdown, "sections": [], "origin": "edited"})
    return research_db.add_edited(app.db, user.id, edited, expected_version)


def timeline(app: Container, user: User, thread_id: str) -> list[Step]:
    """The thread's checkpoints in plain words, oldest first (W6). Raises NotFound: no such thread of this user."""
    _own(app, user, thread_id)
    return app.researcher.timeline(user.id, thread_id)


def step_values(app: Container, user: User, thread_id: str, checkpoint_id: str) -> StepValues:
    """What stood at a step: a fork's form is filled with it. Raises NotFound: no such thread of this user, or no
    such step."""
    _own(app, user, thread_id)
    return app.researcher.step_values(user.id, thread_id, checkpoint_id)


def fork(
    app: Container, user: User, thread_id: str, checkpoint_id: str, *, goal: str | None = None,
    plan: Plan | None = None, excluded: Collection[str] | None = None, draft: str | None = None,
    idempotency_key: str | None = None,
) -> str:  # fmt: skip
    """A new thread from a step, with these edits, at work; its id. The original is not touched (W6). The same
    ``idempotency_key`` is one fork (U6); without one, every call is. Raises NotFound: no such thread of this user, no
    such step, or a document of the plan is gone; InvalidInput: these edits cannot go together, or not at this step."""
    begin = _beginning(app, user, thread_id)
    step = app.researcher.step(user.id, thread_id, checkpoint_id)
    if plan is not None:
        check_documents(plan.document_ids, documents_db.list_documents(app.db, user.id))
    edits = Edits(checked_goal(goal) if goal is not None else None, plan, excluded, draft)
    branch = app.researcher.branch(user.id, thread_id, checkpoint_id, edits)
    new_id, new_goal = _id_for(user, idempotency_key or uuid4().hex), branch.values["goal"]
    new = Begin(
        new_id, new_goal, _title(new_goal), begin.mode, begin.document_ids, begin.without_model,
        (thread_id, checkpoint_id, step.title),
    )  # fmt: skip
    research_db.add_thread(app.db, user.id, new)
    if not app.researcher.has_begun(user.id, new.thread_id):
        app.researcher.plant(user.id, new.thread_id, branch)
    _begin(app, user, new, app.researcher.proceed)
    return new.thread_id


def delete(app: Container, user: User, thread_id: str) -> None:
    """Delete the thread with its reports, traces and checkpoints; forks of it stay. Raises NotFound: no such thread of
    this user; RunInProgress: it is at work."""
    _own(app, user, thread_id)
    if app.runner.live_run(user.id, thread_id):
        raise RunInProgress
    conversations.delete_conversation(app.db, user.id, thread_id)
    app.researcher.forget(user.id, thread_id)


def run_log(app: Container, user: User, thread_id: str) -> list[TraceEntry]:
    """Everything the thread's runs did, in order: steps, tasks, searches, pages, cache hits, errors (M5). Raises
    NotFound: no such thread of this user."""
    _own(app, user, thread_id)
    return [entry for run in conversations.list_traces(app.db, user.id, thread_id).values() for entry in run]


def _id_for(user: User, idempotency_key: str) -> str:
    """The thread one click makes, however often it is heard."""
    return str(uuid5(UUID(user.id), storable(idempotency_key)))


_TITLE_WORDS = 8
_GONE = "This research does not exist. It may have been deleted."


def _begin(app: Container, user: User, begin: Begin, work: Callable[[RunContext], Iterator[Event]]) -> None:
    """Start the first run of a thread, once."""
    key = f"research:{begin.thread_id}"

    def accept(run_id: str) -> bool:
        return conversations.add_message(
            app.db, user.id, begin.thread_id, "user", begin.goal, run_id=run_id, idempotency_key=key
        )

    try:
        _run(app, user, begin, accept, work)
    except RunInProgress:  # of this very click, made twice
        if not conversations.message_exists(app.db, user.id, key):
            raise


def _run(
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
        return outcomes.recorded(app, run, library, work, without_model=spares_model)

    app.runner.start(user.id, begin.thread_id, run_id, events_of, accept=lambda: accept(run_id))


def _own(app: Container, user: User, thread_id: str) -> ResearchThread:
    """Raises NotFound: no such thread of this user."""
    thread = research_db.find_thread(app.db, user.id, thread_id)
    if thread is None:
        raise NotFound(_GONE)
    return thread


def _beginning(app: Container, user: User, thread_id: str) -> Begin:
    """What a thread began with. Raises NotFound: no such thread of this user."""
    begin = research_db.beginning(app.db, user.id, thread_id)
    if begin is None:
        raise NotFound(_GONE)
    return begin


def _settled(app: Container, user: User, thread: ResearchThread) -> ResearchThread:
    """A run whose process is gone is not running."""
    if thread.status == "running" and app.runner.live_run(user.id, thread.thread_id) is None:
        return research_db.find_thread(app.db, user.id, thread.thread_id) or thread
    return thread


def _open_question(app: Container, user: User, thread_id: str, interrupt_id: str | None) -> InterruptEvent:
    """Raises NoPendingQuestion: nothing is open, or another question than this."""
    question = app.researcher.pending(user.id, thread_id)
    if question is None or (interrupt_id is not None and question.interrupt_id != interrupt_id):
        raise NoPendingQuestion
    return question


def _checked(app: Container, user: User, question: InterruptEvent, answer: Answer) -> Answer:
    """The answer as it can be stored, an edited plan as it can be carried out. Raises InvalidInput: it does not fit the
    question; NotFound: a document it names is not in the library any more."""
    library = documents_db.list_documents(app.db, user.id)
    checked = checked_answer(question, answer, library)
    if checked.type == "plan_approval":
        _, current = app.researcher.planned(user.id, question.thread_id)
        if current is not None:
            check_documents(edited_plan(current, checked.values[0]).document_ids, library)
    return checked


def _title(goal: str) -> str:
    """The goal's first words, as lists show it."""
    words = goal.split()
    return " ".join(words[:_TITLE_WORDS])[:80] + ("…" if len(words) > _TITLE_WORDS else "")
