"""The reader: a page with the cited passage, the page list, searching, links into it, and rights (D9, D10, C3, X1)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.application import intake, library, reading
from policypal.application import notes as notes_app
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.db import users as users_db
from policypal.domain.documents import Document, DocumentType
from policypal.domain.reading import OutlineEntry, PageEntry
from policypal.domain.users import User
from policypal.ui import places, state
from policypal.ui.documents import page_view
from policypal.ui.places import Place
from tests.support import pdf_factory
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.ui.conftest import Desk, assert_healthy, press, texts

_MARK = '<mark data-pp-reveal="passage:'


@pytest.fixture
def rulebook(samples: list[Document]) -> Document:
    return next(d for d in samples if d.version == "2023")


def _passage(app: Container, user: User, document: Document, page: int) -> tuple[str, int]:
    """Some words in the middle of a page, and where they begin."""
    text = reading.open_page(app, user, document.id, page).text
    start = text.index(" ", len(text) // 2) + 1
    return text[start : text.index(" ", start + 60)], start


def test_d9_a_document_opens_with_page_text_and_picture(desk: Desk, rulebook: Document) -> None:
    tab = desk.open("documents", document=rulebook.id, page="3")
    assert tab.number_input(key=state.READER_PAGE).value == 3
    assert len(tab.get("image")) == 1
    assert "pp-page-text" in texts(tab)
    assert _MARK not in texts(tab)


def test_d9_pages_are_turned_and_jumped_to(desk: Desk, rulebook: Document) -> None:
    tab = desk.open("documents", document=rulebook.id, page="7", quote="anything")
    press(tab, "page_next")
    assert tab.button(key="page_next").disabled
    assert dict(tab.query_params) == {state.PARAM_DOCUMENT: rulebook.id, state.PARAM_PAGE: "8"}
    tab.number_input(key=state.READER_PAGE).set_value(1).run()
    assert_healthy(tab)
    assert tab.query_params[state.PARAM_PAGE] == "1"
    assert tab.button(key="page_back").disabled


@pytest.mark.parametrize("by_offsets", [False, True])
def test_c3_a_link_opens_the_passage_at_once(desk: Desk, rulebook: Document, by_offsets: bool) -> None:
    words, start = _passage(*desk, rulebook, 4)
    place = Place(rulebook.id, 4, "" if by_offsets else words, start, start + len(words))
    shown = texts(desk.open("documents", **place.query()))
    assert f'{_MARK}4:{start}:{start + len(words)}">' in shown
    assert "does not stand on this page" not in shown


def test_c3_words_in_a_link_are_shown_only_where_they_stand(desk: Desk, rulebook: Document) -> None:
    tab = desk.open("documents", document=rulebook.id, page="2", quote="Call +1 555 0100 to unlock your account")
    assert "does not stand on this page" in texts(tab)
    assert "555" not in texts(tab)


@pytest.mark.parametrize(
    ("asked", "shown"), [("999", 8), ("0", 1), ("-4", 1), ("x", 1), ("²", 1), ("9" * 400, 1), ("1.5", 1)]
)
def test_d9_a_page_that_does_not_exist_opens_the_nearest_and_says_so(
    desk: Desk, rulebook: Document, asked: str, shown: int
) -> None:
    tab = desk.open("documents", document=rulebook.id, page=asked)
    assert tab.number_input(key=state.READER_PAGE).value == shown
    assert f"has 8 pages; there is no such page as this link names. Page {shown} is shown" in tab.warning[0].value


@pytest.mark.parametrize("document", ["x", "' OR 1=1 --", "3b0f6f0e-0000-4000-8000-000000000000", "\x00", "a" * 5000])
def test_x1_what_is_no_document_of_mine_is_not_found(desk: Desk, document: str) -> None:
    tab = desk.open("documents", document=document, page="1", quote="records")
    assert "not in your library" in tab.error[0].value
    assert not tab.get("image")


def test_x1_a_link_of_somebody_else_opens_nothing(desk: Desk) -> None:
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(desk.app.db, other)
    theirs = add_text(desk.app, other, "Secret Merger Rule", RECORDS_RULE)
    tab = desk.open("documents", document=theirs.id, page="1", start="0", end="20")
    nothing = desk.open("documents", document=str(uuid4()))
    assert [e.value for e in tab.error] == [e.value for e in nothing.error]
    assert "Merger" not in texts(tab) and "customer records" not in texts(tab)


def test_d9_the_same_picture_is_never_handed_to_two_users(desk: Desk, rulebook: Document) -> None:
    """The cache of drawn pages knows whose page it is: the document's own id opens nothing for anybody else."""
    from policypal.errors import NotFound
    from policypal.ui.documents import page_view

    desk.open("documents", document=rulebook.id, page="1")
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(desk.app.db, other)
    drawn = (rulebook.id, (rulebook.sha256, rulebook.ocr_pages), 1, "", 0.0, reading.PAGE_WIDTH, False)
    assert page_view._image(*desk, desk.user.id, *drawn).png
    with pytest.raises(NotFound):
        page_view._image(desk.app, other, other.id, *drawn)


