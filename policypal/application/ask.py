"""Send, answer, cancel, come back, stop: the conversation with the agent (G7–G12, U6)."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from policypal.application import outcomes, replay
from policypal.application.answer_checks import MAX_MESSAGE_CHARACTERS, check_documents, checked_answer
from policypal.application.budget import goes_without_model
from policypal.application.container import Container
from policypal.application.runner import Run
from policypal.db import conversations
from policypal.db import documents as documents_db
from policypal.domain import requests as domain
from policypal.domain.conversations import Action, Message
from policypal.domain.documents import Document
from policypal.domain.events import ErrorEvent, Event, InterruptEvent
from policypal.domain.identifiers import is_uuid
from policypal.domain.interrupts import Answer
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import MODEL_CODES, InvalidInput, NoPendingQuestion, NotFound, QuestionPending, RunInProgress
from policypal.graph.agent.said import known_document
from policypal.graph.agent.state import Turn
from policypal.request import intent
from policypal.request.composer import MAX_DOCUMENTS as MAX_DOCUMENTS
from policypal.request.composer import ComposedMessage, check_document_limit, compose
from policypal.request.composer import parse_composer as parse_composer
from policypal.request.said import Said


@dataclass(frozen=True, slots=True)
class Draft:
    """A text attached to be audited (U3)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A message to send. Either ``composer`` (TipTap JSON) or ``message`` (plain text, @Titles allowed) is filled.
    The same ``idempotency_key`` sent twice is one message (U6). ``without_model`` leaves it to the extractive engine.
    ``as_read`` is the request as the person has set it: nothing is read from the words then. ``queue``: the
    actions that are still to be offered after this one. ``scope`` is what a question reads that names no document (U11)."""

    message: str = ""
    composer: dict[str, Any] | None = None
    document_ids: tuple[str, ...] = ()
    set_ids: tuple[str, ...] = ()
    action: Action | None = None
    web: bool = False
    draft: Draft | None = None
    without_model: bool = False
    as_read: domain.Request | None = None
    queue: tuple[domain.Queued, ...] = ()
    scope: domain.Scope | None = None
    idempotency_key: str = field(default_factory=lambda: str(uuid4()))


def new_thread_id() -> str:
    """An id for a conversation that begins with its first message."""
    return str(uuid4())


def send(app: Container, user: User, thread_id: str, request: Request) -> None:
    """Start a run for a message; follow it with :func:`events`. A repeated idempotency key changes nothing. Raises
    InvalidInput, TooManyDocuments: the message cannot be used; NotFound: the thread belongs to somebody else;
    QuestionPending: PolicyPal waits for an answer (G9); RunInProgress: the thread is still working."""
    library = documents_db.list_documents(app.db, user.id)
    _begin(app, user, thread_id, _turn(app, user, request, library), request.idempotency_key, library)


def continue_without_model(app: Container, user: User, thread_id: str) -> None:
    """Send the message that the model or its budget left unanswered again, to the extractive engine; what was settled
    stays settled. Raises NotFound: the thread belongs to somebody else; InvalidInput: neither of them ended the latest
    run."""
    _own(app, user, thread_id)
    told = conversations.list_messages(app.db, user.id, thread_id)
    last = told[-1] if told else None
    turn = app.agent.unfinished(user.id, thread_id)
    if last is None or not ended_by_model(last) or turn is None:
        raise InvalidInput("There is nothing to continue in this conversation.")
    library = documents_db.list_documents(app.db, user.id)
    again = turn.model_copy(update={"without_model": True})
    _begin(app, user, thread_id, again, f"{last.id}:without-model", library)


def send_again(app: Container, user: User, thread_id: str) -> None:
    """Go on where a run was lost (M8): with the answer to the question that is open again, else with the latest message, as far as it was
    settled, else as it was sent, with its documents and its action. What an audit has judged is not judged twice. Raises NotFound: the thread belongs to somebody else; InvalidInput: it has no
    message."""
    _own(app, user, thread_id)
    told = conversations.list_messages(app.db, user.id, thread_id)
    if told and told[-1].role == "pal_assist" and (question := app.agent.pending(user.id, thread_id)):
        resume(app, user, thread_id, Answer(**told[-1].payload["answer"]), interrupt_id=question.interrupt_id)
        return
    last = next((m for m in reversed(told) if m.role == "user"), None)
    if last is None:
        raise InvalidInput("There is nothing to send again in this conversation.")
    library = documents_db.list_documents(app.db, user.id)
    turn = app.agent.unfinished(user.id, thread_id)
    if turn is None or turn.shown_text != last.content:
        tagged = tuple(d.id for d in library if d.id in last.payload.get("tagged_ids", ()))
        action = last.payload.get("action")
        request = Request(message=last.content, document_ids=tagged, action=Action(action) if action else None)
        turn = _turn(app, user, request, library)
    _begin(app, user, thread_id, turn, f"{last.id}:again", library)


def ended_by_model(last: Message) -> bool:
    """Whether a conversation's last message tells that the model, or its budget, kept a message from being answered."""
    return last.payload.get("code") in MODEL_CODES


