"""What the browser tests rest on: an element that is there twice for a moment is waited for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Error, expect

from tests.e2e import settled

pytestmark = pytest.mark.e2e

_TWO = "<button id='old'>Save</button><button onclick='document.title = 1'>Save</button>"
_SOON_ONE = f"{_TWO}<script>setTimeout(() => document.querySelector('#old').remove(), 700)</script>"


def test_an_element_that_is_there_twice_for_a_moment_is_waited_for(browser: Browser) -> None:
    page = browser.new_page()
    save = page.get_by_role("button", name="Save")
    page.set_content(_SOON_ONE)
    expect(save).to_be_visible()
    page.set_content(_SOON_ONE)
    save.click()
    assert page.title() == "1"
    page.close()


def test_two_elements_that_stay_are_refused(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settled, "LONGEST_WAIT_SECONDS", 0.5)
    page = browser.new_page()
    page.set_content(_TWO)
    with pytest.raises(Error, match="strict mode violation"):
        page.get_by_role("button", name="Save").click()
    with pytest.raises(AssertionError, match="strict mode violation"):
        expect(page.get_by_role("button", name="Save")).to_be_visible()
    page.close()
