"""What a turn does to the agent's memory, and the way it takes through the graph (G10–G12; phases 2.1b and 2.4–2.7), on both
engines."""

from __future__ import annotations

from uuid import uuid4

import pytest

from policypal.domain.documents import Document, DocumentType
from policypal.graph.agent.state import TRANSIENT, AgentState, Turn, append_once
from tests.support.conversation import Speaker, answered_by
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE

STRICTER_RULE = RECORDS_RULE.replace("24 hours", "4 hours").replace("once a year", "twice a year")
PERSISTENT = {"messages", "conversation_summary", "summarized_messages", "conversation_docs", "document_turns", "turn"}


def said(identity: str, role: str = "user") -> dict[str, str]:
    return {"id": identity, "role": role, "content": identity}


def test_p21b_messages_are_appended_and_never_twice() -> None:
    held = append_once([], [said("a")])
    assert append_once(held, [said("a"), said("b", "assistant")]) == [said("a"), said("b", "assistant")]


def test_p21b_a_turn_resets_every_transient_field_and_no_persistent_one() -> None:
    """Including a persistent field in a turn's input would wipe the registry (the plan's "most important rule")."""
    assert set(TRANSIENT) | PERSISTENT == set(AgentState.__annotations__)
    turn = Turn(message_id=str(uuid4()), text="Summarize", clean_query="Summarize", tagged_ids=[])
    assert set(turn.graph_input()) == set(TRANSIENT) | {"messages"}
    assert TRANSIENT["clean_query"] == "" and TRANSIENT["resolved_doc_titles"] == {}


def test_g10_nothing_of_a_turn_leaks_into_the_next(speaker: Speaker) -> None:
    rule = speaker.add("Records Rule", RECORDS_RULE)
    policy = speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    thread = answered_by(speaker.say("@Audit", policy, rule)).thread_id
    assert speaker.state(thread)["report"] is not None
    speaker.model_reads(kind="help")
    response = answered_by(speaker.say("What can you do?", thread=thread))
    assert response.report is None and response.citations == [] and response.documents == []
    state = speaker.state(thread)
    left = {key for key in TRANSIENT if state[key] != TRANSIENT[key]}
    told_by_this_turn = {"message_id", "text", "clean_query", "action", "action_confidence", "response"}
    assert left <= told_by_this_turn | {"tokens_used", "cost_usd", "models"}, left
    assert set(state["conversation_docs"]) == {"Records Rule", "Our Policy"}


@pytest.fixture
def rules(speaker: Speaker) -> tuple[Document, Document]:
    records, complaints = speaker.add_all({"Records Rule": RECORDS_RULE, "Incident Rule": STRICTER_RULE})
    return records, complaints


@pytest.mark.parametrize("action", ["summarize", "inquire", "compare", "audit"])
def test_p25_every_action_takes_the_way_of_the_picture(
    speaker: Speaker, rules: tuple[Document, Document], action: str
) -> None:
    """Phases 2.4b, 2.5 and 2.6, tests 1 and 3: each node once and in order, the answer complete."""
    text = ": We report every serious incident to the Authority within 72 hours." if action == "audit" else ""
    message = "How long must a bank keep customer records?" if action == "inquire" else f"Please{text}"
    response = answered_by(speaker.say(message, *rules, action=action))
    paid = ["plan_audit"] if action == "audit" and speaker.server is not None else []
    assert speaker.nodes == [
        "intent_resolver", "doc_resolver", "validate_inputs", "retrieve", "check_retrieval_confidence", *paid, action,
        "format_response",
    ]  # fmt: skip
    assert (response.action, response.engine) == (action, speaker.app.engine.name)
    assert response.response and (response.report if action == "audit" else response.citations)
    assert {c.document_id for c in response.citations} <= {d.id for d in rules}
    assert response.inference_confidence == "high" and response.retrieval_confidence in ("high", "medium", "low")
    assert (response.tokens_used > 0) is (speaker.server is not None)
    assert speaker.state(response.thread_id)["conversation_docs"] == {d.title: d.id for d in rules}


def test_p26_a_second_message_finds_the_memory_of_the_first(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """Phase 2.6, test 5."""
    thread = answered_by(speaker.say("@Summarize @Records Rule")).thread_id
    answered_by(speaker.say("@Summarize @Incident Rule", thread=thread))
    state = speaker.state(thread)
    assert state["conversation_docs"] == {d.title: d.id for d in rules}
    assert state["document_turns"] == {rules[0].id: 1, rules[1].id: 2}
    assert state["turn"] == 2


def test_p27_three_messages_are_six_in_the_history_in_order(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    thread = ""
    for title in ("Records Rule", "Incident Rule", "Records Rule"):
        thread = answered_by(speaker.say(f"@Summarize @{title}", thread=thread or None)).thread_id
    told = speaker.history(thread)
    assert [m.role for m in told] == ["user", "assistant"] * 3
    assert [m.content for m in told][::2] == [
        "@Summarize @Records Rule", "@Summarize @Incident Rule", "@Summarize @Records Rule",
    ]  # fmt: skip
    assert [m["content"] for m in speaker.state(thread)["messages"]] == [m.content for m in told]
    other = answered_by(speaker.say("@Summarize @Incident Rule")).thread_id
    assert len(speaker.history(other)) == 2 and len(speaker.history(thread)) == 6
