"""Talking with PolicyPal in tests: the same words on either engine (R4)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from policypal.application import ask, conversations, intake, library
from policypal.application.ask import Draft, Request
from policypal.application.container import Container
from policypal.domain.conversations import Action, Message, TraceEntry
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.events import ErrorEvent, Event, InterruptEvent, ResponseEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from tests.support.openai_answers import ChatRequest, route
from tests.support.openai_server import EMBEDDINGS, OpenAIServer
from tests.support.timeouts import LONGEST_WAIT_SECONDS

_TASK_OF_OUTPUT = {
    "Route": "router",
    "Answer": "answer",
    "Summary": "summarize",
    "Comparison": "compare",
    "Judgements": "judge",
    "Looks": "second_look",
    "HistorySummary": "summarize_history",
}
_TABLES_OF_A_THREAD = (
    "conversations", "messages", "checkpoints", "checkpoint_blobs", "checkpoint_writes", "interrupt_answers",
    "execution_traces",
)  # fmt: skip


@dataclass
class Speaker:
    """Somebody who talks with PolicyPal on one engine. ``told`` are the events of the latest run; ``server`` is the model's,
    None on the keyless engine."""

    app: Container
    user: User
    server: OpenAIServer | None = None
    told: list[Event] = field(default_factory=list)
    read: dict[str, Any] = field(default_factory=dict)

    def add(self, title: str, text: str, **more: Any) -> Document:
        """Add a document and wait until it is ready."""
        (document,) = self.add_all({title: text}, **more)
        return document

    def add_all(self, texts: dict[str, str], **more: Any) -> list[Document]:
        """Several documents, read at the same time; in the order given."""
        kind = more.pop("type", DocumentType.REGULATORY)
        uploads = [intake.Upload(f"{t}.txt", x.encode(), kind, title=t, **more) for t, x in texts.items()]
        queued = [intake.add_document(self.app, self.user, upload) for upload in uploads]
        ready = intake.wait_until_final(
            self.app, self.user, [d.id for d in queued], timeout_seconds=LONGEST_WAIT_SECONDS
        )
        assert all(d.status is DocumentStatus.READY for d in ready), [d.reason for d in ready]
        return sorted(ready, key=lambda d: list(texts).index(d.title))

    def say(
        self,
        message: str,
        *documents: Document,
        thread: str | None = None,
        action: str | None = None,
        web: bool = False,
        draft: Draft | None = None,
    ) -> Event:
        """Send a message and follow it to its end. ``thread`` goes on with a conversation."""
        return self.send(
            Request(
                message=message,
                document_ids=tuple(d.id for d in documents),
                action=Action(action) if action else None,
                web=web,
                draft=draft,
            ),
            thread,
        )

    def send(self, request: Request, thread: str | None = None) -> Event:
        thread = thread or ask.new_thread_id()
        ask.send(self.app, self.user, thread, request)
        return self.answered_in(thread)

    def reply(self, question: Event, value: str | list[str] | None = None, *documents: Document) -> Event:
        """Answer a question in its own type and follow the run to its end."""
        asked = asked_by(question)
        ids = [d.id for d in documents]
        answer = Answer(type=asked.interrupt_type, value=value, document_ids=ids)
        return self.answer(asked, answer)

    def cancel(self, question: Event) -> ResponseEvent:
        return answered_by(self.answer(asked_by(question), Answer(type="cancel")))

    def answer(self, question: InterruptEvent, answer: Answer) -> Event:
        ask.resume(self.app, self.user, question.thread_id, answer, interrupt_id=question.interrupt_id)
        return self.answered_in(question.thread_id)

    def anyway(self, event: Event) -> ResponseEvent:
        """The answer, whether or not PolicyPal first asks if the evidence is strong enough: the protocol server's vectors are
        crude."""
        if isinstance(event, InterruptEvent) and event.interrupt_type == "retrieval_low":
            event = self.reply(event, "continue")
        return answered_by(event)

    def model_says(self, output: str, **values: Any) -> None:
        """What the model answers in one task from now on. The keyless engine goes by its own rules."""
        if self.server is not None:
            self.server.on(output, lambda request: values)

    def model_reads(self, **values: Any) -> None:
        """How the model reads messages from now on, besides what it was told before; the rest as it stands there. Documents are
        given by their ids."""
        self.read = {**self.read, **values}
        if self.server is not None:
            self.server.on("Route", self._route)

    def _route(self, request: ChatRequest) -> dict[str, Any]:
        titles = {d.id: d for d in library.list_documents(self.app, self.user)}

        def short(document_id: str) -> str:
            d = titles.get(document_id)
            pattern = rf"^(d\d+): {re.escape(d.title)} \| version {re.escape(d.version or '-')} " if d else "(?!)"
            found = re.search(pattern, request.content, re.MULTILINE)
            return found[1] if found else "d999"

        told = {k: [short(i) for i in v] if k in ("documents", "candidates") else v for k, v in self.read.items()}
        return {**route(request), **told}

    def calls(self, thread: str) -> Counter[str]:
        """How often each task ran in a thread: counted at the model's server, or keyless in the trace."""
        if self.server is not None:
            chats = [r.task for r in self.server.requests if r.task != EMBEDDINGS]
            return Counter(_TASK_OF_OUTPUT.get(task, task) for task in chats)
        return Counter(e.name for e in self._trace(thread) if e.kind == "task")

    def prompts(self, output: str) -> list[str]:
        """What the model was sent for one task besides its fixed instructions, request by request; none on the keyless engine."""
        sent = self.server.requests_for(output) if self.server is not None else []
        return ["\n".join(str(m["content"]) for m in r.messages if m["role"] != "system") for r in sent]

    @property
    def nodes(self) -> list[str]:
        """The nodes of the latest run, in order."""
        return list(dict.fromkeys(e.node for e in self.told if isinstance(e, StatusEvent)))

    def decided(self, thread: str, node: str) -> dict[str, Any]:
        """What the thread's latest visit of a node decided, from the trace (M5)."""
        return [e.detail for e in self._trace(thread) if (e.kind, e.name) == ("node", node)][-1]

    def history(self, thread: str) -> list[Message]:
        return conversations.history(self.app, self.user, thread).messages

    def roles(self, thread: str) -> list[str]:
        return [m.role for m in self.history(thread)]

    def pending(self, thread: str) -> InterruptEvent | None:
        return ask.pending(self.app, self.user, thread)

    def state(self, thread: str) -> dict[str, Any]:
        """The agent's memory of a thread."""
        graph = self.app.agent._graph.compile(checkpointer=self.app.checkpoints.saver(self.user.id))
        return dict(graph.get_state({"configurable": {"thread_id": thread}}).values)

    def everything(self, *threads: str) -> dict[str, Any]:
        """All that a refused request must leave as it is: every row of these threads, the lease, the registry, the user's
        conversations and library."""
        kept: dict[str, Any] = {
            "conversations": [c.thread_id for c in conversations.list_conversations(self.app, self.user)],
            "library": [d.id for d in library.list_documents(self.app, self.user)],
        }
        for thread in threads:
            kept[thread] = self._rows(thread), self.state(thread).get("conversation_docs")
        return kept

    def _rows(self, thread: str) -> dict[str, Any]:
        with self.app.db.as_owner() as c:
            rows = {
                table: c.execute(
                    f"SELECT count(*) AS n, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS digest FROM {table} t"
                    " WHERE thread_id::text = %s",
                    (thread,),
                ).fetchone()
                for table in _TABLES_OF_A_THREAD
            }
            lease = c.execute(
                "SELECT count(*) AS n FROM runs WHERE thread_id::text = %s AND status = 'running'", (thread,)
            )
            return {**rows, "leases": lease.fetchone()}

    def _trace(self, thread: str) -> list[TraceEntry]:
        runs = conversations.history(self.app, self.user, thread).traces.values()
        return [entry for entries in runs for entry in entries]

    def answered_in(self, thread: str) -> Event:
        """How the thread's latest run ends."""
        self.told = list(ask.events(self.app, self.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        ends = [e.type for e in self.told if not isinstance(e, StatusEvent)]
        assert ends == [self.told[-1].type], "exactly one terminal event, at the end (G12)"
        return self.told[-1]


def answered_by(event: Event) -> ResponseEvent:
    assert isinstance(event, ResponseEvent), event
    return event


def asked_by(event: Event, kind: str | None = None) -> InterruptEvent:
    assert isinstance(event, InterruptEvent), event
    assert kind in (None, event.interrupt_type), event
    return event


def failed_by(event: Event) -> ErrorEvent:
    assert isinstance(event, ErrorEvent), event
    return event


def labels(question: InterruptEvent) -> list[str]:
    return [o.label for o in question.options or []]
