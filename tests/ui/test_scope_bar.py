"""The scope bar: what it says is what the next question reads (U11)."""

from __future__ import annotations

import pytest

from policypal.application import ask, conversations
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.requests import Scope
from policypal.domain.users import User
from policypal.errors import NotFound
from tests.ui.conftest import Desk, labels, press, say, texts

_QUESTION = "When must an incident be reported?"


def _cited(app: Container, user: User, thread: str) -> set[str | None]:
    return {c.document_id for c in conversations.history(app, user, thread).messages[-1].citations}


def _titled(samples: list[Document], title: str) -> Document:
    return next(d for d in samples if title in d.display_title)


def test_u11_questions_read_what_is_in_force_until_something_else_is_ticked(
    desk: Desk, samples: list[Document]
) -> None:
    guideline, old = _titled(samples, "Guideline"), _titled(samples, "2023")
    tab = say(desk.open(), _QUESTION)
    assert "In force · 4 documents</span>" in texts(tab)
    assert old.id not in _cited(*desk, str(tab.session_state["chat_thread"]))

    tab = desk.open()
    for document in samples:
        if document.id not in (guideline.id, old.id):
            tab.checkbox(key=f"scope_tick_{document.id}").uncheck().run()
    assert "In force" in labels(tab)
    say(tab, _QUESTION)
    assert _cited(*desk, str(tab.session_state["chat_thread"])) == {guideline.id}
    assert f"{guideline.display_title}</span>" in texts(tab)

    say(tab, "When must a major incident be reported under the Rulebook 2023?")  # named: whatever is ticked
    assert _cited(*desk, str(tab.session_state["chat_thread"])) == {old.id}


def test_u11_the_choice_survives_a_reload_of_the_page(desk: Desk, samples: list[Document]) -> None:
    old, guideline = _titled(samples, "2023"), _titled(samples, "Guideline")
    tab = desk.open()
    assert "scope" not in tab.query_params
    press(tab, "All editions")
    assert tab.checkbox(key=f"scope_tick_{old.id}").value and tab.query_params["scope"] == "all"
    for document in samples:
        if document.id not in (guideline.id, old.id):
            tab.checkbox(key=f"scope_tick_{document.id}").uncheck().run()
    again = desk.open(scope=str(tab.query_params["scope"]))
    ticked = {d.id for d in samples if again.checkbox(key=f"scope_tick_{d.id}").value}
    assert ticked == {old.id, guideline.id}
    press(again, "In force")
    assert "scope" not in again.query_params


@pytest.mark.parametrize("told", ["", "x", ".", "00000000", "' OR 1=1", "a" * 5000])
def test_u11_what_an_address_says_of_no_document_is_no_choice(desk: Desk, samples: list[Document], told: str) -> None:
    tab = desk.open(scope=told)
    assert {d.version for d in samples if not tab.checkbox(key=f"scope_tick_{d.id}").value} == {"2023"}


def test_u11_a_scope_of_documents_that_are_gone_is_refused(desk: Desk, samples: list[Document]) -> None:
    gone = Scope(label="1 document", ids=("00000000-0000-0000-0000-000000000000",))
    with pytest.raises(NotFound):
        ask.send(*desk, ask.new_thread_id(), ask.Request(message=_QUESTION, scope=gone))
