"""The grammar of the command line where one word decides what the others mean (section K)."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest

from policypal.cli import ingest
from policypal.cli.output import Output
from policypal.cli.parser import parse

THREAD = str(uuid4())


@pytest.mark.parametrize(
    ("typed", "function"),
    [
        (["research", "Outsourcing rules"], "asking:start"),
        (["research", "list of outsourcing rules"], "asking:start"),
        (["--data-dir", "x", "research", "list"], "asking:start"),
        (["ask", "research", "--json"], "asking:ask"),
    ],
)
def test_k_the_word_after_research_is_the_goal(typed: list[str], function: str) -> None:
    assert parse(typed).command == function


@pytest.mark.parametrize(
    "typed",
    [
        ["ask", "research", "list"],
        ["research"],
        ["research", "Goal", "--mode", "manual"],
    ],
)
def test_k_what_cannot_be_understood_exits_with_2(typed: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse(typed)
    assert stopped.value.code == 2


def test_k_a_run_can_be_resumed_with_or_without_a_type() -> None:
    assert parse(["resume", THREAD]).type is None
    assert parse(["resume", THREAD, "--type", "plan_choice", "--value", "1"]).value == ["1"]


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
