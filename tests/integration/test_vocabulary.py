"""Words of a search that stand nowhere in the library (A2)."""

from __future__ import annotations

import pytest

from policypal.application.container import Container
from policypal.domain.users import User
from policypal.search.vocabulary import without_slips
from tests.support.documents import add_text

TEXT = "The controller shall delete the account of a passenger after the death of the passenger. An account is a record. A controller keeps it."


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("when is an acount deleted", "when is an account deleted"),
        ("the Acount of IBN", "the Acount of IBN"),
        ("what about submarines", "what about submarines"),
    ],
)
def test_a2_a_slip_is_read_as_the_librarys_word_and_a_name_stays(
    app: Container, user: User, query: str, meant: str
) -> None:
    add_text(app, user, "Passengers", TEXT)
    assert without_slips(app.db, user.id, query) == meant


def test_a2_a_word_the_library_has_another_for_finds_it(app: Container, user: User) -> None:
    add_text(app, user, "Passengers", TEXT)
    assert app.search.find(user.id, "what if somebody dies")[0].coverage > 0


def test_a2_a_word_the_library_has_is_met_by_what_means_the_same(app: Container, user: User) -> None:
    add_text(app, user, "Boxes", "The money box is painted blue.")
    for title, thing in (("Funds", "funds"), ("Boats", "boats")):
        add_text(app, user, title, f"The {thing} of the harbour are counted by the treasurer.")
    found = app.search.find(user.id, "Who counts the money of the harbour?")
    coverage = {hit.passage.document_title: hit.coverage for hit in found}
    assert coverage["Funds"] > coverage["Boats"]
