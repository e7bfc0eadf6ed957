"""What leads from a report to the rest of PolicyPal: its pages into the library, the report itself into a conversation (W6)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from policypal.application import ask, intake, library, research
from policypal.application.container import Container
from policypal.application.metadata import MOST_TITLE_CHARACTERS
from policypal.domain.documents import Document, DocumentType
from policypal.domain.research import REPORT_TAG, Report, Source
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, NotFound, PageUnavailable, PolicyPalError
from policypal.research.document import report_docx
from policypal.web.page_text import WebPage
from policypal.web.urls import normalised_url

SOURCES_SET = "Research sources"
REPORTS_SET = "Research reports"
FIRST_QUESTION = "What are the most important points of this report?"
_GONE = "This source is not among those of the report any more."
_KNOWN = "It is in your library already."
_CHANGED = "The page has changed since the report was written: not every quotation of the report is in it."


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one source. ``document`` is the new one, or the one that is in the library already; without one,
    ``message`` says why. A message beside a document is worth knowing."""

    key: str
    title: str
    outcome: Literal["added", "known", "failed"]
    document: Document | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class ReportConversation:
    """A conversation about a report that begins with the next message: its id, the report as a document of the library,
    and a first question to offer. The document has to be ready before the message can be sent."""

    thread_id: str
    document: Document
    message: str


def add_sources(app: Container, user: User, thread_id: str, keys: Collection[str]) -> list[Added]:
    """Put sources of a thread's report into the library, in the order of ``keys``. Pages go through the ordinary
    intake, as they were read for the report; one that cannot be had never keeps the others out. Raises NotFound: no
    such thread of this user, or it has no report yet."""
    report = _current(app, user, thread_id)
    sources = {source.key: source for source in report.sources}
    return [_added(app, user, report, sources.get(key), key) for key in dict.fromkeys(keys)]


def ask_about(app: Container, user: User, thread_id: str) -> ReportConversation:
    """A conversation about the latest version of a thread's report. The report becomes a document, because questions
    are answered from documents, with citations; the same version becomes one only once. Raises NotFound: no such
    thread of this user, or it has no report yet."""
    report = _current(app, user, thread_id)
    day = f" of {report.created_at:%Y-%m-%d}" if report.created_at else ""
    upload = intake.Upload(
        filename=f"{_file_stem(report.title)}-v{report.version}.docx",
        data=report_docx(report),
        type=DocumentType.COMPANY,  # so that nothing of it is ever part of a web search
        # the names of company documents are kept out of web searches: the bare subject must not be one
        title=f"Research report: {report.title}"[:MOST_TITLE_CHARACTERS],
        version=f"version {report.version}{day}",
        set_name=REPORTS_SET,
        tags=(REPORT_TAG,),
    )
    document, _ = _taken_in(app, user, upload)
    return ReportConversation(ask.new_thread_id(), document, FIRST_QUESTION)


def _current(app: Container, user: User, thread_id: str) -> Report:
    research.find(app, user, thread_id)
    reports = research.reports(app, user, thread_id)
    if not reports:
        raise NotFound("This research thread has no report yet.")
    return reports[0]


def _added(app: Container, user: User, report: Report, source: Source | None, key: str) -> Added:
    if source is None:
        return Added(key, "", "failed", message=_GONE)
    try:
        if source.document_id is not None:
            document = library.get_document(app, user, source.document_id)
            return Added(key, source.title, "known", document, _KNOWN)
        page = _page(app, user, source)
        document, is_new = _taken_in(app, user, _upload(source, page))
    except PolicyPalError as problem:
        return Added(key, source.title, "failed", message=problem.message)
    remark = "" if _holds_quotes(page, report, source) else _CHANGED
    return Added(key, source.title, "added" if is_new else "known", document, remark or ("" if is_new else _KNOWN))


def _page(app: Container, user: User, source: Source) -> WebPage:
    """The page as it is remembered; read again only after it has been forgotten. Raises PageUnavailable: it cannot
    be had."""
    pages = app.graph_services.pages
    if pages is None:
        raise PageUnavailable("Web pages cannot be read here: no web search is set up.")
    found = pages.read(user.id, source.url or "")
    if found.page is None:
        raise PageUnavailable(f"The page is not available any more: {found.problem.message if found.problem else ''}")
    return found.page


def _upload(source: Source, page: WebPage) -> intake.Upload:
    """The page as a text that says where it comes from. The same text makes the same bytes."""
    title = (source.title or page.title)[:MOST_TITLE_CHARACTERS]
    published = source.published or page.published
    head = [title, f"Web page: {source.url}", *([f"Published: {published}"] if published else [])]
    return intake.Upload(
        filename=f"{_file_stem(title)}.txt",
        data="\n\n".join(["\n".join(head), page.text]).encode(),
        type=DocumentType.REGULATORY,
        title=title,
        version=published or source.host,
        set_name=SOURCES_SET,
        tags=("web page",),
    )


def _taken_in(app: Container, user: User, upload: intake.Upload) -> tuple[Document, bool]:
    """The document of these bytes, and whether it is new."""
    try:
        return intake.add_document(app, user, upload), True
    except DuplicateDocument as duplicate:
        return library.get_document(app, user, duplicate.existing_id), False


def _holds_quotes(page: WebPage, report: Report, source: Source) -> bool:
    text, key = _words(page.text), normalised_url(source.url or "")
    quotes = [c.quote for c in report.citations if c.verified and c.url and normalised_url(c.url) == key]
    return all(_words(quote) in text for quote in quotes)


def _words(text: str) -> str:
    return " ".join(text.split())


def _file_stem(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title)[:80].strip("-") or "report"
