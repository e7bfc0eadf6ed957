"""Send, answer, cancel, come back, stop: the conversation with the agent (G7–G12, U6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from policypal.application import outcomes, replay
from policypal.application.runner import Run
from policypal.db import conversations, usage, users
from policypal.db import documents as documents_db
from policypal.domain.conversations import Action, Conversation
from policypal.domain.documents import Document
from policypal.domain.identifiers import is_uuid
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import BudgetExceeded, InvalidInput, NoPendingQuestion, NotFound, QuestionPending, RunInProgress
from policypal.graph.agent.context import RunContext
from policypal.graph.agent.nodes.doc_resolver import known_document
from policypal.graph.agent.state import Turn
from policypal.graph.events import ErrorEvent, Event, InterruptEvent
from policypal.graph.interrupts import Answer
from policypal.services.composer import ComposedMessage, check_document_limit, compose, parse_composer
from policypal.services.llm.tasks.thread_title import UNTITLED

if TYPE_CHECKING:
    from policypal.application.container import Container

MAX_MESSAGE_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A text attached to be audited (U3)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A message to send. Either ``composer`` (TipTap JSON) or ``message`` (plain text, @Titles allowed) is filled.
    The same ``idempotency_key`` sent twice is one message (U6)."""

    message: str = ""
    composer: dict[str, Any] | None = None
    document_ids: tuple[str, ...] = ()
    set_ids: tuple[str, ...] = ()
    action: Action | None = None
    web: bool = False
    draft: Draft | None = None
    idempotency_key: str = field(default_factory=lambda: str(uuid4()))


def new_thread_id() -> str:
    """An id for a conversation that begins with its first message."""
    return str(uuid4())


def send(app: Container, user: User, thread_id: str, request: Request) -> None:
    """Start a run for a message; follow it with :func:`events`. A repeated idempotency key changes nothing.

    Raises:
        InvalidInput, TooManyDocuments: the message cannot be used.
        NotFound: the thread belongs to somebody else.
        QuestionPending: PolicyPal waits for an answer (G9).
        RunInProgress: the thread is still working.
        BudgetExceeded: this month's model budget is used up.
    """
    library = documents_db.list_documents(app.db, user.id)
    turn = _turn(app, user, request, library)
    conversation = _own_or_create(app, user, thread_id)
    run_id = str(uuid4())
    is_unnamed = conversation is None or conversation.title == UNTITLED

    def accept() -> bool:
        standing = app.agent.standing(thread_id)
        if standing.question is not None:
            raise QuestionPending
        outcomes.recover(app, user.id, thread_id, standing)
        return conversations.add_message(
            app.db, user.id, thread_id, "user", turn.shown_text, run_id=run_id, payload=turn.payload(),
            idempotency_key=request.idempotency_key,
        )  # fmt: skip

    def work(run: Run) -> Iterator[Event]:
        recorder = outcomes.Recorder(app, run)
        stream = app.agent.send(turn, _context(app, user, run, recorder, library))
        yield from outcomes.recorded(app, run, recorder, stream, name_after=turn.text if is_unnamed else None)

    try:
        _check_budget(app, user)
        app.runner.start(user.id, thread_id, run_id, work, accept=accept)
    except (BudgetExceeded, RunInProgress, QuestionPending):
        # perhaps because of this very message, sent twice
        if not conversations.message_exists(app.db, user.id, request.idempotency_key):
            raise


def resume(app: Container, user: User, thread_id: str, answer: Answer, *, interrupt_id: str | None = None) -> None:
    """Answer (or cancel) the thread's open question and let the run go on; follow it with :func:`events`.

    Raises:
        NotFound: the thread belongs to somebody else.
        NoPendingQuestion: nothing is open, or this question was answered before (double click, second tab).
        InvalidInput: the answer does not fit the question.
        RunInProgress: the thread is still working.
    """
    _own(app, user, thread_id)
    question = _open_question(app, thread_id, interrupt_id)
    library = documents_db.list_documents(app.db, user.id)
    checked = _checked_answer(question, answer, library)
    run_id = str(uuid4())

    def accept() -> bool:
        # under the lease: nobody else can answer between this look and the run
        _open_question(app, thread_id, question.interrupt_id)
        conversations.record_answer(app.db, user.id, thread_id, question.interrupt_id, checked.model_dump())
        outcomes.note_answer(app, user.id, thread_id, run_id, question, checked)
        return True

    def work(run: Run) -> Iterator[Event]:
        recorder = outcomes.Recorder(app, run)
        stream = app.agent.resume(question.interrupt_id, checked, _context(app, user, run, recorder, library))
        yield from outcomes.recorded(app, run, recorder, stream, name_after=None)

    app.runner.start(user.id, thread_id, run_id, work, accept=accept)


