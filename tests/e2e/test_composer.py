"""The message field in a real browser (U3): tags, keys, delivery, drafts. The page is ``apps/composer_app.py``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.architecture.source_files import ROOT

pytestmark = pytest.mark.e2e

_APP = ROOT / "tests/e2e/apps/composer_app.py"
_BUNDLE = ROOT / "policypal/ui/composer_bundle"
_WAIT = 15_000
_RESENT = 25_000


@pytest.fixture(scope="module")
def composer_url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The test page, served; asked for after the browser, so that it is not started in vain."""
    log = tmp_path_factory.mktemp("composer") / "log"
    command = [sys.executable, "-m", "streamlit", "run", str(_APP), "--server.port", "0", "--server.headless", "true"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=output, stderr=output)
    try:
        yield _address(log, process)
    finally:
        process.terminate()
        process.wait(20)
    assert "Traceback" not in log.read_text(encoding="utf-8", errors="replace")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://localhost:[1-9]\d*", log.read_text(encoding="utf-8", errors="replace")):
            with urllib.request.urlopen(f"{found[0]}/_stcore/health", timeout=10):
                return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"the page did not start:\n{log.read_text(errors='replace')[-3000:]}")


def _opened(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **options})
    page = context.new_page()
    page.set_default_timeout(_WAIT)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(url)
    expect(_field(page)).to_be_visible(timeout=_WAIT)
    yield page
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert failures == []
    context.close()


@pytest.fixture
def page(browser: Browser, composer_url: str) -> Iterator[Page]:
    yield from _opened(browser, composer_url)


@pytest.fixture
def phone(browser: Browser, composer_url: str) -> Iterator[Page]:
    yield from _opened(
        browser, composer_url, viewport={"width": 390, "height": 780}, has_touch=True, color_scheme="dark"
    )


