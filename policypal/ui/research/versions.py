"""The versions of a report: which one is shown, and how an older one becomes the newest again (W6)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.labels import Labels
from policypal.ui.markup import text


def choose(app: Container, user: User, thread_id: str, versions: Sequence[Report]) -> Report:
    """The version that was picked, the latest at first; ``versions`` are latest first. One version needs no picker."""
    latest = versions[0]
    if len(versions) == 1:
        return latest
    by_number = {v.version: v for v in versions}
    with st.container(horizontal=True, vertical_alignment="center"):
        # the key changes with the newest version, so that a new one is shown at once
        picked = st.selectbox(
            "Version", list(by_number), key=f"{state.own(state.RESEARCH_VERSION, thread_id)}_{latest.version}", width=290,
            format_func=Labels({n: label(v, latest) for n, v in by_number.items()}), label_visibility="collapsed",
        )  # fmt: skip
        chosen = by_number.get(picked or latest.version, latest)
        if chosen.version != latest.version:
            _older(app, user, thread_id, chosen, latest)
    return chosen


def label(version: Report, latest: Report) -> str:
    """ "Version 2 · edited, 22 Nov 14:05 (latest)"."""
    made = f", {clock.local(version.created_at):%d %b %H:%M}" if version.created_at else ""
    last = " (latest)" if version.version == latest.version else ""
    return f"Version {version.version} · {version.origin}{made}{last}"


def _older(app: Container, user: User, thread_id: str, chosen: Report, latest: Report) -> None:
    if st.button("Restore as new version", key="restore_version", icon=":material/settings_backup_restore:"):
        with errors.shown():
            made = research.edit_report(app, user, thread_id, chosen.markdown, expected_version=latest.version)
            state.notify(f"Version {chosen.version} is the newest again, as version {made.version}.")
            st.rerun()
    st.html(
        f'<span class="pp-muted">{text(f"An older version; the latest is {latest.version}.")}</span>', width="content"
    )
