"""X1: for every function of ``application`` and ``db``, one person tries it with everything that belongs to another.

The functions are found in the code and the arguments by the names of their parameters: a new function is tried without a
word here, and one that cannot be called fails until its arguments are registered in ``arguments.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.errors import PolicyPalError
from tests.isolation import arguments, entry_points
from tests.isolation.content import content_of
from tests.isolation.entry_points import EntryPoint
from tests.isolation.saved import Saved
from tests.isolation.world import World, build_world, differences, fingerprint, wait_until_idle


@dataclass
class Pair:
    """Two people with everything, who come back unhurt to every test."""

    caller: World
    victim: World
    saved: tuple[Saved, Saved]
    marks: tuple[dict[str, str], dict[str, str]]

    def refreshed(self) -> Pair:
        for world, saved, mark in zip((self.caller, self.victim), self.saved, self.marks, strict=True):
            wait_until_idle(world)
            if differences(mark, fingerprint(world)):
                saved.restore()
        return self


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[Pair]:
    app = build_container(Settings(data_dir=tmp_path_factory.mktemp("isolation"), _env_file=None), run_worker=False)
    worlds = build_world(app), build_world(app, wealth=3)
    yield Pair(*worlds, (Saved(worlds[0]), Saved(worlds[1])), (fingerprint(worlds[0]), fingerprint(worlds[1])))
    app.close()


@pytest.fixture
def people(pair: Pair) -> Pair:
    return pair.refreshed()


def _registered(entry_point: EntryPoint, name: str) -> tuple[bool, arguments.Value]:
    """Whether the parameter means something that belongs to somebody, and what it is."""
    for key in (f"{entry_point.name}:{name}", name):
        if key in arguments.NEUTRAL:
            return False, arguments.NEUTRAL[key]
        if key in arguments.FOREIGN:
            return True, arguments.FOREIGN[key]
    pytest.fail(
        f"{entry_point.name} has a parameter “{name}” this test knows nothing of. Add “{name}” (or “{entry_point.name}:{name}”) to FOREIGN in"
        " tests/isolation/arguments.py if it names or holds something that belongs to a person, to NEUTRAL if not."
    )


def _names(entry_point: EntryPoint) -> list[str]:
    """The parameters to be given, without who asks and what it is asked of."""
    fixed = {*entry_points.USER, *entry_points.RESOURCES}
    needed = (
        n
        for n, p in entry_point.parameters.items()
        if p.default is p.empty or f"{entry_point.name}:{n}" in arguments.OPTIONAL
    )
    return [name for name in needed if name not in fixed]


def _foreign(entry_point: EntryPoint) -> list[str]:
    return [name for name in _names(entry_point) if _registered(entry_point, name)[0]]


def _call(entry_point: EntryPoint, who: World, given: dict[str, Any]) -> Any:
    with _resources(entry_point, who) as fixed:
        try:
            return _settled(entry_point.function(**fixed, **given))
        except (PolicyPalError, psycopg.errors.IntegrityError, psycopg.errors.InsufficientPrivilege) as refusal:
            return refusal


def _given(entry_point: EntryPoint, who: World, whose: dict[str, World]) -> dict[str, Any]:
    """Every foreign parameter from the world it is mapped to, the others from the one who asks."""
    return {name: _registered(entry_point, name)[1](whose.get(name, who)) for name in _names(entry_point)}


class _resources:
    """What the function works on, and who asks."""

    def __init__(self, entry_point: EntryPoint, who: World) -> None:
        app, user = who.app, who.user
        self._scope = app.db.as_user(user.id) if {"c", "connection"} & set(entry_point.parameters) else None
        held = {"app": app, "db": app.db, "files": app.files, "user": user, "user_id": user.id}
        self._names = entry_point.parameters
        self._given = {name: held[name] for name in entry_point.parameters if name in held}

    def __enter__(self) -> dict[str, Any]:
        if self._scope is not None:
            self._given[next(n for n in ("c", "connection") if n in self._names)] = self._scope.__enter__()
        return self._given

    def __exit__(self, *exc: Any) -> None:
        if self._scope is not None:
            self._scope.__exit__(*exc)


def _settled(result: Any) -> Any:
    return list(result) if inspect.isgenerator(result) or isinstance(result, Iterator) else result


@pytest.mark.parametrize("entry_point", entry_points.FOR_A_USER, ids=str)
def test_x1_a_function_gives_and_changes_nothing_of_another_person(people: Pair, entry_point: EntryPoint) -> None:
    caller, victim = people.caller, people.victim
    foreign = _foreign(entry_point)
    attempts = [foreign] + ([[name] for name in foreign] if len(foreign) > 1 else [])
    answers = []
    for taken in attempts:
        given = _given(entry_point, caller, dict.fromkeys(taken, victim))
        before = fingerprint(victim)
        echo = content_of([given[name] for name in taken])
        result = _call(entry_point, caller, given)
        wait_until_idle(caller)
        answers.append(content_of(result))
        changed = differences(before, fingerprint(victim))
        assert not changed, f"{entry_point.name} as one person changed {changed} of another (given theirs: {taken})"
        leaks = victim.marker in answers[-1] and victim.marker not in echo
        assert not leaks, f"{entry_point.name} told one person something of another: {answers[-1][:500]}"
    people.refreshed()
    _check_that_it_works_for_the_owner(entry_point, people.victim, answers[0])


def _check_that_it_works_for_the_owner(entry_point: EntryPoint, owner: World, refused: str) -> None:
    """Else the test above would prove nothing: it might have failed for another reason than whose things they were."""
    given = _given(entry_point, owner, {})
    before = fingerprint(owner)
    answer = content_of(_call(entry_point, owner, given))
    wait_until_idle(owner)
    works = answer != refused or differences(before, fingerprint(owner))
    assert works or entry_point.name in arguments.QUIET, (
        f"{entry_point.name} does and says the same for the owner as for a stranger: {answer[:300]}. Register arguments with which it does"
        " something, or add it to QUIET in tests/isolation/arguments.py with the reason."
    )


@pytest.mark.parametrize("entry_point", entry_points.FOR_NOBODY, ids=str)
def test_x1_a_function_that_asks_for_no_user_is_known(entry_point: EntryPoint) -> None:
    assert entry_point.name in arguments.WITHOUT_USER, (
        f"{entry_point.name} reaches data without asking whose. Give it a user, or add it to WITHOUT_USER in"
        " tests/isolation/arguments.py with the reason why nobody's data can leave through it."
    )


def test_x1_the_registers_name_only_what_exists() -> None:
    known = {entry_point.name for entry_point in entry_points.ALL}
    named = {*arguments.WITHOUT_USER, *arguments.QUIET}
    named |= {
        key.partition(":")[0] for key in (*arguments.FOREIGN, *arguments.NEUTRAL, *arguments.OPTIONAL) if ":" in key
    }
    assert not named - known
