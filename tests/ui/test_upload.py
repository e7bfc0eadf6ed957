"""Adding documents on the page: files, archives, folders, and what is said about each (D1, D2, D7, D8)."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import intake, uploads
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.documents.upload_fields import folder_sets
from tests.support import pdf_factory
from tests.support.disk import full_disk
from tests.support.zip_factory import zipped
from tests.ui.conftest import Desk, assert_healthy, labels, press, texts

_TEXT = (
    b"Retention of records. Customer records shall be kept for at least seven years after the relationship has ended.\n"
)
Named = tuple[str, bytes, str]


def _text() -> bytes:
    """Text that no other test has handed in: what was deleted would come back."""
    return f"{_TEXT} Rule {uuid4()}.".encode()


def _chosen(tab: AppTest, *files: Named) -> AppTest:
    tab.file_uploader[0].set_value(list(files)).run()
    assert_healthy(tab)
    return tab


def _add(tab: AppTest) -> AppTest:
    press(tab, "add_documents")
    until = time.monotonic() + 20
    while not (tab.success or tab.error or tab.warning) and time.monotonic() < until:
        time.sleep(0.2)  # a slow machine is still storing
        tab.run()
    assert_healthy(tab)
    return tab


def test_d1_several_files_are_added_with_what_was_typed(desk: Desk) -> None:
    tab = _chosen(
        desk.open("documents"),
        ("retention.txt", _text(), "text/plain"),
        ("b.md", b"# Fees\n\nFees must be shown.", "text/markdown"),
    )
    tab.text_input[0].input("Retention Rule").run()
    tab.text_input[1].input("2024").run()
    assert "2 documents added" in _add(tab).success[0].value
    added = {d.title: d for d in desk.added()}
    assert added["Retention Rule"].version == "2024"
    assert len(added) == 2
    assert {d.status for d in added.values()} == {DocumentStatus.READY}


def test_d1_the_title_is_there_before_the_file_is_added(desk: Desk) -> None:
    data = pdf_factory.text_pdf([["Text of the page."]], title="Outsourcing Rules")
    tab = _chosen(desk.open("documents"), ("rules_2024.pdf", data, "application/pdf"))
    assert [t.value for t in tab.text_input[:2]] == ["Outsourcing Rules", "2024"]


def test_d7_a_bad_file_is_explained_and_does_not_hold_up_the_good_one(desk: Desk) -> None:
    tab = _add(_chosen(desk.open("documents"), ("empty.txt", b"", "text/plain"), ("good.txt", _text(), "text/plain")))
    assert "empty" in tab.error[0].value
    assert [d.filename for d in desk.added()] == ["good.txt"]


def test_d7_what_became_of_an_upload_is_counted_with_its_failures(desk: Desk) -> None:
    locked = pdf_factory.encrypted_pdf(["Text."], "secret")
    files = [(f"{n}.pdf", data, "application/pdf") for n, data in enumerate((locked, pdf_factory.blank_pdf()))]
    tab = _add(_chosen(desk.open("documents"), *files, ("good.txt", _text(), "text/plain")))
    failed = [d for d in desk.added() if d.status is DocumentStatus.FAILED]
    assert len(failed) == 2
    tab.run()
    assert "3 documents added: 1 ready, 2 could not be read." in tab.warning[0].value
    assert not tab.success
    blank = next(d for d in failed if d.reason_code != "password_required")
    read = texts(desk.open("documents", document=blank.id))
    assert "There are no pages to show: No page of this document holds readable text" in read
    assert "as soon as the document is ready" not in read


def test_d7_a_duplicate_offers_the_existing_document(desk: Desk) -> None:
    data = _text()
    existing = intake.add_document(*desk, Upload("first.txt", data, DocumentType.COMPANY, title="First"))
    intake.wait_until_final(*desk, [existing.id])
    tab = _chosen(desk.open("documents"), ("again.txt", data, "text/plain"), ("new.txt", _text(), "text/plain"))
    assert "already in your library" in texts(tab)
    assert "Add document" in labels(tab)
    _add(tab)
    assert "already in your library" in texts(tab)
    link = tab.get("page_link")[0].proto
    assert link.label == "Open the existing one"
    assert existing.id in link.query_string


def test_d7_a_name_that_claims_another_kind_is_told(desk: Desk) -> None:
    tab = _add(_chosen(desk.open("documents"), ("rules.pdf", _text(), "application/pdf")))
    assert "it is plain text" in tab.info[0].value
    assert [d.media_type for d in desk.added()] == ["text/plain"]


def test_d1_an_archive_is_opened_and_its_folders_are_offered_as_sets(desk: Desk) -> None:
    members = {f"Policies/{place}/{n}.txt": _text() for n, place in enumerate(("HR", "HR", "IT"))}
    tab = _chosen(
        desk.open("documents"), ("all.zip", zipped({**members, "Policies/.DS_Store": b"x"}), "application/zip")
    )
    assert "Add 3 documents" in labels(tab)
    (toggle,) = [t for t in tab.toggle if t.label.startswith("Put files into sets")]
    assert toggle.label.endswith("HR, IT")
    toggle.set_value(True).run()
    _add(tab)
    assert sorted((d.filename, d.set_name) for d in desk.added()) == [("0.txt", "HR"), ("1.txt", "HR"), ("2.txt", "IT")]


def test_d1_many_files_are_one_table_and_what_went_wrong_is_told_once(desk: Desk) -> None:
    members = {f"{n:02}.txt": _text() for n in range(12)} | {
        f"{n}.png": b"\x89PNG\r\n\x1a\n" + bytes(9) for n in range(30)
    }
    tab = _chosen(desk.open("documents"), ("all.zip", zipped(members), "application/zip"))
    assert not [t for t in tab.text_input if t.label.startswith("Title of")]
    assert len(tab.dataframe) == 1
    _add(tab)
    assert "12 documents added" in tab.success[0].value
    assert any("42 files: 12 added, 0 there already, 30 not added" in c.value for c in tab.caption)
    assert len(tab.error) == 1
    assert "and 25 more" in tab.error[0].value
    assert len(desk.added()) == 12


def test_d8_the_earlier_version_is_offered_and_linked(desk: Desk) -> None:
    first = intake.add_document(
        desk.app,
        desk.user,
        Upload("r.txt", _text(), DocumentType.REGULATORY, title="Records Rulebook 2023", version="2023"),
    )
    tab = _chosen(desk.open("documents"), ("records.md", b"# Records Rulebook 2025\n\n" + _text(), "text/markdown"))
    (previous,) = [s for s in tab.selectbox if s.label == "New version of"]
    assert previous.value == first.id
    _add(tab)
    assert {d.title: d.previous_version_id for d in desk.added()} == {
        "Records Rulebook 2023": None,
        "Records Rulebook 2025": first.id,
    }


@pytest.mark.parametrize("title", ["سياسة الخصوصية 🙂 ‏2025", "👩‍💻 Remote work", "规则" * 150, "x" * 300])
def test_d1_a_title_of_300_characters_in_any_script_is_kept_whole(desk: Desk, title: str) -> None:
    tab = _chosen(desk.open("documents"), ("a.txt", _text(), "text/plain"))
    tab.text_input[0].input(title).run()
    _add(tab)
    assert [d.title for d in desk.added()] == [title]


def test_d1_a_title_of_301_characters_is_refused_and_nothing_typed_is_lost(desk: Desk) -> None:
    tab = _chosen(desk.open("documents"), ("a.txt", _text(), "text/plain"))
    tab.text_input[0].input("x" * 301).run()
    _add(tab)
    assert "301 characters" in tab.error[0].value
    assert tab.text_input[0].value == "x" * 301
    assert desk.added() == []


def test_x2_a_hostile_file_name_stays_text(desk: Desk) -> None:
    hostile = "![x](http://evil.example/p.png) <img src=x onerror=alert(1)> $a$.txt"
    tab = _chosen(desk.open("documents"), (hostile, b"", "text/plain"))
    assert "empty" in tab.error[0].value
    assert "![x](" not in tab.error[0].value
    assert "add_documents" not in [b.key for b in tab.button]
    assert "<img" not in texts(tab).replace("\\<img", "")


def test_d7_on_a_full_disk_the_files_stay_at_hand_and_the_next_click_adds_them(desk: Desk) -> None:
    tab = _chosen(desk.open("documents"), ("a.txt", _text() * 5000, "text/plain"))
    with full_disk():
        _add(tab)
    assert "could not be stored" in tab.error[0].value
    assert desk.added() == []
    assert "1 document added" in _add(tab).success[0].value
    assert [d.filename for d in desk.added()] == ["a.txt"]


def test_u6_a_second_click_and_a_visit_elsewhere_neither_stop_nor_repeat_an_upload(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    real = intake.add_document

    def slow(app: Container, user: User, upload: Upload) -> Document:
        gate.wait(20)
        return real(app, user, upload)

    monkeypatch.setattr(intake, "add_document", slow)
    tab = _chosen(desk.open("documents"), *((f"{n}.txt", _text(), "text/plain") for n in range(6)))
    upload = tab.session_state[state.UPLOAD]
    _add(tab)
    assert "add_documents" not in [b.key for b in tab.button]
    assert not uploads.start(*desk, upload, [], [])
    tab.switch_page("pages/settings.py").run()
    gate.set()
    assert uploads.follow(*desk, upload, wait_seconds=20) is not None
    tab.switch_page("pages/documents.py").run()
    assert_healthy(tab)
    assert "6 documents added" in tab.success[0].value
    assert len(desk.added()) == 6


def test_d7_what_cannot_be_added_is_told_before_the_click_and_counted_out(desk: Desk) -> None:
    tab = _chosen(
        desk.open("documents"), ("a.zip", zipped({"a.txt": _text(), "b.png": b"\x89PNG\r\n\x1a\n"}), "application/zip")
    )
    assert "Add document" in labels(tab)
    assert "This is an image" in tab.error[0].value


def test_d2_a_set_is_named_after_the_folder_in_which_the_files_differ() -> None:
    assert folder_sets([("P", "HR"), ("P", "HR", "old"), ("P", "IT"), ("P",)]) == ["HR", "HR", "IT", ""]
    assert folder_sets([("P", "HR"), ("P", "HR")]) == ["HR", "HR"]
    assert folder_sets([("P", "HR"), ("P", "IT"), ()]) == ["HR", "IT", ""]
    assert folder_sets([(), ()]) == ["", ""]
