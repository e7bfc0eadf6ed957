"""Conversations survive people, tabs, restarts and kill -9 (U6, G8, G9, M1, M8)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from policypal.application.container import local_analyst
from tests.faults.walk import House, Walk, open_app
from tests.support.documents import OTHER_RULE, RECORDS_RULE, add_text

SEQUENCES = 100
STEPS = 7


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("walks")
    app = open_app(folder, run_worker=True)
    user = local_analyst(app)
    one = add_text(app, user, "Records Rule", RECORDS_RULE)
    two = add_text(app, user, "Complaints Rule", OTHER_RULE)
    home = House(folder, app, user, one, two)
    yield home
    home.app.close()


@pytest.mark.parametrize("seed", [1007])  # it kills more than twice
def test_u6_a_few_random_walks_leave_every_conversation_whole(house: House, seed: int) -> None:
    _walk(house, seed)


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_u6_random_walks_leave_every_conversation_whole(house: House, seed: int) -> None:
    _walk(house, seed)


def _walk(house: House, seed: int) -> None:
    walk = Walk(house, seed)
    try:
        walk.walk(STEPS)
    except Exception as error:
        error.add_note(f"seed {seed}, steps: {', '.join(walk.steps)}")
        raise
