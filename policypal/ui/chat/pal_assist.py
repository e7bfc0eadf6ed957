"""PalAssist: the agent's question, above the composer (U5, G7, G8). It is read from the checkpoint on every run of the
page, so it is there again after a reload or a restart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from policypal.application import ask, library
from policypal.application.container import Container
from policypal.domain.events import InterruptEvent, Option
from policypal.domain.interrupts import Answer, AnswerType
from policypal.domain.users import User
from policypal.errors import PolicyPalError
from policypal.ui import errors, state
from policypal.ui.chat import badges, composer, pal_reasoning
from policypal.ui.chat.tiptap_composer import Submission
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text

_ALL = "all"
_TAG_DOCUMENTS = "tag_docs"
_OPTIONS_AS_BUTTONS = 4
_CANCEL_SECONDS = 5.0


def takes_text(question: InterruptEvent) -> bool:
    """Whether the answer is typed into the composer; otherwise the composer is disabled."""
    return question.interrupt_type == "text_input" or question.expects == "text"


def placeholder(question: InterruptEvent) -> str:
    """What the composer says while the question is open."""
    if not takes_text(question):
        return "Please choose above, or cancel"
    is_document = question.expects == "document"
    if question.options:
        return f"Choose above, or {'type @ and a title' if is_document else 'write what it should be limited to'}"
    return "Type @ and the document’s title" if is_document else "Enter the text here, or attach it"


def show(app: Container, user: User, question: InterruptEvent) -> None:
    """The question with the widgets that answer it."""
    with st.container(border=True, key="pal_assist"):
        st.html(
            f'<div>{badges.pal_assist("<b>PalAssist</b>")}</div><div class="pp-answer" role="status">{text(question.message)}</div>'
        )
        _Widgets(app, user, question).draw()


def answer_with_text(app: Container, user: User, question: InterruptEvent, submission: Submission) -> None:
    """Send what was written into the composer; what is refused comes back with the reason. Whoever asks something else instead is not
    held up: the question is cancelled, and the message sent."""
    try:
        given = _text_answer(app, user, question, submission)
        if not given.document_ids and ask.asks_anew(app, user, question, str(given.value)):
            cancel = Answer(type="cancel")
            ask.resume(app, user, question.thread_id, cancel, interrupt_id=question.interrupt_id)
            ask.wait(app, user, question.thread_id, _CANCEL_SECONDS)
            composer.send(app, user, question.thread_id, submission)
        state.forget(state.SUBMITTED)
        ask.resume(app, user, question.thread_id, given, interrupt_id=question.interrupt_id)
    except PolicyPalError as error:
        composer.give_back(question.thread_id, submission, error)
    state.forget(state.UNSENT)
    pal_reasoning.begin(question.thread_id)
    st.rerun()


def _text_answer(app: Container, user: User, question: InterruptEvent, submission: Submission) -> Answer:
    """Tags name documents; inside a text to be audited they are only words. An attached file is that text."""
    composed = ask.composed(app, user, submission.content)
    draft = composer.draft(app, submission)
    if draft is not None and (question.expects == "text" or not composed.text):
        return Answer(type=question.interrupt_type, value=draft.text)
    tags_documents = question.expects != "text" or composed.is_pure_mention
    tagged = list(composed.document_ids) if tags_documents else []
    return Answer(type=question.interrupt_type, value=composed.text, document_ids=tagged)


@dataclass(frozen=True)
class _Widgets:
    """What answers a question. Keys carry the question's id, so no answer leaks into the next one."""

    app: Container
    user: User
    question: InterruptEvent

    def draw(self) -> None:
        options = self.question.options or []
        match self.question.interrupt_type:
            case "doc_choice":
                self._document_choice([o for o in options if o.id != _ALL])
            case "text_input":
                self._text_help(options)
            case "retrieval_low":
                self._retrieval_choice(options)
            case _:
                self._buttons(options)

    def _answer(
        self, value: str | list[str] | None, document_ids: Iterable[str] = (), kind: AnswerType | None = None
    ) -> None:
        """Send an answer, once: a second click or tab changes nothing and is told so (G9)."""
        state.forget(state.SUBMITTED)
        question = self.question
        given = Answer(type=kind or question.interrupt_type, value=value, document_ids=list(document_ids))
        with errors.toasted():
            ask.resume(self.app, self.user, question.thread_id, given, interrupt_id=question.interrupt_id)
            state.forget(state.UNSENT)
            pal_reasoning.begin(question.thread_id)
            st.rerun()

    def _key(self, part: str) -> str:
        return f"{state.PAL_ASSIST}_{self.question.interrupt_id}_{part}"

    def _button(self, label: str, part: str, **look: Any) -> bool:
        return st.button(label, key=self._key(part), **look)

    def _cancel(self) -> None:
        if self._button("Cancel", "cancel", type="tertiary"):
            self._answer(None, kind="cancel")

    def _buttons(self, options: Sequence[Option]) -> None:
        with st.container(horizontal=True):
            self._options(options)
            self._cancel()

    def _options(self, options: Sequence[Option], *, several: bool = False) -> None:
        """A button each; ``several`` may be answered with, and one is."""
        for option in options:
            if self._button(plain(option.label), option.id):
                self._answer([option.id] if several else option.id)

    def _document_choice(self, options: Sequence[Option]) -> None:
        """A click on an option answers: buttons for a few, radio for many. Checkboxes where several may be ticked."""
        is_few = len(options) <= _OPTIONS_AS_BUTTONS
        if not self.question.allow_multiple and is_few:
            self._buttons(options)
        elif not self.question.allow_multiple:
            labels = {o.id: plain(o.label) for o in options}
            with st.container(height=220, border=False):
                chosen = st.radio(
                    "Document", list(labels), index=None, format_func=Labels(labels), key=self._key("radio"),
                    label_visibility="collapsed",
                )  # fmt: skip
            if chosen:
                self._answer(chosen)
            self._cancel()
        else:
            ticked = [] if is_few else self._ticked(options)
            with st.container(horizontal=True):
                if is_few:
                    self._options(options, several=True)
                if is_few and len(options) > 2:
                    with st.popover("Several …", key=self._key("several")):
                        self._continue(self._ticked(options))
                if not is_few:
                    self._continue(ticked)
                everything = next((o for o in self.question.options or [] if o.id == _ALL), None)
                if everything and self._button(plain(everything.label), _ALL):
                    self._answer([_ALL])
                self._cancel()

    def _ticked(self, options: Sequence[Option]) -> list[str]:
        with st.container(height=220 if len(options) > 6 else "content", border=False, gap="xxsmall"):
            return [o.id for o in options if st.checkbox(plain(o.label), key=self._key(f"tick_{o.id}"))]

    def _continue(self, chosen: list[str]) -> None:
        if self._button("Continue", "continue", type="primary", disabled=not chosen):
            self._answer(chosen)

    def _text_help(self, options: Sequence[Option]) -> None:
        """Text goes through the composer below; documents can also be picked from a list, the nearest by one click."""
        with st.container(horizontal=True):
            self._options(options)
        is_document = self.question.expects == "document"
        tagged = self._document_picker() if is_document else {}
        with st.container(horizontal=True):
            if is_document and self._button("Use these documents", "use", type="primary", disabled=not tagged):
                self._answer(" ".join(f"@{title}" for title in tagged.values()), tagged)  # as if tagged in the composer
            self._cancel()

    def _retrieval_choice(self, options: Sequence[Option]) -> None:
        if any(o.id == _TAG_DOCUMENTS for o in options):
            tagged = self._document_picker()
            if tagged and self._button("Search in these documents", "use", type="primary"):
                self._answer(_TAG_DOCUMENTS, tagged)
        self._buttons([o for o in options if o.id != _TAG_DOCUMENTS])

    def _document_picker(self) -> dict[str, str]:
        """The titles of the documents that were picked, by id."""
        documents = library.list_documents(self.app, self.user)
        titles = {d.id: d.display_title for d in documents if d.status == "ready"}
        picked = st.multiselect(
            "Tag documents", list(titles), format_func=Labels(titles), key=self._key("documents"),
            placeholder="Tag specific documents", max_selections=ask.MAX_DOCUMENTS, label_visibility="collapsed",
        )  # fmt: skip
        return {document_id: titles[document_id] for document_id in picked}