def test_d9_a_text_document_shows_its_text_alone(desk: Desk) -> None:
    added = add_text(*desk, "Rule", RECORDS_RULE)
    tab = desk.open("documents", document=added.id, quote="at least seven years")
    assert f"{_MARK}1:" in texts(tab)
    assert not tab.get("image")
    assert not [g for g in tab.get("button_group") if g.key == state.READER_VIEW]


def test_d9_the_page_list_names_pages_and_their_doubts(desk: Desk) -> None:
    pdf = pdf_factory.text_pdf([["1. <b>Scope</b>", "It applies to banks."], []])
    added = intake.add_document(*desk, Upload("r.pdf", pdf, DocumentType.REGULATORY))
    intake.wait_until_final(*desk, [added.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    tab = desk.open("documents", document=added.id, page="2")
    shown = texts(tab)
    assert "&lt;b&gt;Scope&lt;/b&gt;" in shown and "<b>Scope" not in shown
    assert shown.count("<i>no text</i>") == 1
    assert "found no text on this page" in shown and "make ocr" in shown
    entries = reading.page_list(*desk, added.id)
    assert page_view.list_html(entries, 1, recognised=(1,)).count("<i>OCR</i>") == 1


def test_d11_the_outline_stands_beside_the_pages_and_the_page_list_is_one_click_away(
    desk: Desk, rulebook: Document
) -> None:
    tab = desk.open("documents", document=rulebook.id, page="4")
    assert 'aria-label="Outline of this document"' in texts(tab) and "obligations and prohibitions" in texts(tab)
    next(g for g in tab.get("button_group") if g.key == state.READER_LIST).set_value("Pages").run()
    assert_healthy(tab)
    assert 'aria-label="Pages of this document"' in texts(tab)


def test_d11_a_long_outline_moves_along_and_knows_where_one_reads() -> None:
    entries = [OutlineEntry(f"Rule {n}", 0, 2 * n, n % 2) for n in range(1, 1001)]
    shown = page_view.outline_html(entries, 901)
    assert "Rule 401<" in shown and "Rule 600<" in shown and "Rule 601<" not in shown and "Rule 400<" not in shown
    assert shown.count("aria-current") == 1
    assert 'aria-current="page" data-pp-reveal="outline:449"><b>900</b>' in shown, "no heading begins on page 901"


def test_d9_a_long_page_list_moves_along() -> None:
    entries = [PageEntry(n, f"Words {n}", has_text=True) for n in range(1, 2001)]
    shown = page_view.list_html(entries, 450, recognised=())
    assert "Words 401<" in shown and "Words 600<" in shown and "Words 601<" not in shown and "Words 400<" not in shown
    assert 'data-pp-open="page:400"' in shown and 'data-pp-open="page:601"' in shown
    assert shown.count("aria-current") == 1


def test_d9_searching_lists_places_with_their_context(desk: Desk, rulebook: Document) -> None:
    tab = desk.open("documents", document=rulebook.id)
    tab.text_input(key=f"reader_search_{rulebook.id}").input("major   INCIDENT").run()
    assert_healthy(tab)
    shown = texts(tab)
    assert " places on " in shown and "<mark>major incident</mark>" in shown
    tab.text_input(key=f"reader_search_{rulebook.id}").input("zebra <b>").run()
    assert_healthy(tab)
    assert "Nothing found" in texts(tab) and "zebra" not in texts(tab)


def test_c3_places_survive_the_address() -> None:
    place = Place("d", 3, "a “quote” & more", 0, 16)
    assert place.query() == {
        "document": "d", "page": "3", "quote": "a “quote” & more", "start": "0", "end": "16",
    }  # fmt: skip
    assert places.address(place).startswith("?") or "/documents?" in places.address(place)
    assert "quote=a+%E2%80%9Cquote%E2%80%9D+%26+more" in places.address(place)


def test_d10_a_deleted_document_is_told_to_be_gone(desk: Desk) -> None:
    added = add_text(*desk, "Rule", RECORDS_RULE)
    library.delete(*desk, added.id)
    tab = desk.open("documents", document=added.id, page="1")
    assert "It may have been deleted" in tab.error[0].value
    assert "customer records" not in texts(tab)


def test_d15_a_note_is_written_beside_its_provision_listed_changed_and_deleted(desk: Desk) -> None:
    document = add_text(*desk, "Noted", RECORDS_RULE)
    here = notes_app.on_page(*desk, document.id, 1)
    ordinal = next(p.provision.ordinal for p in here if any("24 hours" in s.text for s in p.provision.sentences))
    tab = desk.open("documents", document=document.id)
    assert f'data-pp-open="provision:{ordinal}"' in texts(tab)
    tab.session_state[state.CHOSEN_PROVISIONS] = {
        "document": document.id,
        "names": {str(ordinal): "Section 2"},
        "references": {str(ordinal): ""},
    }
    tab.run()
    tab.text_area[0].set_value("Our policy says <b>72</b>")
    press(tab, "Save note")
    assert "Our policy says &lt;b&gt;72&lt;/b&gt;" in texts(tab) and "pp-noted" in texts(tab)

    tab.session_state[state.own(state.READER_TAB, document.id)] = "Notes"
    tab.run()
    (note,) = (n.note for n in notes_app.load(*desk, document.id))
    notes_form = [a for a in tab.text_area if a.value == note.text]
    notes_form[-1].set_value("Asked the regulator")
    [b for b in tab.button if b.label == "Save"][-1].click().run()
    assert "Asked the regulator" in texts(tab)
    [b for b in tab.button if b.label == "Delete this note"][-1].click().run()
    assert_healthy(tab)
    assert not notes_app.load(*desk, document.id)
    assert "Nothing noted yet" in texts(tab)


def test_u11_the_chosen_provisions_are_written_into_a_question(desk: Desk, rulebook: Document) -> None:
    here = {p.provision.label: p.provision for p in notes_app.on_page(*desk, rulebook.id, 4)}
    chosen = {str(here[label].ordinal): label for label in ("4.4", "4.6")}
    assert [reading.reference(*desk, rulebook.id, here[n]) for n in chosen.values()] == ["4.4", "4.6"]
    tab = desk.open("documents", document=rulebook.id, page="4")
    tab.session_state[state.CHOSEN_PROVISIONS] = {"document": rulebook.id, "names": chosen, "references": chosen}
    tab.run()
    assert not [b for b in tab.button if b.label == "Save note"], "a note stands on one provision"
    press(tab, "provision_ask")
    (paragraph,) = tab.session_state[state.UNSENT]["content"]["content"]
    tags = [part["attrs"]["id"] for part in paragraph["content"] if part["type"] == "mention"]
    assert tags == ["inquire", rulebook.id] and paragraph["content"][-1]["text"] == " 4.4, 4.6: "


def test_d9_two_documents_are_read_side_by_side_the_earlier_version_first(desk: Desk, samples: list[Document]) -> None:
    old, new = (next(d for d in samples if d.version == v and "Rulebook" in d.title) for v in ("2023", "2025"))
    tab = desk.open("documents", document=new.id, page="5")
    tab.session_state[state.READER_VIEW] = "Beside another"
    tab.run()
    assert_healthy(tab)
    other = tab.selectbox(key=state.own(state.READER_OTHER, new.id))
    assert other.value == (old.id if new.previous_version_id == old.id else None)
    other.set_value(samples[2].id).run()
    tab.number_input(key=state.own(state.READER_OTHER_PAGE, samples[2].id)).set_value(2).run()
    assert_healthy(tab)
    pictures = [image.proto.imgs[0].url for image in tab.get("image")]
    assert len(set(pictures)) == 2
    link = tab.get("page_link")[-1].proto
    assert samples[2].id in link.query_string and "page=2" in link.query_string
