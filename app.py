"""PolicyPal's frame: the page, who is at work, and where to go. Run with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

if __name__ == "__main__":  # the script that every click runs
    from policypal.ui import guard

    guard.navigation(
        [
            st.Page("pages/chat.py", title="Chat", icon=":material/forum:", default=True),
            st.Page("pages/documents.py", title="Documents", icon=":material/library_books:"),
            st.Page("pages/audit_reports.py", title="Audit reports", icon=":material/fact_check:"),
            st.Page("pages/research.py", title="Research", icon=":material/travel_explore:"),
            st.Page("pages/result.py", title="Result", visibility="hidden"),
            st.Page("pages/settings.py", title="Settings", icon=":material/settings:"),
        ]
    ).run()
else:  # imported by the server, which gets more than Streamlit's own: the sign-in cookie, readiness, response headers
    from streamlit.starlette import App

    from policypal.ui import deps, session_route

    server = App(
        __file__,
        routes=session_route.routes(),
        middleware=session_route.middleware(),
        lifespan=deps.while_served,
    )
