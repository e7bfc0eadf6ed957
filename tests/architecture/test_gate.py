"""Only the gate makes supported statements (C2b)."""

from __future__ import annotations

import ast

from tests.architecture.source_files import parsed, product_modules, relative


def test_c2b_the_gate_alone_makes_supported_statements() -> None:
    makers = {
        relative(path)
        for path in product_modules()
        for node in ast.walk(parsed(path))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute) and _name(node.func) == "Supported")
        or (isinstance(node, ast.Name | ast.Attribute) and _name(node) == "_SEAL")
        or (isinstance(node, ast.ImportFrom) and any(alias.name == "_SEAL" for alias in node.names))
    }  # fmt: skip
    assert makers == {"policypal/gate/supported.py"}


def _name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr
