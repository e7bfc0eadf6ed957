"""The messages of a conversation (U2)."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

import streamlit as st

from policypal.application import conversations, feedback
from policypal.application.container import Container
from policypal.application.conversations import History
from policypal.domain.conversations import MAX_COMMENT_CHARACTERS, Feedback, Message, TraceEntry
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges, citations, request_chips, result_card, run_log, sources
from policypal.ui.html import html
from policypal.ui.markup import beginning, text
from policypal.ui.shared import clicks

logger = logging.getLogger(__name__)

_AVATARS = {"user": ":material/person:", "assistant": ":material/policy:"}

_MOST_SHOWN = 1_500
"""Characters of a person's message that are shown at once."""
_MOST_NOTED = 240
_LATEST, _STEP = 10, 5
"""Questions that are drawn at least, and by how many more of them the earlier ones give way."""


def show(app: Container, user: User, told: History, upto: int) -> None:
    """The first ``upto`` messages, oldest first; of a long conversation the latest, and the others by a click: every element of a page
    is drawn again with it. One that cannot be drawn says so in its place; the others stay (U2e)."""
    rated = feedback.of_conversation(app, user, told.conversation.thread_id)
    gone = sources.missing(app, user, told.messages[:upto])
    for position in range(_first_shown(told, upto), upto):
        message = told.messages[position]
        with _bubble(message), _shown(message):
            if message.role == "user":
                _user(message)
            elif message.role == "assistant":
                request_chips.show(app, user, told, position, is_latest=position + 1 == len(told.messages))
                _assistant(app, user, message, trace_of(told, position), rated.get(message.id), gone)
            elif message.role == "pal_assist":
                if not _is_given_again(message, told.messages[position + 1 :]):
                    _note(message)
            else:
                errors.show(str(message.payload.get("title") or "The run failed"), message.content)


def _first_shown(told: History, upto: int) -> int:
    """The position of the first message that is drawn. It moves on by several questions at once, so that most of them move nothing."""
    asked = [n for n, m in enumerate(told.messages[:upto]) if m.role == "user"]
    hidden = max(0, len(asked) - _LATEST) // _STEP * _STEP
    thread = told.conversation.thread_id
    if not hidden or st.session_state.get(state.EARLIER) == thread:
        return 0
    label = f"Show {counted(hidden, 'earlier question')}"
    if st.button(label, key="earlier", type="tertiary", icon=":material/expand_less:"):
        st.session_state[state.EARLIER] = thread
        st.rerun()
    return asked[hidden]


def _bubble(message: Message) -> AbstractContextManager[object]:
    avatar = _AVATARS.get(message.role)
    return st.chat_message(message.role, avatar=avatar) if avatar else nullcontext()


@contextmanager
def _shown(message: Message) -> Iterator[None]:
    """What cannot be drawn of a message is said in its place, with its text to copy and where to look in the log (U2e)."""
    try:
        yield
    except Exception:  # whatever it is, it must not take the conversation away
        reference = message.id[:8]
        logger.exception("message %s could not be shown", reference)
        errors.show("This message could not be shown", f"You can copy its text. Reference in the log: {reference}")
        html(clicks.copy_button(message.content, "Copy text", "Copy the text of this message"))


def _user(message: Message) -> None:
    html(_written(beginning(message.content, _MOST_SHOWN)))
    if len(message.content) > _MOST_SHOWN:
        with st.expander(f"The whole message · {len(message.content):,} characters", type="compact"):
            html(_written(message.content))


def _written(words: str) -> str:
    return f'<div class="pp-answer" data-pp-said style="white-space:pre-wrap">{text(words)}</div>'


def _is_given_again(note: Message, later: Sequence[Message]) -> bool:
    """Whether the very next is the same answer to the same question: the run that the first began was lost, and the answer taken up again."""
    following = later[0] if later else None
    return following is not None and following.role == note.role and following.payload == note.payload


def _note(message: Message) -> None:
    """PalAssist's question and its answer, small (U2). The answer may be a whole text to be audited."""
    asked = message.payload.get("question", {}).get("message", "")
    given = text(beginning(message.content, _MOST_NOTED) or "documents tagged")
    st.html(f'<div class="pp-note">{badges.pal_assist("PalAssist:")} {text(asked)} → {given}</div>')


def _assistant(
    app: Container, user: User, message: Message, trace: Sequence[TraceEntry], rated: Feedback | None,
    gone: Collection[str],
) -> None:  # fmt: skip
    told = message.payload
    for notice in told.get("notices", []):
        st.html(f'<div class="pp-notice">{text(notice)}</div>')
    if not message.content.strip():
        st.html('<div class="pp-notice">This answer is empty. Please ask again.</div>')
    if result_card.is_result(message):
        result_card.show(message, gone)
    else:
        citations.show_answer(message.id, message.content, message.citations, gone=gone)
    _foot(app, user, message, rated)
    run_log.show(trace, badges.made_by(told))


def _foot(app: Container, user: User, message: Message, rated: Feedback | None) -> None:
    """Facts and actions in one line. There is nothing to copy or to judge in the reply to a cancelled question."""
    if message.payload.get("cancelled"):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"foot_{message.id}", gap="small"):
        buttons = sources_button(message) + copy_button(message)
        html(f'<div class="pp-foot">{_facts(message)}<div>{buttons}</div></div>', width="stretch")
        thumbs(app, user, message, rated)
    comment(app, user, message, rated)


def _facts(message: Message) -> str:
    """The badge, and the cost where there was one: the engine that costs nothing need not say so each time (U2d)."""
    told = message.payload
    parts = []
    if told.get("citations") or told.get("documents"):
        parts.append(badges.confidence(str(told.get("retrieval_confidence", "low")), str(told.get("action", ""))))
    if tokens := int(told.get("tokens_used", 0)):
        is_priced = bool(told.get("is_priced", True))
        cost = badges.cost(tokens, float(told.get("cost_usd", 0)), is_priced=is_priced)
        parts.append(f'<span class="pp-muted">{cost}</span>')
    return f'<div class="pp-meta">{"".join(parts)}</div>'


def trace_of(told: History, position: int) -> list[TraceEntry]:
    """The steps of every run since the user's message: answering a question begins a new run of the same turn."""
    runs: list[str] = []
    for message in reversed(told.messages[: position + 1]):
        if message.run_id and message.run_id not in runs:
            runs.insert(0, message.run_id)
        if message.role == "user":
            break
    return [entry for run in runs for entry in told.traces.get(run, [])]


_DOWN, _UP = 0, 1


def copy_button(message: Message) -> str:
    """A button that puts the answer on the clipboard, with a footnote for every source; ``clicks`` listens to it."""
    return clicks.copy_button(
        conversations.answer_markdown(message), "Copy", "Copy the answer with its sources as Markdown"
    )


def sources_button(message: Message) -> str:
    """A button that opens the sources panel; nothing for an answer without sources."""
    cited = message.citations
    if not cited:
        return ""
    return (
        f'<button type="button" class="pp-copy" data-pp-open="{message.id}:{cited[0].id}">'
        f'<span class="pp-icon" aria-hidden="true" translate="no">menu_book</span>{counted(len(cited), "source")}</button>'
    )


def thumbs(app: Container, user: User, message: Message, given: Feedback | None) -> None:
    """Thumbs up or down. What is stored is what is shown, whichever tab it came from; a second click takes it back."""
    key = f"{state.THUMBS}_{message.id}"
    st.session_state[key] = None if given is None else _UP if given.helpful else _DOWN
    st.feedback("thumbs", key=key, on_change=_rated, args=(app, user, message.id, key))


def comment(app: Container, user: User, message: Message, given: Feedback | None) -> None:
    """Room to say what was wrong, below an answer that did not help."""
    if given is None or given.helpful:
        return
    key = f"{state.COMMENT}_{message.id}"
    st.text_input(
        "What was wrong?", given.comment, key=key, placeholder="What was wrong? (optional; Enter saves it)",
        label_visibility="collapsed", max_chars=MAX_COMMENT_CHARACTERS,
        on_change=_commented, args=(app, user, message.id, key),
    )  # fmt: skip


def _rated(app: Container, user: User, message_id: str, key: str) -> None:
    chosen = st.session_state.get(key)
    with errors.toasted():
        if chosen is None:
            feedback.take_back(app, user, message_id)
        else:
            feedback.give(app, user, message_id, helpful=chosen == _UP)
            state.notify("Thank you. Your feedback is stored.")


def _commented(app: Container, user: User, message_id: str, key: str) -> None:
    with errors.toasted():
        feedback.give(app, user, message_id, helpful=False, comment=str(st.session_state.get(key) or ""))
        state.notify("Your comment is stored.")
