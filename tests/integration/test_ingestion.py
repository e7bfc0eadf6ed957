"""From upload to ready, or to a reason an analyst understands (D1, D4–D7, D10)."""

from __future__ import annotations

import pytest

from policypal.application import intake, library, reading
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.db import index
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.errors import (
    DuplicateDocument,
    EmptyDocument,
    InvalidInput,
    NotADocument,
    NotFound,
    PasswordRequired,
)
from tests.support import pdf_factory
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.ocr_stand_in import ABSENT
from tests.support.timeouts import LONGEST_WAIT_SECONDS

REGULATION = DocumentType.REGULATORY


@pytest.fixture(autouse=True)
def _without_text_recognition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is installed on this machine."""
    monkeypatch.setattr("policypal.ingest.ocr.PROGRAM", ABSENT)


def ingest(app: Container, user: User, data: bytes, name: str = "file.pdf") -> Document:
    queued = intake.add_document(app, user, Upload(name, data, REGULATION))
    (document,) = intake.wait_until_final(app, user, [queued.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    return document


def test_d5_an_upload_becomes_ready_and_searchable(app: Container, user: User) -> None:
    pdf = pdf_factory.text_pdf([["1. Reports", "Every incident is reported within 24 hours."]], title="Incident Rule")
    document = ingest(app, user, pdf, "incident_rule.pdf")
    assert (document.status, document.pages, document.chunks) == (DocumentStatus.READY, 1, 1)
    assert document.title == "Incident Rule", "the PDF's own title replaces the file name"
    (hit,) = app.search.find(user.id, "incident report hours")
    page = reading.open_page(app, user, document.id, hit.passage.page).text
    assert page[hit.passage.start : hit.passage.end] == hit.passage.text


def test_d1_a_given_title_is_kept(app: Container, user: User) -> None:
    pdf = pdf_factory.text_pdf([["Text of the page."]], title="From metadata")
    queued = intake.add_document(app, user, Upload("a.pdf", pdf, REGULATION, title="My  title", version="2024"))
    (document,) = intake.wait_until_final(app, user, [queued.id])
    assert document.display_title == "My title (2024)"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (pdf_factory.scanned_pdf(2), "no_readable_text"),
        (pdf_factory.blank_pdf(), "no_readable_text"),
        (pdf_factory.encrypted_pdf(["Secret."], "open sesame"), "password_required"),
        (b"%PDF-1.7\nnothing more of it", "damaged_document"),
    ],
    ids=["scan", "blank", "encrypted", "damaged"],
)
def test_d7_what_cannot_be_read_is_said(app: Container, user: User, data: bytes, code: str) -> None:
    document = ingest(app, user, data)
    assert (document.status, document.reason_code, document.chunks) == (DocumentStatus.FAILED, code, 0)
    assert document.reason and document.reason[0].isupper() and "Traceback" not in document.reason
    assert index.load_passages(app.db, user.id, document.id) == []


def test_d7_only_pages_with_pictures_are_called_a_scan(app: Container, user: User) -> None:
    shapes = pdf_factory.raw_pdf([
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
        b"<< /Length 22 >>\nstream\n10 10 200 200 re f    \nendstream",
    ])  # fmt: skip
    reasons = [
        ingest(app, user, data).reason or "" for data in (pdf_factory.scanned_pdf(1), pdf_factory.blank_pdf(2), shapes)
    ]
    assert ["scan" in reason for reason in reasons] == [True, False, False]
    assert all("damaged" in reason for reason in reasons[1:])


def test_d14_a_guessed_encoding_is_shown_as_a_guess(app: Container, user: User) -> None:
    document = ingest(app, user, "Das Institut prüft jährlich.".encode("cp1252"), "regel.txt")
    assert document.guessed_encoding == "cp1252"
    assert ingest(app, user, "Das Institut prüft monatlich.".encode(), "andere.txt").guessed_encoding == ""


@pytest.mark.parametrize(
    ("data", "name", "error"),
    [(b"", "empty.pdf", EmptyDocument), (b"MZ\x90\x00\x03" + bytes(500), "tool.pdf", NotADocument)],
)
def test_d7_what_is_no_document_is_refused_at_the_door(
    app: Container, user: User, data: bytes, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        intake.add_document(app, user, Upload(name, data, REGULATION))
    assert library.list_documents(app, user) == []


def test_d7_pages_without_text_are_counted(app: Container, user: User) -> None:
    document = ingest(app, user, pdf_factory.scanned_pdf(3, text_on=[2]))
    assert (document.status, document.pages, document.pages_without_text) == (DocumentStatus.READY, 3, 2)


def test_d7_an_encrypted_document_opens_with_its_password(app: Container, user: User) -> None:
    document = ingest(app, user, pdf_factory.encrypted_pdf(["Records are kept for seven years."], "open sesame"))
    with pytest.raises(PasswordRequired):
        intake.unlock(app, user, document.id, "wrong")
    intake.unlock(app, user, document.id, "open sesame")
    (ready,) = intake.wait_until_final(app, user, [document.id])
    assert ready.status is DocumentStatus.READY
    assert app.search.find(user.id, "records seven years")
    assert reading.page_image(app, user, document.id, 1, "Records are kept").png.startswith(b"\x89PNG")
    with app.db.as_owner() as c:
        stored = c.execute("SELECT args::text AS a FROM procrastinate_jobs").fetchall()
    assert not any("open sesame" in r["a"] for r in stored)


def test_d7_the_same_file_twice_offers_the_existing_one(app: Container, user: User) -> None:
    document = add_text(app, user, "Rule", RECORDS_RULE)
    with pytest.raises(DuplicateDocument) as caught:
        intake.add_document(app, user, Upload("copy.txt", RECORDS_RULE.encode(), REGULATION))
    assert caught.value.existing_id == document.id


def test_d4_a_failed_file_may_be_handed_in_again(app: Container, user: User) -> None:
    scan = pdf_factory.scanned_pdf()
    first = ingest(app, user, scan)
    again = ingest(app, user, scan)
    assert again.id == first.id
    assert not intake.retry(app, user, first.id).status.is_final


def test_d10_metadata_can_be_edited(app: Container, user: User) -> None:
    document = add_text(app, user, "Rule", RECORDS_RULE)
    edited = library.edit(
        app, user, document.id, title="New", version="2", type=DocumentType.COMPANY, set_name="Bank", aliases=["N", " N "],
        tags=["x"],
    )  # fmt: skip
    assert (edited.display_title, edited.type, edited.set_name, edited.aliases) == (
        "New (2)",
        "company",
        "Bank",
        ("N",),
    )
    with pytest.raises(InvalidInput):
        library.edit(app, user, document.id, title=" ", version="", type=REGULATION, set_name="", aliases=[], tags=[])


def test_x1_documents_of_others_are_not_found(app: Container, user: User) -> None:
    from uuid import uuid4

    from policypal.db import users as users_db

    other = User(id=str(uuid4()), email="o@example.org")
    users_db.ensure_user(app.db, other)
    document = add_text(app, user, "Rule", RECORDS_RULE)
    for call in (library.get_document, library.delete, intake.retry):
        with pytest.raises(NotFound):
            call(app, other, document.id)
    with pytest.raises(NotFound):
        reading.open_page(app, other, document.id, 1)
    assert intake.add_document(app, other, Upload("r.txt", RECORDS_RULE.encode(), REGULATION)).id != document.id
