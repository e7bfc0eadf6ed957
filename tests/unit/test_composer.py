"""The composer's JSON and typed tags (G4 stage 1, U3)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.domain.documents import DocumentSet
from policypal.errors import InvalidInput, TooManyDocuments
from policypal.request.composer import check_document_limit, compose, parse_composer
from policypal.request.library import KnownDocument

GUIDE = KnownDocument(id="g", title="Muscle Building Guide", aliases=["MBG"])
OLD = KnownDocument(id="r23", title="Rulebook", version="2023")
NEW = KnownDocument(id="r25", title="Rulebook", version="2025")
LONG = KnownDocument(id="rl", title="Rulebook on Liquidity", version="2025")
DOCUMENTS = [GUIDE, OLD, NEW, LONG]
SETS = [DocumentSet("s1", "Bank Negara", "#3B82F6")]


def doc(*nodes: Any) -> dict[str, Any]:
    return {"type": "doc", "content": [{"type": "paragraph", "content": list(nodes)}]}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def mention(identity: str, label: str, category: str) -> dict[str, Any]:
    return {"type": "mention", "attrs": {"id": identity, "label": label, "category": category}}


def test_g4_multi_word_title_is_one_mention() -> None:
    composed = compose("@Muscle Building Guide explain", DOCUMENTS)
    assert composed.document_ids == ("g",)
    assert composed.clean_query == "explain"
    assert composed.text == "@Muscle Building Guide explain"


def test_g4_json_mentions_become_ids_labels_and_a_clean_query() -> None:
    composed = parse_composer(
        doc(
            mention("inquire", "Inquire", "action"),
            text(" "),
            mention("g", "Muscle Building Guide", "document"),
            text("  explain this "),
        )
    )
    assert composed.text == "@Inquire @Muscle Building Guide explain this"
    assert composed.clean_query == "explain this"
    assert (composed.action, composed.document_ids, composed.is_pure_mention) == ("inquire", ("g",), False)


def test_g4_pure_mentions_leave_nothing_to_resolve() -> None:
    composed = parse_composer(
        doc(
            mention("compare", "Compare", "action"),
            text(" "),
            mention("r23", "Rulebook (2023)", "document"),
            text(" and "),
            mention("r25", "Rulebook (2025)", "document"),
        )
    )
    assert composed.is_pure_mention
    assert composed.clean_query == ""
    assert composed.document_ids == ("r23", "r25")


def test_g4_words_that_refer_to_something_are_no_pure_mention() -> None:
    assert not parse_composer(doc(mention("r23", "Rulebook", "document"), text(" and the older one"))).is_pure_mention
    assert not parse_composer(doc(text("and"))).is_pure_mention


def test_g4_sets_and_web_are_read() -> None:
    composed = parse_composer(
        doc(mention("s1", "Bank Negara", "set"), text(" news "), mention("web", "Web Search", "web"))
    )
    assert (composed.set_ids, composed.web, composed.clean_query) == (("s1",), True, "news")


def test_g4_the_same_document_twice_counts_once() -> None:
    composed = parse_composer(doc(mention("g", "Guide", "document"), text(" vs "), mention("g", "Guide", "document")))
    assert composed.document_ids == ("g",)


def test_g4_paragraphs_and_breaks_are_kept() -> None:
    content = {
        "type": "doc",
        "content": [*doc(text("one"))["content"], *doc(text("two"), {"type": "hardBreak"}, text("three"))["content"]],
    }
    assert parse_composer(content).text == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("@rulebook (2025) please", ("r25",)),
        ("@Rulebook 2023 vs @Rulebook v2025", ("r23", "r25")),
        ("@Rulebook on Liquidity summary", ("rl",)),
        ("@MBG, how much sleep?", ("g",)),
        ("@muscle  building   guide", ("g",)),
        ("@Rulebooks are nice", ()),
        ("@Rulebook 2024", ()),
        ("write to x@rulebook.example", ()),
        ("@nobody knows", ()),
    ],
)
def test_g4_typed_tags_take_the_longest_known_name(typed: str, ids: tuple[str, ...]) -> None:
    assert compose(typed, DOCUMENTS, SETS).document_ids == ids


def test_g4_a_title_in_two_versions_is_left_to_the_resolver() -> None:
    composed = compose("@Rulebook what is new?", [OLD, NEW])
    assert composed.document_ids == ()
    assert composed.clean_query == "@Rulebook what is new?"


@pytest.mark.parametrize("quoted", ['@"Rulebook (2025)"', "@“Rulebook 2025”", "@«rulebook v2025»"])
def test_g4_a_typed_tag_may_stand_in_quotation_marks(quoted: str) -> None:
    composed = compose(f"Compare {quoted} and @MBG.", DOCUMENTS)
    assert composed.document_ids == ("r25", "g")
    assert composed.text == "Compare @Rulebook (2025) and @Muscle Building Guide."


def test_g4_typed_actions_sets_and_web() -> None:
    composed = compose("@Summarise @Bank Negara @Web Search what happened", DOCUMENTS, SETS)
    assert (composed.action, composed.set_ids, composed.web) == ("summarize", ("s1",), True)
    assert composed.clean_query == "what happened"


def test_g4_a_document_wins_over_an_action_of_the_same_name() -> None:
    composed = compose("@Audit fees", [KnownDocument(id="a", title="Audit")])
    assert (composed.document_ids, composed.action) == (("a",), None)


def test_g4_spaces_before_punctuation_are_tidied() -> None:
    assert compose("What does @MBG , in short , say?", DOCUMENTS).clean_query == "What does, in short, say?"


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = text("deep")
    for _ in range(depth):
        node = {"type": "paragraph", "content": [node]}
    return {"type": "doc", "content": [node]}


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        "doc",
        {"type": "paragraph"},
        {"type": "doc", "content": "text"},
        {"type": "doc", "content": [1]},
        {"type": "doc", "content": ["raw"]},
        {"type": "doc", "content": [{"type": "text", "text": 5}]},
        {"type": "doc", "content": [{"type": "mention"}]},
        {"type": "doc", "content": [{"type": "mention", "attrs": {"id": "x", "label": "X", "category": "root"}}]},
        {
            "type": "doc",
            "content": [{"type": "mention", "attrs": {"id": "drop", "label": "Drop", "category": "action"}}],
        },
        {"type": "doc", "content": [{"type": "mention", "attrs": {"id": ["x"], "category": "document"}}]},
        {"type": "doc", "content": [{"type": "text", "text": "x"}] * 30_000},
        nested(200),
        nested(100_000),
    ],
    ids=range(15),
)
def test_x2_hostile_json_is_refused_not_crashed(content: Any) -> None:
    with pytest.raises(InvalidInput):
        parse_composer(content)


def test_x2_what_cannot_be_stored_is_removed() -> None:
    assert parse_composer(doc(text("a\x00b\ud800c"))).text == "abc"


def test_g4_five_documents_are_accepted_and_a_sixth_is_refused_aloud() -> None:
    check_document_limit(["1", "2", "3", "4", "5", "5"])
    with pytest.raises(TooManyDocuments, match="6 documents"):
        check_document_limit(["1", "2", "3", "4", "5", "6"])
