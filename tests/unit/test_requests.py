"""Messages become the requests that a senior analyst would want: labelled turns of a fictional house (G0, G2, G4)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.requests import document, judged, read
from policypal.domain.documents import Document
from policypal.domain.requests import TEXT
from policypal.graph.agent.state import AgentState

LABELS = json.loads((Path(__file__).parent.parent / "data" / "requests.json").read_text(encoding="utf-8"))


def held(key: str, title: str, version: str = "", *aliases: str, type: str = "regulatory") -> Document:
    return document(
        {"key": key, "title": title, "version": version, "type": type, "aliases": list(aliases), "set": None}
    )


RULES = held("rules", "Harbour Rulebook", "2025", "HRB")
OLD = held("old", "Harbour Rulebook", "2023", "HRB")
POLICY = held("policy", "Records Policy", type="company")


def reading(message: str, *, attached: str = "") -> AgentState:
    return read(message, [RULES, OLD, POLICY], attached=attached)


def request(message: str, *, attached: str = "") -> dict[str, Any]:
    return reading(message, attached=attached)["request"] or {}


def test_g0_labelled_turns_become_the_requests_that_are_wanted() -> None:
    verdicts = {turn["id"]: judged(turn, LABELS["libraries"]) for turn in LABELS["turns"]}
    counts = Counter(verdicts.values())
    wrong = {i: v for i, v in verdicts.items() if v != "acceptable"}
    assert len(verdicts) >= 50
    assert counts["acceptable"] / len(verdicts) >= 0.94, wrong
    assert counts["needless"] / len(verdicts) <= 0.04, wrong
    assert not counts["silent_wrong"], wrong


@pytest.mark.parametrize(
    ("message", "sources", "targets", "focus"),
    [
        ("Audit our policy against the rulebook, only regarding deletion", ("policy",), ("rules",), "deletion"),
        ("Is this fine under the HRB?\n\nWe delete all records after one day.", (TEXT,), ("rules",), ""),
        ("Check this against our policy: We share records with everybody.", (TEXT,), ("policy",), ""),
        ("Audit this text against RULES: We delete it.", (TEXT,), ("rules",), ""),
        ("Audit this text against our rules: We delete it.", (TEXT,), ("rules",), ""),
        ("Prüfe bitte unsere Richtlinie gegen das Harbour Rulebook", ("policy",), ("rules",), ""),
    ],
)
def test_g0_the_sides_of_an_audit(message: str, sources: tuple[str, ...], targets: tuple[str, ...], focus: str) -> None:
    read_as = request(message)
    assert (tuple(read_as["sources"]), tuple(read_as["targets"]), read_as["focus"]) == (sources, targets, focus)


@pytest.mark.parametrize(
    ("message", "documents"),
    [
        ("What do the rules say about deletion?", ("rules",)),
        ("How long are records kept under the rules?", ("rules",)),
        ("What are the rules on deletion?", ()),
        ("Who made the rules of the exchange?", ()),
    ],
)
def test_g0_the_rules_are_the_rulebook_where_a_document_would_stand(message: str, documents: tuple[str, ...]) -> None:
    assert tuple(request(message)["documents"]) == documents


def test_g0_an_attachment_is_the_text_unless_it_is_to_be_left_aside() -> None:
    assert request("Check the attached against the HRB", attached="We share it all.")["sources"] == [TEXT]
    left = request("Audit our policy against the HRB, ignore the attachment", attached="We share it all.")
    assert left["sources"] == ["policy"]


def test_g0_spans_say_where_the_documents_stand() -> None:
    spans = request("What does the HRB 2025 say about records?")["spans"]
    assert spans == [{"start": 14, "end": 22, "ids": ["rules"]}]


def test_g0_hostile_messages_are_read() -> None:
    for message in ("", "\x00\ud800", "@" * 3000, "audit against " * 500, "und " * 3000):
        state = reading(message)
        assert state["request"] or state["question"] or state["response"]


@pytest.mark.parametrize("message", ["how long is cargo data kept", "What may the berth be used for?"])
def test_g0_words_of_a_title_in_capitals_are_no_acronyms(message: str) -> None:
    shouted = held("act", "THE HARBOUR CARGO DATA AND BERTH ACT, 2023 (NO. 7 OF 2023)", "2023")
    assert (read(message, [shouted, POLICY])["request"] or {})["documents"] == []
