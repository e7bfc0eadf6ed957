"""`demo`, `ask`, `resume` and `audits` as a script sees them (section K, G7–G12, A8, R9)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from policypal.db.embedded import EmbeddedPostgres
from tests.support.cli import Cli, Outcome

RESPONSE = {
    "type", "response", "citations", "action", "inference_confidence", "retrieval_confidence", "confidence_score",
    "tokens_used", "cost_usd", "thread_id", "documents",
}  # fmt: skip
CITATION = {
    "id", "source_type", "title", "version", "page", "url", "quote", "verified", "document_id", "start", "end",
}  # fmt: skip
REPORT = {
    "id", "overall_status", "verdict", "judged", "obligations", "findings", "summary", "targets_checked",
    "themes_analyzed", "not_assessed",
}  # fmt: skip
FINDING = {
    "target_document", "theme", "severity", "consequence", "source_quote", "target_quote", "target_page", "suggestion",
    "confidence",
}  # fmt: skip
OBLIGATION = {"obligation", "page", "status", "policy_quote", "policy_page", "reason"}


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    folder = tmp_path_factory.mktemp("cli-asking")
    server = EmbeddedPostgres(folder)
    server.start()
    yield Cli(folder)
    server.stop()


@pytest.fixture(scope="module")
def demo(cli: Cli) -> Outcome:
    """The demonstration leaves a library behind in which the other tests ask."""
    return cli.run_cold("demo", "--json")


@pytest.fixture(scope="module")
def question(cli: Cli, demo: Outcome) -> Outcome:
    """The rules are not named, so PolicyPal has to ask."""
    return cli.run("ask", "Audit our policy", "--json")


def _responses(outcome: Outcome) -> list[dict[str, Any]]:
    return [line for line in outcome.lines if line["type"] == "response"]


def test_r9_the_demo_answers_a_question_and_audits_the_policy(demo: Outcome) -> None:
    answer, audit = _responses(demo)
    assert demo.code == 0
    assert "4 hours" in answer["response"]
    assert any(c["verified"] and c["page"] == 4 for c in answer["citations"])
    assert audit["report"]["findings"]


def test_k_a_response_carries_what_the_contract_lists(demo: Outcome) -> None:
    answer, audit = _responses(demo)
    for response in (answer, audit):
        assert set(response) >= RESPONSE
        assert all(set(c) >= CITATION for c in response["citations"])
        assert all(set(d) == {"id", "title"} for d in response["documents"])
    assert "report" not in answer
    assert set(audit["report"]) >= REPORT
    assert all(set(f) >= FINDING for f in audit["report"]["findings"])
    assert audit["coverage"]
    assert all(set(row) >= OBLIGATION for row in audit["coverage"])


def test_g12_statuses_come_first_and_one_event_ends_the_run(question: Outcome) -> None:
    kinds = [line["type"] for line in question.lines]
    assert kinds[:-1] == ["status"] * (len(kinds) - 1)
    assert len(kinds) > 2
    assert all({"node", "message"} <= set(line) for line in question.lines[:-1])


def test_k_an_interrupt_is_the_last_line_and_exits_with_3(question: Outcome) -> None:
    asked = question.last
    assert question.code == 3
    assert (asked["type"], asked["interrupt_type"], asked["allow_multiple"]) == ("interrupt", "doc_choice", True)
    assert {"message", "options", "expects", "thread_id"} <= set(asked)
    assert any("(2025)" in o["label"] for o in asked["options"])


def test_g9_a_pending_question_is_answered_once(cli: Cli, question: Outcome) -> None:
    """One thread: a new message while the question is open, its answer by an option's label, and the answer again."""
    thread = question.last["thread_id"]
    option = next(o for o in question.last["options"] if "(2025)" in o["label"])
    meanwhile = cli.run("ask", "What is new?", "--thread", thread, "--json")
    answered = cli.run("resume", thread, "--type", "doc_choice", "--value", option["label"], "--json")
    again = cli.run("resume", thread, "--type", "doc_choice", "--value", option["id"], "--json")
    assert (meanwhile.code, meanwhile.last["code"]) == (1, "question_pending")
    assert (answered.code, answered.last["type"], answered.last["action"]) == (0, "response", "audit")
    assert option["id"] in [d["id"] for d in answered.last["documents"]]
    assert (again.code, again.last["code"]) == (1, "no_pending_question")
    assert {line["thread_id"] for line in (meanwhile.last, answered.last, again.last)} == {thread}


def test_g8_a_question_in_plain_text_says_how_to_cancel_it(cli: Cli, demo: Outcome) -> None:
    asked = cli.run("ask", "Audit our policy")
    command = asked.text.strip().splitlines()[-1].split("policypal ")[1]
    cancelled = cli.run(*command.split(), "--json")
    assert asked.code == 3
    assert (cancelled.code, cancelled.last["type"], cancelled.last["cancelled"]) == (0, "response", True)


