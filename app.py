"""PolicyPal's frame: the page, who is at work, and where to go. Run with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from policypal.ui.guard import require_user

st.set_page_config(page_title="PolicyPal", page_icon="📑", layout="wide")
require_user(is_frame=True)
st.navigation(
    [
        st.Page("pages/chat.py", title="Chat", icon=":material/forum:", default=True),
        st.Page("pages/documents.py", title="Documents", icon=":material/library_books:"),
        st.Page("pages/audit_reports.py", title="Audit reports", icon=":material/fact_check:"),
        st.Page("pages/settings.py", title="Settings", icon=":material/settings:"),
    ]
).run()
