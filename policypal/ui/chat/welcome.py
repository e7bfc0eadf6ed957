"""What a newcomer sees: what this is, a profile asked once, sample documents, first questions (R9, U9)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from policypal.application import library, profile, sample_documents, start
from policypal.application.container import Container
from policypal.application.start import Overview, Work
from policypal.domain.documents import Document, DocumentType
from policypal.domain.text import counted
from policypal.domain.users import Profile, User
from policypal.ui import clock, errors, state
from policypal.ui.documents import ingestion_progress
from policypal.ui.html import html
from policypal.ui.markup import beginning, plain

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
    given = profile_form(held, submit="Save and continue", key="welcome_profile")
    skipped = st.button("Skip for now", key="skip_profile", type="tertiary")
    if given is not None or skipped:
        with errors.shown():
            profile.save(app, user, given or Profile(asked=True))
            st.rerun()
    return True


def show_empty_chat(app: Container, user: User) -> str | None:
    """The empty chat; the example question that was picked, if any."""
    documents = library.list_documents(app, user)
    if not _start(app, user):
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


_MOST_LETTERS = 80
_PLACES = {
    "conversation": ("pages/chat.py", ":material/forum:", state.PARAM_THREAD),
    "report": ("pages/audit_reports.py", ":material/fact_check:", state.PARAM_REPORT),
    "research": ("pages/research.py", ":material/travel_explore:", state.PARAM_THREAD),
}
"""By kind of work: its page, its icon, and the parameter that opens it."""


def _start(app: Container, user: User) -> bool:
    """What waits and recent work; False for whoever has neither yet."""
    found = start.overview(app, user)
    tiles = list(_tiles(found))
    if not tiles and not found.recent:
        return False
    html("<h1>Start</h1>")
    if tiles:
        with st.container(horizontal=True, key="start_tiles", gap="small"):
            for number, label, page, query in tiles:
                with st.container(border=True, width=164, gap=None, key=f"start_{label.replace(' ', '_')}"):
                    html(f'<div class="pp-start">{number}</div>')
                    st.page_link(page, label=label, query_params=query)
    elif found.recent:
        st.caption("Nothing waits for you.")
    if found.recent:
        html("<h2>Recent work</h2>")
        now = clock.local(datetime.now(UTC))
        with st.container(key="start_recent", gap=None):
            for work in found.recent:
                _work_row(work, now)
    return True


def _tiles(found: Overview) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Number, label, page and parameters of everything that is not nothing; where it is one thing, the way to it."""
    reports = "pages/audit_reports.py"
    if found.overdue:
        yield found.overdue, "overdue", reports, {}
    if found.open_findings:
        yield found.open_findings, _noun(found.open_findings, "open finding"), reports, {}
    if found.outdated:
        only = {state.PARAM_REPORT: found.outdated[0]} if len(found.outdated) == 1 else {}
        yield len(found.outdated), f"{_noun(len(found.outdated), 'audit')} of an earlier edition", reports, only
    if found.failed:
        yield len(found.failed), f"{_noun(len(found.failed), 'document')} not read", "pages/documents.py", {}
    if found.unfinished:
        only = {state.PARAM_THREAD: found.unfinished[0].thread_id} if len(found.unfinished) == 1 else {}
        yield len(found.unfinished), "research unfinished", "pages/research.py", only


def _noun(number: int, noun: str) -> str:
    return counted(number, noun).partition(" ")[2]


def _work_row(work: Work, now: datetime) -> None:
    page, icon, parameter = _PLACES[work.kind]
    title = beginning(" ".join(work.title.split()) or "Untitled", _MOST_LETTERS)
    label = f"{plain(title)} :gray[{clock.short(clock.local(work.at), now)}]"
    with st.container(key=f"startrow_{work.id}"):
        if st.button(label, key=f"start_{work.id}", icon=icon, type="tertiary", width="stretch"):
            st.switch_page(page, query_params={parameter: work.id})


def profile_form(held: Profile, *, submit: str, key: str) -> Profile | None:
    """The filled-in profile when the form was submitted."""
    with st.form(key, width=720):
        left, right = st.columns(2)
        company = left.text_input("Company", held.company, max_chars=200)
        country = right.text_input("Country", held.country, max_chars=200)
        industry = st.text_input("Industry", held.industry, max_chars=200, placeholder="for example: retail banking")
        description = st.text_area(
            "What the company does", held.description, max_chars=2000, height=90,
            placeholder="Products, customers, licences: whatever decides which rules matter",
        )  # fmt: skip
        if not st.form_submit_button(submit, type="primary"):
            return None
    return Profile(company or "", country or "", industry or "", description or "", asked=True)
