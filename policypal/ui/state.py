"""Every session key, named once. Only strings, bytes, numbers, lists and dictionaries may live in the session."""

from typing import Any, Final, NoReturn
from uuid import NAMESPACE_OID, uuid4, uuid5

import streamlit as st

THREAD: Final = "chat_thread"
"""The conversation the chat shows; survives a visit to another page."""
NEW_THREAD: Final = "chat_new_thread"
"""The id the next new conversation will get, so that a repeated send reaches the same one."""
COMPOSER_NONCE: Final = "chat_composer_nonce"
"""Drawn when the composer is shown; makes two clicks on an example question one message (U6)."""
ASKED: Final = "chat_asked"
"""The question this tab has shown and not answered: {"thread", "question", "takes_text"}. Only that one can be answered through
the composer."""
ANSWERED_ELSEWHERE: Final = "chat_answered_elsewhere"
"""The conversation whose question disappeared because it was answered in another tab; until this one does something."""
FOLLOWING: Final = "chat_following"
"""How many steps of a run PalReasoning has shown: {"thread", "shown"}."""
EARLIER: Final = "chat_earlier"
"""The conversation whose earlier messages are shown, too."""
SENT: Final = "chat_sent"
"""How many messages and answers this tab has sent; each brings its message to the top of the view."""
OPEN_SOURCE: Final = "chat_open_source"
"""The source the panel shows: {"message", "citation"}."""
SOURCE_KINDS: Final = "source_kinds"
SOURCE_SEARCH: Final = "source_search"
"""The filter of the sources panel."""
LAST_CLICK: Final = "chat_last_click"
"""When the last click on a citation happened, in the browser's milliseconds; a click counts once."""
SUBMITTED: Final = "chat_submitted"
"""What the composer handed over and the page has not sent yet: {"thread", "content", "files", "nonce", "is_plain"}."""
UNSENT: Final = "chat_unsent"
"""A message that could not be sent, and why, so that it is never lost: {"thread", "content", "plain", "revision", "files",
"title", "message"}; without title and message one that was begun on another page."""
SCOPE: Final = "chat_scope"
"""What questions read that name no document: {"kind": "in_force", "all" or "chosen", "ids"}."""
PLAIN_COMPOSER: Final = "chat_plain_composer"
"""Whether this tab has Streamlit's own input instead of the editor; set by the address, ``?plain=1``."""
PAL_ASSIST: Final = "pal_assist"
"""Beginning of the keys of PalAssist's widgets; the question's id and the option follow."""
THUMBS: Final = "thumbs"
COMMENT: Final = "feedback_comment"
"""Beginnings of the keys of an answer's feedback widgets; the message's id follows."""
SUGGESTION: Final = "suggestion"
CHAT_SEARCH: Final = "chat_search"
CHAT_LIMIT: Final = "chat_list_limit"
UPLOAD_NONCE: Final = "upload_nonce"
UPLOAD_RESULTS: Final = "upload_results"
"""What became of the files of the last upload: [{"kind", "path", "text", "document_id"}]."""
UPLOAD_SEEN: Final = "upload_seen"
"""What lies in the files chosen so far, by the uploader's id of each: {id: [{"path", "folder", "title", "problem"}]}."""
UPLOAD_TYPE: Final = "upload_type"
"""The type that was chosen for the last upload."""
UPLOAD: Final = "upload"
"""The id of the upload that is being taken in, or will be with the next click; makes two clicks one upload."""
LIBRARY_PAGE: Final = "library_page"
LIBRARY_FILTER: Final = "library_filter"
"""What the library is filtered by, as its address says it: {parameter: [values]}; survives a visit to another page."""
LIBRARY_PICKED: Final = "library_picked"
"""The ids of the documents selected in the library."""
LIBRARY_PICKING: Final = "library_picking"
"""Whether the documents of the library have checkboxes."""
LIBRARY_PICKS: Final = "library_picks"
"""Drawn anew when the selection is set by a button: the checkboxes get other keys."""
LIBRARY_UNDO: Final = "library_undo"
"""What was deleted last and can be taken back with one click: {"ids", "text", "at"}."""
EDITED_SET: Final = "edited_set"
"""The id of the set whose fields are open."""
READER_LIST: Final = "reader_list"
READER_PAGE: Final = "reader_page"
READER_VIEW: Final = "reader_view"
"""The page number and the view in the reader's toolbar."""
READER_OTHER: Final = "reader_other"
READER_OTHER_PAGE: Final = "reader_other_page"
"""The document that is read beside another one, and its page; the keys are the documents' own (:func:`own`)."""
READER_TAB: Final = "reader_tab"
"""Whether a document is read or its details are shown; the key is the document's own (:func:`own`)."""
CHOSEN_PROVISIONS: Final = "chosen_provisions"
"""The provisions that were chosen in a document, to be noted on or asked about: {"document", "names", "references"}, by number."""
NOTE_UNDO: Final = "note_undo"
"""The note that was deleted last and can be put back, see :class:`policypal.application.notes.Removed`."""
DETAILS_OF: Final = "details_of"
"""The document whose details were opened last: they stay on the page, with whatever was typed into them."""
FINDING_PAGE: Final = "finding_page"
"""The page an audit report shows beside its findings: {"document_id", "page", "quote", "start", "end", "title"}."""
TRIAGE_UNDO: Final = "triage_undo"
"""The latest decision about findings, which can be taken back: {"report", "before"}."""
PAIR_RAISED: Final = "pair_raised"
"""The pair to review that is being raised as a finding: [report, number of the statement, number of the rule]."""
COVERAGE_ROW: Final = "coverage_row"
"""The number of the obligation that was opened in the heat-map of an audit report."""
RESEARCH_THREAD: Final = "research_thread"
"""The research the page shows; survives a visit to another page."""
RESEARCH_NONCE: Final = "research_nonce"
"""Renewed by every start and fork; makes two clicks on the button one run (U6)."""
RESEARCH_GOAL: Final = "research_goal"
RESEARCH_MODE: Final = "research_mode"
RESEARCH_DOCUMENTS: Final = "research_documents"
"""What is asked for, how, and from which documents, before it starts."""
RESEARCH_VIEW: Final = "research_view"
"""Which side of a finished research is shown. Beginning of a key, like those of the filter and of the log: the research's
id follows, because the browser may still send what was chosen in another one."""
RESEARCH_SAVED: Final = "research_saved"
"""Set when an edited report was saved: the report is shown next."""
RESEARCH_VERSION: Final = "research_version"
"""Beginning of the key of the version picker; the research's id follows."""
RESEARCH_SOURCE: Final = "research_source"
"""The source the panel shows: {"thread", "source", "citation"}; without a source all of them are closed."""
RESEARCH_KINDS: Final = "research_kinds"
RESEARCH_HOSTS: Final = "research_hosts"
RESEARCH_SINCE: Final = "research_since"
RESEARCH_FIND: Final = "research_find"
"""The filter of a report's sources."""
RESEARCH_LOG: Final = "research_log_entries"
"""Whether the run log shows its errors only."""
RESEARCH_DRAFT: Final = "research_draft"
"""The report that is being edited and was not saved: {"thread", "base", "expected", "text", "conflict"}."""
RESEARCH_EDITOR: Final = "research_editor"
"""Drawn anew when an edit is discarded: the field gets another key."""
RESEARCH_STEP: Final = "research_step"
"""Beginning of the key of the timeline; the research's id follows."""
RESEARCH_FORK: Final = "research_fork"
"""Beginning of the keys of a fork's fields; the checkpoint's id follows."""
PLANNER: Final = "planner"
"""Beginning of the keys of the planner's widgets; the question's id and the option follow."""
SIGN_IN: Final = "sign_in"
"""The secret by which the application knows this browser's sign-in (R6); everything else is cleared when it changes."""
SIGN_IN_MODE: Final = "sign_in_mode"
"""What the sign-in page offers: "sign_in", "sign_up", "reset", "sent" or "confirm"."""
SIGN_IN_ADDRESS: Final = "sign_in_address"
"""The e-mail address an e-mail was sent to, or was typed last."""
SIGN_IN_SAYS: Final = "sign_in_says"
"""One line above the sign-in form: why one is signed out."""
NEW_PASSWORD: Final = "new_password"
"""Whether a link in an e-mail led here, so that a password has to be chosen."""
COOKIE_TASK: Final = "cookie_task"
"""What the browser's cookie is to become: {"secret", "at"}; an empty secret removes it."""
COOKIE_VOID: Final = "cookie_void"
"""Whether the cookie this tab was opened with counts no more."""
FRAMED: Final = "framed"
"""Whether ``app.py`` has run in this session, and with it the navigation."""
NOTICE: Final = "notice"
"""One line to show after the next rerun, as a toast."""

