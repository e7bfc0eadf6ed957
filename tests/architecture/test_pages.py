"""``app.py`` and ``pages/`` are entry_points, not rooms: guard first, then one view (U1)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source_files import PACKAGE, imported_modules, interface_scripts, parsed, relative

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


def _never_empty(body: ast.expr) -> bool:
    """Whether the fragment has characters of its own, whatever is put into it."""
    match body:
        case ast.Constant(value=str(written)):
            return bool(written.strip())
        case ast.JoinedStr(values=parts):
            return any(isinstance(part, ast.Constant) and _never_empty(part) for part in parts)
        case ast.BinOp(left=left, right=right):
            return _never_empty(left) or _never_empty(right)
        case ast.Name(id=name):
            return name.isupper()
    return False


def test_u2e_what_may_be_empty_is_shown_through_the_helper_that_skips_it() -> None:
    """``st.html("")`` raises, and takes whatever comes after it off the page."""
    calls = [
        (relative(module), node.lineno)
        for module in sorted((PACKAGE / "ui").rglob("*.py"))
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.html" and not _never_empty(node.args[0])
    ]
    assert [path for path, _ in calls] == ["policypal/ui/html.py"], calls
