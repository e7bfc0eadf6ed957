"""Which provision a question names by its number (A2, D11)."""

from __future__ import annotations

import pytest

from policypal.text.numbering import asked_label, chosen_labels


@pytest.mark.parametrize(
    ("question", "labels", "rest"),
    [
        ("What does article 7 say?", ("Art. 7",), "What does say?"),
        ("art. 7(2)", ("Art. 7(2)",), ""),
        ("Article 30 (5)", ("Art. 30(5)",), ""),
        ("AU-11", ("AU-11",), ""),
        ("show me AC-2(1)", ("AC-2(1)",), "show me"),
        ("section 8.1 of the policy", ("Section 8.1", "8.1", "V8.1"), "of the policy"),
        ("§ 5 (2)", ("Section 5(2)", "5(2)"), ""),
        ("V2.1.1", ("V2.1.1", "2.1.1"), ""),
        ("what does 7.2.3 require?", ("7.2.3", "V7.2.3"), "what does require?"),
        ("paragraph 36", ("36",), ""),
        ("Chapter III", ("Chapter III",), ""),
        ("recital 85", ("Recital 85",), ""),
    ],
)
def test_a2_a_number_is_read_as_documents_label_it(question: str, labels: tuple[str, ...], rest: str) -> None:
    asked = asked_label(question)
    assert asked is not None and (asked.labels, asked.rest) == (labels, rest)


@pytest.mark.parametrize(
    "question", ["a fine of 5.2 million", "within 1.5 hours", "What is a rule about?", "the 2025 rulebook", "8.5 %"]
)
def test_a2_figures_and_years_are_no_numbers_of_provisions(question: str) -> None:
    assert asked_label(question) is None


@pytest.mark.parametrize(
    ("message", "labels", "rest"),
    [
        ("4.3: who must be told?", ["4.3"], "who must be told?"),
        ("4.3, Art. 5(2) and AU-11:  who\nis bound?", ["4.3", "Art. 5(2)", "AU-11"], "who is bound?"),
        ("paragraph 36, 8.1:", ["36", "8.1"], ""),
    ],
)
def test_u11_a_message_that_opens_with_numbers_is_answered_from_them(
    message: str, labels: list[str], rest: str
) -> None:
    chosen = chosen_labels(message)
    assert [c.labels[0] for c in chosen] == labels
    assert {c.rest for c in chosen} == {rest}


@pytest.mark.parametrize(
    "message",
    ["What does 4.3 say: who is told?", "4.3 who must be told?", "4.3, records: how long?", "Records: 4.3", ""],
)
def test_u11_other_messages_open_with_no_list_of_numbers(message: str) -> None:
    assert chosen_labels(message) == []
