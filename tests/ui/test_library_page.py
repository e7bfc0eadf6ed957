"""The library page: filters, selection, bulk changes, undo, sets, versions (D2, D3, D8, D10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import intake, library, sets, trash, versions
from policypal.application.container import Container
from policypal.application.intake import Upload
from policypal.domain.documents import SET_COLOURS, Document, DocumentType
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.documents import page as documents_page
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.ui.conftest import Desk, assert_healthy, labels, press, texts


def _add(app: Container, user: User, title: str, text: str, set_name: str = "", version: str = "") -> Document:
    upload = Upload(
        f"{title}.txt", text.encode(), DocumentType.REGULATORY, title=title, version=version, set_name=set_name
    )
    added = intake.add_document(app, user, upload)
    return intake.wait_until_final(app, user, [added.id], timeout_seconds=LONGEST_WAIT_SECONDS)[0]


@pytest.fixture
def two(desk: Desk, no_documents: None) -> Iterator[tuple[Document, Document]]:
    """Two editions of a rule, the older one in a set."""
    older = _add(*desk, "Retention Rule", "Records shall be kept for five years.", "Authority", "2021")
    newer = _add(*desk, "Retention Rule", "Records shall be kept for seven years.", "", "2025")
    yield older, newer
    for held in sets.list_sets(*desk):
        sets.delete_set(*desk, held.id)


def _shown(tab: AppTest) -> list[str]:
    """The titles in the list, as their buttons say them."""
    return [b.label.split(" :small")[0].replace("\\", "") for b in tab.button if str(b.key).startswith("docrow_")]


def _pills(tab: AppTest, key: str) -> Any:
    return next(group for group in tab.get("button_group") if group.key == key)


def _pick(tab: AppTest, *documents: Document) -> AppTest:
    press(tab, "library_pick")
    for document in documents:
        next(box for box in tab.checkbox if str(box.key).endswith(document.id)).check().run()
    assert_healthy(tab)
    return tab


def _details(tab: AppTest, document: Document) -> AppTest:
    """A document's page with the tab "Details" in front."""
    tab.session_state[state.own(state.READER_TAB, document.id)] = "Details"
    return tab.run()