def _open_question(app: Container, thread_id: str, interrupt_id: str | None) -> InterruptEvent:
    question = app.agent.pending(thread_id)
    if question is None or (interrupt_id is not None and question.interrupt_id != interrupt_id):
        raise NoPendingQuestion
    return question


def events(app: Container, user: User, thread_id: str, *, timeout_seconds: float | None = None) -> Iterator[Event]:
    """The events of the thread's latest run, from its first on (replayed to a tab that comes back), in whatever process it
    works or worked."""
    if not is_uuid(thread_id):
        return
    run = _latest_here(app, user, thread_id)
    if run is not None:
        yield from run.follow(timeout_seconds)
    else:
        yield from replay.follow(app, user.id, thread_id, timeout_seconds)


def progress(app: Container, user: User, thread_id: str) -> tuple[list[Event], bool]:
    """What the latest run has told so far, and whether it is still working; never waits. For interfaces that poll."""
    run = _latest_here(app, user, thread_id)
    if run is not None:
        return run.told()
    live = app.runner.live_run(user.id, thread_id)
    return (replay.steps(app, user.id, live) if live else []), live is not None


def _latest_here(app: Container, user: User, thread_id: str) -> Run | None:
    """The thread's latest run, if it is of this process."""
    run = app.runner.get(user.id, thread_id)
    if run is None or not run.finished:
        return run
    stage = conversations.stage(app.db, user.id, thread_id)
    return run if stage is not None and stage.run_id == run.run_id else None


def version(app: Container, user: User, thread_id: str) -> str:
    """Changes as soon as there is something new to show of a thread, whoever caused it: a message, a run that begins or
    ends, a question, its answer, a name; empty if there is no such thread. Cheap, for tabs that look every second (U6)."""
    stage = conversations.stage(app.db, user.id, thread_id) if is_uuid(thread_id) else None
    return "" if stage is None else f"{stage.last_position} {stage.run_id} {stage.run_status} {stage.title}"


def failure(app: Container, user: User, thread_id: str, run_id: str | None) -> ErrorEvent | None:
    """How a run of this process failed, for the case that its error could not be stored in the history."""
    run = app.runner.get(user.id, thread_id)
    if run is None or run.run_id != run_id:
        return None
    return next((e for e in run.told()[0] if isinstance(e, ErrorEvent)), None)


def pending(app: Container, user: User, thread_id: str) -> InterruptEvent | None:
    """The thread's open question, restored from the checkpoint (U5)."""
    if conversations.find_conversation(app.db, user.id, thread_id) is None:
        return None
    if app.runner.live_run(user.id, thread_id):
        return None
    return app.agent.pending(thread_id)


def stop(app: Container, user: User, thread_id: str) -> bool:
    """Stop the thread's run, even while a provider does not answer; False if nothing is running. A run of another process
    notices within a second or so."""
    return is_uuid(thread_id) and app.runner.stop(user.id, thread_id)


def _own(app: Container, user: User, thread_id: str) -> None:
    if conversations.find_conversation(app.db, user.id, thread_id) is None:
        raise NotFound("This conversation does not exist.")


def _own_or_create(app: Container, user: User, thread_id: str) -> Conversation | None:
    """The conversation; None if it begins with this message."""
    found = conversations.find_conversation(app.db, user.id, thread_id)
    if found is not None:
        return found
    if not is_uuid(thread_id):
        raise NotFound("This conversation does not exist.")
    if not conversations.create_conversation(app.db, user.id, thread_id):
        _own(app, user, thread_id)
    return None


def _check_budget(app: Container, user: User) -> None:
    budget = app.settings.monthly_budget_usd
    if budget is not None and app.engine.name != "extractive" and usage.spent_this_month(app.db, user.id) >= budget:
        raise BudgetExceeded


def _context(
    app: Container, user: User, run: Run, recorder: outcomes.Recorder, library: Sequence[Document]
) -> RunContext:
    return RunContext(
        user_id=user.id,
        thread_id=run.thread_id,
        run_id=run.run_id,
        profile=users.load_profile(app.db, user.id),
        library=library,
        recorder=recorder,
        check_stop=run.check_stop,
        tell=run.publish,
    )


