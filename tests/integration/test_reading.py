"""A document opened: page list, words found in it, passages, and whose it is (D9, D10, X1)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import intake, library, reading
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from tests.support import pdf_factory
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

_PAGES = [
    ["1. Incidents", "Every incident is reported to the Authority.", "A serious incident is reported at once."],
    ["2. Records", "The firm’s records are kept – all of them – for seven", "years. An INCIDENT is a record, too."],
    [],
    ["3. Ärger und Übung (100%) [a.b]*", "Nothing else is said here."],
]


@pytest.fixture
def document(app: Container, user: User) -> Document:
    queued = intake.add_document(
        app, user, intake.Upload("rule.pdf", pdf_factory.text_pdf(_PAGES), DocumentType.REGULATORY)
    )
    (ready,) = intake.wait_until_final(app, user, [queued.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    return ready


def _found(app: Container, user: User, document: Document, words: str) -> list[tuple[int, str]]:
    """Every hit as (page, words), each of them checked against its page."""
    found = reading.search(app, user, document.id, words, size=1000)
    for hit in found.shown:
        page = reading.open_page(app, user, document.id, hit.page)
        assert page.text[hit.start : hit.end] == hit.words
        assert page.text[: hit.start].endswith(hit.before) and page.text[hit.end :].startswith(hit.after)
    assert found.total == len(found.shown)
    assert found.pages == len({hit.page for hit in found.shown})
    return [(hit.page, hit.words) for hit in found.shown]


def test_d9_the_page_list_tells_how_pages_begin_and_which_have_no_text(
    app: Container, user: User, document: Document
) -> None:
    entries = reading.page_list(app, user, document.id)
    assert [(e.number, e.has_text) for e in entries] == [(1, True), (2, True), (3, False), (4, True)]
    assert [e.opening for e in entries][:3] == ["1. Incidents", "2. Records", ""]
    assert entries[3].opening.startswith("3. Ärger")


def test_d11_the_outline_leads_to_the_text_and_not_to_the_contents_and_counts_what_binds(
    app: Container, user: User
) -> None:
    pages = [
        ["Contents", "1. Incidents", "2. Records"],
        ["1. Incidents", "A bank must report an incident within 4 hours."],
        ["2. Records", "Records must be kept for 5 years.", "A bank must not destroy them earlier."],
    ]
    added = intake.add_document(app, user, intake.Upload("r.pdf", pdf_factory.text_pdf(pages), DocumentType.REGULATORY))
    intake.wait_until_final(app, user, [added.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    found = [(e.title, e.depth, e.page, e.duties) for e in reading.outline(app, user, added.id)]
    assert found[-2:] == [("1. Incidents", 0, 2, 1), ("2. Records", 0, 3, 2)]
    assert [title for title, *_ in found].count("1. Incidents") == 1


def test_d9_words_are_found_whatever_their_case_and_spacing(app: Container, user: User, document: Document) -> None:
    assert _found(app, user, document, "incident") == [
        (1, "Incident"), (1, "incident"), (1, "incident"), (2, "INCIDENT"),
    ]  # fmt: skip
    assert [page for page, _ in _found(app, user, document, "  seven   YEARS ")] == [2]
    assert _found(app, user, document, "firm's records") == [(2, "firm’s records")]
    assert _found(app, user, document, "kept - all") == [(2, "kept – all")]
    assert _found(app, user, document, "ärger UND übung") == [(4, "Ärger und Übung")]


@pytest.mark.parametrize("words", ["(100%) [a.b]*", "[a.b]", "%", "*"])
def test_d9_signs_stand_for_themselves(app: Container, user: User, document: Document, words: str) -> None:
    assert _found(app, user, document, words) == [(4, words)]


@pytest.mark.parametrize("words", ["", "   ", "zebra", ".*", "(a+)+$", "\\", "(?i)x", "***:", "\x00"])
def test_d9_nothing_is_found_where_nothing_is(app: Container, user: User, document: Document, words: str) -> None:
    assert _found(app, user, document, words) == []


def test_d9_hits_come_part_by_part(app: Container, user: User, document: Document) -> None:
    every = reading.search(app, user, document.id, "incident", size=1000)
    parts = [reading.search(app, user, document.id, "incident", first=n, size=3) for n in (0, 3, 6)]
    assert [p.total for p in parts] == [every.total] * 3
    assert [hit for p in parts for hit in p.shown] == list(every.shown)


def test_d9_too_many_words_are_refused(app: Container, user: User, document: Document) -> None:
    with pytest.raises(InvalidInput, match="200"):
        reading.search(app, user, document.id, "a" * 201)


def test_d9_a_passage_is_found_by_its_words_or_its_offsets(app: Container, user: User, document: Document) -> None:
    text = reading.open_page(app, user, document.id, 1).text
    by_quote = reading.open_page(app, user, document.id, 1, quote="“A SERIOUS  incident is reported”")
    assert by_quote.passage == "A serious incident is reported"
    by_offsets = reading.open_page(app, user, document.id, 1, start=0, end=9)
    assert by_offsets.passage == text[:9]
    for start, end in ((5, 5), (9, 2), (-3, 4), (0, len(text) + 1)):
        assert reading.open_page(app, user, document.id, 1, start=start, end=end).span is None
    assert reading.open_page(app, user, document.id, 1, quote="not on this page").span is None


def test_d9_of_several_places_the_one_near_the_offset_is_meant() -> None:
    text = "A bank reports. Another bank waits. The last bank reports."
    assert reading.passage_span(text, "bank") == (2, 6)
    assert reading.passage_span(text, "bank", 40) == (45, 49)


def test_d10_documents_that_are_gone_are_told(app: Container, user: User, document: Document) -> None:
    other = add_text(app, user, "Records Rule", RECORDS_RULE)
    asked = {document.id, other.id, "no id", "3b0f6f0e-0000-4000-8000-000000000000"}
    assert reading.missing(app, user, asked) == asked - {document.id, other.id}
    library.delete(app, user, other.id)
    assert other.id in reading.missing(app, user, asked)
    for call in (reading.page_list, reading.outline, lambda a, u, d: reading.search(a, u, d, "records")):
        with pytest.raises(NotFound):
            call(app, user, other.id)


def test_x1_nobody_else_reads_or_searches_it(app: Container, user: User, document: Document) -> None:
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other)
    assert reading.missing(app, other, {document.id}) == {document.id}
    for call in (
        lambda: reading.page_list(app, other, document.id),
        lambda: reading.outline(app, other, document.id),
        lambda: reading.search(app, other, document.id, "incident"),
        lambda: reading.open_page(app, other, document.id, 1),
        lambda: reading.page_image(app, other, document.id, 1),
    ):
        with pytest.raises(NotFound):
            call()
