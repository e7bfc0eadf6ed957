"""All of one person's data is deleted, and nothing of anybody else's; and it can be taken along (U9, X1)."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from uuid import uuid4

import pytest

from policypal.application import ask, budget, conversations, feedback, library, personal_data, profile, research, usage
from policypal.application.ask import Request
from policypal.application.container import Container
from policypal.db import usage as usage_db
from policypal.db import users as users_db
from policypal.db import web_cache, web_usage
from policypal.domain.conversations import Action
from policypal.domain.documents import DocumentType
from policypal.domain.usage import ModelCall, Usage
from policypal.domain.users import Profile, User
from policypal.errors import NotFound, RunInProgress, StorageError
from tests.support.conversation import Speaker, answered_by
from tests.support.openai_server import OpenAIServer, hangs
from tests.support.timeouts import LONGEST_WAIT_SECONDS

RULES = """Records Rules
1. A bank must keep transaction records for at least seven years.
2. A bank must report a loss of records to the supervisor within 3 days."""
POLICY = "Our bank keeps transaction records for two years. A loss of records is reported within 3 days."


@pytest.fixture
def two(app: Container) -> tuple[Speaker, Speaker]:
    """Two people who have used everything."""
    one, other = (Speaker(app, _someone(app)) for _ in range(2))
    for speaker in (one, other):
        _use_everything(speaker)
    return one, other


def _someone(app: Container) -> User:
    user = User(id=str(uuid4()), email="someone@example.org")
    users_db.ensure_user(app.db, user)
    return user


def _use_everything(speaker: Speaker) -> None:
    app, user = speaker.app, speaker.user
    profile.save(app, user, Profile("Kinara Bank", "Malaysia", "Banking", "Payments", asked=True))
    budget.save(app, user, Decimal(5), continue_without_model=True)
    rules = speaker.add("Records Rules", RULES, set_name="Rules")
    policy = speaker.add("Records Policy", POLICY, type=DocumentType.COMPANY)
    thread = ask.new_thread_id()
    answered_by(speaker.say("Audit the policy", policy, rules, thread=thread, action="audit"))
    question = speaker.say("Summarize", action="summarize")
    speaker.cancel(question)
    answer = next(m for m in speaker.history(thread) if m.role == "assistant")
    feedback.give(app, user, answer.id, helpful=True)
    call = ModelCall("answer", "openai", "gpt-4o", "1", Usage(1000, 100, Decimal("0.25")), 1.0)
    usage_db.add_usage(app.db, user.id, call, thread_id=thread, run_id=None)
    web_usage.claim_search(app.db, user.id, "tavily", 1_000_000)
    web_cache.keep_hits(app.db, user.id, "key", [], 3600)
    web_cache.keep_page(app.db, user.id, "key", {}, 3600)
    report = research.start(app, user, "How long must customer records be kept?", idempotency_key="one click")
    list(research.events(app, user, report, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert research.reports(app, user, report)


def _rows(app: Container, user: User) -> dict[str, int]:
    """How many rows of the user every table holds that knows users."""
    with app.db.as_owner() as c:
        tables = c.execute(
            "SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables"
            " USING (table_schema, table_name) WHERE table_schema = 'policypal' AND column_name = 'user_id'"
            " AND table_type = 'BASE TABLE' ORDER BY 1"
        ).fetchall()
        counts = {}
        for table in [row["name"] for row in tables]:
            row = c.execute(f"SELECT count(*) AS n FROM {table} WHERE user_id = %s", (user.id,)).fetchone()
            assert row is not None
            counts[table] = row["n"]
        for what, sql in (
            ("users", "SELECT count(*) AS n FROM users WHERE id::text = %s"),
            ("jobs", "SELECT count(*) AS n FROM procrastinate_jobs WHERE args ->> 'user_id' = %s"),
        ):
            row = c.execute(sql, (user.id,)).fetchone()
            assert row is not None
            counts[what] = row["n"]
    return counts


def _files(app: Container, user: User) -> list[str]:
    return [f.key for f in app.files.files() if f.key.startswith(user.id)]


def test_u9_everything_of_one_user_goes_and_nothing_of_the_other(two: tuple[Speaker, Speaker]) -> None:
    one, other = two
    app = one.app
    before, kept = _rows(app, one.user), (_rows(app, other.user), _files(app, other.user))
    used = {table for table, n in before.items() if n}
    assert {"documents", "chunks", "conversations", "messages", "checkpoints", "execution_traces", "audit_reports",
            "findings", "profiles", "budgets", "usage", "web_usage", "web_search_cache", "web_page_cache", "research_threads", "research_reports", "message_feedback", "sets", "users"} <= used  # fmt: skip
    assert _files(app, one.user)

    removed = personal_data.delete_everything(app, one.user)

    assert (removed.documents, removed.conversations, removed.reports, removed.files) == (2, 2, 2, ())
    assert {table: n for table, n in _rows(app, one.user).items() if n} == {}
    assert _files(app, one.user) == []
    assert (_rows(app, other.user), _files(app, other.user)) == kept
    assert library.list_documents(app, other.user)


def test_u9_afterwards_it_is_a_first_start(two: tuple[Speaker, Speaker]) -> None:
    one, _ = two
    personal_data.delete_everything(one.app, one.user)
    users_db.ensure_user(one.app.db, one.user)
    assert not profile.load(one.app, one.user).asked
    assert budget.load(one.app, one.user).own_usd is None
    assert usage.by_day(one.app, one.user) == []
    answered_by(one.say("How long are records kept?", one.add("Records Rules", RULES), action="inquire"))


def test_u9_deleting_twice_is_harmless(two: tuple[Speaker, Speaker]) -> None:
    one, _ = two
    personal_data.delete_everything(one.app, one.user)
    assert personal_data.delete_everything(one.app, one.user).documents == 0


def test_u9_deleting_refills_neither_the_budget_nor_the_quota(two: tuple[Speaker, Speaker]) -> None:
    one, other = two
    app = one.app
    spent = usage_db.load_budget(app.db, other.user.id, Decimal(100)).spent_by_all_usd
    searches = web_usage.searches_this_month(app.db, other.user.id)
    personal_data.delete_everything(app, one.user)
    assert usage_db.load_budget(app.db, other.user.id, Decimal(100)).spent_by_all_usd == spent
    assert web_usage.searches_this_month(app.db, other.user.id) == searches


def test_u9_documents_that_were_deleted_before_go_too(two: tuple[Speaker, Speaker]) -> None:
    one, _ = two
    library.delete(one.app, one.user, library.list_documents(one.app, one.user)[0].id)
    personal_data.delete_everything(one.app, one.user)
    assert _files(one.app, one.user) == [] and _rows(one.app, one.user)["documents"] == 0


def test_u9_documents_that_are_being_read_go_too(app: Container) -> None:
    one = Speaker(app, _someone(app))
    from policypal.application.intake import Upload, add_document

    for number in range(6):
        text = "\n\n".join(f"{number}.{i} A bank must keep record {i} for seven years." for i in range(400))
        add_document(app, one.user, Upload(f"{number}.txt", text.encode(), DocumentType.REGULATORY, title=str(number)))
    personal_data.delete_everything(app, one.user)
    deadline = time.monotonic() + 30
    while _rows(app, one.user)["jobs"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert {table: n for table, n in _rows(app, one.user).items() if n} == {}
    assert _files(app, one.user) == []


def test_u9_an_answer_at_work_is_stopped_first(model_app: Container, model_server: OpenAIServer) -> None:
    model_server.reset()
    one = Speaker(model_app, _someone(model_app), model_server)
    rules = one.add("Records Rules", RULES)
    model_server.script("Answer", hangs(30))
    thread = ask.new_thread_id()
    request = Request(message="How long are records kept?", document_ids=(rules.id,), action=Action.INQUIRE)
    ask.send(model_app, one.user, thread, request)
    time.sleep(0.2)
    personal_data.delete_everything(model_app, one.user)
    assert {table: n for table, n in _rows(model_app, one.user).items() if n} == {}
    assert list(ask.events(model_app, one.user, thread, timeout_seconds=1)) == []
    with pytest.raises(NotFound):
        conversations.history(model_app, one.user, thread)


def test_u9_nothing_is_deleted_while_an_answer_does_not_stop(
    two: tuple[Speaker, Speaker], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = two
    monkeypatch.setattr(personal_data, "STOP_SECONDS", 0.3)
    thread = conversations.list_conversations(one.app, one.user)[0].thread_id
    with one.app.db.as_user(one.user.id) as c:  # of another machine, where nobody knows whether it is alive
        c.execute(
            "INSERT INTO runs (run_id, user_id, thread_id, status, owner) VALUES (%s, %s, %s, 'running', 'elsewhere:1:1:x')",
            (str(uuid4()), one.user.id, thread),
        )
    before = _rows(one.app, one.user)
    with pytest.raises(RunInProgress):
        personal_data.delete_everything(one.app, one.user)
    assert _rows(one.app, one.user) == before


def test_r5_files_the_store_keeps_are_named_and_the_rest_is_gone(
    two: tuple[Speaker, Speaker], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = two
    files = _files(one.app, one.user)
    really_delete = one.app.files.delete

    def delete(key: str) -> None:
        if key == files[0]:
            raise StorageError
        really_delete(key)

    monkeypatch.setattr(one.app.files, "delete", delete)
    assert personal_data.delete_everything(one.app, one.user).files == (files[0],)
    assert _files(one.app, one.user) == [files[0]]
    assert _rows(one.app, one.user)["documents"] == 0


@pytest.fixture
def archive(two: tuple[Speaker, Speaker]) -> Iterator[zipfile.ZipFile]:
    one, _ = two
    with zipfile.ZipFile(io.BytesIO(personal_data.export_everything(one.app, one.user))) as opened:
        yield opened


def test_u9_the_export_holds_profile_library_conversations_and_findings(archive: zipfile.ZipFile) -> None:
    names = archive.namelist()
    assert {"profile.json", "documents.csv", "usage.csv"} <= set(names)
    assert json.loads(archive.read("profile.json"))["company"] == "Kinara Bank"
    library_rows = list(csv.DictReader(io.StringIO(archive.read("documents.csv").decode("utf-8-sig"))))
    assert {row["title"] for row in library_rows} == {"Records Rules", "Records Policy"}
    (findings,) = [n for n in names if n.startswith("audits/")]
    assert "seven years" in archive.read(findings).decode("utf-8-sig")
    told = [archive.read(n).decode() for n in names if n.startswith("conversations/")]
    assert any(n.startswith("research/001-") and n.endswith("-v1.md") for n in names)
    assert len(told) == 2 and any("Audit the policy" in t for t in told)


def test_u9_the_export_names_no_folder_of_its_own_making(archive: zipfile.ZipFile) -> None:
    assert all(name.count("/") <= 1 and ".." not in name and name.isascii() for name in archive.namelist())


def test_u9_usage_is_exported_by_day_and_model(app: Container, user: User) -> None:
    for model, dollars in (("gpt-4o", "0.5"), ("gpt-4o", "0.25"), ("=cmd|local", "0")):
        call = ModelCall("answer", "openai", model, "1", Usage(1000, 100, Decimal(dollars)), 1.0)
        usage_db.add_usage(app.db, user.id, call, thread_id=None, run_id=None)
    rows = list(csv.DictReader(io.StringIO(usage.export_csv(app, user).decode("utf-8-sig"))))
    assert [(r["model"], r["calls"], r["input_tokens"]) for r in rows] == [
        ("'=cmd|local", "1", "1000"),
        ("gpt-4o", "2", "2000"),
    ]
    assert Decimal(rows[1]["cost_usd"]) == Decimal("0.75")
    assert usage.this_month(app, user).calls == 3
