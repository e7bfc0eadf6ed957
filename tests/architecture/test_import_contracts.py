"""The import rule of the house holds, and the contracts that say so can fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source_files import PACKAGE, ROOT

_LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"

# One line that breaks each contract: file, import, and the words the contract is reported with.
_VIOLATIONS = [
    ("policypal/db/skips_up.py", "import policypal.application", "policypal.db is not allowed to import"),
    ("policypal/errors_user.py", "import policypal.errors", "- policypal.errors_user"),
    ("policypal/ui/thinks.py", "import policypal.graph.observe", "policypal.ui.thinks -> policypal.graph.observe"),
    ("policypal/cli/remembers.py", "import policypal.db.users", "policypal.cli.remembers -> policypal.db.users"),
    ("policypal/audit/shows.py", "import streamlit", "policypal.audit.shows -> streamlit"),
    ("policypal/audit/thinks.py", "import langgraph.graph", "policypal.audit.thinks -> langgraph"),
    ("policypal/graph/calls.py", "import langchain_openai", "policypal.graph.calls -> langchain_openai"),
    ("policypal/graph/searches.py", "import tavily", "policypal.graph.searches -> tavily"),
    ("policypal/application/logs_in.py", "import supabase", "policypal.application.logs_in -> supabase"),
    ("policypal/audit/queries.py", "import psycopg", "policypal.audit.queries -> psycopg"),
    ("policypal/graph/defers.py", "import procrastinate", "policypal.graph.defers -> procrastinate"),
]


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _LINT], cwd=folder, capture_output=True, text=True, timeout=120)


def test_import_rule_is_kept() -> None:
    checked = _lint_imports(ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "0 broken" in checked.stdout


def test_import_rule_catches_every_kind_of_violation(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "policypal", ignore=shutil.ignore_patterns("__pycache__", "pdf"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for file, line, _ in _VIOLATIONS:
        (tmp_path / file).write_text(line + "\n", encoding="utf-8")

    checked = _lint_imports(tmp_path)

    assert checked.returncode == 1, checked.stdout + checked.stderr
    missed = [words for _, _, words in _VIOLATIONS if words not in " ".join(checked.stdout.split())]
    assert not missed, checked.stdout


def _importable_without_interface() -> list[str]:
    """Every module below the interface. ``__main__`` is left out because importing it runs the command line."""
    modules = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[:2] != ("policypal", "ui") and parts[-1] != "__main__":
            modules.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return modules


@pytest.mark.parametrize("forbidden", ["streamlit"])
def test_everything_below_the_interface_imports_without_it(forbidden: str) -> None:
    modules = _importable_without_interface()
    assert "policypal.errors" in modules
    script = (
        "import importlib, json, sys\n"
        "for name in json.loads(sys.argv[1]): importlib.import_module(name)\n"
        f"sys.exit('loaded' if {forbidden!r} in sys.modules else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(modules)], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
