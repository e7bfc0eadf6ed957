"""X1: an address copied from somebody else shows nothing of theirs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application.container import Container
from tests.isolation.content import content_of
from tests.isolation.world import World, build_world
from tests.ui.conftest import texts


@pytest.fixture(scope="module")
def stranger(ui_app: Container) -> World:
    return build_world(ui_app)


LINKS: dict[str, tuple[str, Callable[[World], dict[str, str]]]] = {
    "document": ("documents", lambda w: {"document": w.document.id, "page": "1"}),
    "conversation": ("chat", lambda w: {"thread": w.thread_id}),
    "report": ("audit_reports", lambda w: {"report": w.report_id}),
}


@pytest.mark.parametrize("link", LINKS)
def test_x1_a_link_to_something_of_another_person_shows_nothing_of_it(
    open_page: Callable[..., AppTest], stranger: World, link: str
) -> None:
    page, query = LINKS[link]
    tab = open_page(page, **query(stranger)).run(timeout=20)
    shown = texts(tab) + content_of([getattr(element, "value", "") or getattr(element, "label", "") for element in tab])
    assert not tab.exception
    assert stranger.marker not in shown
