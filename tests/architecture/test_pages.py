"""``app.py`` and ``pages/`` are doors, not rooms: guard first, then one view (U1)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source_files import imported_modules, interface_scripts, parsed, relative

_MOST_LINES = 45
_GUARD = "require_user"
_SCRIPTS = interface_scripts()


def _is_guard(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (isinstance(called, ast.Name) and called.id == _GUARD) or (
        isinstance(called, ast.Attribute) and called.attr == _GUARD
    )


def _statements(tree: ast.Module) -> list[ast.stmt]:
    """What a page executes, leaving out its docstring and its imports."""
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    return [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]


def test_u1_there_is_a_frame_and_at_least_one_page() -> None:
    assert _SCRIPTS[0].is_file()
    assert len(_SCRIPTS) > 1


@pytest.mark.parametrize("script", _SCRIPTS, ids=relative)
def test_interface_scripts_import_only_streamlit_and_the_interface(script: Path) -> None:
    foreign = {
        name
        for name in imported_modules(parsed(script)) - {"__future__"}
        if name.split(".")[0] != "streamlit" and name != "policypal.ui" and not name.startswith("policypal.ui.")
    }
    assert not foreign


@pytest.mark.parametrize("script", _SCRIPTS[1:], ids=relative)
def test_pages_are_short(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) <= _MOST_LINES


@pytest.mark.parametrize("script", _SCRIPTS[1:], ids=relative)
def test_u1_every_page_begins_with_the_sign_in_guard(script: Path) -> None:
    """A direct URL can execute a page without ``app.py``, so a guard there alone is no guard."""
    first = _statements(parsed(script))[0]
    assert any(_is_guard(node) for node in ast.walk(first)), ast.unparse(first)
