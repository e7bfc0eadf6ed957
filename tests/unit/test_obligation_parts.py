"""What an obligation consists of (A6)."""

from __future__ import annotations

import pytest

from policypal.text.obligation_parts import ObligationParts, obligation_parts


@pytest.mark.parametrize(
    ("text", "condition", "deadline", "threshold", "exception"),
    [
        ("If a payment is refused, a provider must inform the payer within 2 working days.", "If a payment is refused", "2 working days", "", ""),
        (
            "An institution must hold own funds of at least 8% unless the Authority has agreed otherwise.",
            "", "", "8%", "unless the Authority has agreed otherwise.",
        ),
        ("The weather is fine.", "", "", "", ""),
    ],
)  # fmt: skip
def test_a6_deadline_threshold_condition_and_exception(
    text: str, condition: str, deadline: str, threshold: str, exception: str
) -> None:
    assert obligation_parts(text) == ObligationParts(condition, deadline, threshold, exception)
