"""`research` and its threads as a script sees them (section K, W1, W2, W6, W7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest

from policypal.application import intake, sample_documents
from policypal.application.container import local_analyst
from policypal.application.wiring import build_container
from policypal.config import Settings
from policypal.db import conversations as conversations_db
from policypal.db.embedded import EmbeddedPostgres
from tests.integration.test_cli_asking import CITATION, RESPONSE
from tests.support.cli import Cli, Outcome
from tests.support.timeouts import LONGEST_WAIT_SECONDS

CHAT = str(uuid4())
GOAL = "Compare what our regulators require for incident reporting"
CLEAR_GOAL = "Outsourcing rules of the last three years for our board meeting"
"""Says so much that planning asks only two questions."""
REPORT = {
    "id",
    "thread_id",
    "version",
    "title",
    "markdown",
    "sections",
    "citations",
    "sources",
    "contradictions",
    "issues",
}


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory, _no_keys_from_outside: None) -> Iterator[Cli]:
    """With the sample documents and one conversation of the chat."""
    folder = tmp_path_factory.mktemp("cli-research")
    server = EmbeddedPostgres(folder)
    server.start()
    app = build_container(Settings(data_dir=folder, _env_file=None), run_worker=True)
    user = local_analyst(app)
    intake.wait_until_final(
        app, user, [d.id for d in sample_documents.add_samples(app, user)], timeout_seconds=LONGEST_WAIT_SECONDS
    )
    conversations_db.create_conversation(app.db, user.id, CHAT)
    app.close()
    yield Cli(folder)
    server.stop()


@pytest.fixture(scope="module")
def auto(cli: Cli) -> Outcome:
    return cli.run("research", GOAL, "--mode", "auto", "--json")


def test_w1_an_auto_run_tells_its_steps_and_ends_with_a_verified_report(auto: Outcome) -> None:
    assert auto.code == 0, auto.stderr
    assert [line["type"] for line in auto.lines[:-1]] == ["status"] * (len(auto.lines) - 1)
    response = auto.last
    assert set(response) >= RESPONSE | {"research"}
    assert (response["type"], response["action"]) == ("response", "research")
    assert response["citations"]
    assert all(set(c) >= CITATION and c["verified"] for c in response["citations"])
    assert set(response["research"]) >= REPORT
    assert response["research"]["markdown"] == response["response"]
    statements = [s for section in response["research"]["sections"] for s in section["statements"]]
    assert statements
    assert all(s["verified"] for s in statements)
    assert "report" not in response


def test_w2_plan_mode_asks_shows_its_plan_and_then_reports(cli: Cli) -> None:
    """The whole way: questions one at a time, answered by label and in one's own words, then the plan with an edit."""
    asked = cli.run("research", CLEAR_GOAL, "--mode", "plan", "--json")
    questions: list[str] = []
    while asked.code == 3 and asked.last["interrupt_type"] == "plan_choice":
        value = asked.last["options"][0]["label"] if not questions else "Only what a small bank has to know"
        questions.append(asked.last["message"])
        asked = cli.run("resume", asked.last["thread_id"], "--type", "plan_choice", "--value", value, "--json")
    assert len(set(questions)) == len(questions) == 3
    assert (asked.code, asked.last["interrupt_type"]) == (3, "plan_approval")
    thread = asked.last["thread_id"]
    edited = json.dumps({"queries": ["outsourcing of critical functions"]})
    done = cli.run("resume", thread, "--type", "plan_approval", "--value", edited, "--json")
    assert (done.code, done.last["action"]) == (0, "research")


def test_g8_a_question_in_plain_text_says_how_to_cancel_it(cli: Cli) -> None:
    asked = cli.run("research", "Something about outsourcing", "--mode", "plan")
    command = asked.text.strip().splitlines()[-1].split("policypal ")[1]
    cancelled = cli.run(*command.split(), "--json")
    assert asked.code == 3
    assert (cancelled.code, cancelled.last["cancelled"]) == (0, True)
    assert "research" not in cancelled.last


def test_w7_a_killed_run_is_continued_to_its_report(cli: Cli) -> None:
    process = cli.start("research", "What do the rules say about record keeping?", "--json")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line).get("node") in ("outline", "write_section", "choose_sources"):
            break
    process.kill()
    _, remarks = process.communicate()
    lost = remarks.partition("resume ")[2].split()[0]
    continued = cli.run("resume", lost, "--json")
    assert continued.last["thread_id"] == lost
    assert (continued.code, continued.last["type"], continued.last["action"]) == (0, "response", "research")


def test_k_without_a_type_only_research_goes_on(cli: Cli) -> None:
    assert _refusal(cli.run("resume", CHAT, "--json")) == (1, "invalid_input")


def test_x4_a_goal_beyond_the_limit_is_a_typed_error(cli: Cli) -> None:
    assert _refusal(cli.run("research", "rules " * 20_000, "--json")) == (1, "invalid_input")


def _refusal(outcome: Outcome) -> tuple[int, str]:
    return outcome.code, outcome.last["code"]
