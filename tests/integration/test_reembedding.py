"""Switching the embedding model re-embeds in the background, mixes nothing and loses nothing (R3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from policypal.application import usage
from policypal.application.container import Container, local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.domain.users import User
from tests.support.documents import OTHER_RULE, RECORDS_RULE, add_text
from tests.support.openai_server import OpenAIServer

BUILT_IN, BOUGHT = "wordllama-256", "text-embedding-3-small"
QUESTION = "customer records seven years"


def vectors(app: Container, user: User) -> dict[str, int]:
    """How many vectors there are of each model."""
    with app.db.as_user(user.id) as c:
        rows = c.execute("SELECT model, count(*) AS n FROM embeddings GROUP BY model").fetchall()
    return {row["model"]: row["n"] for row in rows}


def serving(app: Container, user: User, ids: list[str] | None = None) -> tuple[str, bool]:
    found = app.search.serving(user.id, ids)
    return found.embedder.model, found.is_indexed


def until(is_so: Callable[[], bool]) -> None:
    """The worker stores the new vectors first and deletes the old ones in a second step."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_r3_the_old_index_serves_until_the_new_one_is_complete(tmp_path: Path, model_server: OpenAIServer) -> None:
    keyless = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=True)
    user = local_analyst(keyless)
    one = add_text(keyless, user, "Records Rule", RECORDS_RULE)
    two = add_text(keyless, user, "Complaints Rule", OTHER_RULE)
    before = [(h.passage.id, h.similarity) for h in keyless.search.find(user.id, QUESTION)]
    assert usage.renewal(keyless, user) is None
    keyless.close()

    model_server.reset()
    bought = Settings(data_dir=tmp_path, _env_file=None, **model_server.overrides())
    app = build_container(bought, run_worker=False)
    try:
        assert [(h.passage.id, h.similarity) for h in app.search.find(user.id, QUESTION)] == before
        state = usage.renewal(app, user)
        assert state is not None and (state.model, state.done, state.documents) == (BOUGHT, 0, 2)
        assert f"the index of {BUILT_IN}" in state.sentence

        app.ingestion.embed_again(user.id, one.id)
        assert serving(app, user) == (BUILT_IN, True)
        assert serving(app, user, [one.id]) == (BOUGHT, True), "a question about this document alone needs no other"
        assert [(h.passage.id, h.similarity) for h in app.search.find(user.id, QUESTION)] == before
        assert vectors(app, user) == {BUILT_IN: one.chunks + two.chunks, BOUGHT: one.chunks}

        app.ingestion.embed_again(user.id, two.id)
        assert usage.renewal(app, user) is None
        assert serving(app, user) == (BOUGHT, True)
        assert vectors(app, user) == {BOUGHT: one.chunks + two.chunks}, "the old vectors are deleted"
        app.ingestion.embed_again(user.id, two.id)
        assert vectors(app, user) == {BOUGHT: one.chunks + two.chunks}, "again changes nothing"
    finally:
        app.close()

    back = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=False)
    try:
        assert serving(back, user) == (BUILT_IN, False), "the bought vectors cannot be compared without the key"
        found = back.search.find(user.id, QUESTION)
        assert found[0].passage.id == before[0][0] and found[0].similarity > 0
        state = usage.renewal(back, user)
        assert state is not None and "the words of the passages" in state.sentence
    finally:
        back.close()


def test_r3_the_worker_renews_the_index_in_the_background(tmp_path: Path, model_server: OpenAIServer) -> None:
    model_server.reset()
    bought = Settings(data_dir=tmp_path, _env_file=None, **model_server.overrides())
    app = build_container(bought, run_worker=True)
    user = local_analyst(app)
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    assert vectors(app, user) == {BOUGHT: document.chunks}
    app.close()
    keyless = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=True)
    try:
        until(lambda: vectors(keyless, user) == {BUILT_IN: document.chunks})
        assert usage.renewal(keyless, user) is None
        assert serving(keyless, user) == (BUILT_IN, True)
    finally:
        keyless.close()
