"""An answer with its citations: chips with the quote on hover (C1, C3)."""

import re
from collections.abc import Collection, Sequence

from policypal.domain.citations import RELATED, Citation
from policypal.domain.web import host_of, safe_url
from policypal.ui import markup
from policypal.ui.html import html
from policypal.ui.markup import text

_RELATED = re.compile(rf"^{re.escape(RELATED)}\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)


def show_answer(message_id: str, markdown: str, citations: Sequence[Citation], *, gone: Collection[str] = ()) -> None:
    """The answer as safe HTML; a click on a chip opens the sources panel. ``gone`` are the ids of deleted documents."""
    html(f'<div class="pp-answer">{answer_html(message_id, markdown, citations, gone)}</div>')


def answer_html(message_id: str, markdown: str, citations: Sequence[Citation], gone: Collection[str] = ()) -> str:
    """An answer, or a part of one, as safe HTML (X2); the related provisions of an answer are folded."""
    known = {c.id: c for c in citations}

    def safe(words: str) -> str:
        return markup.answer(words, known, lambda c: chip(message_id, c, is_gone=c.document_id in gone))

    first, folded, last = _RELATED.split(markdown, 1) if _RELATED.search(markdown) else (markdown, "", "")
    return safe(first) + (_fold(safe(folded)) if folded else "") + safe(last)


def _fold(body: str) -> str:
    """HTML and no expander: a conversation has many of them."""
    return f'<details class="pp-log pp-more"><summary>Related provisions</summary>{body}</details>'


def chip(message_id: str, citation: Citation, *, is_gone: bool = False) -> str:
    """A marker such as 📄1 with its hover card; keyboard reachable. That of a web page also opens the page in a new tab."""
    label = f"Source {citation.id}: {citation.title}, {place(citation)}"
    tag, role = ("span", 'role="button" tabindex="0"') if citation.url is None else ("a", new_tab(citation.url))
    return (
        f'<{tag} class="pp-cite" {role} data-pp-open="{text(message_id)}:{citation.id}"'
        f' aria-label="{text(label)}">{citation.marker}{_page(citation)}<span class="pp-tip"><b>{text(citation.display_title)}</b>'
        f"<i>{text(place(citation))}{_doubts(citation, is_gone)}</i>{quoted(citation)}</span></{tag}>"
    )


def _page(citation: Citation) -> str:
    """Provision and page beside the number: where an answer says each document once, its chips say where in it (U2d)."""
    if citation.page is None:
        return ""
    provision = f'<span class="pp-provision">{text(citation.provision)} · </span>' if citation.provision else ""
    return f'<span class="pp-page">{provision}p. {citation.page}</span>'


def _doubts(citation: Citation, is_gone: bool) -> str:
    return f"{'' if citation.verified else ' · not verified'}{' · no longer in your library' if is_gone else ''}"


def new_tab(url: str) -> str:
    """The attributes of a link to a web page; without an address that a browser should not open."""
    href = safe_url(url)
    return f'href="{text(href)}" target="_blank" rel="noopener noreferrer nofollow"' if href else 'tabindex="0"'


def place(citation: Citation) -> str:
    """The page of a document, and whether its text was recognised on a picture; host and date of a web page."""
    if citation.url is not None:
        published = f"published {citation.version}" if citation.version else "date not given"
        return f"{host_of(citation.url)} · {published}"
    page = citation.place if citation.page is not None else "no page"
    return f"{page} · OCR" if citation.is_ocr else page


def quoted(citation: Citation) -> str:
    """The quote, escaped; in quotation marks only if it was verified (C2)."""
    return f"“{text(citation.quote)}”" if citation.verified else text(citation.quote)
