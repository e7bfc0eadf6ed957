"""Which files belong to the project, and how the architecture tests read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "policypal"
_FOLDERS = ("policypal", "pages", "tests", "docs", "benchmarks", "scripts", ".ci", ".streamlit")
_TEXT = {".py", ".md", ".toml", ".txt", ".sql", ".json", ".js", ".css", ".html", ".yml", ".yaml", ".cfg", ""}


def project_files() -> Iterator[Path]:
    """Every text file someone wrote for the project; no environment, cache or data folder."""
    for path in ROOT.iterdir():
        if path.is_file() and _is_text(path) and path.name != ".env":
            yield path
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and _is_text(path) and "__pycache__" not in path.parts and path.name != "secrets.toml":
                yield path


def _is_text(path: Path) -> bool:
    return path.suffix in _TEXT or path.name == ".env.example"


def interface_scripts() -> list[Path]:
    """The scripts Streamlit executes: the frame and the pages."""
    return [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


def product_modules() -> list[Path]:
    """Every Python file that runs in production."""
    return [*sorted(PACKAGE.rglob("*.py")), *(path for path in interface_scripts() if path.exists())]


def relative(path: Path) -> str:
    """The path as people name it, from the project's root."""
    return path.relative_to(ROOT).as_posix()


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=relative(path))


def imported_modules(tree: ast.AST) -> set[str]:
    """Absolute names of everything a tree imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names
