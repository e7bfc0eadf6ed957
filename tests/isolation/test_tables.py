"""X1: for every table there is, with the application's role: another person's rows are neither seen nor changed."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db.pool import Connection
from tests.isolation.world import World, build_world, owned_tables

ROLE = "policypal_app"

FUNCTIONS_OF_THE_OWNER = {
    "deleted_documents": "tells a person which of their own documents are deleted",
    "keep_unnamed_consumption": "adds up a person's own consumption while it is deleted",
    "spent_by_all": "one sum over all people, no row",
    "unpriced_tokens_of_all": "one sum over all people, no row",
    "web_searches_in": "one sum per provider over all people, no row",
}
"""Functions that read past row-level security, and why nobody's data leaves through them."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[tuple[World, World]]:
    app = build_container(Settings(data_dir=tmp_path_factory.mktemp("tables"), _env_file=None), run_worker=False)
    yield build_world(app), build_world(app)
    app.close()


def _all_relations(world: World) -> list[str]:
    with world.app.db.as_owner() as c:
        rows = c.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'policypal'::regnamespace"
            " AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1"
        ).fetchall()
    return [str(row["relname"]) for row in rows]


def _is_granted(c: Connection, table: str) -> bool:
    row = c.execute(
        "SELECT has_table_privilege(%s, %s, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"
        " OR has_any_column_privilege(%s, %s, 'SELECT, INSERT, UPDATE, REFERENCES') AS granted",
        (ROLE, f"policypal.{table}", ROLE, f"policypal.{table}"),
    ).fetchone()
    return bool(row and row["granted"])


def _owner_column(table: str) -> str:
    return "id" if table == "users" else "user_id"


def _statement(template: str, table: str) -> sql.Composed:
    return sql.SQL(template).format(t=sql.Identifier(table), owner=sql.Identifier(_owner_column(table)))  # type: ignore[arg-type]


def test_x1_every_table_is_closed_or_has_a_policy_on_its_owner(worlds: tuple[World, World]) -> None:
    open_tables = []
    with worlds[0].app.db.as_owner() as c:
        for table in _all_relations(worlds[0]):
            if not _is_granted(c, table):
                continue
            secured = c.execute(
                "SELECT relrowsecurity FROM pg_class WHERE oid = %s::regclass", (f"policypal.{table}",)
            ).fetchone()
            policies = c.execute(
                "SELECT qual, with_check FROM pg_policies WHERE schemaname = 'policypal' AND tablename = %s"
                " AND permissive = 'PERMISSIVE'", (table,),
            ).fetchall()  # fmt: skip
            by_owner = policies and all(_owner_column(table) in p["qual"] and p["with_check"] for p in policies)
            if not (secured and secured["relrowsecurity"] and by_owner):
                open_tables.append(table)
    assert not open_tables, (
        f"These tables can be used by {ROLE} without a policy on user_id (see migration 0001): {open_tables}"
    )


def test_x1_the_applications_role_can_do_nothing_else(worlds: tuple[World, World]) -> None:
    with worlds[0].app.db.as_owner() as c:
        role = c.execute("SELECT * FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone()
        memberships = c.execute(
            "SELECT 1 FROM pg_auth_members WHERE member = %s::regrole", (ROLE,)
        ).fetchall()  # fmt: skip
        owned = c.execute("SELECT relname FROM pg_class WHERE relowner = %s::regrole", (ROLE,)).fetchall()
        row = c.execute("SELECT has_schema_privilege(%s, 'policypal', 'CREATE') AS creates", (ROLE,)).fetchone()
        truncating = [t for t in _all_relations(worlds[0]) if _may_truncate(c, t)]
    assert role and not any(
        role[f"rol{power}"] for power in ("super", "bypassrls", "createrole", "createdb", "canlogin")
    )
    assert not memberships and not owned and not truncating
    assert row == {"creates": False}


def _may_truncate(c: Connection, table: str) -> bool:
    row = c.execute("SELECT has_table_privilege(%s, %s, 'TRUNCATE') AS may", (ROLE, f"policypal.{table}")).fetchone()
    return bool(row and row["may"])


def test_x1_functions_that_read_past_the_policies_are_known(worlds: tuple[World, World]) -> None:
    with worlds[0].app.db.as_owner() as c:
        rows = c.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'policypal'::regnamespace AND prosecdef"
        ).fetchall()
    assert {row["proname"] for row in rows} == set(FUNCTIONS_OF_THE_OWNER)
    assert all(any(s.startswith("search_path=") for s in row["proconfig"] or ()) for row in rows)


