"""The grammar of the command line where one word decides what the others mean (section K)."""

from __future__ import annotations

import io
from pathlib import Path
from uuid import uuid4

import pytest

from policypal.cli import ingest
from policypal.cli.output import Output
from policypal.cli.parser import parse
from policypal.cli.research import edits
from policypal.domain.research import Plan, StepValues
from policypal.errors import InvalidInput

THREAD = str(uuid4())


@pytest.mark.parametrize(
    ("typed", "function"),
    [
        (["research", "Outsourcing rules"], "research:start"),
        (["research", "list of outsourcing rules"], "research:start"),
        (["research", "--mode", "plan", "list"], "research:start"),
        (["research", "list"], "research:list_threads"),
        (["--json", "research", "list"], "research:list_threads"),
        (["--data-dir", "x", "research", "list"], "research:list_threads"),
        (["--data-dir=x", "research", "show", THREAD], "research:show"),
        (["research", "fork", THREAD, "--checkpoint", "c"], "research:fork"),
        (["research", "export", THREAD, "--format", "md"], "research:export"),
        (["ask", "research", "--json"], "asking:ask"),
    ],
)
def test_k_the_word_after_research_is_a_command_or_the_goal(typed: list[str], function: str) -> None:
    assert parse(typed).command == function


@pytest.mark.parametrize(
    "typed",
    [
        ["ask", "research", "list"],
        ["research"],
        ["research", "show"],
        ["research", "fork", THREAD],
        ["research", "fork", THREAD, "--checkpoint", "c", "--set", "colour=red"],
        ["research", "fork", THREAD, "--checkpoint", "c", "--set", "goal"],
        ["research", "export", THREAD, "--format", "pdf"],
        ["research", "Goal", "--mode", "manual"],
    ],
)
def test_k_what_cannot_be_understood_exits_with_2(typed: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse(typed)
    assert stopped.value.code == 2


def test_k_edits_of_a_fork_keep_every_character_after_the_first_equals_sign() -> None:
    given = parse(
        ["research", "fork", THREAD, "--checkpoint", "c", "--set", 'plan={"goal": "a=b"}', "--set", "exclude=x"]
    )
    assert given.set == [("plan", '{"goal": "a=b"}'), ("exclude", "x")]


def test_k_a_run_can_be_resumed_with_or_without_a_type() -> None:
    assert parse(["resume", THREAD]).type is None
    assert parse(["resume", THREAD, "--type", "plan_choice", "--value", "1"]).value == ["1"]


PLAN = Plan(goal="Incidents", deliverable="A report", steps=["Read"], queries=["incident reporting"])
VALUES = StepValues(goal="Incidents", plan=PLAN, excluded=["left-out"])


def test_w6_an_edited_plan_keeps_what_was_not_edited() -> None:
    given = edits([("plan", '{"queries": ["incident deadlines"]}'), ("plan", '{"since": "2025-01-01"}')], VALUES)
    expected = PLAN.model_copy(update={"queries": ["incident deadlines"], "since": "2025-01-01"})
    assert given == {"plan": expected}


def test_w6_excluded_sources_are_added_to_those_of_the_step() -> None:
    assert edits([("exclude", "a"), ("exclude", "b")], VALUES) == {"excluded": ["left-out", "a", "b"]}
    assert edits([("goal", "Another goal")], VALUES) == {"goal": "Another goal"}


def test_w6_a_draft_is_a_text_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text("## Ü\n", encoding="utf-8")
    assert edits([("draft", f"@{file}")], VALUES) == {"draft": "## Ü\n"}
    assert edits([("draft", "## A")], VALUES) == {"draft": "## A"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("plan", "no JSON"),
        ("plan", "[]"),
        ("plan", '{"query": ["misspelt"]}'),
        ("plan", '{"queries": "not a list"}'),
        ("draft", "@no-such-file.md"),
        ("draft", "@."),
    ],
)
def test_x4_edits_that_cannot_be_understood_are_refused(key: str, value: str) -> None:
    with pytest.raises(InvalidInput):
        edits([(key, value)], VALUES)


def test_x4_a_plan_cannot_be_edited_before_there_is_one() -> None:
    with pytest.raises(InvalidInput):
        edits([("plan", "{}")], StepValues(goal="Incidents"))


def test_x6_a_pdf_password_need_not_stand_in_the_list_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    out = Output(told, json=False)
    monkeypatch.setattr("sys.stderr", told)
    monkeypatch.setattr("sys.stdin", io.StringIO("open sesame\nnext line\n"))
    asked = parse(["ingest", "a.pdf", "--type", "company", "--password", "-"])
    assert ingest._password(asked, out) == "open sesame"
    assert told.getvalue() == ""
    typed = parse(["ingest", "a.pdf", "--type", "company", "--password", "tiger"])
    assert ingest._password(typed, out) == "tiger"
    assert "--password -" in told.getvalue() and "tiger" not in told.getvalue()
