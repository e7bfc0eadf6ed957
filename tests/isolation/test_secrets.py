"""X3: whatever fails, no secret stays behind: not in the log, not in an error, not in the database, not in a file."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from policypal.application import ask, conversations, doctor, intake
from policypal.application.container import Container
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.db.embedded import EmbeddedPostgres
from policypal.domain.documents import DocumentType
from policypal.domain.users import User
from policypal.errors import PolicyPalError
from tests.support.openai_server import API_KEY, OpenAIServer, rate_limited, server_error, unauthorized
from tests.support.pdf_factory import encrypted_pdf, text_pdf
from tests.support.storage_server import SERVICE_KEY, StorageServer, failing, problem
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.support.web_servers import EXA_KEY, TAVILY_KEY, TavilyServer
from tests.support.web_servers import failing as web_failing

SECRETS = {
    "openai_api_key": API_KEY,
    "tavily_api_key": TAVILY_KEY,
    "exa_api_key": EXA_KEY,
    "supabase_service_key": SERVICE_KEY,
}
DATABASE_PASSWORD = "the-database-password-0123456789"
FILE_PASSWORD = "the-file-password-0123456789"


class World:
    def __init__(self, app: Container, model: OpenAIServer, web: TavilyServer, storage: StorageServer) -> None:
        self.app, self.model, self.web, self.storage = app, model, web, storage
        self.user = User(str(uuid4()), "someone@example.org")
        users_db.ensure_user(app.db, self.user)
        self.errors: list[str] = []

    def attempt(self, call: Any) -> Any:
        try:
            return call()
        except PolicyPalError as error:
            chain, links = error, []
            while chain is not None:
                links.append(repr(chain))
                chain = chain.__cause__  # type: ignore[assignment]
            self.errors.append(f"{error.as_dict()} {links}")

    def say(self, message: str, *documents: str) -> None:
        thread = ask.new_thread_id()
        self.attempt(
            lambda: ask.send(self.app, self.user, thread, ask.Request(message=message, document_ids=documents))
        )
        self.errors.extend(
            repr(e) for e in ask.events(self.app, self.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS)
        )
        self.errors.append(repr(self.attempt(lambda: conversations.history(self.app, self.user, thread))))


@pytest.fixture
def world(tmp_path: Path, _no_keys_from_outside: None, caplog: pytest.LogCaptureFixture) -> Iterator[World]:
    """An application in which everything is configured, on a database that is reached with a password."""
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, "policypal")
    embedded = EmbeddedPostgres(tmp_path / "server")
    address = make_conninfo(embedded.start(), password=DATABASE_PASSWORD)
    with OpenAIServer() as model, TavilyServer() as web, StorageServer() as storage:
        settings = Settings(
            data_dir=tmp_path / "data", _env_file=None, database_url=address, openai_base_url=model.base_url,
            tavily_base_url=web.base_url, supabase_url=storage.url, exa_base_url="http://127.0.0.1:9", **SECRETS,  # type: ignore[arg-type]
        )  # fmt: skip
        started = build_container(settings, run_worker=False)
        yield World(started, model, web, storage)
        started.close()
    embedded.stop()


def _database(app: Container) -> str:
    """Everything in every table of the schema, the bytes as text."""
    told = io.StringIO()
    with app.db.as_owner() as c:
        tables = c.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'policypal'::regnamespace AND relkind = 'r'"
        ).fetchall()
        for table in tables:
            for row in c.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table["relname"]))).fetchall():
                told.write(" ".join(v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in row.values()))
    return told.getvalue()


def test_x3_no_failure_leaves_a_secret_behind(world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    app, user = world.app, world.user
    pdf = text_pdf([["Records must be kept for ten years."]])
    document = intake.add_document(app, user, intake.Upload("rule.pdf", pdf, DocumentType.REGULATORY, title="Rule"))
    locked = intake.add_document(
        app, user, intake.Upload("locked.pdf", encrypted_pdf(["Secret rule."], FILE_PASSWORD), DocumentType.REGULATORY)
    )
    app.ingestion.ingest(user.id, document.id)
    intake.unlock(app, user, locked.id, FILE_PASSWORD)
    world.attempt(lambda: intake.unlock(app, user, locked.id, f"{FILE_PASSWORD}-wrong"))
    world.say("How long must records be kept?", document.id)
    for number, behaviour in enumerate((unauthorized(), rate_limited(), server_error())):
        world.model.reset()
        world.model.script("Route", *[behaviour] * 4)
        world.say(f"How long must records be kept? {number}", document.id)
    world.web.script(*[web_failing(401)] * 3)
    world.say("What is the latest news on record keeping? @WebSearch", document.id)
    for behaviour in (failing(401), failing(500), problem("403", "Unauthorized", SERVICE_KEY)):
        world.storage.script(*[behaviour] * 3)
        world.attempt(lambda: app.files.get(document.storage_key))
        world.storage.scripts.clear()
    world.errors.append(repr(doctor.examine(app.settings)))
    world.errors.append(f"{app.settings!r} {app.settings.model_dump()} {app!r}")

    said = " ".join(world.errors)
    expected = ("model_authentication", "model_rate_limited", "web_", "storage_access", "storage", "password_required")
    assert not [code for code in expected if code not in said], "not everything failed that was meant to"
    assert len(caplog.records) > 3
    places = {
        "an error, an event or the doctor": said,
        "the log": caplog.text + " ".join(str(record.__dict__) for record in caplog.records),
        "the database": _database(app),
        "a file": " ".join(p.read_bytes().decode("latin-1") for p in (tmp_path / "data").rglob("*") if p.is_file()),
    }
    for place, text in places.items():
        for secret in (*SECRETS.values(), DATABASE_PASSWORD, FILE_PASSWORD):
            at = text.find(secret)
            assert at < 0, f"a secret is in {place}: …{text[max(0, at - 300) : at + 60]}…"


def test_x3_every_secret_setting_is_known_as_one() -> None:
    """Redaction works on ``Settings.secrets``: a secret that is not among them would pass."""
    held = {name for name, f in Settings.model_fields.items() if "SecretStr" in str(f.annotation)}
    given = {name: f"postgresql://{name}@host/x" for name in held}
    assert set(Settings(_env_file=None, **given).secrets) == set(given.values())  # type: ignore[arg-type]
    named = {n for n in Settings.model_fields if n.endswith(("_key", "_password", "_secret", "_token"))}
    assert named <= held
