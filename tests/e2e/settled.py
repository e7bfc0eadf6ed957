"""A page in the middle of a change shows some things twice: what it is to become, and what is not yet taken away.

Playwright waits until an element is there, is visible, has a text; an element that is there twice it refuses at once. Here that,
too, is waited for. A page that goes on showing two fails as before.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, Locator, LocatorAssertions, Page

from tests.support.timeouts import LONGEST_WAIT_SECONDS

_TWICE = "strict mode violation"
_OF_ONE = (
    "bounding_box", "check", "clear", "click", "evaluate", "fill", "focus", "get_attribute", "hover", "inner_text", "input_value",
    "is_checked", "is_disabled", "is_enabled", "is_visible", "press", "press_sequentially", "scroll_into_view_if_needed",
    "select_option", "set_input_files", "tap", "text_content", "type", "uncheck", "wait_for",
)  # fmt: skip


def wait_for_single_elements() -> None:
    """From now on, what is asked of one element waits until there is one."""
    for name in _OF_ONE:
        setattr(Locator, name, _patient(getattr(Locator, name)))
    for name in vars(LocatorAssertions):
        if name.startswith(("to_", "not_to_")):
            setattr(LocatorAssertions, name, _patient(getattr(LocatorAssertions, name)))


def wait_until(page: Page, condition: str) -> None:
    """Until an expression or function of JavaScript says yes. Playwright's own waiting evaluates strings inside the page, which the
    page's Content-Security-Policy refuses."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"never true: {condition}"
        time.sleep(0.05)


def _patient(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def ask(*args: Any, **options: Any) -> Any:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while True:
            try:
                return method(*args, **options)
            except (Error, AssertionError) as refused:
                if _TWICE not in str(refused) or time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    return ask
