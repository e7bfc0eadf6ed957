"""What a message asks for: labelled utterances and the rules one by one (G2, G3)."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from policypal.request.intent import Intent, intent_by_rules
from policypal.request.library import KnownDocument, Library
from policypal.request.mentions import masked
from policypal.request.said import Said
from policypal.request.utterances import fit, utterances
from policypal.request.web_need import asks_for_web, nuanced_web_need, temporal_web_need, without_web_wish

LABELLED: dict[str, Any] = json.loads((Path(__file__).parent.parent / "data" / "intents.json").read_text())
TODAY = date(2026, 3, 1)


def classify(message: str, history: list[str] | None = None, tagged: int = 0) -> Intent:
    given = Said(message=message, history=history or [], tagged_ids=[f"t{n}" for n in range(tagged)])
    return intent_by_rules(given)


def label(intent: Intent) -> str:
    return intent.action if intent.kind == "action" else intent.kind


def test_g2_messages_nobody_labelled_are_like_those_somebody_did() -> None:
    """Five-fold: every utterance is told by the other four fifths."""
    texts, labels = utterances()
    assert len(texts) >= 500 and set(labels) == {"summarize", "inquire", "compare", "audit", "help", "small_talk"}
    right = 0
    for fold in range(5):
        known = [n for n in range(len(texts)) if n % 5 != fold]
        fitted = fit([texts[n] for n in known], [labels[n] for n in known])
        for n in range(fold, len(texts), 5):
            near = fitted.of(texts[n])
            right += max(near, key=lambda label: near[label]) == labels[n]
    assert right / len(texts) >= 0.83


def test_g2_labelled_messages_are_read_as_they_are_labelled() -> None:
    read = [
        (text, own, classify(text.replace("the document", "@Conduct Code")))
        for text, own in zip(*utterances(), strict=True)
    ]
    wrong = [f"{text}: wanted {own}, got {label(got)}" for text, own, got in read if label(got) != own]
    assert 1 - len(wrong) / len(read) >= 0.85, "\n".join(wrong)
    sure = [(own, got) for _, own, got in read if got.kind == "action" and got.confidence == "high"]
    assert sum(got.action == own for own, got in sure) / len(sure) >= 0.85


@pytest.mark.parametrize("row", LABELLED["follow_ups"], ids=lambda row: row["message"])
def test_g2_follow_ups_continue_the_request_before_them(row: dict[str, Any]) -> None:
    assert classify(row["message"], row["history"]).action in row.get("accept", [row["expected"]])


@pytest.mark.parametrize("row", LABELLED["multi_action"], ids=lambda row: row["message"])
def test_g2_several_actions_are_noticed(row: dict[str, Any]) -> None:
    intent = classify(row["message"])
    assert len(intent.requested_actions) > 1
    assert intent.requested_actions == row["actions"]
    assert intent.confidence != "high"


@pytest.mark.parametrize("message", LABELLED["single_action"])
def test_g2_one_action_is_not_taken_for_several(message: str) -> None:
    assert not len(classify(message).requested_actions) > 1


@pytest.mark.parametrize("message", LABELLED["ambiguous"])
def test_g2_ambiguous_messages_are_not_high_confidence(message: str) -> None:
    intent = classify(message)
    assert intent.confidence in ("low", "medium")
    assert sorted(intent.alternatives) == ["audit", "compare", "inquire", "summarize"]
    assert intent.alternatives[0] == intent.action


@pytest.mark.parametrize("row", LABELLED["web"], ids=lambda row: row["message"])
def test_g3_nuanced_recency_needs_the_web(row: dict[str, Any]) -> None:
    assert nuanced_web_need(row["message"]) is row["needs_web"]


def test_g2_tell_me_about_that_document_gets_clear_with_history() -> None:
    message = "Tell me about that document"
    assert classify(message).confidence == "low"
    assert classify(message, ["user: Summarize @Conduct Code", "assistant: Key points."]).action == "summarize"


def test_g2_a_greeting_before_a_request_is_no_small_talk() -> None:
    intent = classify("Hi there, could you please compare @Code A with @Code B? Thanks!")
    assert (intent.kind, intent.action) == ("action", "compare")


def test_g2_history_does_not_override_a_clear_request() -> None:
    assert classify("Summarize the handbook", ["user: Compare @A with @B"]).action == "summarize"


def test_g2_long_and_hostile_messages_are_classified_in_time() -> None:
    for message in ("", "   ", "a " * 50_000, "summary of the " * 5_000, "@A " * 20_000, "\x00\ud800", "(" * 5_000):
        assert classify(message).kind in ("action", "help", "small_talk")


def test_g2_a_pasted_draft_does_not_hide_the_request_around_it() -> None:
    draft = "We compare favourably with other banks. Customers ask what happens to their money. " * 60
    assert classify(f"Audit this text against the conduct code:\n\n{draft}").action == "audit"
    assert classify(f"{draft}\n\nDoes this text comply with the conduct code?").action == "audit"


RULEBOOK_2026 = "Conduct Rulebook (2026)"


@pytest.mark.parametrize(
    ("text", "titles", "needed"),
    [
        *[(text, [], True) for text in (
            "What is the latest guidance?", "recent enforcement actions", "What are the current capital requirements?", "What applies now?",
            "rules as of today", "What changed this year?", "What changed last year?", "What happened in 2026?", "fines in 2025")],
        *[(text, [], False) for text in (
            "What happened in 2024?", "rules for a current account", "Now compare them", "and now against the guideline",
            "I know the snow is recentish", "Compare the 2025 edition with the 2026 one", "under Regulation 2025/1234", "fines in 2030")],
        ("Summarize the Conduct Rulebook 2026", [], True),
        ("Summarize the Conduct Rulebook 2026", [RULEBOOK_2026], False),
        ("compare 2026 with 2025", ["2026", "2025"], False),
        ("Conduct Rulebook 2026: what is the latest news?", [RULEBOOK_2026], True),
    ],
)  # fmt: skip
def test_g3_temporal_words_and_years_of_the_clock_need_the_web_but_not_those_of_a_title(
    text: str, titles: list[str], needed: bool
) -> None:
    assert temporal_web_need(text, TODAY, ignore=titles) is needed


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("When must a breach be reported? Search the web too.", "When must a breach be reported?"),
        ("Search the web for record retention rules", "record retention rules"),
        ("How long are records kept, and check it online", "How long are records kept"),
        ("Is the rule in force? Please look it up on the internet.", "Is the rule in force?"),
        ("web search: fines for late reports", ": fines for late reports"),
        *[(text, text) for text in (
            "What does our web policy say?", "Check the web-based training rule", "Which online services are covered?",
            "Summarize the search procedure", "How must internet banking be secured?")],
    ],
)  # fmt: skip
def test_g3_a_wish_for_the_web_in_words_is_no_part_of_the_question(text: str, rest: str) -> None:
    assert asks_for_web(text) is (rest != text)
    assert without_web_wish(text).strip(" .,") == rest.strip(" .,")


OVERVIEW = KnownDocument(id="o", title="Customer Due Diligence Overview", aliases=["CDD"], filename="cdd-2018.pdf")
MAPPING = KnownDocument(id="m", title="Comparison of Two Standards", set_name="Assurance Digest")


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ("Audit the Group Policy against the Customer Due Diligence Overview", "audit"),
        ("Check our policy against the Comparison of Two Standards for gaps", "audit"),
        ("Summarize the Comparison of Two Standards", "summarize"),
        ("What does the Customer Due Diligence Overview say about owners?", "inquire"),
        ("What does @Audit and Compliance Summary say about fees?", "inquire"),
        ("Compare @Policy with @Rulebook: does the policy meet the rulebook on complaints?", "compare"),
        ("@GDPR what is the maximum fine?", "inquire"),
        ("whats the fine for breaking the act", "inquire"),
        ("Please don't summarize, just tell me who approves exceptions", "inquire"),
        ("No need to audit anything yet. Which documents speak of children?", "inquire"),
        ("I don't want a comparison, I only need the definition of outsourcing.", "inquire"),
        ("Could you please tell me whether the act has rules on penalties", "inquire"),
        # what is held against rules, whatever the verb
        ("run @Policy past @Rulebook, only for gifts", "audit"),
        ("hold our policy up against @Rulebook", "audit"),
        # a summary of a topic is a question; for whom it is written is no topic
        ("Summarize the liquidity rules in @Rulebook (2025)", "inquire"),
        ("Summarize @Rulebook (2025) about outsourcing", "inquire"),
        ("Give me a summary of what the code says on gifts", "inquire"),
        ("Summarize @Rulebook for a new trustee", "summarize"),
        # a rule with a name is a document
        ("Summarize the Net Capital Rule", "summarize"),
        ("Summarize the capital rules", "inquire"),
        ("Summarize the Net Capital Rule's deadlines", "inquire"),
        ("Audit our draft against the Net Capital Rule", "audit"),
        # and so is a title in quotation marks
        ("Compare incident deadlines in “Conduct and Data Rulebook (2025)” and “Guideline on Personal Data (2024)”", "compare"),
        ('Summarize "Guideline on the Audit of Outsourcing Arrangements"', "summarize"),
        # whether a document still holds
        *[(text, "inquire") for text in (
            "Is @Records Rule still enforced?", "Is the rulebook still valid?", "Has the rulebook been repealed?",
            "Is that regulation in effect already?", "Is this provision enforceable?", "When does the act take effect?")],
        # words that tell no action and name no document are looked for
        *[(text, "inquire") for text in ("asdf qwer zxcv", "kitchen renovation catalogue", "quarterly attestation backlog")],
    ],
)  # fmt: skip
def test_g2_names_negations_and_topics_do_not_change_the_action(message: str, action: str) -> None:
    intent = intent_by_rules(Said(message=message, documents=[OVERVIEW, MAPPING]))
    assert (label(intent), len(intent.requested_actions) > 1) == (action, False)
    assert intent.confidence != "low"


@pytest.mark.parametrize(
    "message", ["hey, how's life", "you stupid useless piece of junk", "Thanks a lot - have a great weekend!"]
)
def test_g2_small_talk_is_no_request(message: str) -> None:
    assert label(classify(message)) == "small_talk"


@pytest.mark.parametrize(
    ("message", "masked_"),
    [
        ("Audit the policy against the Customer Due Diligence Overview", "Audit the policy against the xdoc"),
        ("is “Customer Due Diligence Overview” ok with CDD 2018?", "is xdoc ok with xdoc 2018?"),
        ("audit cdd-2018.pdf", "audit xdoc"),
        ("Give me an overview of due diligence", "Give me an overview of due diligence"),
    ],
)
def test_g0_names_are_masked_and_nothing_else(message: str, masked_: str) -> None:
    assert masked(message, Library([OVERVIEW, MAPPING]), date(2026, 1, 1)) == masked_