def _begin(
    app: Container, user: User, thread_id: str, turn: Turn, idempotency_key: str, library: Sequence[Document]
) -> None:
    _own_or_create(app, user, thread_id)
    run_id = str(uuid4())

    def accept() -> bool:
        standing = app.agent.standing(user.id, thread_id)
        if standing.question is not None:
            raise QuestionPending
        outcomes.recover(app, user.id, thread_id, standing)
        return conversations.add_message(
            app.db, user.id, thread_id, "user", turn.shown_text, run_id=run_id, payload=turn.payload(),
            idempotency_key=idempotency_key,
        )  # fmt: skip

    def work(run: Run) -> Iterator[Event]:
        return outcomes.recorded(
            app, run, library, lambda context: app.agent.send(turn, context),
            without_model=turn.without_model, name_after=turn.shown_text,
        )  # fmt: skip

    try:
        app.runner.start(user.id, thread_id, run_id, work, accept=accept)
    except (RunInProgress, QuestionPending):
        # perhaps because of this very message, sent twice
        if not _was_sent(app, user, thread_id, idempotency_key):
            raise


def _was_sent(app: Container, user: User, thread_id: str, idempotency_key: str) -> bool:
    """Whether another click with the same key has sent this message. That one takes the thread first and records the message
    then, so that it is waited for while the thread is held by a run without one."""
    while not conversations.message_exists(app.db, user.id, idempotency_key):
        if not conversations.is_accepting(app.db, user.id, thread_id):
            return conversations.message_exists(app.db, user.id, idempotency_key)
        time.sleep(0.02)
    return True


def resume(app: Container, user: User, thread_id: str, answer: Answer, *, interrupt_id: str | None = None) -> None:
    """Answer (or cancel) the thread's open question and let the run go on; follow it with :func:`events`. A turn that
    was sent without a model stays so. Raises NotFound: the thread belongs to somebody else; NoPendingQuestion: nothing
    is open, or this question was answered before (double click, second tab); InvalidInput: the answer does not fit the
    question; RunInProgress: the thread is still working."""
    _own(app, user, thread_id)
    question, is_without = _open_question(app, user, thread_id, interrupt_id)
    spares_model = is_without or goes_without_model(app, user)
    library = documents_db.list_documents(app.db, user.id)
    checked = checked_answer(question, answer, library)
    run_id = str(uuid4())

    def accept() -> bool:
        # under the lease: nobody else can answer between this look and the run
        _open_question(app, user, thread_id, question.interrupt_id)
        conversations.record_answer(app.db, user.id, thread_id, question.interrupt_id, checked.model_dump())
        outcomes.note_answer(app, user.id, thread_id, run_id, question, checked)
        return True

    def work(run: Run) -> Iterator[Event]:
        return outcomes.recorded(
            app, run, library, lambda context: app.agent.resume(question.interrupt_id, checked, context),
            without_model=spares_model, name_after=_asked_last(app, user, thread_id),
        )  # fmt: skip

    app.runner.start(user.id, thread_id, run_id, work, accept=accept)


def _asked_last(app: Container, user: User, thread_id: str) -> str | None:
    """The message that is being answered."""
    told = conversations.list_messages(app.db, user.id, thread_id)
    return next((m.content for m in reversed(told) if m.role == "user"), None)


def _open_question(app: Container, user: User, thread_id: str, interrupt_id: str | None) -> tuple[InterruptEvent, bool]:
    """The question, and whether its turn goes without a model."""
    standing = app.agent.standing(user.id, thread_id)
    question = standing.question
    if question is None or (interrupt_id is not None and question.interrupt_id != interrupt_id):
        raise NoPendingQuestion
    return question, standing.without_model


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


def wait(app: Container, user: User, thread_id: str, timeout_seconds: float) -> bool:
    """Wait for the end of the thread's run in this process, at most so long; False if it has not come, or works elsewhere."""
    run = app.runner.get(user.id, thread_id)
    return run is not None and run.wait(timeout_seconds)


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
    return app.agent.pending(user.id, thread_id)


def stop(app: Container, user: User, thread_id: str) -> bool:
    """Stop the thread's run, even while a provider does not answer; False if nothing is running. A run of another process
    notices within a second or so."""
    return is_uuid(thread_id) and app.runner.stop(user.id, thread_id)


def _own(app: Container, user: User, thread_id: str) -> None:
    if conversations.find_conversation(app.db, user.id, thread_id) is None:
        raise NotFound("This conversation does not exist.")


