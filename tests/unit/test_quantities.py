"""Quantities of regulatory prose (A6)."""

from __future__ import annotations

import math

import pytest

from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities, number_value, without_quantities


def _only(text: str) -> Quantity:
    found = find_quantities(text)
    assert len(found) == 1, found
    return found[0]


K = QuantityKind


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit", "bound"),
    [
        ("within thirty (30) days of receipt", K.DURATION, 30, "days", Bound.AT_MOST),
        ("not later than 72 hours after becoming aware", K.DURATION, 3, "hours", Bound.AT_MOST),
        ("for at least five years", K.DURATION, 5 * 365.25, "years", Bound.AT_LEAST),
        ("within one month", K.DURATION, 30.44, "months", Bound.AT_MOST),
        ("a period of twelve months", K.DURATION, 12 * 30.44, "months", Bound.UNSTATED),
        ("within five business days", K.DURATION, 7, "business days", Bound.AT_MOST),
        ("a minimum of 6 weeks", K.DURATION, 42, "weeks", Bound.AT_LEAST),
        ("must not exceed 30 days", K.DURATION, 30, "days", Bound.AT_MOST),
        ("30 days or more", K.DURATION, 30, "days", Bound.AT_LEAST),
        ("no less than twenty-four hours", K.DURATION, 1, "hours", Bound.AT_LEAST),
        ("up to 10 years", K.DURATION, 3652.5, "years", Bound.AT_MOST),
        ("more than two years", K.DURATION, 730.5, "years", Bound.ABOVE),
        ("within a week", K.DURATION, 7, "weeks", Bound.AT_MOST),
        ("at least annually", K.FREQUENCY, 365.25, "days", Bound.AT_LEAST),
        ("reviewed quarterly", K.FREQUENCY, 91.3, "days", Bound.UNSTATED),
        ("once every 12 months", K.FREQUENCY, 365.28, "months", Bound.UNSTATED),
        ("every two years", K.FREQUENCY, 730.5, "years", Bound.UNSTATED),
        ("twice a year", K.FREQUENCY, 182.6, "years", Bound.UNSTATED),
        ("an annual review", K.FREQUENCY, 365.25, "days", Bound.UNSTATED),
        ("every month", K.FREQUENCY, 30.44, "days", Bound.UNSTATED),
        ("a ratio of at least 8.5%", K.PERCENT, 8.5, "%", Bound.AT_LEAST),
        ("ten per cent", K.PERCENT, 10, "%", Bound.UNSTATED),
        ("50 basis points", K.PERCENT, 0.5, "%", Bound.UNSTATED),
        ("exceeding EUR 10,000", K.MONEY, 10_000, "EUR", Bound.ABOVE),
        ("€1.5 million", K.MONEY, 1_500_000, "EUR", Bound.UNSTATED),
        ("500 dollars", K.MONEY, 500, "USD", Bound.UNSTATED),
        ("RM 2,500", K.MONEY, 2_500, "RM", Bound.UNSTATED),
        ("at least three members", K.NUMBER, 3, "members", Bound.AT_LEAST),
    ],
)
def test_a6_quantities_have_a_kind_a_unit_a_bound_and_a_value_in_days_between_occurrences_or_as_written(
    text: str, kind: QuantityKind, value: float, unit: str, bound: Bound
) -> None:
    quantity = _only(text)
    assert (quantity.kind, quantity.unit, quantity.bound) == (kind, unit, bound)
    assert quantity.value == pytest.approx(value, rel=0.001)


@pytest.mark.parametrize(
    "text", ["kept forever", "stored indefinitely", "retained without any time limit", "in perpetuity"]
)
def test_a6_unbounded_storage_is_an_infinite_duration(text: str) -> None:
    assert math.isinf(_only(text).value)


def test_a6_an_annual_turnover_is_no_frequency() -> None:
    assert [q.kind for q in find_quantities("4 % of the annual turnover")] == [QuantityKind.PERCENT]


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
    said = ("thirty", "twenty-four", "Twenty four", "1,000", "8.5", "many")
    assert [number_value(words) for words in said] == [30, 24, 24, 1000, 8.5, None]


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
