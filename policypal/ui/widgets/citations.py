"""An answer with its citations: chips with the quote on hover (C1, C3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from policypal.domain.audits import Severity
from policypal.domain.citations import Citation
from policypal.ui import markup
from policypal.ui.markup import text
from policypal.ui.widgets import badges

_SEVERITY_TITLE = re.compile(rf"<strong>({'|'.join(s.value for s in Severity)}): ")


def show_answer(message_id: str, markdown: str, citations: Sequence[Citation], *, is_audit: bool = False) -> None:
    """The answer as safe HTML; a click on a chip opens the sources panel."""
    known = {c.id: c for c in citations}
    shown = markup.answer(markdown, known, lambda c: chip(message_id, c))
    if is_audit:
        shown = _SEVERITY_TITLE.sub(lambda m: f"{badges.severity(Severity(m[1]))} <strong>", shown)
    st.html(f'<div class="pp-answer">{shown}</div>')


def chip(message_id: str, citation: Citation) -> str:
    """A marker such as 📄1 with its hover card; keyboard reachable."""
    label = f"Source {citation.id}: {citation.title}, {place(citation)}"
    return (
        f'<span class="pp-cite" role="button" tabindex="0" data-pp-open="{text(message_id)}:{citation.id}"'
        f' aria-label="{text(label)}">{citation.marker}<span class="pp-tip"><b>{text(display_title(citation))}</b>'
        f"<i>{text(place(citation))}{'' if citation.verified else ' · not verified'}</i>{quoted(citation)}</span></span>"
    )


def display_title(citation: Citation) -> str:
    """ "Title (Version)" without saying the version twice."""
    if citation.version and f"({citation.version})" not in citation.title:
        return f"{citation.title} ({citation.version})"
    return citation.title


def place(citation: Citation) -> str:
    """The page of a document, the address of a web page."""
    return f"page {citation.page}" if citation.page is not None else citation.url or "no page"


def quoted(citation: Citation) -> str:
    """The quote, escaped; in quotation marks only if it was verified (C2)."""
    return f"“{text(citation.quote)}”" if citation.verified else text(citation.quote)
