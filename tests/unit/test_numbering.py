"""Sentences are cited by their numbers (C2)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import CitedSentence, Evidence, numbered_sentences, uncited, words_cited
from policypal.gate.numbering import parts_of, sentence_spans, span_of, whole_sentences, with_numbers

TEXT = (
    "Part 2 Records\n\n2.1 A bank must keep:\n(a) a register of incidents;\n(b) the minutes of its board.\n"
    "2.2 It may destroy them after 5 years, unless the Authority objects. Copies count."
)


def test_c2_sentences_and_list_items_have_numbers_and_headings_none() -> None:
    assert with_numbers(3, TEXT).splitlines() == [
        "Part 2 Records", "", "[3.1] 2.1 A bank must keep:", "[3.2] (a) a register of incidents;",
        "[3.3] (b) the minutes of its board.",
        "[3.4] 2.2 It may destroy them after 5 years, unless the Authority objects. [3.5] Copies count.",
    ]  # fmt: skip
    assert with_numbers(1, "Part 2 Records").startswith("[1.1] "), "of nothing but a heading, the heading"
    assert with_numbers(1, "") == ""


def test_c2_a_number_stands_for_the_stretch_before_which_it_was_shown() -> None:
    span = span_of(4, TEXT)
    assert span is not None and TEXT[slice(*span)].endswith("unless the Authority objects.")
    assert [span_of(n, TEXT) for n in (0, -1, 6)] == [None] * 3


@pytest.mark.parametrize(
    ("number", "parts"),
    [("3.2", (3, 2)), ("[3.2]", (3, 2)), (" 12.345 ", (12, 345)), ("3", (0, 0)), ("3.2.1", (0, 0)), ("", (0, 0)),
     ("-3.-2", (0, 0)), ("3.2, 3.3", (0, 0)), ("9" * 40 + ".1", (0, 0)), ("evidence 3", (0, 0))],
)  # fmt: skip
def test_c2_what_is_no_number_names_no_sentence(number: str, parts: tuple[int, int]) -> None:
    assert parts_of(number) == parts


def test_c2_a_sentence_that_its_passage_cuts_off_is_whole_again() -> None:
    cut = TEXT[: TEXT.index(", unless")]
    start, end = sentence_spans(cut)[-1]
    assert "unless" not in cut[start:end]
    assert TEXT[slice(*whole_sentences(TEXT, (start, end)))].endswith("unless the Authority objects.")


def test_c2_the_prompt_shows_the_numbers_that_the_words_are_found_by() -> None:
    evidence = [Evidence(number=n, document="D", page=1, text=TEXT) for n in (1, 2)]
    assert "[2.5] Copies count." in numbered_sentences(evidence)
    sentence = CitedSentence(text="Copies are records, too.", cites=["2.5", "2.9", "7.1"])
    assert list(words_cited([sentence], {1: TEXT, 2: TEXT})) == ["Copies count."]


def test_c2_only_where_every_number_is_invented_the_model_is_asked_again() -> None:
    evidence = [Evidence(number=1, document="D", page=1, text=TEXT)]
    wrong, right = CitedSentence(text="a", cites=["9.9"]), CitedSentence(text="b", cites=["1.1"])
    assert "9.9" in uncited([wrong], evidence)
    assert uncited([wrong, right], evidence) == uncited([right, CitedSentence(text="c")], evidence) == ""
    assert "no statement cites" in uncited([CitedSentence(text="c")], evidence)
    assert uncited([CitedSentence(text="c")], []) == "", "there is nothing to cite"
