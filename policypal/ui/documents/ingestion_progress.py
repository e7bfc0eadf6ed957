"""Documents on their way into the library: how far they are, and what helps those that failed (D4, D7)."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from policypal.application import intake, processing
from policypal.application.container import Container
from policypal.application.processing import Batch
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.text import counted, duration
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import text

_MOST_ROWS = 6
_LIST_SECONDS = 5.0
"""How often at most the list below is drawn again because documents became ready, so that it does not jump about."""


def show(app: Container, user: User, documents: Sequence[Document]) -> None:
    """What is being read, and one button for all that failed; nothing where there is neither."""
    batch = processing.batch_of(documents, datetime.now(UTC))
    if batch.unfinished:
        _follow(app, user, batch, time.monotonic())
    again = [d for d in documents if processing.can_be_tried_again(d)]
    if len(again) > 1:
        cancelled = sum(map(processing.is_cancelled, documents))
        failed = sum(d.status is DocumentStatus.FAILED for d in documents) - cancelled
        _retry_all(app, user, failed, cancelled, len(again))


def show_line(app: Container, user: User, documents: Sequence[Document]) -> None:
    """Only how far the whole batch is; nothing where nothing is being read."""
    batch = processing.batch_of(documents, datetime.now(UTC))
    if batch.unfinished:
        _follow_line(app, user, batch)


@st.fragment(run_every=1.0)
def _follow_line(app: Container, user: User, drawn: Batch) -> None:
    with errors.shown():
        batch = _now(app, user, drawn)
        st.progress(batch.share, text=summary(batch))


def _now(app: Container, user: User, drawn: Batch) -> Batch:
    """How far the batch is by now; at its end, the page is drawn anew and says what became of it."""
    batch = processing.progress(app, user, drawn.began)
    if not batch.unfinished:
        state.notify(outcome(batch))
        st.rerun(scope="app")
    return batch


@st.fragment(run_every=1.0)
def _follow(app: Container, user: User, drawn: Batch, drawn_at: float) -> None:
    """The batch, live (D4). The page is drawn anew at its end, and now and then while documents become ready; at
    ``drawn_at`` it showed what was ``drawn`` then."""
    with errors.shown():
        batch = _now(app, user, drawn)
        if batch.final_in_library != drawn.final_in_library and time.monotonic() - drawn_at > _LIST_SECONDS:
            st.rerun(scope="app")
        with st.container(border=True, gap="small", key="ingestion"):
            _head(app, user, batch)
            if (unread := processing.unread_seconds(app, user)) is not None:
                st.warning(
                    nobody_reads(unread, runs_here=app.settings.run_worker), icon=":material/hourglass_disabled:"
                )
            for document in _in_work_first(batch.unfinished)[:_MOST_ROWS]:
                _row(app, user, document)
            if len(batch.unfinished) > _MOST_ROWS:
                st.caption(f"and {len(batch.unfinished) - _MOST_ROWS} more waiting")


def _head(app: Container, user: User, batch: Batch) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<div role="status"><b>{summary(batch)}</b></div>', width="stretch")
        if st.button("Cancel all", key="cancel_all", type="tertiary", icon=":material/close:"):
            count = processing.cancel_all(app, user)
            state.notify(f"{counted(count, 'document')} cancelled. You can try them again at any time.")
            st.rerun(scope="app")
    html(_bar(batch.share, "All documents"))


def _row(app: Container, user: User, document: Document) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"ingesting_{document.id}"):
        st.html(f'<div class="pp-doc-title">{text(document.display_title)}</div>', width="stretch")
        html(badges.document_status(document), width="content")
        if document.status is not DocumentStatus.QUEUED:
            html(_bar(document.progress, document.display_title), width=120)
        if st.button("Cancel", key=f"cancel_{document.id}", type="tertiary"):
            done = processing.cancel(app, user, [document.id])
            state.notify("Cancelled. You can try again at any time." if done else "It was finished already.")
            st.rerun(scope="app")


def summary(batch: Batch) -> str:
    """ "7 of 20 ready · 1 failed · about 2 min left"."""
    facts = [f"{batch.ready} of {counted(batch.size, 'document')} ready"]
    if batch.failed:
        facts.append(f"{batch.failed} failed")
    if batch.seconds_left is not None:
        facts.append(_time_left(batch.seconds_left))
    return " · ".join(facts)


def nobody_reads(seconds: float, *, runs_here: bool) -> str:
    """That documents wait for nobody, and what to do about it (D4, D5)."""
    told = f"No process has read documents for {duration(seconds)}. They are kept and wait."
    if runs_here:
        return f"{told} PolicyPal's own reader is started again by itself; if this stays, restart PolicyPal."
    return f"{told} Ask whoever runs PolicyPal to start a worker: `python -m policypal worker`."


def outcome(batch: Batch) -> str:
    """What became of a batch, in one line."""
    if not batch.size:
        return "Nothing is being read any more."
    if not batch.failed:
        return f"{counted(batch.ready, 'document')} ready."
    return f"{batch.ready} of {counted(batch.size, 'document')} ready; {batch.failed} could not be read."


def _time_left(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute left"
    if minutes < 60:
        return f"about {minutes} min left"
    return f"about {minutes // 60} h {minutes % 60} min left"


def _in_work_first(documents: Sequence[Document]) -> list[Document]:
    return sorted(documents, key=lambda d: (d.status is DocumentStatus.QUEUED, d.queued_at, d.title))


def _bar(share: float, label: str) -> str:
    """A sign of life from the beginning on."""
    return badges.meter(max(0.02, share), label, role="progressbar")


def _retry_all(app: Container, user: User, failed: int, cancelled: int, again: int) -> None:
    """One button for the ``again`` that need nothing else; a password has to be given to each that lacks one."""
    told = [f"{counted(failed, 'document')} could not be read."] * bool(failed)
    told += [f"{counted(cancelled, 'document')} cancelled."] * bool(cancelled)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<span class="pp-muted">{" ".join(told)}</span>', width="content")
        label = "Try all again" if again == failed + cancelled else f"Try {again} of them again"
        if st.button(label, key="retry_all", icon=":material/refresh:", type="tertiary"):
            with errors.shown():
                state.done(f"{counted(processing.retry_failed(app, user), 'document')} queued again.")


def failed_help(app: Container, user: User, document: Document, *, is_listed: bool = False) -> None:
    """Why a document failed, and what can be done about it (D7); ``is_listed``: in one line below it, so that a list stays a list."""
    reason = document.reason or ""
    if is_listed or processing.is_cancelled(document):
        html(f'<div class="pp-notice">{text(reason)}</div>')
    else:
        errors.show("This document could not be read", reason)
    if document.reason_code == "password_required":
        _password(app, user, document)
    elif processing.can_be_tried_again(document):
        _retry(app, user, document)


def _retry(app: Container, user: User, document: Document) -> None:
    if st.button("Try again", key=f"retry_{document.id}", icon=":material/refresh:", type="tertiary"):
        with errors.shown():
            intake.retry(app, user, document.id)
            state.done("Queued again.")


def _password(app: Container, user: User, document: Document) -> None:
    with (
        st.form(f"unlock_{document.id}", border=False, width=420),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        password = st.text_input("Password of this document", type="password", autocomplete="off")
        if st.form_submit_button("Unlock", icon=":material/lock_open:"):
            with errors.shown():
                intake.unlock(app, user, document.id, password or "")
                state.done("Unlocked. The document is being read.")
