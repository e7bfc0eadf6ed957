"""The documents page (D1–D4, D7, D9, D10)."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter

from policypal.application import intake
from policypal.application.intake import Upload
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.samples import SAMPLES, sample_bytes
from policypal.ui import state
from tests.support import pdf_factory
from tests.ui.conftest import Desk, assert_healthy, press, texts

_TEXT = (
    b"Retention of records. Customer records shall be kept for at least seven years after the relationship has ended.\n"
)


def _locked_pdf(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(sample_bytes(SAMPLES[-1]))))
    writer.encrypt(password, algorithm="AES-256")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


def test_d7_a_locked_pdf_asks_for_its_password(desk: Desk) -> None:
    intake.add_document(*desk, Upload("locked.pdf", _locked_pdf("open sesame"), DocumentType.COMPANY))
    (failed,) = desk.added()
    assert failed.reason_code == "password_required"
    tab = desk.open("documents")
    password = next(t for t in tab.text_input if t.label.startswith("Password"))
    password.input("wrong")
    press(tab, "Unlock")
    assert any("assword" in e.value for e in tab.error)
    next(t for t in tab.text_input if t.label.startswith("Password")).input("open sesame")
    press(tab, "Unlock")
    assert [d.status for d in desk.added()] == [DocumentStatus.READY]


@pytest.mark.parametrize(
    ("data", "may_help"), [(b"%PDF-1.7\nnot really a document", False), (pdf_factory.blank_pdf(), True)]
)
def test_d4_a_failed_document_says_why_and_can_be_tried_again_where_that_may_help(
    desk: Desk, data: bytes, may_help: bool
) -> None:
    intake.add_document(*desk, Upload("failing.pdf", data, DocumentType.COMPANY))
    (failed,) = desk.added()
    assert failed.status is DocumentStatus.FAILED
    assert str(failed.reason) in desk.open("documents", document=failed.id).error[0].value.replace("\\", "")
    tab = desk.open("documents")
    assert str(failed.reason) in texts(tab) and not tab.error, "a line of the list"
    offered = [b for b in tab.button if b.label.startswith("Try")]
    assert [b.key for b in offered] == [f"retry_{failed.id}"] * may_help
    for button in offered:
        button.click().run()
    assert_healthy(tab)
    assert [d.status for d in desk.added()] == [DocumentStatus.FAILED]


def test_d15_from_a_document_to_what_can_be_done_with_it(desk: Desk, samples: list[Document]) -> None:
    rulebook = samples[1]
    tab = desk.open("documents", document=rulebook.id)
    press(tab, "document_ask")
    tags = tab.session_state[state.UNSENT]["content"]["content"][0]["content"]
    assert tags[0]["attrs"] == {"id": rulebook.id, "label": rulebook.display_title, "category": "document"}
    assert "was not sent" not in texts(tab), "nothing failed: the message is only begun"

    tab = desk.open("documents", document=rulebook.id)
    press(tab, "document_summarize")
    assert f"@Summarize @{rulebook.display_title}" in texts(tab)

    tab = desk.open("documents", document=rulebook.id)
    press(tab, "document_audit_by")
    assert tab.multiselect(key=f"new_audit_targets_{rulebook.id}").value == [rulebook.id]