def _turn(app: Container, user: User, request: Request, library: Sequence[Document]) -> Turn:
    if storable(request.idempotency_key) != request.idempotency_key:
        raise InvalidInput("The message's key cannot be stored.")
    composed = _compose(app, user, request, library)
    if len(composed.text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput("This message is too long. Please attach long texts as a document.")
    if not composed.text.strip() and not request.draft:
        raise InvalidInput("Please write a message.")
    tagged = list(dict.fromkeys([*composed.document_ids, *request.document_ids]))
    sets = list(dict.fromkeys([*composed.set_ids, *request.set_ids]))
    members = [d.id for set_id in sets for d in _members(set_id, library)]
    check_document_limit(list(dict.fromkeys([*tagged, *members])))
    _check_documents(tagged, library)
    return Turn(
        message_id=str(uuid4()),
        text=composed.text,
        clean_query=composed.clean_query,
        tagged_ids=list(dict.fromkeys([*tagged, *members])),
        action=request.action.value if request.action else composed.action,
        web=request.web or composed.web,
        is_pure_mention=composed.is_pure_mention and not request.draft,
        draft_name=storable(request.draft.name) if request.draft else "",
        draft_text=storable(request.draft.text) if request.draft else "",
    )


def _members(set_id: str, library: Sequence[Document]) -> list[Document]:
    """The documents of a tagged set that can be used; without any, the whole library would be searched instead."""
    members = [d for d in library if d.set_id == set_id]
    ready = [d for d in members if d.status == "ready"]
    if not members:
        raise NotFound("A tagged set is empty or no longer in your library. Please tag documents instead.")
    if not ready:
        raise InvalidInput("No document of the tagged set is ready yet. Please wait until one is.")
    return ready


def _compose(app: Container, user: User, request: Request, library: Sequence[Document]) -> ComposedMessage:
    if request.composer is not None:
        return parse_composer(request.composer)
    known = [known_document(d) for d in library]
    sets = documents_db.list_sets(app.db, user.id) if "@" in request.message else []
    return compose(request.message, known, sets)


def _check_documents(ids: Sequence[str], library: Sequence[Document]) -> None:
    known = {d.id: d for d in library if d.id in ids}
    if missing := [i for i in ids if i not in known]:
        raise NotFound(f"{len(missing)} tagged document(s) are no longer in your library. Please tag again.")
    if waiting := [d.display_title for d in known.values() if d.status != "ready"]:
        raise InvalidInput(f"Not ready yet: {', '.join(waiting)}. Please wait until the document is ready.")


def _checked_answer(question: InterruptEvent, answer: Answer, library: Sequence[Document]) -> Answer:
    """The answer as it can be stored.

    Raises:
        InvalidInput, TooManyDocuments: it does not fit the question.
        NotFound: a document it names is not in the library any more.
    """
    if answer.type == "cancel":
        return Answer(type="cancel")
    if answer.type != question.interrupt_type:
        raise InvalidInput(f"The open question expects an answer of type {question.interrupt_type}.")
    answer = answer.cleaned()
    if question.options is None:
        _check_text(question, answer)
    else:
        _check_choice(question, answer)
    documents = [*answer.document_ids, *_chosen_documents(question, answer)]
    check_document_limit(documents)
    _check_documents(documents, library)
    return answer


def _check_text(question: InterruptEvent, answer: Answer) -> None:
    if len(answer.values) > 1:
        raise InvalidInput("Please write one answer only.")
    if not any(v.strip() for v in answer.values) and not answer.document_ids:
        raise InvalidInput("Please choose or write an answer.")
    # a text to be audited may be as long as an attached draft
    if question.expects != "text" and any(len(v) > MAX_MESSAGE_CHARACTERS for v in answer.values):
        raise InvalidInput("This answer is too long. Please name or tag the document.")


def _check_choice(question: InterruptEvent, answer: Answer) -> None:
    chosen = answer.values
    tags_instead = question.interrupt_type == "retrieval_low" and answer.document_ids
    if set(chosen) - {o.id for o in question.options or []} or not (chosen or tags_instead):
        raise InvalidInput("Please choose one of the offered options.")
    if len(chosen) > 1 and not question.allow_multiple:
        raise InvalidInput("Please choose one option only.")


def _chosen_documents(question: InterruptEvent, answer: Answer) -> list[str]:
    """The documents chosen by their options; "all" stands for all of them."""
    if question.interrupt_type != "doc_choice":
        return []
    offered = [o.id for o in question.options or [] if o.id != "all"]
    return offered if "all" in answer.values else answer.values
