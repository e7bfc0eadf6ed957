"""The form of a new audit: what, against what, limited to what, and what that would take before it starts (A4, D15)."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from policypal.application import auditing, sets
from policypal.application.auditing import MAX_DOCUMENTS, NewAudit
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentType
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import conversation_list, pal_reasoning
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text

_TEXT = "text"
_PARTIES = 4
_MAX_TEXT = 20_000
_MAX_FOCUS = 200


@st.fragment
def show(app: Container, user: User, *, is_first: bool) -> None:
    """Open where there is no audit yet, or where the address names a document to begin with."""
    named = st.query_params.get(state.PARAM_AUDIT, "")
    panel = st.expander("New audit", icon=":material/add:", expanded=is_first or bool(named), key="new_audit_panel")
    with panel, errors.shown():
        documents = auditing.auditable(app, user)
        has_rules = any(d.type is DocumentType.REGULATORY for d in documents)
        _form(app, user, documents, named) if has_rules else _nothing_to_audit()


def _nothing_to_audit() -> None:
    st.markdown(
        "An audit holds a policy, or a text, against regulations: what conflicts, what is missing, and the quotations of both sides. "
        "Add the regulation first."
    )
    st.page_link("pages/documents.py", label="Add documents", icon=":material/upload_file:")


def _form(app: Container, user: User, documents: Sequence[Document], named: str) -> None:
    begun = next((d for d in documents if d.id == named), None)
    left, right = st.columns(2, gap="medium")
    with left:
        source_id, words = _source(documents, begun)
        focus = st.text_input(
            "Limited to (optional)", key="new_audit_focus", max_chars=_MAX_FOCUS, placeholder="For example: outsourcing"
        )
    with right:
        chosen = _targets(app, user, documents, begun, source_id)
    targets = auditing.regulations_of(documents, chosen)
    wanted = NewAudit(source_id, targets, words, (focus or "").strip())
    told = f"{source_id} {words} {targets} {wanted.focus}"
    if targets:
        _scope(app, user, wanted)
    ready = bool(targets and (source_id or words.strip()))
    if st.button(
        "Start audit", key="new_audit_start", type="primary", icon=":material/fact_check:", disabled=not ready
    ):
        begin(app, user, replace(wanted, key=state.once(state.COMPOSER_NONCE, told)))


def begin(app: Container, user: User, wanted: NewAudit) -> None:
    """Start it in a conversation of its own, and follow it there."""
    with errors.shown():
        thread = conversation_list.thread_for_new()
        auditing.start(app, user, thread, wanted)
        conversation_list.open_new()
        state.renew(state.COMPOSER_NONCE)
        pal_reasoning.begin(thread)
        st.session_state[state.THREAD] = thread
        st.switch_page("pages/chat.py")


def _source(documents: Sequence[Document], begun: Document | None) -> tuple[str | None, str]:
    """The document that is audited, or None and a text."""
    own = sorted(documents, key=lambda d: d.type is not DocumentType.COMPANY)
    names = {**{d.id: d.display_title for d in own}, _TEXT: "A text that you paste"}
    first = begun if begun and begun.type is DocumentType.COMPANY else own[0]
    chosen = st.selectbox(
        "What is audited", list(names), index=list(names).index(first.id), format_func=Labels(names),
        key=state.own("new_audit_source", begun.id if begun else ""),
    )  # fmt: skip
    if chosen != _TEXT:
        return chosen, ""
    words = st.text_area(
        "Text", key="new_audit_text", max_chars=_MAX_TEXT, height=150, placeholder="An e-mail, a clause, a procedure …"
    )
    return None, words or ""


def _targets(
    app: Container, user: User, documents: Sequence[Document], begun: Document | None, source_id: str | None
) -> list[str]:
    """Regulations, and sets of them; never a policy of the company's own."""
    rules = [d for d in documents if d.type is DocumentType.REGULATORY]
    sets_of_rules = {d.set_id for d in rules}
    names = {s.id: f"Set: {s.name}" for s in sets.list_sets(app, user) if s.id in sets_of_rules}
    names |= {d.id: d.display_title for d in rules if d.id != source_id}
    first = [begun.id] if begun and begun.type is DocumentType.REGULATORY and begun.id in names else []
    return st.multiselect(
        "Against", list(names), default=first, format_func=Labels(names), placeholder="Regulations or a set",
        max_selections=MAX_DOCUMENTS, key=state.own("new_audit_targets", begun.id if begun else ""),
        help="One is missing here? Its type says “Company Policy”; change that among its details.",
    )  # fmt: skip


def _scope(app: Container, user: User, wanted: NewAudit) -> None:
    """What the registers ask for, and with a model what judging it would cost."""
    with st.spinner("Estimating …"):
        found = auditing.workload(app, user, wanted)
    unread = f", {found.pages_read} of them with text" if found.pages_read < found.pages else ""
    kinds = ", ".join(counted(n, kind.value) for kind, n in found.kinds)
    bound = [f"{text(party or 'nobody by name')} {n}" for party, n in found.parties[:_PARTIES]]
    others = len(found.parties) - _PARTIES
    parties = " · ".join([*bound, *([f"{others} more parties"] if others > 0 else [])])
    limited = f" on “{text(wanted.focus)}”" if wanted.focus else ""
    shown = f"<b>{counted(found.obligations, 'requirement')}</b>{limited} in {counted(found.pages, 'page')}{unread}"
    if len(found.regulations) > 1:  # the field above shows one of them at a time
        each = (
            f"<div>{text(title)}: {counted(n, 'requirement')} in {counted(pages, 'page')}</div>"
            for title, n, pages in found.regulations
        )
        shown += "".join(each)
    if found.obligations:
        shown += f'<div>{kinds}</div><span class="pp-muted">Bound: {parties}</span>'
    html(f'<div class="pp-plain">{shown}</div>')
    if found.estimate.calls and (wanted.source_id or wanted.text.strip()):
        st.caption(plain(found.estimate.line))
