"""Quantities of regulatory prose (A6)."""

from __future__ import annotations

import math

import pytest

from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities, number_value, without_quantities


def _only(text: str) -> Quantity:
    found = find_quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "days", "unit", "bound"),
    [
        ("within thirty (30) days of receipt", 30, "days", Bound.AT_MOST),
        ("not later than 72 hours after becoming aware", 3, "hours", Bound.AT_MOST),
        ("for at least five years", 5 * 365.25, "years", Bound.AT_LEAST),
        ("within one month", 30.44, "months", Bound.AT_MOST),
        ("a period of twelve months", 12 * 30.44, "months", Bound.UNSTATED),
        ("within five business days", 7, "business days", Bound.AT_MOST),
        ("a minimum of 6 weeks", 42, "weeks", Bound.AT_LEAST),
        ("must not exceed 30 days", 30, "days", Bound.AT_MOST),
        ("30 days or more", 30, "days", Bound.AT_LEAST),
        ("no less than twenty-four hours", 1, "hours", Bound.AT_LEAST),
        ("up to 10 years", 3652.5, "years", Bound.AT_MOST),
        ("more than two years", 730.5, "years", Bound.ABOVE),
        ("within a week", 7, "weeks", Bound.AT_MOST),
    ],
)
def test_a6_durations_are_read_in_days_with_their_bound(text: str, days: float, unit: str, bound: Bound) -> None:
    quantity = _only(text)
    assert quantity.kind is QuantityKind.DURATION
    assert quantity.value == pytest.approx(days)
    assert (quantity.unit, quantity.bound) == (unit, bound)


@pytest.mark.parametrize(
    "text", ["kept forever", "stored indefinitely", "retained without any time limit", "in perpetuity"]
)
def test_a6_unbounded_storage_is_an_infinite_duration(text: str) -> None:
    assert math.isinf(_only(text).value)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("at least annually", 365.25),
        ("reviewed quarterly", 91.3),
        ("once every 12 months", 365.28),
        ("every two years", 730.5),
        ("twice a year", 182.6),
        ("an annual review", 365.25),
        ("every month", 30.44),
    ],
)
def test_a6_frequencies_are_the_days_between_occurrences(text: str, days: float) -> None:
    quantity = _only(text)
    assert quantity.kind is QuantityKind.FREQUENCY
    assert quantity.value == pytest.approx(days, rel=0.001)


def test_a6_an_annual_turnover_is_no_frequency() -> None:
    assert [q.kind for q in find_quantities("4 % of the annual turnover")] == [QuantityKind.PERCENT]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("a ratio of at least 8.5%", QuantityKind.PERCENT, 8.5, "%"),
        ("ten per cent", QuantityKind.PERCENT, 10, "%"),
        ("50 basis points", QuantityKind.PERCENT, 0.5, "%"),
        ("exceeding EUR 10,000", QuantityKind.MONEY, 10_000, "EUR"),
        ("€1.5 million", QuantityKind.MONEY, 1_500_000, "EUR"),
        ("500 dollars", QuantityKind.MONEY, 500, "USD"),
        ("RM 2,500", QuantityKind.MONEY, 2_500, "RM"),
        ("at least three members", QuantityKind.NUMBER, 3, "members"),
    ],
)
def test_a6_amounts_keep_their_unit(text: str, kind: QuantityKind, value: float, unit: str) -> None:
    quantity = _only(text)
    assert (quantity.kind, quantity.unit) == (kind, unit)
    assert quantity.value == pytest.approx(value)


def test_a6_dates_written_differently_are_equal() -> None:
    written = ["31 March 2025", "March 31, 2025", "2025-03-31", "31st of March 2025"]
    assert len({_only(f"by {text}").value for text in written}) == 1
    assert _only("by 31 March 2025").bound is Bound.AT_MOST


@pytest.mark.parametrize(
    "text", ["Article 12 paragraph 3", "see Section 4", "no one may enter", "Regulation 2016", "2. Scope"]
)
def test_a6_references_and_years_are_not_quantities(text: str) -> None:
    assert find_quantities(text) == []


def test_a6_spans_are_offsets_into_the_text() -> None:
    text = "Report within 72 hours, keep for five years and pay EUR 1,000 at most."
    found = find_quantities(text)
    assert [text[q.start : q.end] for q in found] == ["72 hours", "five years", "EUR 1,000"] == [q.text for q in found]


def test_a6_blanking_keeps_the_length() -> None:
    text = "Reply within 90 days."
    blanked = without_quantities(text, find_quantities(text))
    assert len(blanked) == len(text)
    assert "90" not in blanked


def test_c2_number_words() -> None:
    assert [number_value(w) for w in ("thirty", "twenty-four", "Twenty four", "1,000", "8.5", "many")] == [
        30,
        24,
        24,
        1000,
        8.5,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Access is protected by two-factor authentication.", Bound.UNSTATED),
        ("Payments are signed by two directors.", Bound.UNSTATED),
        ("Payments are signed by two or more directors.", Bound.AT_LEAST),
        ("Payments are signed by up to two directors.", Bound.AT_MOST),
    ],
)
def test_a6_by_before_a_count_names_who_does_it_and_no_limit(text: str, bound: Bound) -> None:
    (found,) = find_quantities(text)
    assert found.value == 2 and found.bound is bound
