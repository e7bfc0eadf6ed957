"""Search queries from what the user wrote (A2)."""

from __future__ import annotations

import pytest

from policypal.answer.queries import search_query
from policypal.answer.questions import without_source

TITLES = ["Payments Act (2024)"]
HISTORY = ["user: Which records must operators retain for outages?", "assistant: “Records of outages …”"]


def rewrite(message: str, titles: list[str] | None = None, history: list[str] | None = None) -> str:
    return search_query(message, TITLES if titles is None else titles, history=history or [])


@pytest.mark.parametrize("message", ["", "What is capital interest?", "  **Please** explain @this  "])
def test_a2_unchanged_without_documents(message: str) -> None:
    assert rewrite(message, titles=[]) == message


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Could you please tell me which outages operators must report?", "which outages operators must report?"),
        ("Hello, which **outages** must `operators` report? Thanks!", "which outages must operators report?"),
        ("@Inquire which outages must operators report", "which outages must operators report"),
    ],
)
def test_a2_courtesies_mentions_and_markup_are_removed(message: str, query: str) -> None:
    assert rewrite(message) == query


def test_a2_a_request_without_subject_asks_for_an_overview_of_the_documents() -> None:
    query = rewrite("Explain")
    assert "Payments Act" in query
    assert "requirements" in query
    assert "2024" not in query


def test_a2_an_empty_message_with_documents_becomes_a_query() -> None:
    assert "requirements" in rewrite("")


def test_a2_a_follow_up_is_completed_from_the_last_question() -> None:
    query = rewrite("what about deadlines?", history=HISTORY)
    assert "records" in query
    assert "outages" in query
    assert "deadlines" in query


def test_a2_a_message_with_its_own_subject_ignores_history() -> None:
    assert (
        rewrite("Which penalties may the authority impose?", history=HISTORY)
        == "Which penalties may the authority impose?"
    )


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("How long must records be kept according to the latest rules?", "How long must records be kept?"),
        ("Is consent currently required for marketing by e-mail?", "Is consent required for marketing by e-mail?"),
        ("What must be in the rules of procedure?", "What must be in the rules of procedure?"),
        ("What does the law say?", "What does the law say?"),
        ("What applies under the regulation on outsourcing?", "What applies under the regulation on outsourcing?"),
    ],
)
def test_a2_where_the_answer_is_to_come_from_is_not_its_subject(asked: str, searched: str) -> None:
    assert without_source(asked) == searched