def _field(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Message")


def _list(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Suggestions")


def _options(page: Page) -> Locator:
    return _list(page).get_by_role("option")


def _selected(page: Page) -> Locator:
    return _list(page).locator('[aria-selected="true"]')


def _pills(page: Page) -> Locator:
    return _field(page).locator(".ppc-pill")


def _write(page: Page, text: str) -> None:
    _field(page).click()
    page.keyboard.type(text)


def _tag(page: Page, query: str, label: str) -> None:
    page.keyboard.type(f"@{query}")
    expect(_selected(page)).to_contain_text(label)
    page.keyboard.press("Enter")


def _sent(page: Page, count: int, timeout: int = _WAIT) -> list[dict[str, Any]]:
    """What Python has read, when it has read ``count`` messages."""
    shown = page.get_by_text("sent: ")
    expect(shown).to_contain_text(re.compile(r'(?:"text"[\s\S]*){' + str(count) + "}"), timeout=timeout)
    sent = json.loads(shown.inner_text().removeprefix("sent: "))
    assert len(sent) == count
    return list(sent)


def _content(page: Page) -> list[dict[str, Any]]:
    return list(json.loads(page.get_by_text("json: ").inner_text().removeprefix("json: ")))


def _switch(page: Page, label: str) -> None:
    """Use a checkbox or button without taking the focus away from the message."""
    page.evaluate(
        """label => {
            const named = [...document.querySelectorAll('label, button')].find(e => e.innerText.trim() === label);
            (named.querySelector('input') ?? named).click();
        }""",
        label,
    )


def _polls(page: Page) -> int:
    return int(page.get_by_text(re.compile(r"^polls: \d+$")).inner_text().split()[1])


def test_u3_at_opens_the_four_sections_and_typing_filters_across_spaces(page: Page) -> None:
    _write(page, "@")
    expect(_list(page).get_by_role("group")).to_have_count(4)
    titles = _list(page).locator(".ppc-group-title").all_inner_texts()
    assert titles == ["⚡ Actions", "📁 Sets", "📄 Documents", "🌐 Web Search"]
    assert 40 <= _options(page).count() <= 50
    expect(_list(page)).to_contain_text(re.compile(r"4\d\d more"))

    page.keyboard.type("bank neg")
    expect(_options(page)).to_have_count(3)
    page.keyboard.type("ara rulebook 2025")
    expect(_options(page)).to_have_count(1)
    expect(_selected(page)).to_contain_text("Regulatory, v2025")
    page.keyboard.press("Enter")
    expect(_pills(page)).to_have_text(re.compile("Bank Negara Rulebook 2025"))
    expect(_list(page)).to_be_hidden()

    page.keyboard.type("mail a@bank.example and ")
    expect(_list(page)).to_be_hidden()


def test_u3_websearch_and_accents_are_found(page: Page) -> None:
    _write(page, "")
    _tag(page, "websearch", "Web Search")
    _tag(page, "trèasury", "Treasury")
    page.keyboard.press("Enter")
    sent = _sent(page, 1)[0]
    assert (sent["web"], sent["documents"]) == (True, ["d-6"])


def test_u3_arrows_move_tab_takes_escape_closes_and_backspace_removes_a_pill(page: Page) -> None:
    _write(page, "@bank")
    expect(_selected(page)).to_contain_text("2 documents")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(_selected(page)).to_contain_text("v2025")
    page.keyboard.press("ArrowUp")
    expect(_selected(page)).to_contain_text("v2024")
    page.keyboard.press("Tab")
    expect(_pills(page)).to_have_count(1)
    expect(_field(page)).to_be_focused()

    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(_pills(page)).to_have_count(0)

    page.keyboard.type("@sum")
    expect(_list(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(_list(page)).to_be_hidden()
    page.keyboard.type("m")
    expect(_list(page)).to_be_hidden()
    expect(_field(page)).to_have_text("@summ")


def test_u3_combobox_and_listbox_are_connected_for_screen_readers(page: Page) -> None:
    field = _field(page)
    expect(field).to_have_attribute("aria-expanded", "false")
    _write(page, "@com")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(field).to_have_attribute("aria-controls", str(_list(page).get_attribute("id")))
    expect(field).to_have_attribute("aria-activedescendant", str(_selected(page).get_attribute("id")))
    group = _list(page).get_by_role("group").first
    assert page.locator(f"#{group.get_attribute('aria-labelledby')}").inner_text() == "⚡ Actions"
    expect(page.locator(".ppc-announcer")).to_have_text("1 suggestion")
    page.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    assert field.get_attribute("aria-activedescendant") is None


def test_u3_enter_sends_tiptap_json_once_and_clears(page: Page) -> None:
    _write(page, "")
    _tag(page, "comp", "Compare")
    _tag(page, "bank negara rulebook 2024", "v2024")
    page.keyboard.type("with ")
    _tag(page, "our aml", "Our AML Policy v3")
    _tag(page, "iso", "ISO 27001")
    page.keyboard.type("on retention")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")

    sent = _sent(page, 1)[0]
    assert sent["text"] == "@Compare @Bank Negara Rulebook 2024 with @Our AML Policy v3 @ISO 27001 on retention"
    assert sent["query"] == "with on retention"
    assert (sent["action"], sent["documents"], sent["sets"], sent["web"]) == (
        "compare",
        ["d-1", "d-3"],
        ["set-2"],
        False,
    )
    expect(_field(page)).to_have_text("")
    expect(_field(page)).to_be_focused()
    nodes = _content(page)[0]["content"][0]["content"]
    mentions = [node["attrs"] for node in nodes if node["type"] == "mention"]
    assert mentions[1] == {"id": "d-1", "label": "Bank Negara Rulebook 2024", "category": "document"}

    page.wait_for_timeout(7_000)  # longer than the browser waits before it would send again
    _sent(page, 1)


def test_u3_shift_enter_breaks_the_line_and_ctrl_enter_sends(page: Page) -> None:
    _write(page, "first")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    page.keyboard.press("Control+Enter")
    assert _sent(page, 1)[0]["text"] == "first\nsecond"
    page.keyboard.type("third")
    page.get_by_role("button", name="Send").click()
    assert [s["text"] for s in _sent(page, 2)] == ["first\nsecond", "third"]


def test_u3_typed_titles_become_tags_when_sent(page: Page) -> None:
    """Somebody who knows the title need not use the list."""
    _write(page, "@our aml policy v3, explain")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    sent = _sent(page, 1)[0]
    assert (sent["documents"], sent["query"]) == (["d-3"], "explain")


def test_u3_five_documents_are_the_limit(page: Page) -> None:
    status = page.locator(".ppc-status")
    _write(page, "")
    for number in range(5):
        _tag(page, f"circular 00{number}", f"Circular 00{number}")
        expect(status).to_contain_text(f"{number + 1} of 5 documents")
    page.keyboard.type("@circular 005")
    expect(_options(page)).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("Max 5 documents per query")
    expect(_pills(page)).to_have_count(5)

    # typed out, the sixth is found when it is sent; nothing is lost
    page.keyboard.type(" on reporting duties")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("6 are tagged. Remove 1.")
    expect(_pills(page)).to_have_count(6)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    expect(page.get_by_text("sent: []")).to_be_visible()

    page.keyboard.press("Backspace")
    expect(_pills(page)).to_have_count(5)
    page.keyboard.press("Enter")
    assert len(_sent(page, 1)[0]["documents"]) == 5


def test_u3_text_caret_and_focus_survive_polling_reruns_and_new_suggestions(page: Page) -> None:
    _write(page, "hello  world")
    for _ in "world ":
        page.keyboard.press("ArrowLeft")
    before = _polls(page)
    page.wait_for_timeout(1_500)
    assert _polls(page) > before
    for switch in ("Rerun", "Something above", "One more document"):
        _switch(page, switch)
        page.wait_for_timeout(500)
    page.keyboard.type("big")
    expect(_field(page)).to_have_text("hello big world")

    page.keyboard.type(" @bank h")
    expect(_selected(page)).to_contain_text("Bank Holiday Notice")
    _switch(page, "One more document")
    expect(_list(page)).to_be_hidden()
    _switch(page, "One more document")
    expect(_selected(page)).to_contain_text("Bank Holiday Notice")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    assert _sent(page, 1)[0]["text"] == "hello big @Bank Holiday Notice world"


def test_u3_disabled_keeps_the_text_and_the_focus_comes_back(page: Page) -> None:
    _write(page, "not yet ")
    _tag(page, "aud", "Audit")
    _switch(page, "Disable")
    expect(_field(page)).to_have_attribute("contenteditable", "false")
    expect(_field(page)).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.keyboard.press("Enter")
    expect(_field(page)).to_contain_text("not yet")
    _switch(page, "Disable")
    expect(_field(page)).to_be_focused()
    page.keyboard.press("Enter")
    assert _sent(page, 1)[0]["text"] == "not yet @Audit"


def test_u3_text_survives_when_the_field_leaves_the_page(page: Page) -> None:
    _write(page, "kept ")
    _tag(page, "iso", "ISO 27001")
    _switch(page, "Take it away")
    expect(_field(page)).to_have_count(0)
    _switch(page, "Take it away")
    expect(_field(page)).to_contain_text("kept")
    expect(_pills(page)).to_have_count(1)


def test_u3_a_draft_is_put_in_once_per_revision(page: Page) -> None:
    _write(page, "mine")
    _switch(page, "Use draft")
    expect(_field(page)).to_have_text("Draft 1")
    _field(page).click()
    page.keyboard.press("End")
    page.keyboard.type(" changed")
    _switch(page, "Rerun")
    page.wait_for_timeout(800)
    expect(_field(page)).to_have_text("Draft 1 changed")
    _switch(page, "Use draft")
    expect(_field(page)).to_have_text("Draft 2")


def test_u6_a_message_is_sent_again_if_the_run_ended_before_it_was_taken(page: Page) -> None:
    _switch(page, "End the next run early")
    page.wait_for_timeout(800)
    _write(page, "not to be lost")
    page.keyboard.press("Enter")
    expect(_field(page)).to_have_count(0)
    _switch(page, "Rerun")
    assert _sent(page, 1, timeout=_RESENT)[0]["text"] == "not to be lost"
    page.wait_for_timeout(1_000)
    _sent(page, 1)


def test_x4_titles_are_text_and_never_markup(page: Page) -> None:
    _write(page, "@<img")
    expect(_selected(page)).to_contain_text("<img src=x")
    page.keyboard.press("Enter")
    page.keyboard.type("@سياسة")
    page.keyboard.press("Enter")
    _tag(page, "risk", "🏦 Treasury")
    assert page.locator(".ppc-root img[src]").count() == 0
    page.keyboard.press("Enter")
    sent = _sent(page, 1)[0]
    assert sent["documents"] == ["d-4", "d-5", "d-6"]
    assert '<img src=x onerror="window.hacked=true"> Policy' in sent["text"]
    assert page.evaluate("window.hacked") is None


def test_u3_paste_is_plain_text(page: Page) -> None:
    _field(page).click()
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData('text/html', '<h1 onclick="x()">Big</h1><img src="https://example.org/x.png"><b>bold</b>');
            data.setData('text/plain', 'Big\\nbold');
            document.activeElement.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    expect(_field(page).locator("p")).to_have_count(2)
    expect(_field(page).locator("h1, b, img[src]")).to_have_count(0)
    page.keyboard.press("Enter")
    assert _sent(page, 1)[0]["text"] == "Big\nbold"


def test_u3_enter_that_ends_an_input_method_does_not_send(page: Page) -> None:
    _field(page).click()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "規制", "selectionStart": 2, "selectionEnd": 2})
    page.evaluate(
        """() => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"""
    )
    session.send("Input.insertText", {"text": "規制"})
    expect(_field(page)).to_have_text("規制")
    expect(page.get_by_text("sent: []")).to_be_visible()
    page.keyboard.press("Enter")
    assert _sent(page, 1)[0]["text"] == "規制"


def test_u3_a_draft_file_is_attached_checked_and_sent(page: Page, tmp_path: Path) -> None:
    status = page.locator(".ppc-status")
    chosen = page.locator(".ppc-file-input")
    for name, size, complaint in (
        ("big.pdf", 5_000_001, "larger than 5 MB"),
        ("tool.exe", 9, "cannot be attached"),
        ("none.md", 0, "is empty"),
    ):
        path = tmp_path / name
        path.write_bytes(b"x" * size)
        chosen.set_input_files(path)
        expect(status).to_contain_text(complaint)
        expect(page.locator(".ppc-file")).to_have_count(0)

    draft = tmp_path / "Entwurf <b>ü.md"
    draft.write_bytes(b"# Draft\n" + bytes(range(256)) * 4_000)
    chosen.set_input_files(draft)
    expect(page.locator(".ppc-file-name")).to_have_text("Entwurf <b>ü.md")
    chosen.set_input_files(draft)
    expect(status).to_contain_text("Only one file")
    page.get_by_role("button", name="Remove Entwurf").click()
    expect(page.locator(".ppc-file")).to_have_count(0)
    chosen.set_input_files(draft)
    _write(page, "Audit this")
    page.keyboard.press("Enter")
    name, size, start = _sent(page, 1)[0]["files"][0]
    assert (name, size, start[:8]) == ("Entwurf <b>ü.md", draft.stat().st_size, "# Draft\n")
    expect(page.locator(".ppc-file")).to_have_count(0)


def test_u8_works_at_a_phones_width_in_the_dark(phone: Page) -> None:
    _field(phone).tap()
    phone.keyboard.type("@")
    expect(_list(phone)).to_be_visible()
    listed, field = _list(phone).bounding_box(), phone.locator(".ppc-box").bounding_box()
    assert listed is not None and field is not None
    assert listed["x"] >= 0 and listed["x"] + listed["width"] <= 390
    assert listed["y"] >= 0 and listed["y"] + listed["height"] <= field["y"]
    phone.keyboard.type("aml")
    _options(phone).first.tap()
    expect(_pills(phone)).to_have_count(1)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.get_by_role("button", name="Send").tap()
    assert _sent(phone, 1)[0]["documents"] == ["d-3"]


def test_u3_plain_input_works_where_the_component_does_not(page: Page) -> None:
    _switch(page, "Plain")
    plain = page.get_by_test_id("stChatInputTextArea")
    plain.fill("@Our AML Policy v3 what about retention?")
    plain.press("Enter")
    assert _sent(page, 1)[0]["text"] == "@Our AML Policy v3 what about retention?"


def test_x2_the_editor_comes_once_and_from_this_server_only(browser: Browser, composer_url: str) -> None:
    """New data must not send a third of a megabyte of script again."""
    context = browser.new_context()
    page = context.new_page()
    frames: list[int] = []
    foreign: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(len(frame))))
    page.on("request", lambda r: None if r.url.startswith((composer_url, "data:", "blob:")) else foreign.append(r.url))
    page.goto(composer_url)
    expect(_field(page)).to_be_visible(timeout=_WAIT)
    for _ in range(4):
        _switch(page, "Disable")
        page.wait_for_timeout(700)
    bundle = (_BUNDLE / "composer.js").stat().st_size
    assert sum(1 for size in frames if size > bundle) == 1
    assert foreign == []
    context.close()
