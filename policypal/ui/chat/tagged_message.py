"""Messages that other pages compose for the chat, with the tags its composer would have written."""

from __future__ import annotations

from typing import Any

import streamlit as st

from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.ui.chat import composer, conversation_list

Part = dict[str, Any]


def action(wanted: Action) -> Part:
    return _tag(wanted.value, wanted.label, "action")


def document(wanted: Document) -> Part:
    return _tag(wanted.id, wanted.display_title, "document")


def words(text: str) -> Part:
    return {"type": "text", "text": text}


def send_in_new_chat(*paragraphs: list[Part]) -> None:
    """Open the chat with a new conversation that begins with this message."""
    conversation_list.open_new()
    content = {"type": "doc", "content": [{"type": "paragraph", "content": parts} for parts in paragraphs]}
    composer.hand_over(conversation_list.thread_for_new(), content)
    st.switch_page("pages/chat.py")


def _tag(identity: str, label: str, category: str) -> Part:
    return {"type": "mention", "attrs": {"id": identity, "label": label, "category": category}}
