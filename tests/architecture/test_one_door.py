"""One door to the web: one function makes what may leave, and no provider takes anything else (X5)."""

from __future__ import annotations

import ast
from typing import get_type_hints

import pytest
from pydantic import SecretStr

from policypal.web.cached import CachedSearch
from policypal.web.counted import Asking, CountedSearch
from policypal.web.exa import ExaSearch
from policypal.web.meta_search import MetaSearch
from policypal.web.research import WebResearch
from policypal.web.search import PublicQuery, WebSearch
from policypal.web.tavily import TavilySearch
from tests.architecture.source_files import parsed, product_modules, relative

DOORS = [
    WebSearch.search, TavilySearch.search, ExaSearch.search, Asking.ask, CountedSearch.ask, CachedSearch.ask,
    MetaSearch.search_in_turn, MetaSearch.search, WebResearch.find,
]  # fmt: skip


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__qualname__)
def test_x5_whoever_searches_takes_public_queries_only(door: object) -> None:
    assert get_type_hints(door)["query"] is PublicQuery


def test_x5_the_filter_alone_makes_them() -> None:
    makers = {
        (relative(path), function.name)
        for path in product_modules()
        for function in ast.walk(parsed(path))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        if (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) == "PublicQuery"
    }
    assert makers == {("policypal/research/disclosure.py", "public_query")}


@pytest.mark.parametrize("provider", [TavilySearch, ExaSearch])
def test_x5_words_that_passed_no_filter_do_not_leave(provider: type[TavilySearch | ExaSearch]) -> None:
    with pytest.raises(AttributeError):
        provider(SecretStr("k"), "http://127.0.0.1:9").search("our secret", max_results=1)  # type: ignore[arg-type]
