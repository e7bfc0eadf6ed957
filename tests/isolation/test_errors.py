"""X4: every failure has a title, a sentence for the person and a word on whether trying again helps."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import policypal
from policypal.errors import DuplicateDocument, PolicyPalError


def _import_everything() -> None:
    for module in pkgutil.walk_packages(policypal.__path__, "policypal."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _kinds(of: type[PolicyPalError] = PolicyPalError) -> Iterator[type[PolicyPalError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from _kinds(kind)


_import_everything()
KINDS = sorted({PolicyPalError, *_kinds()}, key=lambda kind: kind.__qualname__)


def _raised(kind: type[PolicyPalError]) -> PolicyPalError:
    return DuplicateDocument("id", "Records Rule") if kind is DuplicateDocument else kind()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__qualname__)
def test_x4_an_error_tells_a_person_what_happened_and_whether_to_try_again(kind: type[PolicyPalError]) -> None:
    error = _raised(kind)
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,40}", error.code)
    assert 5 <= len(error.title) <= 60 and error.title[0].isupper() and error.title[-1] not in ".!"
    assert 15 <= len(error.message) <= 300 and error.message[0].isupper() and error.message[-1] in ".”"
    assert "\n" not in error.message and "Traceback" not in error.message
    assert isinstance(error.retryable, bool)
    assert error.as_dict() == {
        "type": "error", "code": error.code, "title": error.title, "message": error.message, "retryable": error.retryable,
    }  # fmt: skip


@pytest.mark.parametrize("kind", [k for k in KINDS if k is not PolicyPalError], ids=lambda kind: kind.__qualname__)
def test_x4_an_error_says_more_than_that_something_went_wrong(kind: type[PolicyPalError]) -> None:
    assert kind.__doc__, "the docstring is the message"
    assert kind.title != PolicyPalError.title
    assert kind.code != PolicyPalError.code


def test_x4_programs_can_tell_the_errors_apart() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(codes) == len(set(codes))