PARAM_THREAD: Final = "thread"
PARAM_SCOPE: Final = "scope"
PARAM_DOCUMENT: Final = "document"
PARAM_PAGE: Final = "page"
PARAM_QUOTE: Final = "quote"
PARAM_START: Final = "start"
PARAM_END: Final = "end"
PARAM_REPORT: Final = "report"
PARAM_RESULT: Final = "id"
PARAM_AUDIT: Final = "audit"
PARAM_PLAIN: Final = "plain"
PARAM_VIEW: Final = "view"
PARAM_TOKEN: Final = "token_hash"
PARAM_TOKEN_TYPE: Final = "type"


def nonce(key: str) -> str:
    """The random id under ``key``, drawn when it is first needed."""
    if key not in st.session_state:
        st.session_state[key] = str(uuid4())
    return str(st.session_state[key])


def once(key: str, *asked: object) -> str:
    """The idempotency key of what a click asks for, the same however often the click is heard until :func:`renew` (U6)."""
    return uuid5(NAMESPACE_OID, f"{nonce(key)}\n{asked!r}").hex


def renew(key: str) -> None:
    """Draw a new random id for ``key``."""
    st.session_state[key] = str(uuid4())


def mapping(key: str) -> dict[str, Any]:
    """The dictionary under ``key``; empty if there is none."""
    held = st.session_state.get(key)
    return dict(held) if isinstance(held, dict) else {}


def forget(*keys: str) -> None:
    """Remove keys, whether or not they are set."""
    for key in keys:
        st.session_state.pop(key, None)


def current_thread(key: str) -> str | None:
    """The thread to show: the one of the address, else the one under ``key``, shown before a visit to another page."""
    thread = st.query_params.get(PARAM_THREAD) or st.session_state.get(key)
    if not thread:
        return None
    show_thread(key, thread)
    return str(thread)


def show_thread(key: str, thread_id: str) -> None:
    """Make it the thread of the address, and of the page that remembers its own under ``key``."""
    st.session_state[key] = thread_id
    st.query_params[PARAM_THREAD] = thread_id


def own(key: str, identity: str) -> str:
    """The key of a widget that every thread, or every document, has for itself."""
    return f"{key}_{identity}"


def notify(text: str) -> None:
    """Remember a line for :func:`take_notice`, because a rerun would wipe what is shown now."""
    st.session_state[NOTICE] = text


def done(text: str) -> NoReturn:
    """Draw the page anew, with a line that says what was done."""
    notify(text)
    st.rerun()


def take_notice() -> str:
    """The remembered line, once."""
    return str(st.session_state.pop(NOTICE, ""))
