"""Results are cards in the chat and pages of their own (U2c)."""

from __future__ import annotations

from uuid import uuid4

from policypal.application import ask, conversations
from policypal.domain.documents import Document
from policypal.ui.markup import outline
from tests.ui.conftest import Desk, labels, press, say, texts

_COMPARISON = "Compare the Rulebook 2023 with the Rulebook 2025."


def test_u2c_the_outline_of_an_answer_is_its_parts_with_their_points() -> None:
    parts = outline(
        "### A\n\nFirst words.\n\n**Key points**\n\n- one 📄1\n- *Institution*\n  - two\n\n"
        "| Limit | Provision |\n|---|---|\n| 72 hours | 4.3 |\n\nLast **bold** words."
    )
    assert [(s.title, s.words, s.points) for s in parts] == [
        ("A", ["First words."], []),
        ("Key points", ["Last **bold** words."], ["one 📄1", "two", "**72 hours** · 4.3"]),
    ]


def test_u2c_a_comparison_is_a_card_and_its_redline_a_page_with_filters(desk: Desk, samples: list[Document]) -> None:
    tab = say(desk.open(), _COMPARISON)
    assert texts(tab).count("<li><div>") == 3
    (link,) = (one.proto for one in tab.get("page_link") if one.proto.label == "Open the comparison")
    assert link.page == "result"
    answer = desk.messages(tab)[-1]
    assert link.query_string == f"id={answer.id}"

    page = desk.open("result", id=answer.id)
    changes = answer.payload["changes"]["changes"]
    assert texts(page).count("<li>") >= len(changes) > 3
    page.button_group[0].set_value(["added"]).run()
    added = sum(c["kind"] == "added" for c in changes)
    assert f"{added} of {len(changes)} are shown" in texts(page)
    press(page, "Run again")
    assert ask.wait(*desk, answer.thread_id, 30)
    assert len(conversations.history(*desk, answer.thread_id).messages) == 4


def test_u2c_a_result_that_is_nobodys_is_said_not_to_exist(desk: Desk, samples: list[Document]) -> None:
    for wrong in ("", "no id", str(uuid4())):
        page = desk.open("result", id=wrong)
        assert "This result does not exist" in page.error[0].value and "Run again" not in labels(page)
