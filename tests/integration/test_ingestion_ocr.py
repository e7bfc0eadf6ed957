"""Scanned documents from upload to a citation that says how its words were read (D7, C3)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from policypal.application import intake, library, processing
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.graph.agent import feedback
from tests.support import ocr_stand_in, pdf_factory
from tests.support.conversation import Speaker, answered_by
from tests.support.timeouts import LONGEST_WAIT_SECONDS

RULE = "A bank must keep customer records for at least seven years after the end of the relationship."


def _add(app: Container, user: User, data: bytes) -> Document:
    return intake.add_document(app, user, Upload("scan.pdf", data, DocumentType.REGULATORY, title="Scanned Rule"))


def _final(app: Container, user: User, document: Document) -> Document:
    (found,) = intake.wait_until_final(app, user, [document.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    return found


def test_d7_a_scan_is_read_and_cited_as_recognised(
    app: Container, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ocr_stand_in.install(tmp_path, monkeypatch, [RULE])
    document = _final(app, user, _add(app, user, pdf_factory.scanned_pdf(1)))
    assert (document.status, document.ocr_pages, document.pages_without_text) == (DocumentStatus.READY, (1,), 0)
    image = app.ingestion.page_image(user.id, document, 1, "keep customer records", depth=4.0, width=900)
    assert image.boxes, "the passage is found on the picture, although the original has no text"
    answer = answered_by(Speaker(app, user).say("How long must customer records be kept?", document))
    assert answer.citations and all(c.is_ocr for c in answer.citations)
    assert feedback.RECOGNISED_TEXT in answer.notices
    assert answer.retrieval_confidence != "high"


def test_d7_recognition_is_a_step_of_its_own_that_can_be_cancelled(
    app: Container, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ocr_stand_in.install(
        tmp_path, monkeypatch, [RULE], f"import os\nif not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(60)"
    )
    document = _add(app, user, pdf_factory.scanned_pdf(1))
    deadline = time.monotonic() + 30
    while library.get_document(app, user, document.id).status is not DocumentStatus.RECOGNISING:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert processing.cancel(app, user, [document.id]) == 1
    (tmp_path / "go").touch()
    intake.retry(app, user, document.id)
    assert _final(app, user, document).ocr_pages == (1,)


def test_d7_where_recognition_fails_the_typed_pages_are_kept(
    app: Container, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ocr_stand_in.install(tmp_path, monkeypatch, body="sys.exit(1)")
    document = _final(app, user, _add(app, user, pdf_factory.scanned_pdf(2, text_on=[2])))
    assert (document.status, document.ocr_pages, document.pages_without_text) == (DocumentStatus.READY, (), 1)
    picture = _final(app, user, _add(app, user, pdf_factory.scanned_pdf(1)))
    assert picture.reason_code == "no_readable_text" and "OCR" in (picture.reason or "")


def test_d7_without_the_program_an_analyst_is_told_how_to_get_it(
    app: Container, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("policypal.ingest.ocr.PROGRAM", ocr_stand_in.ABSENT)
    monkeypatch.setattr("policypal.ingest.ocr.RAPID", ocr_stand_in.ABSENT)
    document = _final(app, user, _add(app, user, pdf_factory.scanned_pdf(1)))
    assert document.reason and "make ocr" in document.reason
