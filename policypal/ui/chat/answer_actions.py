"""What can be done with an answer: copy it with its sources, say whether it helped (U2)."""

import streamlit as st

from policypal.application import conversations, feedback
from policypal.application.container import Container
from policypal.domain.conversations import MAX_COMMENT_CHARACTERS, Feedback, Message
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.shared import clicks

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
