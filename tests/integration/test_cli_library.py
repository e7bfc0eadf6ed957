"""`ingest`, `documents` and `search` as a script sees them (section K, D1, D5, D7)."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from policypal.cli.output import printable
from policypal.cli.parser import build_parser
from policypal.db.embedded import EmbeddedPostgres
from tests.support import pdf_factory
from tests.support.cli import PROJECT, Cli, Outcome
from tests.support.zip_factory import zipped

FIELDS = {
    "id", "title", "version", "type", "set", "aliases", "status", "reason", "pages", "pages_without_text", "chunks", "sha256",
}  # fmt: skip
RULES = pdf_factory.text_pdf(
    [
        ["Part 1 Incidents", "A bank must report every serious incident to the Authority within 24 hours."],
        ["Part 2 Records", "Customer records must be kept for at least seven years."],
    ]
)
PASSWORD = "open sesame"
SECRET = pdf_factory.encrypted_pdf(["The board meets every quarter in the green room."], PASSWORD)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A data folder whose server this process holds open too, as the app would while a command runs."""
    folder = tmp_path_factory.mktemp("cli-library")
    server = EmbeddedPostgres(folder)
    server.start()
    yield Cli(folder)
    server.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "deeper").mkdir()
    for name, data in {
        "a-rules.pdf": RULES,
        "b-copy.pdf": RULES,
        "c-empty.pdf": b"",
        "d-picture.pdf": PNG,
        "deeper/f-locked.pdf": SECRET,
        ".hidden.pdf": RULES,
    }.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def ingested(cli: Cli, folder: Path) -> Outcome:
    return cli.run("ingest", folder, folder / "missing.pdf", "--type", "regulatory", "--version", "2025", "--set", "Rules",
                   "--wait", "--json")  # fmt: skip


def test_k_ingest_wait_prints_one_line_per_file_in_its_final_state(ingested: Outcome) -> None:
    assert [line["status"] for line in ingested.lines] == ["ready", "duplicate", "failed", "failed", "failed", "failed"]
    assert all(set(line) == FIELDS for line in ingested.lines)


def test_k_ingest_wait_exits_with_1_after_doing_all_the_others(ingested: Outcome) -> None:
    ready = ingested.lines[0]
    assert ingested.code == 1
    assert (ready["version"], ready["type"], ready["set"]) == ("2025", "regulatory", "Rules")
    assert (ready["pages"], ready["pages_without_text"], ready["reason"]) == (2, 0, None)
    assert ready["chunks"] >= 2
    assert ready["sha256"] == hashlib.sha256(RULES).hexdigest()


def test_d7_what_cannot_be_read_is_said_per_file(ingested: Outcome) -> None:
    _, copy, empty, picture, locked, missing = ingested.lines
    assert copy["id"] == ingested.lines[0]["id"]
    assert "already in your library" in copy["reason"]
    assert "empty" in empty["reason"]
    assert "image" in picture["reason"]
    assert "password" in locked["reason"]
    assert "No such file" in missing["reason"]
    assert (empty["id"], missing["id"], missing["sha256"]) == (None, None, None)
    assert empty["sha256"] == hashlib.sha256(b"").hexdigest()


def test_d7_a_password_opens_the_file_that_was_refused_before(cli: Cli, folder: Path, ingested: Outcome) -> None:
    path = folder / "deeper/f-locked.pdf"
    wrong = cli.run("ingest", path, "--type", "company", "--password", "guess", "--wait", "--json")
    right = cli.run("ingest", path, "--type", "company", "--title", "Board Rules", "--alias", "BR", "--wait",
                    "--json", POLICYPAL_PDF_PASSWORD=PASSWORD)  # fmt: skip
    assert (wrong.code, wrong.last["status"], right.code, right.last["status"]) == (1, "failed", 0, "ready")
    assert right.last["title"] == "Board Rules"
    assert right.last["aliases"] == ["BR"]
    for outcome in (wrong, right):
        assert PASSWORD not in outcome.text + outcome.stderr


def test_k_documents_lists_the_same_records_and_accepts_the_data_folder_before_and_after(
    cli: Cli, ingested: Outcome
) -> None:
    elsewhere = cli.data_dir / "nowhere"
    before = cli.run("--data-dir", cli.data_dir, "documents", "--json", POLICYPAL_DATA_DIR=str(elsewhere))
    after = cli.run("documents", "--data-dir", cli.data_dir, POLICYPAL_DATA_DIR=str(elsewhere))
    assert before.code == after.code == 0
    assert ingested.lines[0] in before.lines
    assert f"{ingested.lines[0]['title']} (2025)" in after.text
    assert not elsewhere.exists()


