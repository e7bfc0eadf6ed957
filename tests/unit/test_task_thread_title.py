"""Names of conversations (M4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.services.embeddings import WordLlamaEmbedder
from policypal.services.llm.task import TaskContext
from policypal.services.llm.tasks.thread_title import THREAD_TITLE, UNTITLED, TitleInput

CONTEXT = TaskContext(WordLlamaEmbedder())


def title(message: str) -> str:
    return THREAD_TITLE.extractive(TitleInput(message=message), CONTEXT).title


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("What is the breach notification deadline in GDPR?", "Breach notification deadline in GDPR"),
        ("**Please** tell me about outsourcing risk", "Outsourcing risk"),
        ("@Summarize @RMiT 2023", "RMiT 2023"),
        ("Compare the incident reporting deadlines of MAS and BNM", "Compare incident reporting deadlines MAS"),
        ("WHAT ARE THE CAPITAL REQUIREMENTS FOR BANKS", "Capital requirements for banks"),
        ("See [the memo](https://example.org/x) on gifts", "See the memo on gifts"),
        ("How soon must a major incident be reported to the Authority?", "Major incident reported Authority"),
        ("By which date must the outsourcing register be submitted?", "Outsourcing register submitted"),
        ("What does the Rulebook say about record retention?", "Record retention"),
        ("Explain", "Explain"),
        ("", UNTITLED),
        ("@Audit", UNTITLED),
        ("@Web Search What is the retention period for customer records?", "Retention period for customer records"),
    ],
)
def test_m4_the_first_telling_words(message: str, name: str) -> None:
    assert title(message) == name


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_m4_at_most_five_words_and_never_empty(message: str) -> None:
    name = title(message)
    assert name
    assert len(name.split()) <= 5
    assert "\n" not in name
