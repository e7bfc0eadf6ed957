"""Switching the embedding model re-embeds in the background, mixes nothing and loses nothing (R3)."""

from __future__ import annotations

import time
from pathlib import Path

from policypal.application.container import build_container, local_analyst
from policypal.config import Settings
from policypal.db import jobs as jobs_db
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.openai_server import OpenAIServer


def test_r3_a_new_provider_embeds_what_is_there(tmp_path: Path, model_server: OpenAIServer) -> None:
    keyless = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=True)
    user = local_analyst(keyless)
    document = add_text(keyless, user, "Records Rule", RECORDS_RULE)
    keyless.close()

    model_server.reset()
    settings = Settings(data_dir=tmp_path, _env_file=None, **model_server.overrides())
    keyed = build_container(settings, run_worker=True)
    try:
        deadline = time.monotonic() + 30
        while jobs_db.documents_without_vectors(keyed.db, "text-embedding-3-small") and time.monotonic() < deadline:
            time.sleep(0.1)
        with keyed.db.as_user(user.id) as c:
            rows = c.execute(
                "SELECT model, count(*) AS n, min(vector_dims(embedding)) AS dimensions FROM embeddings"
                " WHERE document_id = %s GROUP BY model ORDER BY model",
                (document.id,),
            ).fetchall()
        assert rows == [
            {"model": "text-embedding-3-small", "n": document.chunks, "dimensions": 1536},
            {"model": "wordllama-256", "n": document.chunks, "dimensions": 256},
        ]
        assert keyed.search.find(user.id, "customer records seven years")[0].similarity > 0
    finally:
        keyed.close()

    again = build_container(Settings(data_dir=tmp_path, _env_file=None), run_worker=False)
    try:
        assert again.search.find(user.id, "customer records seven years")[0].similarity > 0
    finally:
        again.close()
