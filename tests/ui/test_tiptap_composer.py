"""The message field's Python side: what a browser may hand over, and the plain input behind it (U3)."""

from __future__ import annotations

import base64
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from policypal.errors import InvalidInput
from policypal.request.composer import parse_composer
from policypal.ui.chat import tiptap_composer as widget
from policypal.ui.chat.tiptap_composer import MAX_FILE_BYTES, read_submission
from tests.architecture.source_files import ROOT

_NONCE = "0123456789abcdef" * 2
_APP = str(ROOT / "tests/e2e/apps/composer_app.py")


def _tag(identity: str, label: str, category: str) -> dict[str, Any]:
    return {"type": "mention", "attrs": {"id": identity, "label": label, "category": category}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _message(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"type": "doc", "content": [{"type": "paragraph", "content": list(nodes)}]}


def _submitted(**changes: Any) -> dict[str, Any]:
    return {"nonce": _NONCE, "content": _message(_text("Hello")), "files": [], **changes}


def _file(name: str, data: bytes) -> dict[str, str]:
    return {"name": name, "base64": base64.b64encode(data).decode()}


def test_u3_what_the_editor_sends_is_what_the_composer_service_reads() -> None:
    content = _message(
        _tag("compare", "Compare", "action"), _text(" "), _tag("d-1", "Rulebook 2024", "document"), _text(" with "),
        _tag("d-2", "سياسة 🏦", "document"), _text(" and "), _tag("s-1", "ISO 27001", "set"), _text(" on fees "),
        _tag("web", "Web Search", "web"),
    )  # fmt: skip
    content["content"].append({"type": "paragraph", "content": [_text("now"), {"type": "hardBreak"}, _text("please")]})
    submission = read_submission(json.loads(json.dumps(_submitted(content=content))))
    composed = parse_composer(submission.content)
    assert composed.document_ids == ("d-1", "d-2")
    assert (composed.set_ids, composed.action, composed.web) == (("s-1",), "compare", True)
    assert composed.text == "@Compare @Rulebook 2024 with @سياسة 🏦 and @ISO 27001 on fees @Web Search\nnow\nplease"
    assert submission.nonce == _NONCE


@pytest.mark.parametrize(
    "submitted",
    [
        None, "text", [], {}, {"nonce": _NONCE}, _submitted(nonce="short"), _submitted(nonce=7), _submitted(nonce="Z" * 32),
        _submitted(content="<p>Hi</p>"), _submitted(content={"type": "paragraph"}), _submitted(files=None), _submitted(files={}),
        _submitted(files=["name"]), _submitted(files=[{"name": "a.md", "base64": "$$$"}]), _submitted(files=[{"name": "a.md"}]),
        _submitted(files=[_file("a.md", b"1"), _file("b.md", b"2")]),
    ],
)  # fmt: skip
def test_x4_damaged_submissions_are_refused_in_words(submitted: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_submission(submitted)
    assert len(refused.value.message) > 15


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("tool.exe", 10, "cannot be attached"), ("noextension", 10, "cannot be attached"), (".md", 10, "cannot be attached"),
        ("page.html", 10, "cannot be attached"), ("long.pdf", MAX_FILE_BYTES + 1, "larger than"), ("nothing.txt", 0, "is empty"),
    ],
)  # fmt: skip
def test_u3_files_of_other_kinds_and_sizes_are_refused(name: str, size: int, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_submission(_submitted(files=[_file(name, b"x" * size)]))


@pytest.mark.parametrize("kind", widget.DRAFT_TYPES)
def test_u3_every_kind_of_draft_can_be_attached(kind: str) -> None:
    data = bytes(range(256))
    submission = read_submission(_submitted(files=[_file(f"Draft.{kind.upper()}", data)]))
    assert submission.files == ((f"Draft.{kind.upper()}", data),)


@pytest.mark.parametrize("name", ["../../etc/draft.md", "C:\\temp\\draft.md", "dr\x00a\x1bft.md", "\u202edraft.md"])
def test_x4_a_files_name_is_no_path_and_has_no_control_characters(name: str) -> None:
    [(kept, _)] = read_submission(_submitted(files=[_file(name, b"x")])).files
    assert kept == "draft.md"


def test_u3_plain_input_works_without_the_component() -> None:
    page = AppTest.from_file(_APP, default_timeout=30)
    page.session_state["plain"] = True
    page.run()
    page.chat_input[0].set_value("@Our AML Policy v3 and\nfees").run()
    assert not page.exception
    assert "@Our AML Policy v3 and\\nfees" in _shown(page)
    page.run()
    assert _shown(page).count('"text"') == 1


@pytest.fixture
def no_bundle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An installation from which the built files are missing."""
    monkeypatch.setattr(widget, "_BUNDLE", tmp_path)
    widget._editor.cache_clear()
    yield
    widget._editor.cache_clear()


@pytest.mark.usefixtures("no_bundle")
def test_u3_a_missing_bundle_leaves_the_plain_input() -> None:
    page = AppTest.from_file(_APP, default_timeout=30).run()
    assert not page.exception
    page.chat_input[0].set_value("still works").run()
    assert "still works" in _shown(page)


def test_u3_the_field_is_shown_and_its_session_can_be_serialised() -> None:
    """The configuration ends every page whose session holds what cannot be."""
    page = AppTest.from_file(_APP, default_timeout=30).run()
    assert not page.exception
    assert len(page.get("bidi_component")) == 2
    assert not page.chat_input
    for key in ("composer", "composer-code"):
        pickle.dumps(page.session_state[key])


def test_x2_bundle_names_no_other_host() -> None:
    """Name spaces are names, not addresses; everything else in quotes would be asked for."""
    bundle = ROOT / "policypal/ui/composer_bundle"
    found = set()
    for file in ("composer.js", "mount.js", "composer.css"):
        found |= set(re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z0-9.-]+", (bundle / file).read_text(encoding="utf-8")))
    assert found <= {"http://www.w3.org", "https://tiptap.dev", "https://prosemirror.net"}, found
    assert "sourceMappingURL" not in (bundle / "composer.js").read_text(encoding="utf-8")


def test_every_bundled_package_has_its_licence() -> None:
    text = (ROOT / "policypal/ui/composer_bundle/THIRD_PARTY_LICENSES.txt").read_text(encoding="utf-8")
    notices = text.split("-" * 72)[1:]
    assert len(notices) > 15
    assert all("Permission is hereby granted" in notice for notice in notices), text[:500]


def _shown(page: AppTest) -> str:
    return next(str(e.value) for e in page.text if str(e.value).startswith("sent:"))
