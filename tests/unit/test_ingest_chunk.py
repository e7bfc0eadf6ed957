"""Passages are exact slices of their pages, with headings and stable ids (D6)."""

from __future__ import annotations

import itertools
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.domain.documents import Page
from policypal.text.chunks import CHUNK_CHARACTERS, OVERLAP_CHARACTERS, chunk_id, chunk_pages

SENTENCE = "The operator keeps evidence of every review and hands it to the auditor on request. "


def _prose(paragraphs: int, sentences: int = 6) -> str:
    return "\n\n".join(f"Paragraph {n} begins here. {SENTENCE * sentences}".strip() for n in range(paragraphs))


def test_d6_chunks_are_slices_within_the_limits() -> None:
    pages = [Page(1, _prose(12)), Page(2, _prose(3))]
    chunks = chunk_pages(pages)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.page for chunk in chunks} == {1, 2}
    for chunk in chunks:
        assert chunk.text == pages[chunk.page - 1].text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip() and len(chunk.text) <= CHUNK_CHARACTERS


def test_d6_neighbours_overlap_by_up_to_150_characters_and_start_at_words() -> None:
    text = SENTENCE * 60
    chunks = chunk_pages([Page(1, text)])
    assert len(chunks) > 4
    for before, after in itertools.pairwise(chunks):
        assert 0 < before.end - after.start <= OVERLAP_CHARACTERS
        assert text[after.start - 1] == " "


@settings(max_examples=150)
@given(st.text(alphabet=st.sampled_from("ab. \n;,"), max_size=4000))
def test_d6_no_character_is_lost_however_repetitive_the_page(text: str) -> None:
    covered = [False] * len(text)
    last = -1
    for chunk in chunk_pages([Page(1, text)]):
        assert chunk.text == text[chunk.start : chunk.end] and 0 < len(chunk.text) <= CHUNK_CHARACTERS
        assert chunk.start > last
        last = chunk.start
        covered[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    assert all(done or character.isspace() for done, character in zip(covered, text, strict=True))


def test_d6_periodic_text_without_breaks_is_covered() -> None:
    chunks = chunk_pages([Page(1, "ab" * 3000)])
    assert chunks[0].start == 0 and chunks[-1].end == 6000
    assert all(after.start <= before.end for before, after in itertools.pairwise(chunks))


def test_d6_number_and_title_are_one_heading_and_it_carries_over_pages() -> None:
    first = f"Article 7\n\nKeeping of records\n1. {SENTENCE * 4}\n2. {SENTENCE * 14}".strip()
    chunks = chunk_pages([Page(1, first), Page(2, SENTENCE.strip())])
    assert {chunk.heading for chunk in chunks} == {"Article 7 – Keeping of records"}


def test_d6_kinds_of_headings() -> None:
    for heading in (
        "CHAPTER II", "2.3 Access to production systems", "GENERAL PROVISIONS", "Annex 4: Templates", "Roles and Responsibilities",
        "AC-2(1) – Account Management", "IV. Supervisory review, tools and cooperation",
    ):  # fmt: skip
        chunks = chunk_pages([Page(1, f"{heading}\n\n{SENTENCE.strip()}")])
        assert [chunk.heading for chunk in chunks] == [heading]


def test_d6_sentences_lists_and_tables_of_contents_are_no_headings() -> None:
    for line in (
        "2. The operator shall keep the evidence.", "(a) a description of the incident;", "Scope of application .... 3",
        "Article 55, unless the incident is harmless", "The operator keeps evidence",
    ):  # fmt: skip
        assert [chunk.heading for chunk in chunk_pages([Page(1, f"{line}\n\n{SENTENCE.strip()}")])] == [None]


def test_d6_outline_titles_are_headings() -> None:
    page = Page(1, f"what this is about\n\n{SENTENCE.strip()}")
    assert chunk_pages([page], ["What this is about"])[0].heading == "what this is about"


def test_d6_pages_without_text_give_no_chunks() -> None:
    assert chunk_pages([Page(1, ""), Page(2, " \n ")]) == []


def test_d6_ids_are_stable_and_distinct() -> None:
    assert chunk_id("d1", 3) == chunk_id("d1", 3)
    assert len({chunk_id(d, n) for d in ("d1", "d2") for n in range(50)}) == 100


def test_d6_a_long_document_is_cut_in_seconds() -> None:
    pages = [Page(n, _prose(5)) for n in range(1, 271)]
    started = time.process_time()
    assert len(chunk_pages(pages)) > 800
    assert time.process_time() - started < 4  # reading its provisions included