def test_d3_library_is_grouped_by_set_with_title_version_and_facts(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents")
    shown = "\n".join([texts(tab), *labels(tab)])
    assert shown.index("Kessaria regulation") < shown.index("Norhaven Bank")
    assert "Operational Conduct and Data Rulebook (2023)" in _shown(tab)
    assert "Superseded by 2025" in shown
    assert f"{samples[0].pages} pages" in shown


def test_d3_a_search_finds_names_and_text_and_opens_the_page(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents")
    tab.text_input(key="library_search").set_value("spring").run()
    assert _shown(tab) == ["Spring Campaign E-mail: Growth Plan (2025)"]
    tab.text_input(key="library_search").set_value("major incident reported hours").run()
    assert_healthy(tab)
    assert "<mark>" in texts(tab)
    hit = next(b for b in tab.button if str(b.key).startswith("hit_"))
    page = hit.label.removeprefix("Page ")
    hit.click().run()
    assert_healthy(tab)
    assert tab.query_params[state.PARAM_PAGE] == page
    assert "incident" in tab.query_params[state.PARAM_QUOTE]


def test_d3_filters_stand_in_the_address_and_survive_a_reload(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents")
    _pills(tab, "library_types").set_value([DocumentType.COMPANY]).run()
    tab.selectbox(key="library_order").select("pages").run()
    assert_healthy(tab)
    assert len(_shown(tab)) == 2
    assert (tab.query_params["type"], tab.query_params["sort"]) == ("company", "pages")
    again = desk.open("documents", type="company", q="norhaven", sort="nonsense", state="x")
    assert len(_shown(again)) == 2
    press(again, "library_clear")
    assert len(_shown(again)) == 5


def test_d3_filters_are_still_there_after_reading_a_document(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents", q="spring")
    tab.button(key=next(b.key for b in tab.button if str(b.key).startswith("docrow_"))).click().run()
    press(tab, "back_to_library")
    assert _shown(tab) == ["Spring Campaign E-mail: Growth Plan (2025)"]


def test_d2_a_filter_of_a_deleted_set_is_dropped_and_said(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents", set="3b0f6f0e-0000-4000-8000-000000000000")
    assert len(_shown(tab)) == 5
    assert "does not exist any more" in tab.toast[0].value
    assert "set" not in tab.query_params


def test_d3_long_lists_are_shown_page_by_page(
    desk: Desk, samples: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_page, "PAGE_SIZE", 2)
    tab = desk.open("documents")
    first = _shown(tab)
    assert len(first) == 2
    assert "5 documents" in texts(tab)
    assert len(tab.get("pagination")) == 1


def test_d10_several_documents_are_moved_and_tagged(desk: Desk, two: tuple[Document, Document]) -> None:
    tab = _pick(desk.open("documents"), *two)
    assert "2 selected" in texts(tab)
    tab.selectbox(key="bulk_set_set").select("Authority").run()
    press(tab, "bulk_move_now")
    assert [d.set_name for d in library.list_documents(*desk)] == ["Authority"] * 2
    tab.multiselect(key="bulk_add_tags").set_value(["in force"]).run()
    press(tab, "bulk_tag_now")
    changed = library.list_documents(*desk)
    assert [(d.set_name, d.tags) for d in changed] == [("Authority", ("in force",))] * 2


def test_d10_select_all_takes_what_the_filter_shows(desk: Desk, samples: list[Document]) -> None:
    tab = desk.open("documents", type="company")
    press(tab, "library_pick")
    press(tab, "library_pick_all")
    assert "2 selected" in texts(tab)
    press(tab, "bulk_clear")
    assert "selected" not in texts(tab)


def test_d10_a_deleted_document_is_restored_or_removed_in_its_view(desk: Desk, two: tuple[Document, Document]) -> None:
    trash.delete(*desk, [d.id for d in two])
    tab = desk.open("documents")
    press(tab, "open_deleted")
    press(tab, f"restore_{two[0].id}")
    press(tab, f"purge_{two[1].id}")
    assert [d.id for d in library.list_documents(*desk)] == [two[0].id]
    assert trash.list_deleted(*desk) == []


def test_d10_metadata_is_changed_and_the_document_deleted_with_a_way_back(
    desk: Desk, two: tuple[Document, Document]
) -> None:
    document = two[0]
    tab = _details(desk.open("documents", document=document.id), document)
    tab.text_input(key=f"edit_{document.id}_title").input("Records Rule").run()
    press(tab, f"edit_{document.id}_save")
    assert library.get_document(*desk, document.id).title == "Records Rule"
    press(tab, f"delete_{document.id}")
    assert "Records Rule (2021)” deleted" in texts(tab)
    assert _shown(tab) == ["Retention Rule (2025)"]


def test_d2_sets_are_managed(desk: Desk, two: tuple[Document, Document]) -> None:
    library.move_to_set(*desk, [two[1].id], "Empty soon")
    library.move_to_set(*desk, [two[1].id], "")
    authority, empty = sets.list_sets(*desk)
    tab = desk.open("documents", view="sets")
    assert "empty" in texts(tab)
    press(tab, f"edit_set_{authority.id}")
    tab.text_input(key=f"set_name_{authority.id}").set_value("empty SOON").run()
    press(tab, f"save_set_{authority.id}")
    assert "already have a set" in tab.error[0].value
    tab.text_input(key=f"set_name_{authority.id}").set_value("Supervisor").run()
    _pills(tab, f"set_colour_{authority.id}").set_value(SET_COLOURS[3]).run()
    press(tab, f"save_set_{authority.id}")
    changed = library.get_document(*desk, two[0].id)
    assert (changed.set_name, changed.set_colour) == ("Supervisor", SET_COLOURS[3])
    press(tab, f"edit_set_{empty.id}")
    press(tab, f"delete_set_{empty.id}")
    assert [s.name for s in sets.list_sets(*desk)] == ["Supervisor"]


def test_d8_versions_are_linked_and_what_changed_is_asked_in_the_chat(
    desk: Desk, two: tuple[Document, Document]
) -> None:
    older, newer = two
    code = _add(*desk, "Keeping Code", "Records are kept for 3 years.", version="2019")
    tab = _details(desk.open("documents", document=older.id), older)
    tab.selectbox(key=f"previous_{older.id}").select(code.id).run()
    press(tab, f"link_{older.id}")
    assert [v.id for v in versions.list_versions(*desk, code.id)] == [newer.id, older.id, code.id]
    tab = _details(desk.open("documents", document=newer.id), newer)
    assert "What changed since 2021\\?" in labels(tab)
    press(tab, "changed_offer")
    assert "@Compare @Retention Rule (2021) with @Retention Rule (2025)" in texts(tab)


def test_x2_hostile_names_stay_text_everywhere(desk: Desk, no_documents: None) -> None:
    hostile = "![x](http://evil.example/p.png) <img src=x onerror=alert(1)> $a$ :smile:"
    added = _add(*desk, hostile, f"Records {hostile} kept.", set_name=hostile, version="<i>1</i>")
    library.change_tags(*desk, [added.id], add=[hostile])
    tabs = [
        desk.open(),
        desk.open("documents"),
        desk.open("documents", q="records kept"),
        desk.open("documents", view="sets"),
    ]
    tabs += [_details(desk.open("documents", document=added.id), added), _pick(desk.open("documents"), added)]
    trash.delete(*desk, [added.id])
    tabs.append(desk.open("documents", view="deleted"))
    for tab in tabs:
        assert "<img" not in texts(tab)
        assert "<i>1" not in texts(tab)
        assert not any("![x](" in label for label in labels(tab))


def test_d10_what_cannot_be_read_is_deleted_from_its_row_and_taken_back(desk: Desk, no_documents: None) -> None:
    added = intake.add_document(*desk, Upload("broken.pdf", b"%PDF-1.7 nothing", DocumentType.REGULATORY))
    intake.wait_until_final(*desk, [added.id], timeout_seconds=LONGEST_WAIT_SECONDS)
    tab = desk.open("documents")
    menu = next(m for m in tab.get("menu_button") if m.key == f"menu_{added.id}")
    assert [o.rpartition(": ")[2] for o in menu.options] == ["Delete"], "there is nothing to ask it"
    menu.click_index(0).run()
    assert_healthy(tab)
    assert library.list_documents(*desk) == [] and "deleted." in texts(tab)
    press(tab, "undo_delete")
    assert [d.id for d in library.list_documents(*desk)] == [added.id]
