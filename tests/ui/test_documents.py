"""The documents page (D1–D4, D7, D9, D10)."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter

from policypal.application import intake, library
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.samples import SAMPLES, sample_bytes
from policypal.ui import state
from tests.support import pdf_factory
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts

_TEXT = (
    b"Retention of records. Customer records shall be kept for at least seven years after the relationship has ended.\n"
)


def _added(app: Container, user: User) -> list[Document]:
    mine = [d.id for d in library.list_documents(app, user) if not d.is_sample]
    return intake.wait_until_final(app, user, mine, timeout_seconds=LONGEST_WAIT_SECONDS)


def _locked_pdf(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(sample_bytes(SAMPLES[-1]))))
    writer.encrypt(password, algorithm="AES-256")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


def test_d7_a_locked_pdf_asks_for_its_password(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    intake.add_document(ui_app, analyst, Upload("locked.pdf", _locked_pdf("open sesame"), DocumentType.COMPANY))
    (failed,) = _added(ui_app, analyst)
    assert failed.reason_code == "password_required"
    tab = open_page("documents")
    password = next(t for t in tab.text_input if t.label.startswith("Password"))
    password.input("wrong")
    next(b for b in tab.button if b.label == "Unlock").click().run()
    assert_healthy(tab)
    assert any("assword" in e.value for e in tab.error)
    next(t for t in tab.text_input if t.label.startswith("Password")).input("open sesame")
    next(b for b in tab.button if b.label == "Unlock").click().run()
    assert_healthy(tab)
    assert [d.status for d in _added(ui_app, analyst)] == [DocumentStatus.READY]


@pytest.mark.parametrize(
    ("data", "may_help"), [(b"%PDF-1.7\nnot really a document", False), (pdf_factory.blank_pdf(), True)]
)
def test_d4_a_failed_document_says_why_and_can_be_tried_again_where_that_may_help(
    ui_app: Container, analyst: User, open_page: OpenPage, data: bytes, may_help: bool
) -> None:
    intake.add_document(ui_app, analyst, Upload("failing.pdf", data, DocumentType.COMPANY))
    (failed,) = _added(ui_app, analyst)
    assert failed.status is DocumentStatus.FAILED
    assert str(failed.reason) in open_page("documents", document=failed.id).error[0].value.replace("\\", "")
    tab = open_page("documents")
    assert str(failed.reason) in texts(tab) and not tab.error, "a line of the list"
    offered = [b for b in tab.button if b.label.startswith("Try")]
    assert [b.key for b in offered] == [f"retry_{failed.id}"] * may_help
    for button in offered:
        button.click().run()
    assert_healthy(tab)
    assert [d.status for d in _added(ui_app, analyst)] == [DocumentStatus.FAILED]


def test_x2_a_hostile_title_stays_text_everywhere(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    hostile = "![x](http://evil.example/p.png) <img src=x onerror=alert(1)> $a$ :smile:"
    added = intake.add_document(ui_app, analyst, Upload("h.txt", _TEXT, DocumentType.COMPANY, title=hostile))
    intake.wait_until_final(ui_app, analyst, [added.id])
    for tab in (open_page("documents"), open_page("documents", document=added.id), open_page()):
        assert "<img" not in texts(tab)
        assert not any("![x](" in label for label in labels(tab))


def test_d15_from_a_document_to_what_can_be_done_with_it(samples: list[Document], open_page: OpenPage) -> None:
    rulebook = samples[1]
    tab = open_page("documents", document=rulebook.id)
    tab.button(key="document_ask").click().run()
    assert_healthy(tab)
    tags = tab.session_state[state.UNSENT]["content"]["content"][0]["content"]
    assert tags[0]["attrs"] == {"id": rulebook.id, "label": rulebook.display_title, "category": "document"}
    assert "was not sent" not in texts(tab), "nothing failed: the message is only begun"

    tab = open_page("documents", document=rulebook.id)
    tab.button(key="document_summarize").click().run()
    assert f"@Summarize @{rulebook.display_title}" in texts(tab)

    tab = open_page("documents", document=rulebook.id)
    tab.button(key="document_audit_by").click().run()
    assert_healthy(tab)
    assert tab.multiselect(key=f"new_audit_targets_{rulebook.id}").value == [rulebook.id]
