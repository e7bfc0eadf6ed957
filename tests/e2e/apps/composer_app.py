"""A page with nothing but the message field, and switches for what happens to it in the chat."""

from __future__ import annotations

import json

import streamlit as st

from policypal.errors import InvalidInput
from policypal.request.composer import parse_composer
from policypal.ui import style
from policypal.ui.chat.tiptap_composer import Suggestion, plain_document, tiptap_composer

HOSTILE = '<img src=x onerror="window.hacked=true"> Policy'
RTL = "سياسة الامتثال 2025"

st.set_page_config(page_title="Composer", layout="wide")
style.apply()
state = st.session_state


@st.fragment(run_every=0.4)
def poll() -> None:
    state["polls"] = state.get("polls", 0) + 1
    st.text(f"polls: {state['polls']}")


def suggestions() -> list[Suggestion]:
    actions = [Suggestion(name.lower(), name, "action") for name in ("Summarize", "Inquire", "Compare", "Audit")]
    sets = [
        Suggestion("set-1", "Bank Negara", "set", "2 documents", "#B5179E"),
        Suggestion("set-2", "ISO 27001", "set", "1 document", "#3A86FF"),
    ]
    named = [
        Suggestion("d-1", "Bank Negara Rulebook 2024", "document", "Regulatory, v2024", "gold"),
        Suggestion("d-2", "Bank Negara Rulebook 2025", "document", "Regulatory, v2025", "gold"),
        Suggestion("d-3", "Our AML Policy v3", "document", "Company", "green", ("House Rules",)),
        Suggestion("d-4", HOSTILE, "document", "Company", "green"),
        Suggestion("d-5", RTL, "document", "Regulatory", "gold"),
        Suggestion("d-6", "🏦 Treasury & Risk Manual", "document", "Company", "green", ("TRM", "Bank Book")),
    ]
    several = [
        Suggestion(f"m-{n}", f"Circular {n:03d} on reporting duties", "document", "Regulatory", "gold")
        for n in range(500)
    ]
    late = [Suggestion("d-late", "Bank Holiday Notice", "document", "Company", "green")] if state.get("late") else []
    return [*actions, *sets, *named, *late, *several, Suggestion("web", "Web Search", "web")]


left, right = st.columns(2)
disabled = left.checkbox("Disable", key="disabled")
above = left.checkbox("Something above", key="above")
left.checkbox("One more document", key="late")
right.button("Rerun")
if right.button("Use draft"):
    state["revision"] = state.get("revision", 0) + 1
ends_early = state.pop("end_early", False)
if right.button("End the next run early"):
    state["end_early"] = True
    st.text("The next run ends early")
gone = right.checkbox("Take it away", key="gone")
plain = right.checkbox("Plain", key="plain")
poll()

with st.bottom:
    if above:
        st.radio("PolicyPal asks", ["One", "Two"], horizontal=True)
    if ends_early:
        st.stop()  # before the composer has taken what was sent
    try:
        submission = None if gone else tiptap_composer(
            suggestions=suggestions(), key="composer", disabled=disabled, draft=plain_document(f"Draft {state.get('revision', 0)}"),
            draft_revision=state.get("revision", 0), placeholder="Working on it …" if disabled else "Type @ to tag", fallback=plain,
        )  # fmt: skip
    except InvalidInput as error:
        submission = None
        st.error(error.message)

if submission:
    composed = parse_composer(submission.content)
    state.setdefault("sent", []).append(
        {
            "text": composed.text,
            "query": composed.clean_query,
            "documents": composed.document_ids,
            "sets": composed.set_ids,
            "action": composed.action,
            "web": composed.web,
            "files": [[name, len(data), data[:20].decode("latin-1")] for name, data in submission.files],
            "content": submission.content,
        }
    )
st.text(
    "sent: "
    + json.dumps([{k: v for k, v in s.items() if k != "content"} for s in state.get("sent", [])], ensure_ascii=False)
)
st.text("json: " + json.dumps([s["content"] for s in state.get("sent", [])], ensure_ascii=False))
state["runs"] = state.get("runs", 0) + 1
st.text(f"runs: {state['runs']}")
