"""The library's sets, versions, bulk changes, search and export (D2, D3, D8, D10)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pytest

from policypal.application import catalogue, library, sets, trash, versions
from policypal.application.catalogue import Entry, Filter, Order, State
from policypal.application.container import Container
from policypal.domain.documents import SET_COLOURS, Document, DocumentType
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from tests.support.documents import COMPANY_POLICY, OTHER_RULE, RECORDS_RULE, add_text


def _found(app: Container, user: User, wanted: Filter) -> list[Entry]:
    return catalogue.find(app, user, library.list_documents(app, user), wanted)


def _titles(entries: Sequence[Entry]) -> list[str]:
    return [e.document.display_title for e in entries]


def test_d2_a_set_is_renamed_recoloured_and_deleted(app: Container, user: User) -> None:
    document = add_text(app, user, "Rule", RECORDS_RULE, set_name="Old")
    held = sets.find_set(app, user, "Old")
    sets.edit_set(app, user, held.id, name=" New  name ", colour=SET_COLOURS[3])
    changed = library.get_document(app, user, document.id)
    assert (changed.set_name, changed.set_colour) == ("New name", SET_COLOURS[3])
    sets.delete_set(app, user, held.id)
    assert library.get_document(app, user, document.id).set_name is None
    for call in (
        lambda: sets.delete_set(app, user, held.id),
        lambda: sets.edit_set(app, user, "x", name="N", colour=SET_COLOURS[0]),
    ):
        with pytest.raises(NotFound):
            call()


@pytest.mark.parametrize("name", ["other", "OTHER", "  Other ", "", "x" * 101])
def test_d2_a_set_gets_no_unusable_name(app: Container, user: User, name: str) -> None:
    add_text(app, user, "Rule", RECORDS_RULE, set_name="Mine")
    add_text(app, user, "Rule 2", OTHER_RULE, set_name="Other")
    held = sets.find_set(app, user, "Mine")
    with pytest.raises(InvalidInput):
        sets.edit_set(app, user, held.id, name=name, colour=held.colour)
    assert {s.name for s in sets.list_sets(app, user)} == {"Mine", "Other"}
    sets.edit_set(app, user, held.id, name="MINE", colour=held.colour)


def test_d2_several_documents_move_to_a_set_and_out_of_it(app: Container, user: User) -> None:
    ids = [add_text(app, user, t, text).id for t, text in (("A", RECORDS_RULE), ("B", OTHER_RULE))]
    assert library.move_to_set(app, user, [*ids, "nonsense"], "Both", SET_COLOURS[2]) == 2
    assert {d.set_name for d in library.list_documents(app, user)} == {"Both"}
    assert library.move_to_set(app, user, ids[:1], "") == 1
    assert sorted(str(d.set_name) for d in library.list_documents(app, user)) == ["Both", "None"]


def test_d10_several_documents_are_tagged_at_once(app: Container, user: User) -> None:
    first, second = add_text(app, user, "A", RECORDS_RULE), add_text(app, user, "B", OTHER_RULE)
    library.change_tags(app, user, [first.id], add=["old", "kept"])
    assert library.change_tags(app, user, [first.id, second.id], add=["new", " new ", "kept"], remove=["old"]) == 2
    tags = {d.title: d.tags for d in library.list_documents(app, user)}
    assert tags == {"A": ("kept", "new"), "B": ("new", "kept")}


def test_d8_versions_stand_together_latest_first(app: Container, user: User) -> None:
    v1, v2, v3 = (_edition(app, user, y) for y in ("2021", "2023", "2025"))
    add_text(app, user, "Rulebook annex", OTHER_RULE, version="2020")
    versions.link_versions(app, user, v2.id, v1.id)
    versions.link_versions(app, user, v3.id, v2.id)
    assert [d.version for d in versions.list_versions(app, user, v1.id)] == ["2025", "2023", "2021"]
    found = _found(app, user, Filter())
    assert _titles(found) == ["Rulebook (2025)", "Rulebook (2023)", "Rulebook (2021)", "Rulebook annex (2020)"]
    assert [e.is_below_latest for e in found] == [False, True, True, False]
    assert [e.latest.version if e.latest else "" for e in found] == ["", "2025", "2025", ""]
    assert _titles(_found(app, user, Filter(latest_only=True))) == ["Rulebook (2025)", "Rulebook annex (2020)"]
    for newer, older in ((v1, v3), (v1, v1)):
        with pytest.raises(InvalidInput):
            versions.link_versions(app, user, newer.id, older.id)
    assert not versions.can_unlink(app, user, v3.id), "editions of one title need no link"


def test_d8_versions_of_other_titles_are_linked_and_unlinked(app: Container, user: User) -> None:
    old, new = add_text(app, user, "Code", RECORDS_RULE, version="2021"), _edition(app, user, "2023")
    assert versions.list_versions(app, user, new.id) == ()
    versions.link_versions(app, user, new.id, old.id)
    assert [d.title for d in versions.list_versions(app, user, old.id)] == ["Rulebook", "Code"]
    assert versions.can_unlink(app, user, new.id)
    versions.unlink_versions(app, user, new.id)
    assert versions.list_versions(app, user, new.id) == ()


def test_d8_editions_of_one_title_stand_together_without_a_link(app: Container, user: User) -> None:
    newer, older = _edition(app, user, "2025"), _edition(app, user, "2023")
    assert [d.version for d in versions.list_versions(app, user, older.id)] == ["2025", "2023"]
    assert [e.latest.id if e.latest else "" for e in _found(app, user, Filter())] == ["", newer.id]


def test_d8_a_deleted_version_leaves_no_gap_and_comes_back(app: Container, user: User) -> None:
    v1, v2, v3 = (_edition(app, user, y) for y in ("2021", "2023", "2025"))
    versions.link_versions(app, user, v2.id, v1.id)
    versions.link_versions(app, user, v3.id, v2.id)
    trash.delete(app, user, [v2.id])
    assert [d.version for d in versions.list_versions(app, user, v1.id)] == ["2025", "2021"]
    trash.restore(app, user, [v2.id])
    assert [d.version for d in versions.list_versions(app, user, v1.id)] == ["2025", "2023", "2021"]


def _edition(app: Container, user: User, year: str) -> Document:
    return add_text(app, user, "Rulebook", f"{RECORDS_RULE}\nIn force from {year}.", version=year)


def test_d3_words_are_found_in_names_and_in_the_text_with_the_page(app: Container, user: User) -> None:
    add_text(app, user, "Records Rule", RECORDS_RULE, aliases=("KYC",), set_name="Authority")
    add_text(app, user, "Bank policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    add_text(app, user, "Complaints", OTHER_RULE)
    by_name = _found(app, user, Filter(text="kyc"))
    assert _titles(by_name) == ["Records Rule"]
    assert by_name[0].match is None
    in_text = _found(app, user, Filter(text="reporting incidents 72 hours"))
    assert _titles(in_text) == ["Bank policy"], "all words, whatever their form; the rule says 24 hours"
    assert in_text[0].match and in_text[0].match.page == 1
    pieces = catalogue.excerpts(app, user, in_text, "incidents 72 hours")[in_text[0].document.id]
    assert {p.text for p in pieces if p.is_hit} == {"incident", "72", "hours"}
    assert _titles(_found(app, user, Filter(text="records", order=Order.BEST))) == ["Records Rule", "Bank policy"]
    assert _found(app, user, Filter(text="the of and")) == []
    assert _found(app, user, Filter(text="' OR 1=1 -- %s {}")) == []


def test_d3_filters_narrow_together(app: Container, user: User) -> None:
    rule = add_text(app, user, "Rule", RECORDS_RULE, set_name="Authority")
    policy = add_text(app, user, "Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    library.change_tags(app, user, [rule.id, policy.id], add=["in force"])
    library.change_tags(app, user, [policy.id], add=["bank"])
    assert rule.set_id
    for wanted, titles in (
        (Filter(), ["Rule", "Policy"]),
        (Filter(set_ids=(rule.set_id,)), ["Rule"]),
        (Filter(set_ids=(catalogue.NO_SET,)), ["Policy"]),
        (Filter(types=(DocumentType.COMPANY,)), ["Policy"]),
        (Filter(tags=("bank", "nowhere")), ["Policy"]),
        (Filter(states=(State.READY,), tags=("in force",)), ["Rule", "Policy"]),
        (Filter(states=(State.FAILED,)), []),
        (Filter(text="records", types=(DocumentType.COMPANY,), set_ids=(rule.set_id,)), []),
    ):
        assert _titles(_found(app, user, wanted)) == titles


def test_d10_what_is_exported_equals_what_is_shown(app: Container, user: User) -> None:
    hostile = add_text(app, user, '=cmd|" /C calc"!A1', RECORDS_RULE, aliases=("+1", "b"), set_name="Ünï 中")
    add_text(app, user, "Policy", COMPANY_POLICY)
    found = _found(app, user, Filter(text="records"))
    data = catalogue.export_csv(found)
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [r["sha256"] for r in rows] == [e.document.sha256 for e in found]
    first = rows[0]
    assert (first["title"], first["set"], first["type"]) == ("'" + hostile.title, "Ünï 中", "Regulatory Source")
    assert first["aliases"] == "'+1; b"
