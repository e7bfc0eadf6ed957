"""X1: a thread's id alone opens nothing of the agent's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint

from policypal.application import ask
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.thread_graph import Standing, ThreadGraph
from tests.isolation.world import World, build_world, differences, fingerprint


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[tuple[World, World]]:
    app = build_container(Settings(data_dir=tmp_path_factory.mktemp("checkpoints"), _env_file=None), run_worker=False)
    yield build_world(app), build_world(app)
    app.close()


def _config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}


def test_x1_the_memory_of_another_persons_thread_is_empty(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    app, saver = caller.app, caller.app.checkpoints.saver(caller.user.id)
    threads: dict[str, ThreadGraph] = {
        victim.thread_id: app.agent, victim.asking_thread_id: app.agent, victim.research_id: app.researcher,
        victim.asking_research_id: app.researcher,
    }  # fmt: skip
    for thread, graph in threads.items():
        assert graph.standing(caller.user.id, thread) == Standing()
        assert graph.standing(victim.user.id, thread) != Standing()
        assert saver.get_tuple(_config(thread)) is None
        assert list(saver.list(_config(thread))) == []
    assert {str(c.config["configurable"]["thread_id"]) for c in saver.list(None)} <= {
        caller.thread_id, caller.asking_thread_id, caller.research_id, caller.asking_research_id,
    }  # fmt: skip


def test_x1_the_memory_of_another_persons_thread_cannot_be_written_or_deleted(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    saver = caller.app.checkpoints.saver(caller.user.id)
    held = caller.app.checkpoints.saver(victim.user.id).get_tuple(_config(victim.asking_thread_id))
    assert held is not None
    before = fingerprint(victim)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        saver.put(held.config, held.checkpoint, held.metadata, {})  # the same id: theirs would be overwritten
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        saver.put_writes(
            held.config, [("__interrupt__", "mine")], held.pending_writes[0][0] if held.pending_writes else "t"
        )
    saver.delete_thread(victim.asking_thread_id)
    caller.app.checkpoints.forget(caller.user.id, victim.asking_thread_id)
    caller.app.checkpoints.prune(caller.user.id, victim.asking_thread_id)
    assert not differences(before, fingerprint(victim))


def test_x1_what_a_stranger_writes_under_the_same_thread_id_is_not_seen(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    before = caller.app.agent.standing(victim.user.id, victim.asking_thread_id)
    caller.app.checkpoints.saver(caller.user.id).put(_config(victim.asking_thread_id), empty_checkpoint(), {}, {})
    assert caller.app.agent.standing(victim.user.id, victim.asking_thread_id) == before
    assert ask.pending(caller.app, victim.user, victim.asking_thread_id) is not None
    caller.app.checkpoints.forget(caller.user.id, victim.asking_thread_id)


def test_x1_every_statement_of_the_saver_runs_with_the_applications_role(worlds: tuple[World, World]) -> None:
    saver = worlds[0].app.checkpoints.saver(worlds[0].user.id)
    for pipeline in (False, True):
        with saver._cursor(pipeline=pipeline) as cursor:
            row = cursor.execute("SELECT current_user::text AS role, current_setting('app.user_id') AS id").fetchone()
        assert row == {"role": "policypal_app", "id": worlds[0].user.id}
    with worlds[0].app.db.pool.connection() as connection:
        row = connection.execute("SELECT current_setting('app.user_id', true) AS id").fetchone()
    assert row and not row["id"], "the user stays behind on the connection"


def test_x1_memory_from_before_it_had_owners_gets_them(worlds: tuple[World, World]) -> None:
    """An upgrade: rows without an owner get their conversation's; those of conversations that are gone go, too."""
    world = worlds[0]
    tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
    before = fingerprint(world)
    with world.app.db.as_owner() as c:
        for table in tables:
            c.execute(f"DROP POLICY own_rows ON {table}")
            c.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
            c.execute(f"ALTER TABLE {table} DROP COLUMN user_id")
        c.execute("INSERT INTO checkpoint_blobs (thread_id, channel, version, type) VALUES ('gone', 'c', '1', 'empty')")
    Checkpoints.migrate(world.app.db.direct_conninfo)
    Checkpoints.migrate(world.app.db.direct_conninfo)
    assert not differences(before, fingerprint(world))
    with world.app.db.as_owner() as c:
        assert not c.execute("SELECT 1 FROM checkpoint_blobs WHERE thread_id = 'gone'").fetchone()
