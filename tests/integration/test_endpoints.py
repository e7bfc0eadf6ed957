"""Upload, ask and audit at an endpoint that has neither embeddings, nor a temperature, nor schemas (R3, R4b, issue 12 item 9)."""

from __future__ import annotations

from pathlib import Path

from policypal.application import components, usage
from policypal.application.container import local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import embeddings
from tests.integration.test_reembedding import until, vectors
from tests.support.conversation import Speaker, answered_by
from tests.support.documents import RECORDS_RULE
from tests.support.openai_server import OpenAIServer


def test_r3_an_endpoint_that_knows_less_than_openais_serves_every_action(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        server.has_embeddings = False
        server.rejected = ("temperature", "response_format", "max_tokens")
        settings = Settings(data_dir=tmp_path, _env_file=None, **server.overrides(models={"default": "local"}))
        app = build_container(settings, run_worker=True)
        try:
            speaker = Speaker(app, local_analyst(app), server)
            rule = speaker.add("Records Rule", RECORDS_RULE)
            assert vectors(app, speaker.user) == {"wordllama-256": rule.chunks}
            answer = speaker.anyway(speaker.say("How long must records be kept?", rule))
            assert answer.citations and answer.engine == "openai" and not answer.notices
            audit = answered_by(
                speaker.say("Audit this: we keep all of our records for two years.", rule, action="audit")
            )
            assert audit.report is not None
            use = {part.label: part for part in components.components(app)}
            assert "no embedding model called “text-embedding-3-small”" in use["Embeddings"].use
            assert not use["Embeddings"].is_set
            assert "No price is known of local" in use["Language model"].use
        finally:
            app.close()

        server.has_embeddings = True
        app = build_container(settings, run_worker=True)
        try:
            user = local_analyst(app)
            until(lambda: list(vectors(app, user)) == ["text-embedding-3-small"])
            assert usage.renewal(app, user) is None
            assert embeddings.kept_as(app.db, "text-embedding-3-small") == "text-embedding-3-small"
            assert embeddings.kept_as(app.db, "text-embedding") is None
        finally:
            app.close()

        unsure = Settings(data_dir=tmp_path, _env_file=None, **server.overrides())
    app = build_container(unsure, run_worker=False)  # the endpoint is gone: what it made stays
    try:
        assert app.embedder.model == "text-embedding-3-small"
        assert usage.renewal(app, user) is None
    finally:
        app.close()
