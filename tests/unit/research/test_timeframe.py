"""Periods in a person's words (W2)."""

from __future__ import annotations

from datetime import date

import pytest

from policypal.research.goal import in_words, months_before, since_of

TODAY = date(2024, 5, 31)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("The last 12 months", "2023-05-31"),
        ("in the past year", "2023-05-31"),
        ("the last three years", "2021-05-31"),
        ("past 3 months", "2024-02-29"),
        ("the last two weeks", "2024-05-17"),
        ("the previous quarter", "2024-02-29"),
        ("since 2020", "2020-01-01"),
        ("since March 2023", "2023-03-01"),
        ("after 14 March 2023", "2023-03-14"),
        ("from 2022-11-05 on", "2022-11-05"),
        ("since the beginning of 2021", "2021-01-01"),
        ("between 2019 and 2022", "2019-01-01"),
        ("Changes since 2020, the year of Conduct Rulebook (2020)", "2020-01-01"),
        ("The last 12 months, since 31 May 2023", "2023-05-31"),
        ("What applies today, whatever its date", ""),
        ("Conduct Rulebook 2023", ""),
        ("since 2031", ""),
        ("since 31 February 2023", ""),
        ("the last 999 years", "1025-05-31"),
        ("as long as you like", ""),
        ("", ""),
    ],
)
def test_w2_the_first_day_of_a_period(words: str, first: str) -> None:
    assert since_of([words], TODAY) == first


def test_w2_the_first_text_that_names_a_period_decides() -> None:
    assert since_of(["whatever", "since 2021", "since 2019"], TODAY) == "2021-01-01"


def test_w2_years_before_the_calendar_are_its_first_day() -> None:
    assert months_before(TODAY, 12 * 5000) == date.min
    assert since_of(["the last 9999 years"], TODAY) == "0001-01-01"


def test_w2_dates_are_written_out() -> None:
    assert in_words(TODAY) == "31 May 2024"
