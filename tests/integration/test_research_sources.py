"""From a report into the library and into a conversation (W6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from policypal.application import ask, intake, library, reading, research, research_sources
from policypal.application.container import Container
from policypal.application.research_sources import Added
from policypal.db import research as research_db
from policypal.db import users as users_db
from policypal.domain.citations import Citation
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.events import ResponseEvent
from policypal.domain.research import Report, ReportSection, Source, Statement
from policypal.domain.users import Profile, User
from policypal.errors import NotFound
from policypal.graph.agent.nodes.doc_resolver import known_document
from policypal.research.disclosure import public_query
from policypal.research.scope import sources_of
from policypal.web.search import PublicQuery
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.support.web_servers import Reply, Site, TavilyServer, article
from tests.support.web_world import application_with_web

RULE = "A bank must report a major incident to its supervisor within 24 hours of its detection."
MORE = "The final report is due one month later, and names the causes of the incident and what was done about it."
QUOTE = "report a major incident to its supervisor within 24 hours"


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[TavilyServer, Site]]:
    with TavilyServer() as tavily, Site() as site:
        yield tavily, site


@pytest.fixture(scope="module")
def web_app(
    tmp_path_factory: pytest.TempPathFactory, web: tuple[TavilyServer, Site], _no_keys_from_outside: None
) -> Iterator[Container]:
    yield from application_with_web(tmp_path_factory, web, {})


@dataclass
class World:
    """Somebody with a report made of a page, of a page that is gone, and of a document."""

    app: Container
    user: User
    site: Site
    page: str
    gone: str
    document: Document
    thread_id: str

    def add(self, *keys: str) -> list[Added]:
        return research_sources.add_sources(self.app, self.user, self.thread_id, keys)

    def read(self, document: Document | None) -> Document:
        assert document is not None
        (found,) = intake.wait_until_final(self.app, self.user, [document.id], timeout_seconds=LONGEST_WAIT_SECONDS)
        assert found.status is DocumentStatus.READY, found.reason
        return found


@pytest.fixture
def world(web_app: Container, web: tuple[TavilyServer, Site]) -> World:
    site = web[1]
    site.reset()
    user = User(id=str(uuid4()), email="r@example.org")
    users_db.ensure_user(web_app.db, user)
    unique = uuid4().hex
    page = site.page(f"/rule-{unique}", article("Incident guidance", RULE, MORE, published="2026-01-20"))
    gone = site.page(f"/gone-{unique}", Reply(b"moved", 404, content_type="text/plain"))
    text = f"Rulebook\n\nRecords must be kept for ten years. {unique}".encode()
    document = intake.add_document(
        web_app, user, intake.Upload("rulebook.txt", text, DocumentType.REGULATORY, title="Rulebook")
    )
    return World(web_app, user, site, page, gone, document, _thread(web_app, user, page, gone, document))


def _thread(app: Container, user: User, page: str, gone: str, document: Document) -> str:
    thread_id = str(uuid4())
    research_db.add_thread(
        app.db, user.id, research_db.Begin(thread_id, "Incident reporting", "Incident reporting", "auto")
    )
    sources = [
        Source(key=page, source_type="web", title="Incident guidance", host="authority.example", published="2026-01-20", url=page),
        Source(key=gone, source_type="web", title="Old guidance", host="authority.example", url=gone),
        Source(key=document.id, source_type="document", title="Rulebook", document_id=document.id),
    ]  # fmt: skip
    citation = Citation(id=1, source_type="web", title="Incident guidance", url=page, quote=QUOTE, verified=True)
    statement = Statement(
        text="Major incidents are reported to the supervisor within 24 hours 🌐1", citations=[1], verified=True
    )
    report = Report(
        id="", thread_id=thread_id, version=1, title="Incident reporting", sources=sources, citations=[citation],
        markdown=f"## Deadlines\n\n{statement.text}", sections=[ReportSection(heading="Deadlines", statements=[statement])],
    )  # fmt: skip
    research_db.add_report(app.db, user.id, report, str(uuid4()))
    return thread_id


def test_w6_a_page_becomes_a_document_that_says_where_it_comes_from(world: World) -> None:
    (added,) = world.add(world.page)
    document = world.read(added.document)
    assert (added.outcome, added.message) == ("added", "")
    assert (document.title, document.version, document.type) == (
        "Incident guidance",
        "2026-01-20",
        DocumentType.REGULATORY,
    )
    assert document.set_name == research_sources.SOURCES_SET
    text = reading.open_page(world.app, world.user, document.id, 1).text
    assert RULE in text
    assert world.page in text
    assert "Careers" not in text


def test_w6_adding_it_again_finds_the_document_and_does_not_read_the_page_again(world: World) -> None:
    (first,) = world.add(world.page)
    (again,) = world.add(world.page)
    assert (again.outcome, again.document and again.document.id) == ("known", first.document and first.document.id)
    assert again.message
    assert len(library.list_documents(world.app, world.user)) == 2
    assert sum(r.path.startswith("/rule-") for r in world.site.requests) == 1


def test_w7_what_cannot_be_added_is_said_and_keeps_nothing_else_out(world: World) -> None:
    told = world.add(world.gone, "https://elsewhere.example/", world.document.id, world.page, world.page)
    assert [(a.key, a.outcome) for a in told] == [
        (world.gone, "failed"), ("https://elsewhere.example/", "failed"), (world.document.id, "known"), (world.page, "added"),
    ]  # fmt: skip
    assert "404" in told[0].message
    assert told[1].message
    assert told[2].document is not None
    assert told[2].document.id == world.document.id
    assert all(a.document is None for a in told[:2])


def test_w6_a_page_that_has_changed_since_is_added_with_a_remark(world: World) -> None:
    path = world.page.removeprefix(world.site.base_url)
    world.site.page(path, article("Incident guidance", "The rule was withdrawn by the authority in spring.", MORE))
    (added,) = world.add(world.page)
    assert added.outcome == "added"
    assert "changed" in added.message


def test_w6_a_conversation_about_the_report_answers_from_it_with_citations(world: World) -> None:
    begun = research_sources.ask_about(world.app, world.user, world.thread_id)
    document = world.read(begun.document)
    assert (document.title, document.type, document.set_name) == (
        "Research report: Incident reporting", DocumentType.COMPANY, research_sources.REPORTS_SET
    )  # fmt: skip
    request = ask.Request(
        message="How soon are major incidents reported to the supervisor?", document_ids=(document.id,)
    )
    ask.send(world.app, world.user, begun.thread_id, request)
    *_, last = ask.events(world.app, world.user, begun.thread_id, timeout_seconds=LONGEST_WAIT_SECONDS)
    assert isinstance(last, ResponseEvent), last
    assert "24 hours" in last.response
    assert {c.document_id for c in last.citations} == {document.id}
    assert all(c.verified for c in last.citations)


def test_w6_the_same_version_is_one_document_and_an_edited_one_another(world: World) -> None:
    first = research_sources.ask_about(world.app, world.user, world.thread_id)
    again = research_sources.ask_about(world.app, world.user, world.thread_id)
    assert first.document.id == again.document.id
    assert first.thread_id != again.thread_id
    research.edit_report(
        world.app, world.user, world.thread_id, "## Shorter\n\nReport within 24 hours.", expected_version=1
    )
    edited = research_sources.ask_about(world.app, world.user, world.thread_id)
    assert edited.document.id != first.document.id
    assert "version 2" in edited.document.version


def test_w1_a_filed_report_is_no_source_of_the_next_one(world: World) -> None:
    filed = research_sources.ask_about(world.app, world.user, world.thread_id).document
    world.read(filed)
    documents = library.list_documents(world.app, world.user)
    assert filed.id in {d.id for d in documents}
    assert filed.id not in {d.id for d in sources_of(documents)}


def test_r7_a_filed_report_does_not_keep_its_subject_out_of_later_web_searches(world: World) -> None:
    """The names of company documents never leave; "Incident reporting" has to be searched for all the same."""
    research_sources.ask_about(world.app, world.user, world.thread_id)
    names = [known_document(d) for d in library.list_documents(world.app, world.user)]
    query = "incident reporting deadlines for banks"
    assert public_query(query, names, Profile()) == PublicQuery(query)


def test_x1_a_thread_of_somebody_else_or_without_a_report_is_not_found(world: World) -> None:
    other = User(id=str(uuid4()), email="o@example.org")
    users_db.ensure_user(world.app.db, other)
    empty = str(uuid4())
    research_db.add_thread(world.app.db, world.user.id, research_db.Begin(empty, "Nothing yet", "Nothing yet", "auto"))
    for user, thread_id in ((other, world.thread_id), (world.user, empty), (world.user, "nonsense")):
        with pytest.raises(NotFound):
            research_sources.add_sources(world.app, user, thread_id, [world.page])
        with pytest.raises(NotFound):
            research_sources.ask_about(world.app, user, thread_id)
