"""The documents page (D1–D4, D7, D9, D10)."""

from __future__ import annotations

import io

from pypdf import PdfReader, PdfWriter
from streamlit.testing.v1 import AppTest

from policypal.application import library
from policypal.application.container import Container
from policypal.application.library import Upload
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.samples import SAMPLES, sample_bytes
from policypal.ui import state
from policypal.ui.widgets.library_list import PAGE_SIZE, arranged
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts

_TEXT = (
    b"Retention of records. Customer records shall be kept for at least seven years after the relationship has ended.\n"
)


def _upload(tab: AppTest, *files: tuple[str, bytes, str]) -> AppTest:
    tab.file_uploader[0].set_value(list(files)).run()
    assert_healthy(tab)
    return tab


def _added(app: Container, user: User) -> list[Document]:
    mine = [d.id for d in library.list_documents(app, user) if not d.is_sample]
    return library.wait_until_final(app, user, mine, timeout_seconds=60)


def _locked_pdf(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(sample_bytes(SAMPLES[-1]))))
    writer.encrypt(password, algorithm="AES-256")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


def test_d1_several_files_are_added_with_what_was_typed(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    tab = _upload(
        open_page("documents"),
        ("retention.txt", _TEXT, "text/plain"),
        ("b.md", b"# Fees\n\nFees must be shown.", "text/markdown"),
    )
    tab.text_input[0].input("Retention Rule").run()
    tab.text_input[1].input("2024").run()
    tab.button(key="add_documents").click().run()
    assert_healthy(tab)
    assert "2 documents added" in tab.success[0].value
    added = {d.title: d for d in _added(ui_app, analyst)}
    assert added["Retention Rule"].version == "2024"
    assert len(added) == 2
    assert {d.status for d in added.values()} == {DocumentStatus.READY}


def test_d7_a_bad_file_is_explained_and_does_not_hold_up_the_good_one(
    ui_app: Container, analyst: User, open_page: OpenPage
) -> None:
    tab = _upload(open_page("documents"), ("empty.txt", b"", "text/plain"), ("good.txt", _TEXT, "text/plain"))
    tab.button(key="add_documents").click().run()
    assert "empty" in tab.error[0].value
    assert [d.filename for d in _added(ui_app, analyst)] == ["good.txt"]


def test_d7_a_duplicate_offers_the_existing_document(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    existing = library.add_document(ui_app, analyst, Upload("first.txt", _TEXT, DocumentType.COMPANY, title="First"))
    library.wait_until_final(ui_app, analyst, [existing.id])
    tab = _upload(open_page("documents"), ("again.txt", _TEXT, "text/plain"))
    tab.button(key="add_documents").click().run()
    assert "already in your library" in tab.error[0].value.replace("\\", "")
    link = tab.get("page_link")[0].proto
    assert link.label == "Open the existing one"
    assert existing.id in link.query_string


def test_d7_a_locked_pdf_asks_for_its_password(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    library.add_document(ui_app, analyst, Upload("locked.pdf", _locked_pdf("open sesame"), DocumentType.COMPANY))
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


def test_d4_a_failed_document_says_why_and_can_be_tried_again(
    ui_app: Container, analyst: User, open_page: OpenPage
) -> None:
    library.add_document(
        ui_app, analyst, Upload("broken.pdf", b"%PDF-1.7\nnot really a document", DocumentType.COMPANY)
    )
    (failed,) = _added(ui_app, analyst)
    assert failed.status is DocumentStatus.FAILED
    tab = open_page("documents")
    assert str(failed.reason).split(".")[0].split(",")[0] in tab.error[0].value.replace("\\", "")
    tab.button(key=f"retry_{failed.id}").click().run()
    assert_healthy(tab)
    assert [d.status for d in _added(ui_app, analyst)] == [DocumentStatus.FAILED]


def test_d3_library_is_grouped_by_set_with_title_version_and_type(samples: list[Document], open_page: OpenPage) -> None:
    shown = texts(open_page("documents"))
    assert shown.index("Kessaria regulation") < shown.index("Norhaven Bank")
    assert "Operational Conduct and Data Rulebook (2023)" in shown
    assert 'class="pp-doc pp-regulatory"' in shown
    assert 'class="pp-doc pp-company"' in shown


def test_d3_search_and_type_filter(samples: list[Document], open_page: OpenPage) -> None:
    tab = open_page("documents")
    tab.text_input(key="library_search").set_value("spring").run()
    assert labels(tab).count("Open") == 1
    tab.text_input(key="library_search").set_value("").run()
    tab.get("button_group")[0].set_value([DocumentType.COMPANY]).run()
    assert labels(tab).count("Open") == 2


def test_d3_five_hundred_documents_are_shown_page_by_page(samples: list[Document]) -> None:
    from dataclasses import replace

    many = [replace(samples[n % 5], id=str(n), title=f"Document {n:03}") for n in range(500)]
    found = arranged(many, "document 49", [DocumentType.REGULATORY], "Title")
    assert [d.title for d in found] == sorted(d.title for d in found)
    assert all(d.type is DocumentType.REGULATORY and "49" in d.title for d in found)
    assert len(many) > PAGE_SIZE


def test_d9_a_document_opens_with_page_text_and_picture(samples: list[Document], open_page: OpenPage) -> None:
    rulebook = next(d for d in samples if d.version == "2023")
    tab = open_page("documents", document=rulebook.id, page="3")
    assert tab.number_input[0].value == 3
    assert len(tab.get("image")) == 1
    tab.button(key="page_next").click().run()
    assert tab.number_input[0].value == 4
    assert tab.query_params[state.PARAM_PAGE] == "4"
    assert "pp-page-text" in texts(tab)


def test_d9_a_page_that_does_not_exist_opens_the_nearest(samples: list[Document], open_page: OpenPage) -> None:
    for asked, shown in (("999", samples[0].pages), ("-4", 1), ("x", 1)):
        assert open_page("documents", document=samples[0].id, page=asked).number_input[0].value == shown


def test_d9_a_text_document_shows_its_text(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    added = library.add_document(ui_app, analyst, Upload("rule.txt", _TEXT, DocumentType.REGULATORY))
    library.wait_until_final(ui_app, analyst, [added.id])
    assert "seven years" in texts(open_page("documents", document=added.id))


def test_d10_metadata_can_be_changed_and_a_document_deleted(
    ui_app: Container, analyst: User, open_page: OpenPage
) -> None:
    added = library.add_document(ui_app, analyst, Upload("rule.txt", _TEXT, DocumentType.REGULATORY, aliases=("RR",)))
    library.wait_until_final(ui_app, analyst, [added.id])
    tab = open_page("documents", document=added.id)
    tab.text_input(key=f"edit_{added.id}_title").input("Records Rule").run()
    tab.text_input(key=f"edit_{added.id}_version").input("2026").run()
    tab.button(key=f"edit_{added.id}_save").click().run()
    assert_healthy(tab)
    changed = library.get_document(ui_app, analyst, added.id)
    assert (changed.display_title, changed.aliases) == ("Records Rule (2026)", ("RR",))
    tab.button(key=f"delete_{added.id}").click().run()
    assert_healthy(tab)
    assert _added(ui_app, analyst) == []


def test_x1_a_document_that_is_not_mine_is_not_found(open_page: OpenPage) -> None:
    tab = open_page("documents", document="3b0f6f0e-0000-4000-8000-000000000000")
    assert "not in your library" in tab.error[0].value


def test_x2_a_hostile_title_stays_text_everywhere(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    hostile = "![x](http://evil.example/p.png) <img src=x onerror=alert(1)> $a$ :smile:"
    added = library.add_document(ui_app, analyst, Upload("h.txt", _TEXT, DocumentType.COMPANY, title=hostile))
    library.wait_until_final(ui_app, analyst, [added.id])
    for tab in (open_page("documents"), open_page("documents", document=added.id), open_page()):
        assert "<img" not in texts(tab)
        assert not any("![x](" in label for label in labels(tab))