def _own_or_create(app: Container, user: User, thread_id: str) -> None:
    """The conversation of this message exists afterwards, and is the user's."""
    if conversations.find_conversation(app.db, user.id, thread_id) is not None:
        return
    if not is_uuid(thread_id):
        raise NotFound("This conversation does not exist.")
    if not conversations.create_conversation(app.db, user.id, thread_id):
        _own(app, user, thread_id)


def _turn(app: Container, user: User, request: Request, library: Sequence[Document]) -> Turn:
    if storable(request.idempotency_key) != request.idempotency_key:
        raise InvalidInput("The message's key cannot be stored.")
    composed = _composed(app, user, request, library)
    if len(composed.text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput("This message is too long. Please attach long texts as a document.")
    if not composed.text.strip() and not request.draft:
        raise InvalidInput("Please write a message.")
    as_read = _checked(request.as_read, library) if request.as_read else None
    tagged = list(as_read.ids if as_read else dict.fromkeys([*composed.document_ids, *request.document_ids]))
    sets = [] if as_read else list(dict.fromkeys([*composed.set_ids, *request.set_ids]))
    members = [d.id for set_id in sets for d in _members(set_id, library)]
    check_document_limit(list(dict.fromkeys([*tagged, *members])))
    check_documents(tagged, library)
    return Turn(
        message_id=str(uuid4()),
        text=composed.text,
        clean_query=composed.clean_query,
        tagged_ids=list(dict.fromkeys([*tagged, *members])),
        action=(as_read.action if as_read else None) or (request.action.value if request.action else composed.action),
        web=as_read.web if as_read else request.web or composed.web,
        queue=[q.model_dump() for q in request.queue],
        scope=_scope(as_read.scope if as_read else request.scope, library),
        request=as_read.model_dump(mode="json") if as_read else None,
        is_pure_mention=composed.is_pure_mention and not request.draft,
        draft_name=storable(request.draft.name) if request.draft else "",
        draft_text=storable(request.draft.text) if request.draft else "",
        without_model=request.without_model or goes_without_model(app, user),
    )


def _scope(given: domain.Scope | None, library: Sequence[Document]) -> dict[str, Any] | None:
    """The scope without documents that are gone. Raises NotFound: none is left."""
    if given is None:
        return None
    ids = [d.id for d in library if d.id in given.ids and d.status == "ready"]
    if not ids:
        raise NotFound("The documents you limited your questions to are no longer in your library.")
    return domain.Scope(label=storable(given.label)[:200], ids=tuple(ids)).model_dump(mode="json")


def _checked(given: domain.Request, library: Sequence[Document]) -> domain.Request:
    """A request that the person has set, if it can be carried out. Raises InvalidInput: it has no action, or a document
    stands on both sides; TooManyDocuments, NotFound: more documents than fit, or one that is gone."""
    if given.action is None:
        raise InvalidInput("Please choose an action.")
    if set(given.sources) & set(given.targets):
        raise InvalidInput("A document cannot be audited against itself.")
    check_document_limit(list(given.ids))
    check_documents(list(given.ids), library)
    return given.model_copy(update={"focus": storable(given.focus), "queue": (), "spans": ()})


def _members(set_id: str, library: Sequence[Document]) -> list[Document]:
    """The documents of a tagged set that can be used; without any, the whole library would be searched instead."""
    members = [d for d in library if d.set_id == set_id]
    ready = [d for d in members if d.status == "ready"]
    if not members:
        raise NotFound("A tagged set is empty or no longer in your library. Please tag documents instead.")
    if not ready:
        raise InvalidInput("No document of the tagged set is ready yet. Please wait until one is.")
    return ready


def composed(app: Container, user: User, content: Mapping[str, Any]) -> ComposedMessage:
    """Text and tags of what the editor made (TipTap JSON). Where nothing was tagged from its list, "@Title" in the
    text is a tag. Raises InvalidInput: it is not what an editor makes."""
    return _composed(app, user, Request(composer=dict(content)), documents_db.list_documents(app.db, user.id))


def asks_anew(app: Container, user: User, question: InterruptEvent, text: str) -> bool:
    """Whether what was written under a question for a document is no answer but a message of its own (G9)."""
    known = [known_document(d) for d in documents_db.list_documents(app.db, user.id)]
    return question.expects == "document" and intent.asks_anew(Said(message=text, documents=known))


def _composed(app: Container, user: User, request: Request, library: Sequence[Document]) -> ComposedMessage:
    text = request.message
    if request.composer is not None:
        read = parse_composer(request.composer)
        if read.document_ids or read.set_ids or read.action or read.web:
            return read
        text = read.text
    known = [known_document(d) for d in library]
    return compose(text, known, documents_db.list_sets(app.db, user.id) if "@" in text else [])