def test_k_search_returns_ranked_passages_of_the_named_document(cli: Cli, ingested: Outcome) -> None:
    rules = ingested.lines[0]
    found = cli.run("search", "report serious incident to the Authority", "--doc", rules["id"], "-k", "1", "--json")
    (hit,) = found.lines
    assert set(hit) == {
        "rank", "document_id", "title", "version", "page", "start", "end", "text", "score", "similarity",
    }  # fmt: skip
    assert (found.code, hit["rank"], hit["document_id"], hit["page"]) == (0, 1, rules["id"], 1)
    assert "within 24 hours" in hit["text"]
    assert hit["end"] - hit["start"] == len(hit["text"])


def test_x4_an_unknown_document_is_a_typed_error_on_stdout_with_json_and_on_stderr_without(cli: Cli) -> None:
    typed = cli.run("search", "anything", "--doc", "No Such Title", "--json")
    plain = cli.run("search", "anything", "--doc", "No Such Title")
    assert (typed.code, plain.code) == (1, 1)
    assert set(typed.last) == {"type", "code", "title", "message", "retryable"}
    assert (typed.last["type"], typed.last["code"], typed.last["retryable"]) == ("error", "not_found", False)
    assert plain.text == ""
    assert "No Such Title" in plain.stderr


def test_k_a_title_for_several_files_is_a_wrong_command(cli: Cli, folder: Path) -> None:
    outcome = cli.run("ingest", folder, "--type", "company", "--title", "One")
    assert (outcome.code, outcome.text) == (2, "")
    assert "--title" in outcome.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["ingest", "a.pdf"],
        ["ingest", "a.pdf", "--type", "other"],
        ["ask"],
        ["ask", "hello", "--action", "guess"],
        ["ask", "hello", "--thread", "1; DROP TABLE"],
        ["search", "x", "-k", "0"],
        ["audits", "export", "x", "--format", "pdf"],
        ["research", "anything", "--mode", "guess"],
    ],
)
def test_k_a_wrong_command_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        build_parser().parse_args(arguments)
    assert end.value.code == 2


def test_k_the_grammar_loads_neither_database_nor_graph() -> None:
    code = "import sys; from policypal.cli import main\ntry: main(['--help'])\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "policypal" in loaded
    assert not loaded & {"pydantic", "psycopg", "langgraph", "langchain_core", "numpy", "streamlit"}


def test_x2_a_document_cannot_steer_the_terminal() -> None:
    assert printable("safe\x1b]0;owned\x07 text\n\tnext \u202egnp.exe") == "safe]0;owned text\n\tnext gnp.exe"


def test_d1_an_archive_gives_one_line_per_file_in_it(cli: Cli, tmp_path: Path) -> None:
    members = {"Rules/new.txt": b"A bank must review its rules every year.", "Rules/empty.txt": b"", ".DS_Store": b"x"}
    (tmp_path / "all.zip").write_bytes(zipped(members))
    outcome = cli.run("ingest", tmp_path / "all.zip", "--type", "company", "--wait", "--json")
    assert outcome.code == 1
    assert [(line["title"], line["status"]) for line in outcome.lines] == [("new", "ready"), ("empty", "failed")]
    assert all(set(line) == FIELDS for line in outcome.lines)
    titled = cli.run("ingest", tmp_path / "all.zip", "--type", "company", "--title", "One")
    assert (titled.code, titled.text) == (2, "")


def test_k_register_prints_and_writes_the_obligations_of_a_document(
    cli: Cli, ingested: Outcome, tmp_path: Path
) -> None:
    rules = ingested.lines[0]
    shown = cli.run("register", rules["id"], "--format", "json")
    first = shown.lines[0]
    told = (shown.code, first["kind"], first["party"], first["limits"])
    measured = {"limit": "at most 24 hours", "measures": "report every serious incident to the Authority"}
    assert told == (0, "obligation", "bank", [measured])
    written = cli.run("register", rules["id"], "--format", "csv", "-o", tmp_path / "register.csv")
    assert written.code == 0
    assert "within 24 hours" in (tmp_path / "register.csv").read_text(encoding="utf-8-sig")
    assert "within 24 hours" in cli.run("register", rules["id"]).text
    assert cli.run("register", "No such document").code == 1
