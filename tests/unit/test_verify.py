"""Quotes and what cited sentences say (C2)."""

from __future__ import annotations

import pytest

from policypal.services.verify import QuoteStatus, check_sentence, clip_quote, is_heading_only, verify_quote

PAGE = (
    "Article 33\nNotification of a breach\n"
    "1. In the case of a personal data breach, the controller shall without undue delay and, where feasible, not later\n"
    "than 72 hours after having become aware of it, notify the breach to the supervisory authority. "
    "The notification must not be delayed for commercial reasons. A fee of 2.5% is not charged. "
    "The proces-\nsor shall assist the controller 👍 at all times."
)


def _at(start: int | None, end: int | None) -> str:
    assert start is not None
    assert end is not None
    return PAGE[start:end]


def test_c2_exact_quote_keeps_code_point_offsets() -> None:
    check = verify_quote("shall assist the controller 👍 at all times.", PAGE)
    assert check.status is QuoteStatus.EXACT
    assert _at(check.start, check.end) == check.text == "shall assist the controller 👍 at all times."


def test_c2_white_space_and_case_do_not_matter() -> None:
    check = verify_quote("Not later than 72 hours after having become aware of it", PAGE)
    assert check.status is QuoteStatus.WHITESPACE
    assert _at(check.start, check.end) == "not later\nthan 72 hours after having become aware of it"


@pytest.mark.parametrize(
    "quote",
    [
        "“the controller shall, without undue delay and where feasible not later than 72 hours”",
        "The processor shall assist the controller",
    ],
)
def test_c2_punctuation_and_hyphenation_do_not_matter(quote: str) -> None:
    check = verify_quote(quote, PAGE)
    assert check.status is QuoteStatus.PUNCTUATION
    assert check.text == _at(check.start, check.end)


@pytest.mark.parametrize("quote", ["A fee of 25% is not charged", "A fee of 5% is not charged.", "A fee of 2% is"])
def test_c2_a_changed_number_is_never_a_matter_of_punctuation(quote: str) -> None:
    assert verify_quote(quote, PAGE).status in (QuoteStatus.DRIFTED, QuoteStatus.ABSENT)


def test_c2_a_drifted_quote_is_replaced_by_the_sources_words() -> None:
    check = verify_quote("The notification must be delayed for commercial reasons only.", PAGE)
    assert check.status is QuoteStatus.DRIFTED
    assert "must not be delayed for commercial reasons" in check.text
    assert check.text == _at(check.start, check.end)


@pytest.mark.parametrize("quote", ["Firms must hold own funds of EUR 125,000.", "", "…", "rapist", "72 apples"])
def test_c2_an_absent_quote_is_absent(quote: str) -> None:
    check = verify_quote(quote, PAGE)
    assert (check.status, check.start, check.end) == (QuoteStatus.ABSENT, None, None)
    assert not check.status.verified


def test_c2_words_are_whole() -> None:
    assert verify_quote("the rapist", "The therapist spoke.").status is QuoteStatus.ABSENT


def test_c2_pieces_around_an_ellipsis_are_checked_and_nothing_is_hidden() -> None:
    check = verify_quote("The notification must … be delayed for commercial reasons", PAGE)
    assert check.status is QuoteStatus.EXACT
    assert check.text == "The notification must not be delayed for commercial reasons"
    assert verify_quote("The notification must ... hold own funds of EUR 125,000", PAGE).status is QuoteStatus.ABSENT
    swapped = "be delayed for commercial reasons [...] In the case of a personal data breach"
    assert verify_quote(swapped, PAGE).status is QuoteStatus.ABSENT


def test_c2_pieces_far_apart_stay_within_300_characters() -> None:
    page = f"The firm must report. {'Filler words stand here. ' * 30}The officer must sign."
    check = verify_quote("The firm must report. … The officer must sign.", page)
    assert check.text == "The firm must report. … The officer must sign."
    assert (check.start, check.end) == (0, len(page))


def test_c2_quotes_are_clipped_at_a_sentence() -> None:
    sentence = "The firm must keep a complete record of every decision it takes. "
    assert clip_quote(sentence * 6) == (sentence * 4).strip()
    long = "word " * 100
    assert clip_quote(long) == ("word " * 60).strip()
    check = verify_quote((sentence * 6).strip(), f"Intro. {sentence * 6}")
    assert check.status is QuoteStatus.EXACT
    assert len(check.text) <= 300
    assert (check.start, check.end) == (7, 7 + len(check.text))


@pytest.mark.parametrize(
    "text", ["Article 5", "3. Record keeping", "CHAPTER II", "Notification of a Breach", "Section 4: Training"]
)
def test_c2_a_heading_alone_supports_nothing(text: str) -> None:
    assert is_heading_only(text)


@pytest.mark.parametrize(
    "text", ["Records must be kept.", "Staff shall report breaches", "within 72 hours", "Keep for 5 years"]
)
def test_c2_a_statement_is_no_heading(text: str) -> None:
    assert not is_heading_only(text)


QUOTES = [
    "The controller shall not later than 72 hours notify the authority.",
    "Fees may not exceed thirty days' interest of 2%.",
]


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("Notification must follow within 72 hours 📄1.", []),
        ("Notification must follow within three days.", []),
        ("Notification must follow within 48 hours.", ["number"]),
        ("Notification must follow by 3 May 2025.", ["date"]),
        ("Fees are limited to 30 days of interest at 2 per cent.", []),
        ("Fees are limited to 3%.", ["number"]),
        ("The controller should notify the authority.", ["modal"]),
        ("Fees may exceed the interest.", ["modal"]),
        ("Fees must not exceed the interest.", []),
    ],
)
def test_c2_numbers_dates_and_modals_must_be_in_the_quotes(sentence: str, kinds: list[str]) -> None:
    assert [u.kind for u in check_sentence(sentence, QUOTES)] == kinds


def test_c2_a_negation_must_be_in_the_quotes() -> None:
    assert [u.kind for u in check_sentence("The firm does not report.", ["The firm reports quarterly."])] == [
        "negation"
    ]
    assert check_sentence("The firm never reports.", ["The firm does not report."]) == []


def test_c2_must_is_not_supported_by_must_not() -> None:
    assert [u.text for u in check_sentence("Staff must disclose it.", ["Staff must not disclose it."])] == ["must"]
