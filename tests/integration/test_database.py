"""The database: migrations, roles and row-level security on a real PostgreSQL (R2, X1)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from policypal.application.container import Container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.db.embedded import connect
from policypal.db.migrate import migrate, migration_files
from policypal.db.pool import Database
from policypal.domain.users import Profile, User
from policypal.errors import ConfigurationError, DatabaseUnavailable

OWN_TABLES = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = 'policypal' AND c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_attribute a"
    " WHERE a.attrelid = c.oid AND a.attname IN ('user_id') AND NOT a.attisdropped)"
)


def test_r2_migrations_are_applied_once_even_by_concurrent_starts(app: Container) -> None:
    with psycopg.connect(app.db.direct_conninfo, autocommit=True) as c:
        c.execute("CREATE DATABASE concurrent")
    conninfo = psycopg.conninfo.make_conninfo(app.db.direct_conninfo, dbname="concurrent")
    with ThreadPoolExecutor(4) as pool:
        applied = [name for names in pool.map(migrate, [conninfo] * 4) for name in names]
    assert sorted(applied) == [name for name, _ in migration_files()]
    assert migrate(conninfo) == []


def test_r2_a_changed_migration_is_refused(app: Container) -> None:
    with psycopg.connect(app.db.direct_conninfo, autocommit=True) as c:
        c.execute("CREATE DATABASE changed")
    conninfo = psycopg.conninfo.make_conninfo(app.db.direct_conninfo, dbname="changed")
    migrate(conninfo)
    with psycopg.connect(conninfo) as c:
        c.execute("UPDATE policypal.migrations SET sha256 = 'other'")
    with pytest.raises(ConfigurationError, match="was changed"):
        migrate(conninfo)


def test_x1_the_application_role_is_neither_owner_nor_superuser(app: Container, user: User) -> None:
    with app.db.as_user(user.id) as c:
        row = c.execute(
            "SELECT current_user AS name, rolsuper, rolbypassrls, rolcanlogin,"
            " (SELECT count(*) FROM pg_class WHERE relowner = r.oid) AS owns FROM pg_roles r WHERE rolname = current_user"
        ).fetchone()
    assert row == {"name": "policypal_app", "rolsuper": False, "rolbypassrls": False, "rolcanlogin": False, "owns": 0}


def test_x1_every_table_with_a_user_has_row_level_security(app: Container) -> None:
    with app.db.as_owner() as c:
        tables = {r["relname"] for r in c.execute(OWN_TABLES).fetchall()}
        secured = c.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE c.relrowsecurity"
        ).fetchall()
    assert len(tables) >= 15
    assert tables <= {r["relname"] for r in secured}


def test_x1_rows_of_others_are_neither_seen_nor_written(app: Container, user: User) -> None:
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other)
    users_db.save_profile(app.db, other.id, Profile(company="Secret Ltd"))
    with app.db.as_user(user.id) as c:
        assert c.execute("SELECT count(*) AS n FROM profiles WHERE company = 'Secret Ltd'").fetchone() == {"n": 0}
        assert c.execute("UPDATE profiles SET company = 'x' WHERE user_id = %s", (other.id,)).rowcount == 0
    with pytest.raises(InsufficientPrivilege), app.db.as_user(user.id) as c:
        c.execute("INSERT INTO sets (user_id, name, colour) VALUES (%s, 'theirs', '#000000')", (other.id,))


def test_x1_a_transaction_without_a_user_sees_nothing(app: Container, user: User) -> None:
    with app.db.as_user("") as c:
        assert c.execute("SELECT count(*) AS n FROM users").fetchone() == {"n": 0}


def test_x1_the_role_and_user_do_not_outlive_the_transaction(app: Container, user: User) -> None:
    small = Database(app.db.conninfo, max_size=1)
    small.open()
    try:
        with small.as_user(user.id) as c:
            c.execute("SELECT 1")
        with small.as_owner() as c:
            row = c.execute("SELECT current_user AS role, current_setting('app.user_id', true) AS u").fetchone()
        assert row is not None
        assert row["role"] != "policypal_app"
        assert not row["u"]
    finally:
        small.close()


def test_x4_an_unreachable_server_is_a_typed_retryable_error() -> None:
    db = Database("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    with pytest.raises(DatabaseUnavailable) as caught:
        migrate(db.direct_conninfo)
    assert caught.value.retryable


def test_x3_a_malformed_address_is_refused_without_repeating_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url="not a database: pa$$word", _env_file=None)
    with pytest.raises(ConfigurationError) as caught:
        connect(settings, "test")
    assert "DATABASE_URL" in caught.value.message and "pa$$word" not in caught.value.message