def test_x1_there_is_a_row_of_each_person_in_every_table_with_an_owner(worlds: tuple[World, World]) -> None:
    """Else the tests below would prove nothing for it: give tests/isolation/world.py a row in the new table."""
    with worlds[0].app.db.as_owner() as c:
        empty = [
            table for table in owned_tables(worlds[0].app) for world in worlds
            if not c.execute(_statement("SELECT 1 FROM {t} WHERE {owner} = %s LIMIT 1", table), (world.user.id,)).fetchone()
        ]  # fmt: skip
    assert not empty


def test_x1_nobody_sees_or_changes_the_rows_of_another(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    for table in ("users", *owned_tables(caller.app)):
        with caller.app.db.as_user(caller.user.id, with_deleted=True) as c:
            for template in (
                "SELECT 1 FROM {t} WHERE {owner} = %s",
                "SELECT 1 FROM {t} WHERE {owner} = %s FOR UPDATE",
                "UPDATE {t} SET {owner} = {owner} WHERE {owner} = %s",
                "DELETE FROM {t} WHERE {owner} = %s",
            ):
                done = c.execute(_statement(template, table), (victim.user.id,))
                assert done.rowcount == 0, f"{table}: {template}"
            everybody = c.execute(_statement("SELECT DISTINCT {owner} AS owner FROM {t}", table)).fetchall()
            assert {str(row["owner"]) for row in everybody} <= {caller.user.id}, table


def test_x1_nobody_writes_a_row_into_another_ones_name(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    for table in ("users", *owned_tables(caller.app)):
        with victim.app.db.as_owner() as c:
            c.execute(
                _statement("CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT * FROM {t} WHERE {owner} = %s", table),
                (victim.user.id,),
            )
            c.execute("GRANT SELECT ON copied TO policypal_app")
            c.execute(
                "SELECT set_config('role', %s, true), set_config('app.user_id', %s, true)", (ROLE, caller.user.id)
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege), c.transaction():
                c.execute(_statement("INSERT INTO {t} OVERRIDING SYSTEM VALUE SELECT * FROM copied", table))
            with pytest.raises(psycopg.errors.InsufficientPrivilege), c.transaction():
                c.execute(_statement("UPDATE {t} SET {owner} = %s", table), (victim.user.id,))


@pytest.mark.parametrize("user_id", ["", None])
def test_x1_without_a_user_there_are_no_rows(worlds: tuple[World, World], user_id: str | None) -> None:
    with worlds[0].app.db.as_owner() as c:
        c.execute("SELECT set_config('role', %s, true)", (ROLE,))
        if user_id is not None:
            c.execute("SELECT set_config('app.user_id', %s, true)", (user_id,))
        for table in ("users", *owned_tables(worlds[0].app)):
            assert not c.execute(_statement("SELECT 1 FROM {t}", table)).fetchall(), table


def test_x1_tables_without_an_owner_are_out_of_reach(worlds: tuple[World, World]) -> None:
    unowned = set(_all_relations(worlds[0])) - {"users", *owned_tables(worlds[0].app)}
    assert "installation" in unowned and "procrastinate_jobs" in unowned
    for table in unowned:
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            worlds[0].app.db.as_user(worlds[0].user.id) as c,
        ):
            c.execute(_statement("SELECT 1 FROM {t}", table))


def test_x1_a_document_cannot_name_a_file_of_another(worlds: tuple[World, World]) -> None:
    caller, victim = worlds
    for column in ("storage_key", "unlocked_key"):
        with pytest.raises(psycopg.errors.CheckViolation), caller.app.db.as_user(caller.user.id) as c:
            c.execute(
                sql.SQL("UPDATE documents SET {} = %s WHERE id = %s").format(sql.Identifier(column)),
                (victim.document.storage_key, caller.document.id),
            )
