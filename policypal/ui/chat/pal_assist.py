"""PalAssist: the agent's question, above the composer (U5, G7, G8). It is read from the checkpoint on every run of the
page, so it is there again after a reload or a restart."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import ask, library
from policypal.application.container import Container
from policypal.domain.events import InterruptEvent, Option
from policypal.domain.interrupts import Answer
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
    """The question with the widgets that answer it. Keys carry the question's id, so no answer leaks into the next one."""
    with st.container(border=True, key="pal_assist"):
        st.html(
            f'<div>{badges.pal_assist("<b>PalAssist</b>")}</div><div class="pp-answer" role="status">{text(question.message)}</div>'
        )
        if question.interrupt_type == "doc_choice":
            _document_choice(app, user, question)
        elif question.interrupt_type == "text_input":
            _text_help(app, user, question)
        elif question.interrupt_type == "retrieval_low":
            _retrieval_choice(app, user, question)
        else:
            _buttons(app, user, question, question.options or [])


def answer(app: Container, user: User, question: InterruptEvent, given: Answer) -> None:
    """Send an answer, once: a second click or tab changes nothing and is told so (G9)."""
    state.forget(state.SUBMITTED)
    with errors.toasted():
        ask.resume(app, user, question.thread_id, given, interrupt_id=question.interrupt_id)
        state.forget(state.UNSENT)
        pal_reasoning.begin(question.thread_id)
        st.rerun()


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


def _buttons(app: Container, user: User, question: InterruptEvent, options: Sequence[Option]) -> None:
    with st.container(horizontal=True):
        _options(app, user, question, options)
        _cancel(app, user, question)


def _options(
    app: Container, user: User, question: InterruptEvent, options: Sequence[Option], *, several: bool = False
) -> None:
    """A button each; ``several`` may be answered with, and one is."""
    for option in options:
        if st.button(plain(option.label), key=_key(question, option.id)):
            given = [option.id] if several else option.id
            answer(app, user, question, Answer(type=question.interrupt_type, value=given))


def _document_choice(app: Container, user: User, question: InterruptEvent) -> None:
    """A click on an option answers: buttons for a few, radio for many. Checkboxes where several may be ticked."""
    options = [o for o in question.options or [] if o.id != _ALL]
    if question.allow_multiple:
        _several(app, user, question, options)
    elif len(options) <= _OPTIONS_AS_BUTTONS:
        _buttons(app, user, question, options)
    else:
        labels = {o.id: plain(o.label) for o in options}
        with st.container(height=220, border=False):
            chosen = st.radio(
                "Document", list(labels), index=None, format_func=Labels(labels), key=_key(question, "radio"),
                label_visibility="collapsed",
            )  # fmt: skip
        if chosen:
            answer(app, user, question, Answer(type=question.interrupt_type, value=chosen))
        _cancel(app, user, question)


def _several(app: Container, user: User, question: InterruptEvent, options: Sequence[Option]) -> None:
    """Of a few, each by one click, all of them, or some that are ticked; of many, ticks."""
    if len(options) > _OPTIONS_AS_BUTTONS:
        chosen = _ticked(question, options)
        with st.container(horizontal=True):
            _continue(app, user, question, chosen)
            _everything(app, user, question)
            _cancel(app, user, question)
        return
    with st.container(horizontal=True):
        _options(app, user, question, options, several=True)
        if len(options) > 2:
            with st.popover("Several …", key=_key(question, "several")):
                _continue(app, user, question, _ticked(question, options))
        _everything(app, user, question)
        _cancel(app, user, question)


def _ticked(question: InterruptEvent, options: Sequence[Option]) -> list[str]:
    with st.container(height=220 if len(options) > 6 else "content", border=False, gap="xxsmall"):
        return [o.id for o in options if st.checkbox(plain(o.label), key=_key(question, f"tick_{o.id}"))]


def _continue(app: Container, user: User, question: InterruptEvent, chosen: list[str]) -> None:
    if st.button("Continue", key=_key(question, "continue"), type="primary", disabled=not chosen):
        answer(app, user, question, Answer(type=question.interrupt_type, value=chosen))


def _everything(app: Container, user: User, question: InterruptEvent) -> None:
    everything = next((o for o in question.options or [] if o.id == _ALL), None)
    if everything and st.button(plain(everything.label), key=_key(question, _ALL)):
        answer(app, user, question, Answer(type=question.interrupt_type, value=[_ALL]))


def _text_help(app: Container, user: User, question: InterruptEvent) -> None:
    """Text goes through the composer below; documents can also be picked from a list, the nearest by one click."""
    with st.container(horizontal=True):
        _options(app, user, question, question.options or [])
    tagged = _document_picker(app, user, question) if question.expects == "document" else {}
    with st.container(horizontal=True):
        if question.expects == "document" and st.button(
            "Use these documents", key=_key(question, "use"), type="primary", disabled=not tagged
        ):
            named = " ".join(f"@{title}" for title in tagged.values())  # as if they had been tagged in the composer
            answer(app, user, question, Answer(type="text_input", value=named, document_ids=list(tagged)))
        _cancel(app, user, question)


def _retrieval_choice(app: Container, user: User, question: InterruptEvent) -> None:
    offered = {o.id: o for o in question.options or []}
    if _TAG_DOCUMENTS in offered:
        tagged = _document_picker(app, user, question)
        if tagged and st.button("Search in these documents", key=_key(question, "use"), type="primary"):
            answer(app, user, question, Answer(type="retrieval_low", value=_TAG_DOCUMENTS, document_ids=list(tagged)))
    _buttons(app, user, question, [o for o in offered.values() if o.id != _TAG_DOCUMENTS])


def _document_picker(app: Container, user: User, question: InterruptEvent) -> dict[str, str]:
    """The titles of the documents that were picked, by id."""
    titles = {d.id: d.display_title for d in library.list_documents(app, user) if d.status == "ready"}
    picked = st.multiselect(
        "Tag documents", list(titles), format_func=Labels(titles), key=_key(question, "documents"),
        placeholder="Tag specific documents", max_selections=ask.MAX_DOCUMENTS, label_visibility="collapsed",
    )  # fmt: skip
    return {document_id: titles[document_id] for document_id in picked}


def _cancel(app: Container, user: User, question: InterruptEvent) -> None:
    if st.button("Cancel", key=_key(question, "cancel"), type="tertiary"):
        answer(app, user, question, Answer(type="cancel"))


def _key(question: InterruptEvent, part: str) -> str:
    return f"{state.PAL_ASSIST}_{question.interrupt_id}_{part}"
