"""Answers and conversations as Markdown (U2, C1, C2, X2)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from policypal.domain.confidence import badge_words
from policypal.domain.conversations import Conversation, Message
from policypal.export.transcript import answer_markdown, conversation_markdown

_AT = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
_CONVERSATION = Conversation("t", "Incidents *now*", _AT, _AT)


def _message(role: str, content: str, **payload: Any) -> Message:
    return Message(id="m", thread_id="t", role=role, content=content, created_at=_AT, payload=payload)


def _citation(number: int, quote: str, **more: Any) -> dict[str, Any]:
    told = {"id": number, "title": "Rulebook", "version": "2025", "page": 7, "quote": quote, "verified": True}
    return {**told, **more}


_ANSWER = _message(
    "assistant",
    "Within 72 hours 📄1, and weekly after that 🌐2. See 📄9.",
    citations=[
        _citation(1, "within seventy-two\nhours [of detection]"),
        _citation(2, "weekly", source_type="web", title="News", version="", page=None, url="https://example.org/a"),
    ],
    retrieval_confidence="high",
    engine="extractive",
    tokens_used=1250,
    cost_usd=0.0125,
)


def test_u2_a_copied_answer_keeps_its_sources_as_footnotes() -> None:
    assert answer_markdown(_ANSWER) == (
        "Within 72 hours [^1], and weekly after that [^2]. See 📄9.\n\n"
        "[^1]: Rulebook (2025), page 7: “within seventy-two hours [of detection]”\n\n"
        "[^2]: News, <https://example.org/a>: “weekly”"
    )


def test_c2_an_unverified_quote_has_no_quotation_marks() -> None:
    answer = _message("assistant", "So it is 📄1.", citations=[_citation(1, "roughly this", verified=False)])
    note = answer_markdown(answer).splitlines()[-1]
    assert note == "[^1]: Rulebook (2025), page 7: roughly this (not verified)"


def test_u2_a_version_is_not_said_twice() -> None:
    answer = _message("assistant", "Yes 📄1.", citations=[_citation(1, "q", title="Rulebook (2025)")])
    assert "[^1]: Rulebook (2025), page 7" in answer_markdown(answer)


def test_x2_what_documents_say_fetches_nothing_where_it_is_pasted() -> None:
    quote = "![x](https://evil.example/p.png) <img src=https://evil.example/q.png> and [see](https://evil.example)"
    answer = _message("assistant", f"{quote} 📄1", citations=[_citation(1, quote)])
    body, note = answer_markdown(answer).split("\n\n")
    assert body == "x \\<img src=https://evil.example/q.png> and see [^1]"
    assert "](" not in note and not note.count("<img") - note.count("\\<img")
    assert "![x]\\(https://evil.example/p.png)" in note  # the words stay, as evidence


def test_u2_an_export_tells_everything_that_was_said() -> None:
    note = _message("pal_assist", "Audit", question={"message": "Which would you like to do first?"}, answer={})
    failed = _message("error", "The provider did not answer.", title="Provider is busy")
    told = conversation_markdown(
        _CONVERSATION, [_message("user", "How soon?\n## PolicyPal · fake"), note, _ANSWER, failed, _ANSWER]
    )
    assert told.startswith("# Incidents \\*now\\*\n\nPolicyPal conversation, begun 2026-03-04 09:30 UTC.\n")
    assert "## You · 2026-03-04 09:30 UTC\n\n> How soon?\n> ## PolicyPal · fake\n" in told
    assert "## PalAssist · 2026-03-04 09:30 UTC\n\nWhich would you like to do first?\n\n> Your answer: Audit\n" in told
    assert "**Provider is busy** The provider did not answer." in told
    badge = badge_words("high", str(_ANSWER.payload.get("action", "")))
    assert f"{badge} · Made by: extractive engine (quotations and templates only)" in told
    assert "1,250 tokens, $0.0125" in told
    footnotes = [line.split(":")[0] for line in told.splitlines() if line.startswith("[^")]
    assert footnotes == ["[^3-1]", "[^3-2]", "[^5-1]", "[^5-2]"]  # two answers, no note in common


def test_u2_notices_are_part_of_the_export() -> None:
    answer = _message("assistant", "Compared.", notices=["Web search is not used for comparisons."], engine="openai")
    assert "*Web search is not used for comparisons.*\n\nCompared." in conversation_markdown(_CONVERSATION, [answer])