def test_k_ask_in_plain_text_shows_answer_and_sources_on_stdout_only(cli: Cli, demo: Outcome) -> None:
    outcome = cli.run("ask", "How soon must a major incident be notified?", "--doc", "Rulebook 2025", "--action", "inquire",
                      PYTHONIOENCODING="ascii")  # fmt: skip
    assert outcome.code == 0
    assert "4 hours" in outcome.text
    assert "Sources" in outcome.text
    assert "Retrieving passages" in outcome.stderr
    assert "Retrieving passages" not in outcome.text


def test_k_a_part_of_a_title_names_the_document_and_a_sentence_is_what_is_audited(cli: Cli, demo: Outcome) -> None:
    claim = "We share customer data with any partner who asks."
    outcome = cli.run("ask", claim, "--doc", "conduct rulebook", "--action", "audit", "--json")
    report = outcome.last["report"]
    assert outcome.code == 0
    assert (report["source_text"], report["focus"]) == (claim, "")
    assert [title[-6:] for title in report["targets_checked"]] == ["(2025)"], "of its editions the one in force"


def test_k_an_audit_needs_no_words(cli: Cli, demo: Outcome, tmp_path: Path) -> None:
    audited = cli.run(
        "audit", "--source", "Group Conduct", "--against", "Rulebook 2025", "--focus", "complaints", "--json"
    )
    report = audited.lines[-1]["report"]
    assert report["source_title"].startswith("Group Conduct") and report["focus"] == "complaints"
    told = cli.run("audit", "--source", "Group Conduct", "--against", "Rulebook 2025", "--estimate", "--json").lines[-1]
    assert told["obligations"] > 60 and (told["calls"], told["cost_usd"]) == (0, 0.0), "rules cost nothing"
    draft = tmp_path / "draft.txt"
    draft.write_text("We keep customer records for one year after the end of the relationship.")
    of_file = cli.run("audit", "--source", str(draft), "--against", "Rulebook 2025", "--json").lines[-1]
    assert of_file["report"]["source_title"] == "draft.txt"
    title = "Directive: We keep records for a year, and audit email"
    cli.run("ingest", str(draft), "--title", title, "--version", "2026", "--type", "regulatory", "--wait")
    against = cli.run("audit", "--source", "Group Conduct", "--against", title, "--json").lines[-1]["report"]
    assert against["source_title"].startswith("Group Conduct"), "a title's words are no text to audit"
    assert cli.run("audit", "--source", "No Such Policy", "--against", "Rulebook 2025", "--json").code == 1


def test_k_a_name_that_fits_nothing_lists_the_nearest_titles(cli: Cli, demo: Outcome) -> None:
    unknown = cli.run("ask", "What is new?", "--doc", "condukt rulebok", "--json")
    assert (unknown.code, unknown.last["code"]) == (1, "not_found")
    assert "Rulebook (2025)" in unknown.last["message"]


def test_g4_the_rulebook_is_the_edition_in_force_and_the_other_is_named(cli: Cli, demo: Outcome) -> None:
    outcome = cli.run("ask", "Summarize the rulebook", "--json")
    assert outcome.code == 0
    assert any("edition in force" in n and "(2023)" in n for n in outcome.last["notices"])


def test_g4_a_set_brings_its_documents(cli: Cli, demo: Outcome) -> None:
    outcome = cli.run("ask", "Compare the rules on personal data", "--set", "kessaria regulation", "--action", "compare",
                      "--json")  # fmt: skip
    assert outcome.code == 0
    assert len(outcome.last["documents"]) == 3


def test_x4_a_document_nobody_has_is_a_typed_error_with_the_thread(cli: Cli) -> None:
    thread = str(uuid4())
    outcome = cli.run("ask", "Summarize it", "--doc", "No Such Title", "--thread", thread, "--json")
    assert (outcome.code, outcome.last["type"], outcome.last["code"]) == (1, "error", "not_found")
    assert outcome.last["thread_id"] == thread


def test_a4_a_text_of_which_nothing_can_be_judged_is_told_so_everywhere(cli: Cli, demo: Outcome) -> None:
    asked = cli.run("ask", "Audit this text against Rulebook 2025: The weather is nice today.", "--json")
    report = asked.last["report"]
    assert (asked.code, report["overall_status"], report["judged"]) == (0, "Cannot be judged", 0)
    assert report["verdict"] == "Cannot be judged: nothing in the text concerns these rules"
    assert (asked.last["retrieval_confidence"], asked.last["confidence_score"]) == ("low", 0.0)
    shown = cli.run("audits", "show", report["id"])
    exported = cli.run("audits", "export", report["id"], "--format", "csv").stdout.decode("utf-8-sig")
    listed = next(line for line in cli.run("audits", "list", "--json").lines if line["id"] == report["id"])
    assert report["verdict"] in shown.text and report["verdict"] in exported
    assert (listed["overall_status"], listed["verdict"]) == ("Cannot be judged", "Cannot be judged")


