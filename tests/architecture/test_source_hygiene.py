"""Small promises about every file: no machine's paths, no drawer for odds and ends, secrets read in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.source_files import parsed, product_modules, project_files, relative

# Written with brackets so that this file does not match itself.
_MACHINE_PATH = re.compile(
    r"(?<![\w.:>/])/(?:[h]ome|[U]sers|[r]oot|[t]mp|[w]ork|[m]nt|var/[f]olders)/\w|[A-Z]:\\[U]sers\\"
)

# Why a module other than config.py may look at the environment. None of them keeps what it reads.
_ENVIRONMENT_READERS = {
    "policypal/application/wiring.py": "sets langgraph's strict deserialisation before importing it",
    "policypal/ingest/sandbox.py": "builds the child's environment from a short list without secrets",
    "policypal/llm/provider_access.py": "asks whether tracing has a key (M6); the value is never used",
}
_DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('open("/' + 'home/ada/policy.pdf")', True),
        ("data in /" + "tmp/x", True),
        ("see /" + "work/thing", True),
        ("https://example.org/" + "home/page", False),
        ("docs/" + "work/plan", False),
        ("/usr/bin/chromium", False),
    ],
)
def test_machine_paths_are_recognised(text: str, found: bool) -> None:
    assert bool(_MACHINE_PATH.search(text)) is found


def test_no_file_names_a_path_of_one_machine() -> None:
    files = list(project_files())
    assert len(files) > 20
    offenders = [
        f"{relative(path)}:{number}: {line.strip()[:100]}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _MACHINE_PATH.search(line)
    ]
    assert not offenders


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    assert not [relative(path) for path in product_modules() if path.stem in _DRAWERS]


_ENVIRONMENT_DOORS = {"environ", "environb", "getenv"}


def _is_environment_access(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "os" and bool({alias.name for alias in node.names} & _ENVIRONMENT_DOORS)
    if not (isinstance(node, ast.Attribute) and node.attr in _ENVIRONMENT_DOORS):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "os"


def _reads_environment(tree: ast.AST) -> bool:
    return any(_is_environment_access(node) for node in ast.walk(tree))


def _reads_streamlit_secrets(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "secrets"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"st", "streamlit"}
        for node in ast.walk(tree)
    )


def _modules_where(condition: Callable[[ast.AST], bool]) -> set[str]:
    return {relative(path) for path in product_modules() if condition(parsed(path))}


def test_x3_the_environment_is_read_in_one_place() -> None:
    assert _modules_where(_reads_environment) - {"policypal/config.py"} <= set(_ENVIRONMENT_READERS)


def test_x3_streamlit_secrets_are_read_in_one_place() -> None:
    assert _modules_where(_reads_streamlit_secrets) <= {"policypal/ui/deps.py"}


def test_x3_environment_reads_are_recognised() -> None:
    assert _reads_environment(ast.parse("import os\nkey = os.environ['KEY']"))
    assert _reads_environment(ast.parse("from os import getenv"))
    assert not _reads_environment(ast.parse("import os\nos.getpid()"))


def _line_counts() -> list[tuple[int, Path]]:
    return [(len(path.read_text(encoding="utf-8").splitlines()), path) for path in product_modules()]


def test_modules_have_one_subject() -> None:
    assert not [f"{relative(path)}: {lines} lines" for lines, path in _line_counts() if lines > 400]
