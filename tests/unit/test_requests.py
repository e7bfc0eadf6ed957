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
    for message in (
        "",
        "\x00\ud800",
        "@" * 3000,
        "audit against " * 500,
        "und " * 3000,
        "-" * 9000,
        "From: a\n" * 900,
        "not " * 2000,
    ):
        state = reading(message)
        assert state["request"] or state["question"] or state["response"]


@pytest.mark.parametrize("message", ["how long is cargo data kept", "What may the berth be used for?"])
def test_g0_words_of_a_title_in_capitals_are_no_acronyms(message: str) -> None:
    shouted = held("act", "THE HARBOUR CARGO DATA AND BERTH ACT, 2023 (NO. 7 OF 2023)", "2023")
    assert (read(message, [shouted, POLICY])["request"] or {})["documents"] == []


HOUSE = [
    RULES, OLD, POLICY,
    held("berth", "Berth Guideline (EU) 2019/77", "2024", "BG"),
    held("q8", "Port Standard Q8: Dust", "Issue 3"),
    held("dust", "Port Standard Q8: Dust", "Issue 4"),
    held("gifts", "Conflicts and Gifts Policy", "v2", "GP", type="company"),
    held("rule7", "Site Rule 7 on Mooring"), held("rule9", "Site Rule 9 on Mooring"),
]  # fmt: skip


def housed(message: str, *earlier: str) -> dict[str, Any]:
    """The request of a message in a house of several documents, after a turn that used the documents ``earlier``."""
    held_ = {
        "conversation_docs": {d.display_title: d.id for d in HOUSE if d.id in earlier},
        "document_turns": dict.fromkeys(earlier, 1), "turn": 1,
        "messages": [{"id": "1", "role": "user", "content": EARLIER[len(earlier)]}],
    }  # fmt: skip
    state = read(message, HOUSE, held=held_ if earlier else None)
    return {**(state["request"] or {}), "asked": state["question"], "queued": [q["action"] for q in state["queue"]]}


EARLIER = (
    "",
    "Summarize the guideline",
    "Audit our gifts policy against the guideline",
    "Audit our gifts policy against both",
)


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ("Difference between a berth and a pier?", "inquire"),
        ("Explain the difference between berths and piers under the Harbour Rulebook", "inquire"),
        ("Is the Harbour Rulebook applicable to small boats? our captains ask", "inquire"),
        ("audt the gifts policy agianst the HRB", "audit"),
        ("Please review the gifts policy for consistency with the HRB.", "audit"),
        ("where does the gifts policy fall short of the HRB, do you think: it falls short, no?", "audit"),
        ("diff Harbour Rulebook 2023/2025", "compare"),
    ],
)
def test_g2_what_names_too_little_for_an_action_is_a_question(message: str, action: str) -> None:
    got = housed(message)
    assert (got.get("action"), got["asked"]) == (action, None)


@pytest.mark.parametrize(
    ("message", "documents"),
    [
        ("How did the Harbour Rulebook change?", {"rules", "old"}),
        ("Compare the old and the new rulebook", {"rules", "old"}),
        ("Compare Harbour Rulebook:2023 with the guideline, not the 2025 edition", {"old", "berth"}),
        ("Compare Issue 3 with Issue 4 of the Port Standard", {"q8", "dust"}),
        ("What does Q8 say about sweeping?", {"dust"}),
        ("What does 2019/77 say about ropes?", {"berth"}),
        ("Summarise Site Rule 9", {"rule9"}),
        ("Summarise GP", {"gifts"}),
        ("Summarise the conflicts policy", {"gifts"}),
        ("The HRB in a nutshell. No comparison with the guideline please.", {"rules"}),
        ("Forget the guideline, summarise the HRB", {"rules"}),
        ("What changed between issue 3 and issue 4?", {"q8", "dust"}),
    ],
)
def test_g4_names_editions_and_what_is_refused(message: str, documents: set[str]) -> None:
    got = housed(message)
    assert (set(got.get("documents", ())), got["asked"]) == (documents, None)


def test_g4_a_sixth_document_is_refused_and_never_dropped() -> None:
    got = housed("Compare rulebook 2023, rulebook 2025, the Berth Guideline, GP, Site Rule 7 and Site Rule 9")
    assert "6 documents" in got["asked"]["message"]


@pytest.mark.parametrize(
    ("message", "earlier", "sources", "targets"),
    [
        ("drop the guideline and run it again", ("gifts", "berth", "rules"), ["gifts"], ["rules"]),
        ("Can you redo that for the records policy?", ("gifts", "berth"), ["policy"], ["berth"]),
        ("and against the 2025 one?", ("gifts", "berth"), ["gifts"], ["rules"]),
        ("Against the HRB", ("gifts", "berth"), ["gifts"], ["rules"]),
    ],
)
def test_g11_an_audit_goes_on_with_what_is_changed(
    message: str, earlier: tuple[str, ...], sources: list[str], targets: list[str]
) -> None:
    got = housed(message, *earlier)
    assert (got.get("action"), list(got.get("sources", ())), list(got.get("targets", ()))) == (
        "audit",
        sources,
        targets,
    )


def test_g0_the_items_of_a_list_are_a_queue() -> None:
    for message in (
        "Need: (1) summary of the Berth Guideline; (2) audit of the gifts policy vs HRB.",
        "Please provide:\n- a summary of the Berth Guideline\n- an audit of the gifts policy vs HRB",
    ):
        got = housed(message)
        assert (got["action"], got["documents"], got["queued"]) == ("summarize", ["berth"], ["audit"]), message


def test_g0_the_head_of_a_forwarded_mail_asks_for_nothing() -> None:
    got = housed(
        "FYI\n\nFrom: Ann\nTo: Bo\nSubject: RE: audit of the gifts policy\n\nCan you summarise the HRB? Thanks, Ann"
    )
    assert (got["action"], got["documents"], got["focus"]) == ("summarize", ["rules"], "")


@pytest.mark.parametrize(
    ("message", "focus"),
    [
        ("Audit the gifts policy against the HRB. Leave out chapters on fees.", ""),
        ("Audit the gifts policy against the HRB with particular attention to hospitality", "hospitality"),
        ("Audit the gifts policy against the HRB. Only raffles and lotteries matter.", "raffles and lotteries matter"),
        ("HRB 2023 vs HRB 2025 - deletion only pls", "deletion"),
        ("Compare the retention periods in the HRB and the Berth Guideline", "retention periods"),
        ("What changed between HRB 2023 and HRB 2025 on clause 5.3?", "clause 5.3"),
        ("Compare the HRB with the Berth Guideline on one page", ""),
        ("Summarise the HRB, only three bullets", ""),
        ("Audit the gifts policy against the HRB, especially raffles of tickets", "raffles of tickets"),
        ("Audit the gifts policy against the HRB, only for raffles", "raffles"),
    ],
)
def test_g0_a_focus_is_what_is_meant_and_not_what_is_left_out(message: str, focus: str) -> None:
    got = housed(message)
    assert (got.get("focus"), got["asked"]) == (focus, None)