def test_a8_the_exported_csv_is_what_the_report_shows(cli: Cli, demo: Outcome, tmp_path: Path) -> None:
    report = _responses(demo)[1]["report"]
    listed = cli.run("audits", "list", "--json")
    shown = cli.run("audits", "show", report["id"], "--json")
    exported = cli.run("audits", "export", report["id"], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(exported.stdout.decode("utf-8-sig"), newline="")))
    assert report["id"] in [line["id"] for line in listed.lines]
    assert exported.stdout.startswith(b"\xef\xbb\xbf")
    assert {r["Rule quote"] for r in rows} == {f["target_quote"] for f in report["findings"]}
    assert [(r["Severity"], r["Theme"]) for r in rows] == [(f["severity"], f["theme"]) for f in shown.last["findings"]]
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_a8_export_writes_the_named_file_and_refuses_what_is_not_there(cli: Cli, demo: Outcome, tmp_path: Path) -> None:
    report = _responses(demo)[1]["report"]
    book = tmp_path / "findings.xlsx"
    written = cli.run("audits", "export", report["id"], "--format", "xlsx", "-o", book)
    unknown = cli.run("audits", "export", "nonsense", "--format", "csv", "--json")
    assert (written.code, written.text) == (0, "")
    assert book.read_bytes().startswith(b"PK")
    assert (unknown.code, unknown.last["code"]) == (1, "not_found")


# What issue 3 ends with: an ambiguous request, its answer, and the answer once more


Rows = Callable[[str], dict[str, int]]


@pytest.fixture(scope="module")
def rows(cli: Cli, demo: Outcome) -> Iterator[Rows]:
    """How many rows the database keeps of a thread, by table."""
    tables = ("messages", "runs", "checkpoints", "checkpoint_writes", "interrupt_answers", "execution_traces")
    server = EmbeddedPostgres(cli.data_dir)
    with psycopg.connect(server.start(), options="-c search_path=policypal,public", autocommit=True) as c:

        def count(table: str, thread: str) -> int:
            row = c.execute(f"SELECT count(*) FROM {table} WHERE thread_id::text = %s", (thread,)).fetchone()
            return int(row[0]) if row else 0

        yield lambda thread: {table: count(table, thread) for table in tables}
    server.stop()


@pytest.fixture(scope="module")
def audited(cli: Cli, demo: Outcome) -> tuple[Outcome, Outcome]:
    asked = cli.run("ask", "Have a look at @Norhaven Policy @Rulebook 2025", "--json")
    return asked, cli.run("resume", asked.last["thread_id"], "--type", "action_choice", "--value", "audit", "--json")


def test_g2_an_unclear_message_exits_with_3_and_an_action_choice(audited: tuple[Outcome, Outcome]) -> None:
    asked, _ = audited
    assert asked.code == 3
    assert (asked.last["type"], asked.last["interrupt_type"]) == ("interrupt", "action_choice")
    assert {o["id"] for o in asked.last["options"]} == {"summarize", "inquire", "compare", "audit"}


def test_g9_the_chosen_action_is_carried_out_and_cannot_be_chosen_again(
    cli: Cli, audited: tuple[Outcome, Outcome], rows: Rows
) -> None:
    asked, answered = audited
    assert (answered.code, answered.last["type"], answered.last["action"]) == (0, "response", "audit")
    thread = asked.last["thread_id"]
    before = rows(thread)
    again = cli.run("resume", thread, "--type", "action_choice", "--value", "audit", "--json")
    assert (again.code, again.last["type"], again.last["code"]) == (1, "error", "no_pending_question")
    assert rows(thread) == before


def test_g9_answers_to_no_question_and_of_the_wrong_kind_change_nothing(cli: Cli, rows: Rows) -> None:
    unknown = cli.run("resume", str(uuid4()), "--type", "cancel", "--json")
    assert (unknown.code, unknown.last["code"]) == (1, "not_found")
    thread = cli.run("ask", "Have a look at @Norhaven Policy", "--json").last["thread_id"]
    before = rows(thread)
    for kind, value in (("action_choice", "explain"), ("text_input", "audit")):
        refused = cli.run("resume", thread, "--type", kind, "--value", value, "--json")
        assert (refused.code, refused.last["code"]) == (1, "invalid_input"), (kind, value)
        assert rows(thread) == before


def test_x4_a_message_beyond_the_limit_is_refused(cli: Cli, rows: Rows) -> None:
    """120 kB, because one argument of a command has at most 128 kB on Linux."""
    thread = str(uuid4())
    refused = cli.run("ask", "records " * 15_000, "--thread", thread, "--json")
    assert (refused.code, refused.last["code"]) == (1, "invalid_input")
    assert not any(rows(thread).values())
