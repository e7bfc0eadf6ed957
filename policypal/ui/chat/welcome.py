"""What a newcomer sees: what this is, a profile asked once, sample documents, first questions (R9, U9)."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import library, profile, sample_documents
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import Profile, User
from policypal.ui import errors, state
from policypal.ui.chat import start
from policypal.ui.documents import ingestion_progress
from policypal.ui.markup import plain
from policypal.ui.settings import profile_form

_PITCH = (
    '<div class="pp-hero"><h2>Ask your policies and regulations. See the sentence every answer rests on.</h2>'
    "<p>Upload policies and regulations, then ask, summarize, compare or audit.</p>"
    "<p>Every statement shows the passage and the page it comes from.</p>"
    "<p>Audits become reports with findings you can filter and export.</p></div>"
)


def ask_profile(app: Container, user: User) -> bool:
    """Ask for the profile once, at first start; True while it is being asked."""
    held = profile.load(app, user)
    if held.asked:
        return False
    st.html(_PITCH)
    st.markdown("## First, a word about your company")
    st.caption("It tailors summaries and audits. All fields are optional, and you can change them in Settings.")
    given = profile_form.show(held, submit="Save and continue", key="welcome_profile")
    skipped = st.button("Skip for now", key="skip_profile", type="tertiary")
    if given is not None or skipped:
        with errors.shown():
            profile.save(app, user, given or Profile(asked=True))
            st.rerun()
    return True


def show_empty_chat(app: Container, user: User) -> str | None:
    """The empty chat; the example question that was picked, if any."""
    documents = library.list_documents(app, user)
    if not start.show(app, user):
        st.html(_PITCH)
    if not documents:
        offer_samples(app, user)
        return None
    ready = [d for d in documents if d.status == "ready"]
    ingestion_progress.show_line(app, user, documents)
    return _suggestions(ready)


def offer_samples(app: Container, user: User, *, title: str = "Start with documents", with_upload: bool = True) -> None:
    """One click to a library that can be asked; one click removes it again (R9)."""
    if title:
        st.markdown(f"## {title}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Add sample documents", key="add_samples", type="primary", icon=":material/auto_stories:"):
            with errors.shown():
                sample_documents.add_samples(app, user)
                st.rerun()
        if with_upload:
            st.page_link("pages/documents.py", label="Upload your own", icon=":material/upload:", width="content")
    st.caption(
        "The samples are fictional: two editions of a rulebook, a guideline, a bank's policy with planted conflicts and "
        "a marketing e-mail. You can remove them in Settings with one click."
    )


def _suggestions(ready: Sequence[Document]) -> str | None:
    if not ready:
        return None
    st.markdown("## Try one of these")
    picked = None
    with st.container(horizontal=True, gap="small", key="suggestions"):
        for number, question in enumerate(suggestions(ready)):
            key = f"{state.SUGGESTION}_{number}"
            if st.button(plain(question), key=key, icon=":material/arrow_forward:", wrap=True):
                picked = question
    st.caption("Name a document with @ or just by its title. Up to five documents can be used in one message.")
    return picked


def suggestions(ready: Sequence[Document]) -> tuple[str, ...]:
    """Example questions: the samples' own while all of them are there, otherwise about the user's documents."""
    if sum(d.is_sample for d in ready) >= len(sample_documents.SAMPLE_QUESTIONS) - 1:
        return sample_documents.SAMPLE_QUESTIONS
    regulations = [d for d in ready if d.type is DocumentType.REGULATORY]
    policies = [d for d in ready if d.type is DocumentType.COMPANY]
    first = ready[0]
    offered = [f"Summarize @{first.display_title}", f"Which deadlines does @{first.display_title} set?"]
    if len(ready) > 1:
        offered.append(f"Compare @{first.display_title} with @{ready[1].display_title}")
    if policies and regulations:
        offered.append(f"Audit @{policies[0].display_title} against @{regulations[0].display_title}")
    return tuple(offered)
