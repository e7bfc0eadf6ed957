"""Quotes and what cited sentences say (C2)."""

from __future__ import annotations

import pytest

from policypal.gate.verify import (
    QuoteStatus,
    clip_quote,
    is_heading_at,
    is_heading_only,
    verify_over_break,
    verify_quote,
)

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
    assert check.status in (QuoteStatus.WHITESPACE, QuoteStatus.PUNCTUATION)
    assert check.text == _at(check.start, check.end)


@pytest.mark.parametrize("quote", ["A fee of 25% is not charged", "A fee of 5% is not charged.", "A fee of 2% is"])
def test_c2_a_changed_number_is_never_a_matter_of_punctuation(quote: str) -> None:
    assert verify_quote(quote, PAGE).status in (QuoteStatus.DRIFTED, QuoteStatus.ABSENT)


def test_c2_a_drifted_quote_is_replaced_by_the_sources_words() -> None:
    check = verify_quote("The notifications must not be delayed for a commercial reason.", PAGE)
    assert check.status is QuoteStatus.DRIFTED
    assert "must not be delayed for commercial reasons" in check.text
    assert check.text == _at(check.start, check.end)


@pytest.mark.parametrize(
    ("claimed", "stands"),
    [
        ("must send its final response within 15 working days of the complaint", "An institution must send its final response within 20 working days of the complaint."),
        ("The records of every course are kept for nine years after it has ended.", "The records of every course are kept for five years after it has ended."),
        ("A fee of up to two per cent of the amount may be charged for the service.", "A fee of up to three per cent of the amount may be charged for the service."),
        ("An institution may outsource its internal audit function to a company of its group.", "An institution must not outsource its internal audit function to a company of its group."),
        ("An institution must make unsolicited telephone calls to its consumers.", "An institution must not make unsolicited telephone calls to its consumers."),
        ("An institution should keep a register of all the complaints that it receives.", "An institution must keep a register of all the complaints that it receives."),
        ("An institution keeps a register of all the complaints that it receives.", "An institution must keep a register of all the complaints that it receives."),
        ("The processor shall notify the breach to the authority without undue delay.", "The controller shall notify the breach to the authority without undue delay."),
        ("The employee must return all documents and devices on the last working day.", "The employer must return all documents and devices on the last working day."),
        ("The Authority must inform the institution of the major incident at once.", "The institution must inform the Authority of the major incident at once."),
        ("The institution must inform its customers of the major incident at once.", "The institution must inform the Authority of the major incident at once."),
        ("Access is granted to every clerk unless the manager has objected in writing.", "Access is granted to every clerk after the manager has objected in writing."),
    ],
)  # fmt: skip
def test_c2_words_of_another_number_negation_modal_or_party_are_absent_not_repaired(claimed: str, stands: str) -> None:
    page = f"12.1 This part applies to all. {stands} It enters into force at once."
    assert verify_quote(claimed, page).status is QuoteStatus.ABSENT
    assert verify_quote(stands, page).status is QuoteStatus.EXACT


def test_c2_a_slip_of_the_pen_is_still_repaired() -> None:
    page = "A bank must keep customer records for at least seven years after the end of the relationship."
    slips = "A bank must keep the customer record for at least 7 years after the end of relationship."
    check = verify_quote(slips, page)
    assert (check.status, check.text) == (QuoteStatus.DRIFTED, page[:-1])


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


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("The firm must keep it for 15", "The firm must keep it for 150"),
        ("an amount of 5", "an amount of $5,000"),
        ("pays a fee of 2.5 in the", "pays a fee of 2.5 % in the"),
        ("no more than 1.5 of it", "no more than 21.5 of it"),
        ("costs EUR 3", "costs EUR 3 million"),
    ],
)
def test_c2_a_number_is_never_cut_in_two(quote: str, shown: str) -> None:
    page = (
        "The firm must keep it for 150 days. The bank holds an amount of $5,000. It pays a fee of 2.5 % in the first year, and "
        "no more than 21.5 of it in the second. The licence costs EUR 3 million."
    )
    check = verify_quote(quote, page)
    assert check.status in (QuoteStatus.DRIFTED, QuoteStatus.ABSENT)
    assert check.status is QuoteStatus.ABSENT or shown.split()[-1] in check.text


def test_c2_a_not_right_beside_a_quote_is_shown_with_it() -> None:
    page = "2.1 The officer must not disclose the names of complainants. 2.2 The bank may\nnot outsource this task."
    check = verify_quote("disclose the names of complainants", page)
    assert (check.status, check.text) == (
        QuoteStatus.DRIFTED, "The officer must not disclose the names of complainants",
    )  # fmt: skip
    assert verify_quote("The bank may", page).text == "The bank may\nnot outsource this task."


def test_c2_a_not_left_out_by_an_ellipsis_is_shown() -> None:
    filler = "and in the cases the schedule lists for this purpose " * 6
    page = f"The officer may {filler}not disclose the names. The clerk must file them."
    check = verify_quote("The officer may … disclose the names", page)
    assert check.status is QuoteStatus.DRIFTED
    assert "disclose" not in check.text, "only the beginning fits; it promises nothing"
    page = f"The officer must report at once. {'Filler stands here. ' * 30}The clerk may not sell the lists."
    joined = verify_quote("The officer must report … sell the lists", page)
    assert joined.text == "The officer must report … The clerk may not sell the lists"


def test_c2_a_quote_over_a_page_break_is_checked_in_two_pieces() -> None:
    page = "4.1 An institution must keep a register.\n\n4.2 The register must be submitted to\n\n12 Rulebook, Part 4"
    following = "Operational Rulebook\n\nthe Authority by 31 January of each year. 4.3 The Authority may publish it."
    quote = "The register must be submitted to the Authority by 31 January of each year."
    halves = verify_over_break(quote, page, following)
    assert halves is not None
    before, after = halves
    assert page[slice(before.start, before.end)] == before.text == "The register must be submitted to"
    assert following[slice(after.start, after.end)] == after.text == "the Authority by 31 January of each year"
    assert verify_over_break(quote.replace("31", "13"), page, following) is None
    assert (
        verify_over_break("An institution must keep a register. The Authority may publish it.", page, following) is None
    )
    pieces = verify_over_break("An institution must keep … The Authority may publish it", page, following)
    assert pieces is not None and pieces[1].text == "The Authority may publish it"


def test_c2_typesetting_does_not_matter() -> None:
    page = "The oﬃcer must con\u00adﬁrm the café’s third-\nparty contract."
    check = verify_quote("the officer must confirm the cafe\u0301's third-party contract", page)
    assert check.status is QuoteStatus.PUNCTUATION
    assert page[slice(check.start, check.end)] == check.text == page[:-1]
    assert verify_quote("The area measures 102 metres in total", "The area measures 10² metres in total.").status is (
        QuoteStatus.ABSENT
    )


def test_c2_a_title_in_small_letters_is_a_heading_where_the_page_says_so() -> None:
    page = "Article 33\n\nNotification of a personal data breach to the supervisory authority\n\n1. The controller notifies it."
    title = page.split("\n\n")[1]
    start = page.index(title)
    assert is_heading_at(page, start, start + len(title))
    assert is_heading_at(page, start, start + 35), "a part of a heading is no more"
    assert not is_heading_at(page, page.index("The controller"), len(page))
    items = "It contains:\n(a) the name of the controller;\n(b) the purposes of the processing;"
    assert not is_heading_at(items, items.index("the purposes"), len(items))
